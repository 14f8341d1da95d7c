#include "runtime/lost_cpu_time.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/owned_descriptor.hpp"

namespace pure::core {

std::int64_t lost_cpu_clock::ns() noexcept {
  if (!has_tried_) {
    has_tried_ = true;
    file_ = guarded_descriptor(owned_descriptor(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)));
  }
  const int file = file_.number();
  std::array<char, 128> text{};  // "time on a cpu, time without one, times"
  const ssize_t got = file >= 0 ? pread(file, text.data(), text.size() - 1, 0) : -1;
  if (got <= 0) return last_ns_;
  const char* const end = text.data() + got;
  const char* const space = std::find(static_cast<const char*>(text.data()), end, ' ');
  if (space != end) std::from_chars(space + 1, end, last_ns_);
  return last_ns_;
}

std::uint64_t times_preempted() noexcept {
  rusage used{};
  return getrusage(RUSAGE_THREAD, &used) == 0 ? static_cast<std::uint64_t>(used.ru_nivcsw) : 0;
}

}  // namespace pure::core
