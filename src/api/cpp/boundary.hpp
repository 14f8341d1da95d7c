// Where exceptions of the library end, and failures go on to the program (pure/detail/failure.hpp).
#pragma once

#include <cxxabi.h>

#include <pure/detail/failure.hpp>

#include "runtime/failure_of_thrown.hpp"

namespace pure::detail {

/// Runs a function of the library; null if it returns. The end of the thread passes, for it is the system's.
template <class Body>
[[nodiscard, gnu::always_inline]] inline failure* at_boundary(Body&& body) {
  try {
    body();
    return nullptr;
  } catch (const abi::__forced_unwind&) {  // pthread_exit
    throw;
  } catch (...) {
    return failure_of_thrown();
  }
}

}  // namespace pure::detail
