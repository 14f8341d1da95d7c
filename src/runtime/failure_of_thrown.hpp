// Exceptions of the library as failures, which go on to the program (pure/detail/failure.hpp). Any thread.
#pragma once

#include <pure/detail/failure.hpp>

namespace pure::detail {

/// A failure from the exception that is handled: in its catch clause. Where there is no memory for it, that is the
/// failure.
[[nodiscard, gnu::cold, gnu::noinline]] failure* failure_of_thrown() noexcept;

}  // namespace pure::detail
