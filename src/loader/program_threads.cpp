// A thread that a rank's program makes is the rank's, and so are those that it makes: its globals are that rank's, its
// thread-local variables have their first values, its calls of MPI are the rank's.
#include <limits.h>
#include <pthread.h>
#include <threads.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <new>

#include "libc/hidden_state.hpp"
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
  own.program->state().used.has_come();
  return own.run(own.argument);
}

template <class Result>
void not_born(const program_thread<Result>* born) noexcept {
  born->program->state().used.has_come();
  delete born;
}

int rank_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  rank_program* const program = program_here();
  if (program == nullptr) return pthread_create(thread, attributes, run, argument);
  auto* const born = new (std::nothrow) program_thread<void*>{run, argument, program};
  if (born == nullptr) return EAGAIN;
  program->state().used.expect_one();
  const int error = pthread_create(thread, attributes, begin_program_thread<void*>, born);
  if (error != 0) not_born(born);
  return error;
}

int rank_thrd_create(thrd_t* thread, thrd_start_t run, void* argument) {
  rank_program* const program = program_here();
  if (program == nullptr) return thrd_create(thread, run, argument);
  auto* const born = new (std::nothrow) program_thread<int>{run, argument, program};
  if (born == nullptr) return thrd_nomem;
  program->state().used.expect_one();
  const int error = thrd_create(thread, begin_program_thread<int>, born);
  if (error != thrd_success) not_born(born);
  return error;
}

using destructor = void (*)(void*);
void destroy_nothing(void* /*value*/) {}

// By number, the destructors of keys that are programs' own; null: the key is nobody's, or not a program's. A thread
// has values of its own rank's only. Relaxed: a value that a thread has given to a key comes after that key has been
// made.
constinit std::array<std::atomic<destructor>, PTHREAD_KEYS_MAX> keys_of_programs{};

void note_key(unsigned key, destructor destroy) noexcept {
  if (key < keys_of_programs.size())
    keys_of_programs[key].store(destroy == nullptr ? destroy_nothing : destroy, std::memory_order_relaxed);
}

/// The next one that has this number may be anybody's.
void note_deleted_key(unsigned key) noexcept {
  if (key < keys_of_programs.size()) keys_of_programs[key].store(nullptr, std::memory_order_relaxed);
}

int rank_key_create(pthread_key_t* key, destructor destroy) {
  const int error = pthread_key_create(key, destroy);
  if (error == 0) note_key(*key, destroy);
  return error;
}

int rank_key_delete(pthread_key_t key) {
  note_deleted_key(key);
  return pthread_key_delete(key);
}

int rank_tss_create(tss_t* key, tss_dtor_t destroy) {
  const int error = tss_create(key, destroy);
  if (error == thrd_success) note_key(*key, destroy);
  return error;
}

void rank_tss_delete(tss_t key) {
  note_deleted_key(key);
  tss_delete(key);
}

/// Takes the calling thread's values of programs' keys away, and calls use(destroy, value) for each. Whether there were
/// any.
template <class Use>
bool take_thread_values(Use use) {
  bool is_any = false;
  for (unsigned key = 0; key < keys_of_programs.size(); ++key) {
    const destructor destroy = keys_of_programs[key].load(std::memory_order_relaxed);
    void* const value = destroy == nullptr ? nullptr : pthread_getspecific(key);
    if (value == nullptr) continue;
    is_any = true;
    pthread_setspecific(key, nullptr);
    use(destroy, value);
  }
  return is_any;
}

}  // namespace

void end_thread_values() {
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    if (!take_thread_values([](destructor destroy, void* value) { destroy(value); })) return;
  }
}

void forget_thread_values() noexcept {
  take_thread_values([](destructor /*destroy*/, void* /*value*/) {});
}

std::span<const replacement> thread_replacements() noexcept {
  static const replacement all[] = {
      replaced_by("pthread_create", rank_pthread_create), replaced_by("thrd_create", rank_thrd_create),
      replaced_by("pthread_key_create", rank_key_create), replaced_by("__pthread_key_create", rank_key_create),
      replaced_by("pthread_key_delete", rank_key_delete), replaced_by("tss_create", rank_tss_create),
      replaced_by("tss_delete", rank_tss_delete),
  };
  return all;
}

}  // namespace pure::core
