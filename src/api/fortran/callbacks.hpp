// Functions of a program in Fortran that MPI calls. An operator and an error handler are created by entries of Pure's
// own, which know the language. Another library of the standard ABI knows C only, and its callbacks get no word of the
// program's: there each Fortran function has a C function of its own, of which there are some.
#pragma once

#include <cstddef>
#include <utility>

#include <pthread.h>

#include "api/fortran/side.hpp"

namespace pure::fortran {

/// As many C functions as `Call` is to be made from, for as many different procedures. Any thread.
template <class Function, template <std::size_t> class Call, std::size_t limit>
class trampolines {
 public:
  /// Null: there is none left.
  Function* of(any_procedure procedure) {
    pthread_mutex_lock(&lock_);
    std::size_t at = 0;
    while (at < limit && procedures[at] != nullptr && procedures[at] != procedure) ++at;
    if (at < limit) procedures[at] = procedure;
    pthread_mutex_unlock(&lock_);
    return at < limit ? table(std::make_index_sequence<limit>())[at] : nullptr;
  }

  static inline any_procedure procedures[limit] = {};

 private:
  template <std::size_t... at>
  static Function* const* table(std::index_sequence<at...>) {
    static constexpr Function* all[] = {Call<at>::call...};
    return all;
  }
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
};

}  // namespace pure::fortran
