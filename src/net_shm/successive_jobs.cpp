#include "net_shm/successive_jobs.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <limits>
#include <system_error>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/owned_descriptor.hpp"

namespace pure::net_shm {

namespace {

constexpr int nobody = -1;

std::uint32_t* futex_of(std::atomic<process_stage>& stage) noexcept {
  static_assert(sizeof stage == sizeof(std::uint32_t));
  return reinterpret_cast<std::uint32_t*>(&stage);
}

[[noreturn]] void refuse_renewal(int error) {
  throw Error(errc::state, fmt::format("the memory of the job cannot be made ready for another program: {}",
                                       std::generic_category().message(error)));
}

/// Keeps processes from each other, not threads: a process begins one job at a time.
class segment_lock {
 public:
  explicit segment_lock(int descriptor) : descriptor_(descriptor) {
    while (!change(F_WRLCK)) {
      if (errno != EINTR) refuse_renewal(errno);
    }
  }
  segment_lock(const segment_lock&) = delete;
  segment_lock& operator=(const segment_lock&) = delete;
  ~segment_lock() { change(F_UNLCK); }

 private:
  bool change(short to) const noexcept {
    struct flock what {};
    what.l_type = to;
    what.l_whence = SEEK_SET;
    what.l_len = 1;
    return fcntl(descriptor_, F_SETLKW, &what) == 0;
  }

  int descriptor_;
};

void renew_row(const segment_view& front, int process) noexcept {
  // relaxed, all of it: the stages that renew() stores last publish it
  process_row& row = front.row(process);
  row.is_armed.store(0, std::memory_order_relaxed);
  row.pid.store(0, std::memory_order_relaxed);
  row.pid_space.store(0, std::memory_order_relaxed);
  for (std::size_t word = 0; word < front.plan().words(); ++word) {
    front.watched(process)[word].store(0, std::memory_order_relaxed);
    front.announced(process)[word].store(0, std::memory_order_relaxed);
  }
  for (std::size_t each = 0; each < transfers_per_process; ++each) {
    front.transfers(process)[each].claims.store(0, std::memory_order_relaxed);
    front.transfers(process)[each].read.store(0, std::memory_order_relaxed);
  }
}

/// By the holder of the lock, when all have ended.
void renew(const segment_view& front, int descriptor) {
  const segment_plan& plan = front.plan();
  segment_head& head = front.head();
  head.is_being_renewed.store(1, std::memory_order_relaxed);
  const auto rings = static_cast<off_t>(plan.front_bytes());
  const off_t bytes = static_cast<off_t>(plan.all_bytes()) - rings;
  while (fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, rings, bytes) != 0) {
    if (errno != EINTR) refuse_renewal(errno);
  }
  ++head.key;  // of the sockets: those of programs that have left may be there still
  head.have_come.store(0, std::memory_order_relaxed);
  head.needs_fences.store(0, std::memory_order_relaxed);
  head.has_no_bells.store(0, std::memory_order_relaxed);
  for (int process = 0; process < plan.processes(); ++process) renew_row(front, process);
  for (int process = 0; process < plan.processes(); ++process) {
    // release: the segment as it is now; pairs with the acquire in look_at_job()
    front.row(process).stage.store(process_stage::away, std::memory_order_release);
  }
  head.is_being_renewed.store(0, std::memory_order_relaxed);
}

/// Which process has to leave the job before that; nobody: this one may come.
int look_at_job(const segment_view& front, int descriptor, int process) {
  const segment_lock alone(descriptor);
  if (front.head().is_being_renewed.load(std::memory_order_relaxed) != 0) renew(front, descriptor);
  // acquire: what whoever renews the segment has written; pairs with the release in renew()
  switch (front.row(process).stage.load(std::memory_order_acquire)) {
    case process_stage::away: return nobody;
    case process_stage::here: refuse_second_program(front, process);
    case process_stage::ended: break;
  }
  for (int other = 0; other < front.plan().processes(); ++other) {
    // acquire: that it is done with the segment; pairs with the release in leave_job()
    if (front.row(other).stage.load(std::memory_order_acquire) != process_stage::ended) return other;
  }
  renew(front, descriptor);
  return nobody;
}

/// Whether that process has ended, or does within a moment: of one that is being killed, the kernel takes down its
/// memory first. Where the kernel cannot tell (before Linux 5.3), it has not.
bool ends_at_once(pid_t pid) noexcept {
  const core::owned_descriptor end(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!end.is_open()) return errno == ESRCH;
  pollfd its_end{.fd = end.number(), .events = POLLIN, .revents = 0};
  constexpr int moment_ms = 200;
  return poll(&its_end, 1, moment_ms) > 0;
}

}  // namespace

void begin_job(const opened_segment& segment, int process) {
  const segment_view front = segment.front();
  for (;;) {
    const int other = look_at_job(front, segment.file().number(), process);
    if (other == nobody) return;
    constexpr timespec between_looks{0, 500'000'000};
    syscall(SYS_futex, futex_of(front.row(other).stage), FUTEX_WAIT, static_cast<std::uint32_t>(process_stage::here),
            &between_looks, nullptr, 0);
    if (segment.has_starter_ended()) throw Error(errc::state, starter_has_ended);
  }
}

void leave_job(const segment_view& front, int process) noexcept {
  std::atomic<process_stage>& stage = front.row(process).stage;
  // release: what it has done in the segment; pairs with the acquire in look_at_job()
  stage.store(process_stage::ended, std::memory_order_release);
  syscall(SYS_futex, futex_of(stage), FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

void refuse_second_program(const segment_view& front, int process) {
  const process_row& row = front.row(process);
  const pid_t pid = row.pid.load(std::memory_order_relaxed);
  const bool is_known = row.pid_space.load(std::memory_order_relaxed) == own_pid_space() && own_pid_space() != 0;
  if (is_known && ends_at_once(pid)) {
    throw Error(errc::state,
                fmt::format("the program before this one (pid {}), which was process {} of this job, has ended without "
                            "leaving it: by a signal, or by _exit(). The others may wait for it still, and no program "
                            "can take its place: see why it ended, and start the job anew",
                            pid, process));
  }
  throw Error(errc::state,
              fmt::format("another program (pid {}) is process {} of this job already, and has not left it: programs "
                          "that a script starts in the processes of a job are jobs one after the other, each to its "
                          "end; start one beside another one with a purerun of its own",
                          pid, process));
}

}  // namespace pure::net_shm
