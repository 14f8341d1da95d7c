// An early ("unexpected") message: one that was taken from its ring before a receive for it was posted.
//
// An eager payload is kept behind the node in the same allocation. Belongs to the receiving rank.
#pragma once

#include <cstddef>
#include <memory>

#include "match/matching_queue.hpp"
#include "match/send_op.hpp"
#include "match/status.hpp"
#include "transport/moved_value.hpp"
#include "transport/record.hpp"

namespace pure::core {

struct arriving_message;

/// Who has the bytes of a rendezvous: a send of this process, or what comes from another one. For who has the claim.
struct rendezvous_source {
  send_op* here = nullptr;
  arriving_message* elsewhere = nullptr;
};

struct unexpected_message {
  unexpected_message* next = nullptr;  // in its channel's queue
  record_kind kind = record_kind::eager;
  bool is_indexed = false;  // in its queue
  envelope who;
  std::size_t bytes = 0;
  std::uint32_t number = 0;  // of its record
  std::int32_t from = 0;     // the sender's number in the job
  claim_reference claim;     // of a rendezvous or synchronous message
  rendezvous_source source;
  moved_value object;

  // ---- for its queue (matching_queue.hpp), which finds it by context and tag, and by its context for any tag ----
  static constexpr int tables = 2;
  queue_links<unexpected_message, tables> queued;
  [[nodiscard]] match_key key(int table) const noexcept { return {who.context, table == 0 ? who.tag : any_tag}; }
  [[nodiscard]] match_links<unexpected_message>& links(int table) noexcept { return queued.in[table]; }
  static std::size_t table_of(const match_key& wanted) noexcept { return wanted.tag == any_tag ? 1 : 0; }

  [[nodiscard]] std::byte* payload() noexcept { return reinterpret_cast<std::byte*>(this + 1); }

  /// Throws std::bad_alloc.
  static unexpected_message* make(std::size_t payload_bytes) {
    void* const room = ::operator new(sizeof(unexpected_message) + payload_bytes);
    return std::construct_at(static_cast<unexpected_message*>(room));
  }
  static void destroy(unexpected_message* message) noexcept {
    std::destroy_at(message);
    ::operator delete(message);
  }
};

}  // namespace pure::core
