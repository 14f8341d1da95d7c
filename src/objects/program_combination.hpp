// A program's function that combines elements, and for what elements it is called: of any datatype, also of one with
// gaps. What is called belongs to the door that the function came through. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pure::core {

/// What the core combines are elements in a row, `element_bytes` apart, that begin at their first byte or before it;
/// the function's arguments point to where its datatype has its zero.
struct program_combination {
  using any_function = void (*)();
  /// Calls the function in place: inout[i] = in[i] op inout[i] for `count` elements of the program's.
  using caller = void (*)(const program_combination& how, const void* in, void* inout, std::int64_t count);

  any_function function = nullptr;
  caller call_door = nullptr;
  std::uint64_t type = 0;         // as the program named it to that door
  std::size_t element_bytes = 0;  // from one element to the next
  std::ptrdiff_t first_byte = 0;  // of an element, as the datatype counts
  bool is_one_by_one = false;     // elements are not at the datatype's extent: a call has one

  /// As a detail::reduction::function.
  static void combine(const void* context, const void* left, const void* right, void* out, std::size_t count);

 private:
  void call(const void* in, void* inout, std::size_t count) const;
};

}  // namespace pure::core
