// The checks of arguments that the calls of every door share, and what is said of wrong ones. Own thread of the rank
// only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/call.hpp"
#include "comm/communicator.hpp"

namespace pure::core {

[[noreturn]] void throw_null(const communicator& comm, const call& by, const char* name);
/// Of `count` elements: negative, or too many.
[[noreturn]] void throw_bad_count(const communicator& comm, const call& by, std::int64_t count,
                                  std::size_t element_bytes);
/// The buffer of `count` elements is null.
[[noreturn]] void throw_no_buffer(const communicator& comm, const call& by, std::int64_t count);

/// Refuses a null pointer to a result.
inline void require(const communicator& comm, const call& by, const void* result, const char* name) {
  if (result == nullptr) [[unlikely]]
    throw_null(comm, by, name);
}

/// The same for a call that has no communicator. Throws state outside a rank, too.
void require_pointer(const call& by, const void* result, const char* name);

/// The size of `count` elements. Throws count.
inline std::size_t bytes_of(const communicator& comm, const call& by, std::int64_t count, std::size_t element_bytes) {
  std::ptrdiff_t bytes = 0;  // no object is larger
  if (count < 0 || __builtin_mul_overflow(count, static_cast<std::ptrdiff_t>(element_bytes), &bytes)) [[unlikely]]
    throw_bad_count(comm, by, count, element_bytes);
  return static_cast<std::size_t>(bytes);
}

/// Refuses a null buffer of elements.
inline void require_buffer(const communicator& comm, const call& by, const void* buf, std::int64_t count) {
  if (buf == nullptr && count > 0) [[unlikely]]
    throw_no_buffer(comm, by, count);
}

/// Of an array: `count` is no negative number.
void require_count(const call& by, std::int64_t count);

/// An array of a program, of `count` elements.
template <class T>
std::span<const T> array_of(const call& by, int count, const T* elements, const char* name) {
  require_count(by, count);
  if (count > 0) require_pointer(by, elements, name);
  return {elements, static_cast<std::size_t>(count)};
}

}  // namespace pure::core
