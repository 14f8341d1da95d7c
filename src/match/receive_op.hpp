// One receive, from its start to its completion. Belongs to the receiving rank; nobody else touches it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pure/detail/transfer.hpp>

#include "match/matching_queue.hpp"
#include "match/status.hpp"
#include "match/wait_kinds.hpp"
#include "runtime/wait_reason.hpp"
#include "transport/record.hpp"

namespace pure::core {

using detail::receive_place;
using detail::receive_sink;

struct arriving_message;

struct receive_op {
  receive_op(const receive_place& place, std::uint32_t in_context, int from_number, int with_tag) noexcept
      : buffer(place.buffer),
        capacity(place.capacity),
        sink(place.sink),
        context(in_context),
        tag(with_tag),
        from(from_number) {}

  void* buffer;
  std::size_t capacity;
  const receive_sink* sink;  // if set, in place of buffer; capacity is then 0
  std::uint32_t context;
  std::int32_t tag;
  std::int32_t from;  // the sender's number in the job, not in the communicator; or any_source
  bool done = false;
  bool is_checked = false;      // its buffer is: message_checks.hpp
  bool is_indexed = false;      // in its queue
  bool compares_calls = false;  // of PURE_CHECK's own: the program learns nothing by it
  // It has matched a large message of another process, whose bytes are on the way; or expects to, and is still posted
  // (expected_receives.cpp).
  arriving_message* arriving = nullptr;
  receive_op* next = nullptr;  // in its queue of posted receives
  std::uint64_t order = 0;     // of posting, among all receives of the rank
  status result;

  // ---- for its queue (matching_queue.hpp), which finds it by context and tag ----
  static constexpr int tables = 1;
  queue_links<receive_op, tables> queued;
  [[nodiscard]] match_key key(int) const noexcept { return {context, tag}; }
  [[nodiscard]] match_links<receive_op>& links(int table) noexcept { return queued.in[table]; }
  static std::size_t table_of(const match_key&) noexcept { return 0; }

  [[nodiscard]] bool matches(const envelope& who) const noexcept {
    return context == who.context && (tag == who.tag || tag == any_tag);
  }
};

/// What a receive or a probe in `by` waits for: only its sender can end it, if it names one.
inline wait_reason wait_for_message_of(const call& by, int from, int tag) noexcept {
  const bool any = from == any_source;
  return {by, message_from, any ? wait_reason::anybody : from, tag, !any};
}

}  // namespace pure::core
