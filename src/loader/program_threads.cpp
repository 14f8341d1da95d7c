// A thread that a rank's program makes is the rank's, and so are those that it makes: its globals are that rank's, its
// thread-local variables have their first values, its calls of MPI are the rank's.
#include <pthread.h>
#include <threads.h>

#include <cerrno>

#include <new>

#include "loader/hidden_state.hpp"
#include "loader/program_threads.hpp"
#include "loader/rank_program.hpp"

namespace pure::core {

namespace {

template <class Result>
struct program_thread {
  Result (*run)(void*);
  void* argument;
  rank_program* program;
};

template <class Result>
Result begin_program_thread(void* born) {
  auto* const given = static_cast<program_thread<Result>*>(born);
  const program_thread<Result> own = *given;
  delete given;  // before the program runs: no frame here may have something to do when pthread_exit unwinds it
  own.program->begin_thread();
  return own.run(own.argument);
}

int rank_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  rank_program* const program = program_here();
  if (program == nullptr) return pthread_create(thread, attributes, run, argument);
  auto* const born = new (std::nothrow) program_thread<void*>{run, argument, program};
  if (born == nullptr) return EAGAIN;
  const int error = pthread_create(thread, attributes, begin_program_thread<void*>, born);
  if (error != 0) delete born;
  return error;
}

int rank_thrd_create(thrd_t* thread, thrd_start_t run, void* argument) {
  rank_program* const program = program_here();
  if (program == nullptr) return thrd_create(thread, run, argument);
  auto* const born = new (std::nothrow) program_thread<int>{run, argument, program};
  if (born == nullptr) return thrd_nomem;
  const int error = thrd_create(thread, begin_program_thread<int>, born);
  if (error != thrd_success) delete born;
  return error;
}

}  // namespace

std::span<const replacement> thread_replacements() noexcept {
  static const replacement all[] = {
      replaced_by("pthread_create", rank_pthread_create),
      replaced_by("thrd_create", rank_thrd_create),
  };
  return all;
}

}  // namespace pure::core
