#include "runtime/foreign_threads.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "base/thread_sanitizer.hpp"

namespace pure::core {

namespace {

/// ThreadSanitizer has a thread of its own.
int of_the_sanitizer() noexcept { return runs_under_thread_sanitizer() ? 1 : 0; }

constexpr int many = 1'000'000'000;

std::atomic<int> started{0};  // known threads
std::atomic<int> ended{0};

/// All threads of the process; 0: there is no /proc. A folder has a link more for each folder in it, and this one has a
/// folder for each thread: so it takes no descriptor, which the program may have used up. (proc_task_getattr() of
/// Linux, since 2.6)
int threads_of_process() noexcept {
  struct stat tasks {};
  constexpr auto of_the_folder = 2;
  return stat("/proc/self/task", &tasks) == 0 ? std::max(static_cast<int>(tasks.st_nlink) - of_the_folder, 0) : 0;
}

/// The same without /proc, up to `most`: asks for each number that a thread may have. Those are
/// millions, so this is for who suspects a hang, and has time. The system gives new threads higher numbers than older
/// ones, until it begins again at the lowest: so one that a foreign thread starts meanwhile is found, too, if not in
/// that very moment.
int threads_by_number(int most) noexcept {
  constexpr int highest = 4 * 1024 * 1024;  // PID_MAX_LIMIT of Linux
  const pid_t process = getpid();
  int found = 0;
  for (int number = 1; number < highest && found < most; ++number) {
    if (syscall(SYS_tgkill, process, number, 0) == 0) ++found;  // signal 0 is sent to nobody
  }
  return found;
}

/// `most`: more need not be counted.
int count_foreign(int most) noexcept {
  // Threads that had started before, and have not ended afterwards, are in the system's number.
  // acquire: comes before the system's number, see threads_of_process()
  const int known_before = started.load(std::memory_order_acquire);
  int all = threads_of_process();
  if (all == 0) all = threads_by_number(most < many ? known_before + of_the_sanitizer() + most : many);
  const int known = known_before - ended.load(std::memory_order_acquire);  // acquire: pairs with ~known_thread()
  return std::max(all - known - of_the_sanitizer(), 0);
}

}  // namespace

// relaxed: whoever misses one that has just started takes it for foreign
known_thread::known_thread() noexcept { started.fetch_add(1, std::memory_order_relaxed); }
// release: it ends after it is counted; pairs with the acquire in foreign_threads()
known_thread::~known_thread() { ended.fetch_add(1, std::memory_order_release); }

library_threads::library_threads() noexcept : before_(count_foreign(many)) {}
library_threads::~library_threads() {
  started.fetch_add(std::max(count_foreign(many) - before_, 0), std::memory_order_relaxed);  // relaxed: as above
}

void threads_were_left_behind() noexcept {
  started.store(0, std::memory_order_relaxed);  // relaxed: there is nobody else
  ended.store(0, std::memory_order_relaxed);
}

int foreign_threads() noexcept { return count_foreign(1); }

}  // namespace pure::core
