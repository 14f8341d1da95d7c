// What travels through the ring of two processes. One or more whole cache lines, the first holding the ready mark.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/cache_line.hpp"
#include "base/content_hash.hpp"
#include "transport/ring_ends.hpp"

namespace pure::net_shm {

/// In a mark (core::ring_mark).
enum class record_kind : std::uint32_t {
  message,   // network::send_message: the bytes follow
  payload,   // network::send: likewise
  offer,     // offered_payload: a payload that lies in the sender's memory
  wanted,    // wanted_payload, to the sender: it shall send the pieces
  piece,     // piece_of_payload, and its bytes
  released,  // released_transfer, to the receiver, if it has read pieces itself
  wrap       // no record: the next one is at the start of the ring
};

template <template <class> class Atomic = std::atomic>
struct alignas(core::line_bytes) basic_record {
  static constexpr std::size_t header_bytes = 16;
  static constexpr std::uint32_t most_bytes = (1U << 24) - 1;

  Atomic<std::uint32_t> mark;
  std::uint32_t bytes : 24;                             // of the contents
  std::uint32_t cell : 8;                               // where all but their head is (pair_cells.hpp), and 1 more
  std::int32_t tag;                                     // of messages, payloads, offers
  std::uint32_t sum;                                    // PURE_CHECK: of the contents; 0: none
  std::byte contents[core::line_bytes - header_bytes];  // and on into the lines that follow

  [[nodiscard]] std::uint32_t sum_now() const noexcept { return core::sum_of(contents, bytes); }
  [[nodiscard]] record_kind kind() const noexcept {
    return static_cast<record_kind>(core::ring_mark::kind_in(mark.load(std::memory_order_relaxed)));
  }
  static constexpr std::size_t lines_for(std::size_t bytes) noexcept { return core::lines_for(header_bytes + bytes); }
};
using record = basic_record<>;
static_assert(sizeof(record) == core::line_bytes);
static_assert(offsetof(record, contents) == record::header_bytes);

inline constexpr auto wrap_mark = static_cast<std::uint32_t>(record_kind::wrap);

/// What the records about payloads hold. Numbers are those of who has told them: it checks what comes back.
struct offered_payload {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t send = 0;  // the sender's number of it
  std::uint32_t unused = 0;
};
struct wanted_payload {
  std::uint32_t send = 0;
  std::uint32_t receive = 0;   // the receiver's number of it
  std::uint32_t transfer = 0;  // by which the two ends take pieces of it
  std::uint32_t piece = 0;     // bytes of each but the last
};
struct piece_of_payload {
  std::uint32_t receive = 0;
  std::uint32_t unused = 0;
  std::uint64_t offset = 0;
};
struct released_transfer {
  std::uint32_t transfer = 0;
  std::uint32_t unused = 0;
};

/// Before the body of a record of that kind, which may be in a cell.
constexpr std::size_t head_bytes_of(record_kind kind) noexcept {
  return kind == record_kind::piece ? sizeof(piece_of_payload) : 0;
}

/// A record that has come. Its head follows it; the body behind that, or in a cell.
struct arrived_record {
  const record* what;
  const std::byte* cell;  // null: the body is not in one

  [[nodiscard]] record_kind kind() const noexcept { return what->kind(); }
  [[nodiscard]] std::int32_t tag() const noexcept { return what->tag; }
  /// The head, if the record is long enough for it.
  template <class Head>
  bool read_head(Head& head) const noexcept {
    if (what->bytes < sizeof head) return false;
    std::memcpy(&head, what->contents, sizeof head);
    return true;
  }
  /// The body, of a record that is as long as its head at least.
  [[nodiscard]] const std::byte* body() const noexcept {
    const std::byte* const contents = what->contents;  // not an index of it, which would end with the line
    return cell != nullptr ? cell : contents + head_bytes_of(kind());
  }
  [[nodiscard]] std::size_t body_bytes() const noexcept { return what->bytes - head_bytes_of(kind()); }
};

}  // namespace pure::net_shm
