// Where exceptions of the library end, and failures go on to the program (pure/detail/failure.hpp).
#pragma once

#include <cxxabi.h>

#include <pure/detail/failure.hpp>

namespace pure::detail {

/// A failure from the exception that is handled: in its catch clause. Where there is no memory for it, that is the
/// failure.
[[nodiscard, gnu::cold, gnu::noinline]] failure* failure_of_thrown() noexcept;

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
