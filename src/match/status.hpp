// What a receive has received.
#pragma once

#include <cstddef>

#include <pure/error.hpp>

#include "base/call.hpp"

namespace pure::core {

inline constexpr int any_source = -1;  // the values of the MPI standard ABI, as in pure.h
inline constexpr int any_tag = -2;
inline constexpr int proc_null = -3;
inline constexpr int undefined = -32766;

struct status {
  int source = any_source;  // rank in the communicator of the receive
  int tag = any_tag;
  std::size_t bytes = 0;  // received; at most the receive's capacity
  std::size_t sent_bytes = 0;
  errc error = errc::success;
  bool cancelled = false;            // then nothing else counts
  const char* serialized = nullptr;  // with errc::type: whose bytes a receive of plain data met, as typeid names it
};

/// Throws the error of a receive that failed: truncated, or no whole number of elements.
[[noreturn]] void throw_receive_error(const call& by, int rank, const status& result);

}  // namespace pure::core
