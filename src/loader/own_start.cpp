#include "loader/own_start.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>

#include <fmt/core.h>

#include "base/environment.hpp"
#include "base/mapped_file.hpp"
#include "base/owned_descriptor.hpp"
#include "loader/object_file.hpp"

namespace pure::core {
namespace {

// What the dynamic linker keeps free for the static thread-local variables of libraries that come later, some of which
// it needs for itself.
constexpr std::uint64_t usual_static_tls = 512;

// The variables that a new start needs, and the ones in which it finds what they were.
struct changed_variable {
  const char *name, *before;
};
constexpr changed_variable preload{"LD_PRELOAD", "PURE_BEFORE_LD_PRELOAD"};
constexpr changed_variable library_path{"LD_LIBRARY_PATH", "PURE_BEFORE_LD_LIBRARY_PATH"};
constexpr changed_variable tunables{"GLIBC_TUNABLES", "PURE_BEFORE_GLIBC_TUNABLES"};
constexpr std::array changed_variables{preload, library_path, tunables};

[[noreturn]] void fail_to_begin(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

// `first` before what is there, which the new start finds again.
void put_before(const changed_variable& variable, const std::string& first) {
  const char* const old = environment_variable(variable.name);
  setenv(variable.before, old != nullptr ? old : "", 1);  // NOLINT(concurrency-mt-unsafe)
  const std::string both = old != nullptr && *old != '\0' ? first + ":" + old : first;
  setenv(variable.name, both.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
}

// True: this is the second start.
bool take_back_variables() {
  bool is_second = false;
  for (const changed_variable& each : changed_variables) {
    const char* const old = environment_variable(each.before);
    if (old == nullptr) continue;
    is_second = true;
    if (*old != '\0')
      setenv(each.name, std::string(old).c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    else
      unsetenv(each.name);  // NOLINT(concurrency-mt-unsafe)
    unsetenv(each.before);  // NOLINT(concurrency-mt-unsafe)
  }
  return is_second;
}

// The program headers of this process's own program.
std::span<const Elf64_Phdr> own_segments() {
  const auto* const first = reinterpret_cast<const Elf64_Phdr*>(getauxval(AT_PHDR));
  return {first, first != nullptr ? getauxval(AT_PHNUM) : 0};
}

const Elf64_Phdr* own_tls() {
  const auto all = own_segments();
  const auto found = std::find_if(all.begin(), all.end(), [](auto& each) { return each.p_type == PT_TLS; });
  return found != all.end() ? &*found : nullptr;
}

bool has_room_for_tls(const program_closure& program) {
  if (program.tls_bytes == 0) return true;
  const Elf64_Phdr* const own = own_tls();
  const std::uint64_t alignment = program.tls_alignment;
  return own != nullptr && own->p_align >= alignment &&
         own->p_memsz >= (program.tls_bytes + alignment - 1) / alignment * alignment;
}

bool are_loaded(const std::vector<std::string>& libraries) {
  return std::all_of(libraries.begin(), libraries.end(), [](const std::string& path) {
    void* const handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle != nullptr) dlclose(handle);
    return handle != nullptr;
  });
}

void write_all(int descriptor, std::span<const std::byte> bytes, off_t at) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(descriptor, bytes.data(), bytes.size(), at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail_to_begin("a copy of the program that loads others cannot be written");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    at += written;
  }
}

// This program's file, with as much room as that program needs. Only the header says how much: nothing lies there yet.
owned_descriptor copy_with_room(const program_closure& program) {
  const object_file own("/proc/self/exe");
  const Elf64_Phdr* const tls = own.segment(PT_TLS);
  if (tls == nullptr || tls->p_filesz != 0) throw std::runtime_error("the program that loads others is another one");
  Elf64_Phdr wider = *tls;
  wider.p_align = std::max<std::uint64_t>(tls->p_align, program.tls_alignment);
  wider.p_memsz = (std::max(tls->p_memsz, program.tls_bytes) + wider.p_align - 1) / wider.p_align * wider.p_align;
  wider.p_vaddr = wider.p_paddr = tls->p_vaddr / wider.p_align * wider.p_align;
  owned_descriptor file(memfd_create("pure_ranks", MFD_CLOEXEC));
  if (!file.is_open()) fail_to_begin("there can be no copy of the program that loads others");
  write_all(file.number(), own.content(), 0);
  const auto* const header = reinterpret_cast<const std::byte*>(tls);
  write_all(file.number(), {reinterpret_cast<const std::byte*>(&wider), sizeof wider}, header - own.content().data());
  return file;
}

}  // namespace

void begin_anew_for(const program_closure& program, char** arguments) {
  const bool is_second = take_back_variables();
  const bool has_room = has_room_for_tls(program), has_preloads = are_loaded(program.preloads);
  const bool has_static_room = is_second || program.static_tls_bytes <= usual_static_tls / 2;
  if (has_room && has_preloads && has_static_room) return;
  if (is_second) {
    throw std::runtime_error(has_room ? "libraries that have to come first were not loaded"
                                      : "there is no room for the program's thread_local variables");
  }
  if (!has_preloads) {
    std::string all;
    for (const std::string& each : program.preloads) all += (all.empty() ? "" : ":") + each;
    put_before(preload, all);
  }
  if (program.static_tls_bytes > usual_static_tls / 2)
    put_before(tunables, fmt::format("glibc.rtld.optional_static_tls={}", program.static_tls_bytes + usual_static_tls));
  if (has_room) {
    execv("/proc/self/exe", arguments);
    fail_to_begin("the program that loads others cannot be started again");
  }
  // A file in memory lies in no folder: its libraries are named.
  put_before(library_path, std::filesystem::read_symlink("/proc/self/exe").parent_path().string());
  const owned_descriptor copy = copy_with_room(program);
  const std::string path = fmt::format("/proc/self/fd/{}", copy.number());
  execv(path.c_str(), arguments);
  fail_to_begin("a copy of the program that loads others cannot be started");
}

}  // namespace pure::core
