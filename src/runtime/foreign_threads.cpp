#include "runtime/foreign_threads.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>

namespace pure::core {

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr int of_the_sanitizer = 1;
#else
constexpr int of_the_sanitizer = 0;
#endif

std::atomic<int> started{0};  // known threads
std::atomic<int> ended{0};

/// All threads of the process; 0: unknown. A folder has a link more for each folder in it, and this one has a folder
/// for each thread: so it takes no descriptor, which the program may have used up. (proc_task_getattr() of Linux,
/// since 2.6)
int threads_of_process() noexcept {
  struct stat tasks {};
  constexpr auto of_the_folder = 2;
  return stat("/proc/self/task", &tasks) == 0 ? std::max(static_cast<int>(tasks.st_nlink) - of_the_folder, 0) : 0;
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
  // acquire: comes before the system's number, see threads_of_process()
  const int known_before = started.load(std::memory_order_acquire);
  const int all = threads_of_process();
  const int known = known_before - ended.load(std::memory_order_acquire);  // acquire: pairs with ~known_thread()
  return all == 0 ? 1 : std::max(all - known - of_the_sanitizer, 0);
}

}  // namespace pure::core
