// One receive, from its start to its completion. Belongs to the receiving rank; nobody else touches it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pure/detail/transfer.hpp>

#include "match/status.hpp"
#include "transport/record.hpp"

namespace pure::core {

using detail::receive_sink;

struct receive_op {
  receive_op* next = nullptr;  // in its list of posted receives
  void* buffer = nullptr;
  std::size_t capacity = 0;
  const receive_sink* sink = nullptr;  // if set, in place of buffer and capacity
  std::uint64_t order = 0;             // of posting, among all receives of the rank
  std::uint32_t context = 0;
  std::int32_t tag = any_tag;
  std::int32_t from = any_source;  // the sender's number in the job, not in the communicator
  bool done = false;
  status result;

  [[nodiscard]] bool matches(const envelope& who) const noexcept {
    return context == who.context && (tag == who.tag || tag == any_tag);
  }
};

}  // namespace pure::core
