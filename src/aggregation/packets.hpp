// What the processes of an aggregation send each other: a struct for each kind of packet, with the writer and the
// reader of all.
//
// A packet is its kind's struct, and what follows it: items; runs, then items; texts; or nothing. What comes is another
// process's word. Reading checks that the packet is long enough for its kind; whoever uses a number checks its bounds:
// packet_reader.hpp for items, arrivals for the rest. All processes run the same version, on machines of one byte
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "aggregation/item_buffer.hpp"
#include "aggregation/termination_waves.hpp"

namespace pure::core {

enum class packet_kind : std::uint8_t {
  ww,         // items_for_rank
  wps,        // items_in_runs: from one rank
  wsp,        // items_in_runs: the same, those for a rank together
  pp,         // items_in_runs: from several ranks
  hop,        // items_in_runs: the same, which may have to be passed on there
  token,      // token_packet
  phase_end,  // phase_end_packet
  channel,    // channel_packet
  last = channel
};
inline constexpr std::size_t packet_kinds = static_cast<std::size_t>(packet_kind::last) + 1;

/// Items from one rank for another one. They follow.
struct items_for_rank {
  packet_kind kind = packet_kind::ww;
  std::uint8_t is_urgent = 0;
  std::uint16_t channel = 0;
  std::uint32_t phase = 0;   // its last 32 bits
  std::uint16_t count = 0;   // of items
  std::uint16_t target = 0;  // index in its process
  std::uint32_t source = 0;  // rank of the communicator
};

/// Items for several ranks. The runs follow, and then the items of all of them.
struct items_in_runs {
  packet_kind kind = packet_kind::wps;
  std::uint8_t unused = 0;
  std::uint16_t channel = 0;
  std::uint32_t phase = 0;  // its last 32 bits
  std::uint32_t runs = 0;
  std::uint32_t unused_too = 0;
};

/// The counts of a phase, on their round (termination_waves.hpp).
struct token_packet {
  packet_kind kind = packet_kind::token;
  std::uint8_t unused[7] = {};
  wave_token token;
};

/// By process 0: the phase has ended.
struct phase_end_packet {
  packet_kind kind = packet_kind::phase_end;
  std::uint8_t unused[7] = {};
  std::uint64_t phase = 0;
};

/// What a channel is (channel_records.hpp), before its first items. Its type follows, then where it was made.
struct channel_packet {
  packet_kind kind = packet_kind::channel;
  std::uint8_t is_combining = 0;
  std::uint16_t channel = 0;
  std::uint32_t item_bytes = 0;
  std::uint32_t by = 0;  // rank of the communicator
  std::uint16_t type_bytes = 0;
  std::uint16_t site_bytes = 0;
};

/// For whom an item is, and from whom.
struct item_tag {
  std::uint16_t target = 0;   // index in its process
  std::uint16_t source = 0;   // rank of the communicator
  std::uint16_t process = 0;  // of its destination, as the aggregation numbers them

  friend bool operator==(const item_tag&, const item_tag&) = default;
};

/// Items of a packet that lie together and have the same tag.
struct item_run {
  item_tag tag;
  std::uint16_t count = 0;
};

static_assert(sizeof(items_for_rank) == 16 && sizeof(items_in_runs) == 16 && sizeof(channel_packet) == 16);
static_assert(sizeof(token_packet) == 40 && sizeof(phase_end_packet) == 16 && sizeof(item_run) == 8);

/// A larger rank has no tag.
inline constexpr int most_ranks_between_processes = UINT16_MAX + 1;

/// What a packet may be long.
inline constexpr std::size_t most_packet_bytes = sizeof(items_for_rank) + item_buffer::most_bytes;

/// Whether the items of such a packet come from several ranks. Each slice of them has room for their sources, too
/// (item_buffer).
constexpr bool has_several_sources(packet_kind what) noexcept {
  return what == packet_kind::pp || what == packet_kind::hop;
}

/// How many items fit into such a packet, in one run.
constexpr std::size_t packet_items(packet_kind what, std::size_t item_bytes) noexcept {
  if (what == packet_kind::ww) return item_buffer::most_bytes / item_bytes;
  return (item_buffer::most_bytes - sizeof(item_run)) / (item_bytes + (has_several_sources(what) ? 2 : 0));
}

/// What an item may be long, for whatever way it takes: alone in a packet, with its run and its source.
inline constexpr std::size_t most_item_bytes = item_buffer::most_bytes - sizeof(item_run) - 2;
static_assert(packet_items(packet_kind::hop, most_item_bytes) == 1);
static_assert(packet_items(packet_kind::hop, most_item_bytes + 1) == 0);

/// The bytes of a packet: what it is, the arrays that follow, and `room` for more. Throws std::bad_alloc.
template <class Kind, class... Arrays>
[[nodiscard]] std::vector<std::byte> packet_with_room(std::size_t room, const Kind& what, const Arrays&... rest) {
  static_assert(std::is_trivially_copyable_v<Kind>);
  std::vector<std::byte> bytes(sizeof what + (room + ... + std::span(rest).size_bytes()));
  std::byte* at = bytes.data();
  const auto append = [&at](std::span<const std::byte> more) {
    if (!more.empty()) std::memcpy(at, more.data(), more.size());
    at += more.size();
  };
  append(std::as_bytes(std::span(&what, 1)));
  (append(std::as_bytes(std::span(rest))), ...);
  return bytes;
}
template <class Kind, class... Arrays>
[[nodiscard]] std::vector<std::byte> packet_bytes(const Kind& what, const Arrays&... rest) {
  return packet_with_room(0, what, rest...);
}

/// What read_packet() finds where bytes are too few for their kind, too many for any, or of none.
struct no_packet {};

template <class Kind, class Visit>
auto read_as(std::span<const std::byte> packet, Visit& visit) {
  Kind what;
  if (packet.size() < sizeof what) return visit(no_packet{});
  std::memcpy(&what, packet.data(), sizeof what);
  return visit(what, packet.subspan(sizeof what));
}

/// Calls visit(what, rest) with the packet as the struct of its kind, or visit(no_packet), and returns what that does.
template <class Visit>
auto read_packet(std::span<const std::byte> packet, Visit visit) {
  if (packet.empty() || packet.size() > most_packet_bytes) return visit(no_packet{});
  switch (static_cast<packet_kind>(packet.front())) {
    case packet_kind::ww: return read_as<items_for_rank>(packet, visit);
    case packet_kind::wps:
    case packet_kind::wsp:
    case packet_kind::pp:
    case packet_kind::hop: return read_as<items_in_runs>(packet, visit);
    case packet_kind::token: return read_as<token_packet>(packet, visit);
    case packet_kind::phase_end: return read_as<phase_end_packet>(packet, visit);
    case packet_kind::channel: return read_as<channel_packet>(packet, visit);
  }
  return visit(no_packet{});
}

}  // namespace pure::core
