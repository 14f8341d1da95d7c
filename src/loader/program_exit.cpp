#include "loader/program_exit.hpp"

#include <cstdlib>
#include <memory>

#include "base/libc.hpp"
#include "libc/program_of_rank.hpp"
#include "libc/replacement_parts.hpp"
#include "loader/rank_program.hpp"
#include "start/calling_rank.hpp"

// libc's, for threads that are not the rank's own; its header has none.
extern "C" int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void* shared_object);

namespace pure::core {

namespace {

using with_argument = exit_handlers::with_argument;

int rank_cxa_atexit(with_argument function, void* argument, void* object) noexcept {
  rank_program* const program = program_here();
  if (program == nullptr) {  // libc's: the library has one of its own (own_runtimes/no_destructors.cpp)
    using cxa_atexit = int (*)(with_argument, void*, void*);
    return reinterpret_cast<cxa_atexit>(libc::next_definition("__cxa_atexit"))(function, argument, object);
  }
  try {
    program->handlers().add(function, argument, object);
    return 0;
  } catch (...) {
    return -1;
  }
}

int rank_atexit(void (*function)()) noexcept {
  return rank_cxa_atexit(reinterpret_cast<with_argument>(function), nullptr, nullptr);
}

int rank_on_exit(exit_handlers::with_status function, void* argument) noexcept {
  rank_program* const program = program_here();
  if (program == nullptr) return on_exit(function, argument);
  try {
    program->handlers().add_with_status(function, argument);
    return 0;
  } catch (...) {
    return -1;
  }
}

int rank_cxa_at_quick_exit(with_argument function, void* object) noexcept {
  rank_program* const program = program_here();
  if (program == nullptr) return -1;
  try {
    program->handlers().add_quick(function, object);
    return 0;
  } catch (...) {
    return -1;
  }
}

int rank_at_quick_exit(void (*function)()) noexcept {
  return rank_cxa_at_quick_exit(reinterpret_cast<with_argument>(function), nullptr);
}

/// Of a thread-local object of a thread that does not run main.
struct object_of_other_thread {
  with_argument destroy;
  void *object, *shared_object;
  exit_handlers* handlers;
};

void destroy_of_other_thread(void* of_thread) {
  const std::unique_ptr<object_of_other_thread> its(static_cast<object_of_other_thread*>(of_thread));
  its->destroy(its->object);
  its->handlers->end_of_other_thread(its->shared_object);
}

int rank_cxa_thread_atexit(with_argument function, void* object, void* shared_object) noexcept {
  rank_program* const program = program_here();
  if (program == nullptr) return __cxa_thread_atexit_impl(function, object, shared_object);
  exit_handlers& handlers = program->handlers();
  try {
    if (program->is_own_thread()) {
      handlers.add_of_thread(function, object, shared_object);
      return 0;
    }
    auto its = std::make_unique<object_of_other_thread>(
        object_of_other_thread{function, object, shared_object, &handlers});
    handlers.begin_of_other_thread(shared_object);
    if (__cxa_thread_atexit_impl(destroy_of_other_thread, its.get(), shared_object) != 0) {
      handlers.end_of_other_thread(shared_object);
      return -1;
    }
    (void)its.release();  // libc has it
    return 0;
  } catch (...) {
    return -1;
  }
}

/// By an object's destructors, whose own handlers are due.
void rank_cxa_finalize(void* object) {
  rank_program* const program = program_here();
  if (program == nullptr) return;
  program->handlers().run_of(object);
  if (object != nullptr) forget_fork_handlers(object);
}

[[noreturn]] void rank_quick_exit(int status) {
  if (has_outlived_its_rank()) std::quick_exit(status);  // stays there
  if (rank_program* const program = program_here()) program->handlers().run_quick();
  std::quick_exit(status);
}

}  // namespace

std::span<const replacement> exit_replacements() noexcept {
  static const replacement all[] = {
      replaced_by("exit", exit_program),
      replaced_by("quick_exit", rank_quick_exit),
      replaced_by("atexit", rank_atexit),
      replaced_by("on_exit", rank_on_exit),
      replaced_by("at_quick_exit", rank_at_quick_exit),
      replaced_by("__cxa_atexit", rank_cxa_atexit),
      replaced_by("__cxa_at_quick_exit", rank_cxa_at_quick_exit),
      replaced_by("__cxa_thread_atexit_impl", rank_cxa_thread_atexit),
      replaced_by("__cxa_finalize", rank_cxa_finalize),
  };
  return all;
}

}  // namespace pure::core
