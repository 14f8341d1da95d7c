#include "runtime/lost_cpu_time.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/owned_descriptor.hpp"

namespace pure::core {

std::int64_t lost_cpu_ns() noexcept {
  const owned_descriptor file(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
  std::array<char, 128> text{};  // "time on a cpu, time without one, times"
  const ssize_t got = file.is_open() ? read(file.number(), text.data(), text.size() - 1) : -1;
  if (got <= 0) return 0;
  const char* const end = text.data() + got;
  const char* const space = std::find(static_cast<const char*>(text.data()), end, ' ');
  std::int64_t lost_ns = 0;
  if (space != end) std::from_chars(space + 1, end, lost_ns);
  return lost_ns;
}

std::uint64_t times_preempted() noexcept {
  rusage used{};
  return getrusage(RUSAGE_THREAD, &used) == 0 ? static_cast<std::uint64_t>(used.ru_nivcsw) : 0;
}

}  // namespace pure::core
