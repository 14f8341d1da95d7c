#include "runtime/foreign_threads.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <string_view>

namespace pure::core {

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr int of_the_sanitizer = 1;
#else
constexpr int of_the_sanitizer = 0;
#endif

std::atomic<int> started{0};  // known threads
std::atomic<int> ended{0};

/// All threads of the process; 0: unknown. (proc(5): num_threads, the 18th field behind the name in parentheses.)
int threads_of_process() noexcept {
  const int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  std::array<char, 1024> bytes{};
  const ssize_t got = read(fd, bytes.data(), bytes.size());
  close(fd);
  std::string_view text(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  text.remove_prefix(std::min(text.rfind(')'), text.size()));
  for (int field = 0; field < 18; ++field) text.remove_prefix(std::min(text.find(' '), text.size() - 1) + 1);
  int count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

}  // namespace

// relaxed: whoever misses one that has just started takes it for foreign
known_thread::known_thread() noexcept { started.fetch_add(1, std::memory_order_relaxed); }
// release: it ends after it is counted; pairs with the acquire in foreign_threads()
known_thread::~known_thread() { ended.fetch_add(1, std::memory_order_release); }

library_threads::library_threads() noexcept : before_(foreign_threads()) {}
library_threads::~library_threads() {
  started.fetch_add(std::max(foreign_threads() - before_, 0), std::memory_order_relaxed);  // relaxed: as above
}

void threads_were_left_behind() noexcept {
  started.store(0, std::memory_order_relaxed);  // relaxed: there is nobody else
  ended.store(0, std::memory_order_relaxed);
}

int foreign_threads() noexcept {
  // Those that had started before, and have not ended afterwards, are in the system's number.
  const int known_before = started.load(std::memory_order_acquire);  // acquire: comes before the system's number
  const int all = threads_of_process();
  const int known = known_before - ended.load(std::memory_order_acquire);  // acquire: pairs with ~known_thread()
  return all == 0 ? 1 : std::max(all - known - of_the_sanitizer, 0);
}

}  // namespace pure::core
