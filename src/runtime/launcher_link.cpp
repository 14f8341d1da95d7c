#include "runtime/launcher_link.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/core.h>

#include "base/environment.hpp"
#include "base/whole_lines.hpp"
#include "runtime/cut_off_job.hpp"

namespace pure::core {
namespace {

// The bytes of the file.
constexpr off_t linked_at = 0;
constexpr off_t started_at = 1;
constexpr off_t ended_at = 2;
constexpr off_t abort_status_at = 3;
constexpr off_t failed_at = 4;  // a number of four bytes
constexpr std::size_t file_bytes = 8;

unsigned char byte_of(int fd, off_t at) noexcept {
  unsigned char byte = 0;
  return pread(fd, &byte, 1, at) == 1 ? byte : 0;
}

bool is_set(int fd, off_t at) noexcept { return byte_of(fd, at) != 0; }

/// Calls change() with the bytes of the file. False: the file cannot be written.
template <class Change>
bool with_bytes(int fd, Change change) noexcept {
  void* const mapped = mmap(nullptr, file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) return false;
  change(static_cast<unsigned char*>(mapped));
  munmap(mapped, file_bytes);
  return true;
}

/// The first to set a byte does; later ones change nothing.
void set(unsigned char* bytes, off_t at, unsigned char byte) noexcept {
  unsigned char unset = 0;
  // relaxed: no other memory depends on it
  std::atomic_ref(bytes[at]).compare_exchange_strong(unset, byte, std::memory_order_relaxed);
}

/// How many had been counted before.
std::uint32_t count_failed(unsigned char* bytes) noexcept {
  // relaxed: no other memory depends on it
  return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(bytes + failed_at)).fetch_add(1, std::memory_order_relaxed);
}

bool is_file(int fd, std::uintmax_t device, std::uintmax_t inode) noexcept {
  struct stat status {};
  return fstat(fd, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

constexpr char name_without_proc[] = "/tmp/purerun.XXXXXX";

// Changes the file that PURE_LAUNCH_FD describes: "PID:FD:DEVICE:INODE", and ":PATH" if it has one. In signal handlers,
// too.
template <class Change>
void change_file(const char* link, Change change) noexcept {
  int pid = 0, fd = 0;
  std::uintmax_t device = 0, inode = 0;
  char name[sizeof name_without_proc] = "";
  static_assert(sizeof name == 20);
  if (std::sscanf(link, "%d:%d:%" SCNuMAX ":%" SCNuMAX ":%19s", &pid, &fd, &device, &inode, name) < 4) return;
  if (is_file(fd, device, inode)) {
    fcntl(fd, F_SETFD, FD_CLOEXEC);  // it is not for the programs that this one starts
    if (with_bytes(fd, change)) return;
  }
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
  const int opened = open(name[0] != '\0' ? name : path, O_RDWR | O_CLOEXEC | (name[0] != '\0' ? O_NOFOLLOW : 0));
  if (opened < 0) return;
  if (is_file(opened, device, inode)) with_bytes(opened, change);
  close(opened);
}

void tell(const char* link, off_t at, unsigned char byte = 1) noexcept {
  change_file(link, [&](unsigned char* bytes) { set(bytes, at, byte); });
}

std::array<char, 128> link_at_start{};  // of PURE_LAUNCH_FD
pid_t linked_process = 0;

__attribute__((constructor)) void tell_launcher_linked() noexcept {
  const char* const link = environment_variable("PURE_LAUNCH_FD");
  if (link == nullptr || std::strlen(link) >= link_at_start.size()) return;
  if (environment_variable("PURE_INSIDE_OF") != nullptr) return;  // it is that job's line
  std::strcpy(link_at_start.data(), link);
  linked_process = getpid();
  tell(link, linked_at);
}

// One of the processes that purerun itself has started: over an MPI lines are as that MPI leaves them.
__attribute__((constructor)) void write_lines_of_process() noexcept {
  if (environment_variable("PURE_PROCESS_NUMBER") != nullptr) write_whole_lines(stdout);
}

__attribute__((destructor)) void tell_launcher_of_exit() noexcept { tell_launcher_left(); }

/// The line of the process that has started this one: it ends by itself.
bool is_of_other_job(const settings& values) noexcept {
  return !values.inside_of.empty() && std::atoi(values.inside_of.c_str()) != getpid();
}

}  // namespace

void tell_launcher_left() noexcept {
  if (linked_process == getpid() && !would_cut_off_ranks()) tell(link_at_start.data(), ended_at);
}

void tell_launcher_started(const settings& values) noexcept {
  static std::atomic_flag told = ATOMIC_FLAG_INIT;
  if (values.launch_fd.empty() || is_of_other_job(values)) return;
  if (told.test_and_set(std::memory_order_relaxed)) return;  // relaxed: no other memory depends on it
  tell(values.launch_fd.c_str(), started_at);
}

void tell_launcher_ended(const settings& values) noexcept {
  if (!values.launch_fd.empty() && !is_of_other_job(values)) tell(values.launch_fd.c_str(), ended_at);
}

void tell_launcher_aborted(const settings& values, int status) noexcept {
  const auto seen = static_cast<unsigned char>(status);  // as its parent gets it
  if (!values.launch_fd.empty() && !is_of_other_job(values))
    tell(values.launch_fd.c_str(), abort_status_at, seen == 0 ? 1 : seen);
}

bool tell_launcher_failed(const settings& values) noexcept {
  static std::atomic_flag is_counted = ATOMIC_FLAG_INIT;
  static std::atomic<bool> is_later{false};
  // relaxed: no other memory depends on it
  if (!is_counted.test_and_set(std::memory_order_relaxed) && !values.launch_fd.empty() && !is_of_other_job(values)) {
    change_file(values.launch_fd.c_str(), [&](unsigned char* bytes) {
      is_later.store(count_failed(bytes) != 0, std::memory_order_relaxed);
    });
  }
  return !is_later.load(std::memory_order_relaxed);
}

launcher_link::launcher_link() {
  // Launchers close descriptors, and a file without a name is then reached through /proc only.
  if (struct stat files{}; stat("/proc/self/fd", &files) != 0) {
    path_ = name_without_proc;
    file_ = owned_descriptor(mkstemp(path_.data()));
    if (!file_.is_open()) path_.clear();
  }
  if (!file_.is_open()) file_ = owned_descriptor(memfd_create("purerun", 0));
  if (!file_.is_open() || ftruncate(file_.number(), file_bytes) != 0) return;
  // A high number: shell scripts use the low ones for files of their own.
  constexpr int first_number = 200;
  if (owned_descriptor high(fcntl(file_.number(), F_DUPFD, first_number)); high.is_open()) file_ = std::move(high);
  struct stat status {};
  if (fstat(file_.number(), &status) != 0) return;
  text_ = fmt::format("{}:{}:{}:{}", getpid(), file_.number(), status.st_dev, status.st_ino);
  if (!path_.empty()) text_ += ":" + path_;
}

launcher_link::~launcher_link() {
  if (!path_.empty()) unlink(path_.c_str());
}

bool launcher_link::is_linked() const noexcept { return is_set(file_.number(), linked_at); }
bool launcher_link::has_started() const noexcept { return is_set(file_.number(), started_at); }
bool launcher_link::has_ended() const noexcept { return is_set(file_.number(), ended_at); }
int launcher_link::abort_status() const noexcept { return byte_of(file_.number(), abort_status_at); }
int launcher_link::failed_processes() const noexcept {
  std::uint32_t failed = 0;
  return pread(file_.number(), &failed, sizeof failed, failed_at) == sizeof failed ? static_cast<int>(failed) : 0;
}

}  // namespace pure::core
