// Where the ranks are threads that run the program's main, a thread that a rank's thread makes belongs to that rank,
// and so do those that it makes: its calls of MPI are the rank's. So Pure stands in front of libc's functions that make
// threads. (std::thread, OpenMP and others call pthread_create.)
//
// Where the ranks are processes, or the caller belongs to none, these functions are libc's; but what a rank's own
// thread makes may always run on the rank's whole share of the cpus (start/thread_binding.hpp).
#include <limits.h>
#include <pthread.h>
#include <threads.h>

#include <cerrno>

#include <deque>
#include <mutex>
#include <new>

#include <pure/export.hpp>

#include "base/libc.hpp"
#include "base/second_name.hpp"
#include "start/calling_rank.hpp"
#include "start/thread_binding.hpp"

namespace pure::core {

namespace {

/// What a new thread is to run, and to whom it belongs. The thread only reads it, and says that it has: it may not call
/// anything before a sanitizer that has made it knows it.
template <class Result>
struct birth {
  Result (*run)(void*);
  void* argument;
  rank_in_main* parent;
  bool is_read;  // by __atomic functions
};

/// Lasts as long as the process: threads may outlive what makes them.
template <class Result>
class births {
 public:
  /// Throws std::bad_alloc.
  birth<Result>& add(const birth<Result>& next) {
    const std::lock_guard lock(adding_);
    for (birth<Result>& each : all_) {
      // acquire: the thread has read it; pairs with the release in start_of_thread()
      if (__atomic_load_n(&each.is_read, __ATOMIC_ACQUIRE)) return each = next;
    }
    return all_.emplace_back(next);
  }

 private:
  std::mutex adding_;
  std::deque<birth<Result>> all_;
};

template <class Result>
births<Result>& all_births() {
  static auto* const all = new births<Result>;
  return *all;
}

// A thread has ended when libc has called what it keeps with keys, which it does several times over: from the last of
// them on it is not counted any more.
pthread_key_t key_of_ends{};  // written before there are such threads
thread_local int calls_of_end = 0;

__attribute__((no_sanitize("thread"))) void on_end_of_thread(void* parent) {
  if (++calls_of_end < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(key_of_ends, parent) == 0) return;
  remove_thread_from(*static_cast<rank_in_main*>(parent));
}

bool hears_of_ends() noexcept {
  static const bool is_heard_of = pthread_key_create(&key_of_ends, on_end_of_thread) == 0;
  return is_heard_of;
}

template <class Result>
__attribute__((no_sanitize("thread"))) Result start_of_thread(void* argument) {
  auto* const born = static_cast<birth<Result>*>(argument);
  const birth<Result> own = *born;
  __atomic_store_n(&born->is_read, true, __ATOMIC_RELEASE);  // release: pairs with the acquire in births::add()
  belong_to(own.parent);
  if (pthread_setspecific(key_of_ends, own.parent) != 0) remove_thread_from(*own.parent);  // no memory
  return own.run(own.argument);
}

/// Calls make(run, argument), which makes a thread; `refused`: there is no memory.
template <class Result, class Make>
int make_thread(Result (*run)(void*), void* argument, int refused, Make make) {
  const whole_share of_rank;
  rank_in_main* const parent = belongs_to();
  if (parent == nullptr) return make(run, argument);
  if (!hears_of_ends()) return refused;
  birth<Result>* born = nullptr;
  try {
    born = &all_births<Result>().add({run, argument, parent, false});
  } catch (const std::bad_alloc&) {
    return refused;
  }
  add_thread_to(*parent);
  const int error = make(start_of_thread<Result>, born);
  if (error == 0) return 0;
  remove_thread_from(*parent);
  __atomic_store_n(&born->is_read, true, __ATOMIC_RELEASE);  // release: as in start_of_thread()
  return error;
}

}  // namespace

}  // namespace pure::core

extern "C" {

PURE_API int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  using create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto libc = reinterpret_cast<create>(pure::core::libc::next_definition("pthread_create"));
  return pure::core::make_thread(
      run, argument, EAGAIN, [&](void* (*begin)(void*), void* with) { return libc(thread, attributes, begin, with); });
}

PURE_API int thrd_create(thrd_t* thread, thrd_start_t run, void* argument) {
  using create = int (*)(thrd_t*, thrd_start_t, void*);
  static const auto libc = reinterpret_cast<create>(pure::core::libc::next_definition("thrd_create"));
  return pure::core::make_thread(run, argument, thrd_nomem,
                                 [&](thrd_start_t begin, void* with) { return libc(thread, begin, with); });
}

}  // extern "C"

PURE_LIBC_NAME(pthread_create);
PURE_LIBC_NAME(thrd_create);
