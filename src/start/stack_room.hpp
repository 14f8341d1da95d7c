// Frames far below others on the stack of the calling thread: what runs there does not touch what is between.
#pragma once

#include <alloca.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/rank.hpp"

namespace pure::core {

/// Calls `then` with its frames that far below the caller's. Touches nothing of what is between.
template <class Then>
[[gnu::noinline]] void call_below(std::size_t bytes, Then&& then) {
  void* const room = alloca(std::max<std::size_t>(bytes, 1));
  asm volatile("" : : "r"(room) : "memory");  // it is used, for all that compilers know
  then();
  asm volatile("" : : "r"(room) : "memory");
}

/// Of the stack of the rank that calls; 0: it is not known.
inline std::size_t left_of_stack(const rank_context& self) noexcept {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return self.thread().stack_low != 0 && here > self.thread().stack_low ? here - self.thread().stack_low : 0;
}

}  // namespace pure::core
