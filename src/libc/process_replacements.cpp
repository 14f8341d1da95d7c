// What the ranks of a process share: the working directory and the umask, unless the kernel gives each rank's threads
// their own, limits, and what the other parts are about (libc/replacement_parts.hpp). The function is libc's; when two
// ranks have set different things, one warning is due (libc/shared_things.hpp). Any thread.
//
// Not here: nice and setpriority, which are each thread's own in Linux.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "libc/descriptor_limit.hpp"
#include "libc/hidden_state.hpp"
#include "libc/replacement_parts.hpp"
#include "libc/shared_things.hpp"

namespace pure::core {

namespace {

int note_directory(int result) noexcept {
  if (result != 0 || hidden_state_here().has_own_directory) return result;
  const std::unique_ptr<char, decltype(&std::free)> path(getcwd(nullptr, 0), &std::free);
  if (path != nullptr) note_setting(shared_thing::directory, "", path.get());
  return result;
}

int rank_chdir(const char* path) { return note_directory(chdir(path)); }
int rank_fchdir(int folder) { return note_directory(fchdir(folder)); }

mode_t rank_umask(mode_t mask) {
  if (!hidden_state_here().has_own_directory) {
    const char digits[] = {static_cast<char>('0' + (mask >> 6 & 7)), static_cast<char>('0' + (mask >> 3 & 7)),
                           static_cast<char>('0' + (mask & 7))};
    note_setting(shared_thing::file_mask, "", {digits, sizeof digits});
  }
  return umask(mask);
}

void note_limit(int resource, const rlimit& limit) noexcept {
  char name[32], value[64];
  *fmt::format_to_n(name, sizeof name - 1, "setrlimit {}", resource).out = '\0';
  *fmt::format_to_n(value, sizeof value - 1, "{} {}", limit.rlim_cur, limit.rlim_max).out = '\0';
  note_setting(shared_thing::limit, name, value);
}

void put_own(int resource, rlimit* limit) noexcept {
  if (resource != RLIMIT_NOFILE || limit == nullptr) return;
  if (const auto own = descriptor_limit_of_rank()) limit->rlim_cur = *own;
}

int rank_getrlimit(__rlimit_resource_t resource, rlimit* limit) {
  const int result = getrlimit(resource, limit);
  if (result == 0) put_own(static_cast<int>(resource), limit);
  return result;
}

long rank_sysconf(int name) {
  const auto own = name == _SC_OPEN_MAX ? descriptor_limit_of_rank() : std::nullopt;
  return own ? static_cast<long>(*own) : sysconf(name);
}

int rank_getdtablesize() { return static_cast<int>(rank_sysconf(_SC_OPEN_MAX)); }

int rank_setrlimit(__rlimit_resource_t resource, const rlimit* limit) {
  const int result = setrlimit(resource, limit);
  if (result == 0) note_limit(static_cast<int>(resource), *limit);
  return result;
}

/// The number of the thread that runs main: no other process or rank has it, and kill, /proc and the scheduler know it.
pid_t rank_getpid() {
  const pid_t thread = is_process_of_ranks() ? hidden_state_here().signals.main_thread.load(std::memory_order_relaxed)
                                             : 0;
  return thread == 0 ? getpid() : thread;
}

int rank_prlimit(pid_t process, __rlimit_resource resource, const rlimit* limit, rlimit* before) {
  const auto own = static_cast<int>(resource) == RLIMIT_NOFILE ? descriptor_limit_of_rank() : std::nullopt;
  const int result = prlimit(process, resource, limit, before);
  if (result == 0 && before != nullptr && own && (process == 0 || is_number_of_rank(process))) before->rlim_cur = *own;
  if (result == 0 && limit != nullptr && (process == 0 || process == getpid() || process == rank_getpid()))
    note_limit(static_cast<int>(resource), *limit);
  return result;
}

}  // namespace

std::span<const replacement> process_replacements() noexcept {
  static const std::vector<replacement> table = [] {
    std::vector<replacement> all = {
        replaced_by("chdir", rank_chdir),           replaced_by("fchdir", rank_fchdir),
        replaced_by("umask", rank_umask),           replaced_by("setrlimit", rank_setrlimit),
        replaced_by("setrlimit64", rank_setrlimit), replaced_by("prlimit", rank_prlimit),
        replaced_by("prlimit64", rank_prlimit),     replaced_by("getpid", rank_getpid),
        replaced_by("__getpid", rank_getpid),       replaced_by("getrlimit", rank_getrlimit),
        replaced_by("getrlimit64", rank_getrlimit), replaced_by("sysconf", rank_sysconf),
        replaced_by("__sysconf", rank_sysconf),     replaced_by("getdtablesize", rank_getdtablesize),
    };
    for (const auto part : {environment_parts(), environment_readers(), program_starts(), stream_parts(), input_parts(),
                            printing_parts(), format_parts(), path_parts(), signal_parts(), processor_time_parts(),
                            fork_parts(), notification_parts(), memory_parts(), child_parts()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return table;
}

}  // namespace pure::core
