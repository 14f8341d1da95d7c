// The record: what travels through a ring. One or more whole cache lines, the first holding the ready mark, the
// envelope and the first payload bytes, so that a short message is one cache-line transfer (DESIGN D3).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "transport/ring_ends.hpp"

namespace pure::core {

/// Whom a message is for, and from whom: what the receiver matches (MPI 4.1, 3.2.3).
struct envelope {
  std::uint32_t context = 0;  // of the communicator
  std::int32_t source = 0;    // the sender's rank in the communicator
  std::int32_t tag = 0;
};

enum class record_kind : std::uint32_t {
  eager,        // the payload follows in the record
  rendezvous,   // the payload is a pointer to a rendezvous in the sender's memory
  moved,        // the payload is a moved_value: ownership travels, bytes do not
  wrap,         // no message: the rest of the ring's end is unused, the next record is at the start
  cells,        // the payload says which cells hold the message: a message_in_cells (transport/cells.hpp)
  synchronous,  // a pointer to what tells the sender that a receive has matched, then the payload
};

struct alignas(line_bytes) record {
  static constexpr std::size_t header_bytes = 24;
  static constexpr std::size_t first_line_payload = line_bytes - header_bytes;

  /// The record's length in lines, its kind, and the bit of the ring's lap in which it is ready; 0 in none. Published
  /// with release by the sender.
  std::atomic<std::uint32_t> mark;
  std::uint32_t bytes;  // of the payload
  envelope who;
  std::uint32_t number;  // by which its sender knows it, where messages are logged (runtime/activity.hpp) or checked
  std::byte payload[first_line_payload];  // and on into the lines that follow

  /// Only by the receiver, after ring::front() has seen the mark.
  [[nodiscard]] record_kind kind() const noexcept {
    return static_cast<record_kind>(ring_mark::kind_in(mark.load(std::memory_order_relaxed)));
  }

  /// How many lines a record with that payload fills.
  static constexpr std::size_t lines_for_payload(std::size_t bytes) noexcept { return lines_for(header_bytes + bytes); }
};
static_assert(sizeof(record) == line_bytes);
static_assert(offsetof(record, payload) == record::header_bytes);

}  // namespace pure::core
