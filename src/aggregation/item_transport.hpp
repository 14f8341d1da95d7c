// How the packets of an aggregation reach other processes, and what such a packet is. Aggregations know no more of a
// network than this.
//
// Who implements it calls aggregation_part::deliver() for each packet that has come, on any thread, but on
// one at a time: that never blocks, and runs no handler. Packets from one process to another arrive in the order in
// which they were sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "aggregation/item_buffer.hpp"
#include "base/open_accounts.hpp"

namespace pure::core {

class item_transport {
 public:
  item_transport() = default;
  item_transport(const item_transport&) = delete;
  item_transport& operator=(const item_transport&) = delete;
  virtual ~item_transport() = default;

  /// Takes over a packet, whose memory is the caller's again on return. False: there is no room now; when
  /// there is again, it notifies the ranks of this process, which try again in their waits. Never blocks. Throws
  /// std::bad_alloc, and has not taken it then. Any rank's thread of the process.
  [[nodiscard]] virtual bool try_send(int process, std::span<const std::byte> packet) = 0;

  /// Delivers what has come, where the waits of ranks do not do that by themselves. True if there was something. Throws
  /// std::bad_alloc. Any rank's thread of the process, in its waits.
  virtual bool poll() { return false; }

  /// A rank of this process has handled a buffer that has come from that process, or passed on what has. Any rank's
  /// thread.
  virtual void has_handled(int /*process*/) noexcept {}

  /// What is on its way longer than it may be, when ranks have finished.
  virtual void add_open_accounts(open_accounts& /*to*/) {}
};

/// By which the items of several ranks share a packet: by the names of
/// Chandrasekar and Kale (Shared Memory-Aware Latency-Sensitive Message Aggregation, section III).
enum class item_scheme : std::uint8_t {
  automatic,
  ww,   // from a worker to a worker
  wps,  // from a worker to a process, which groups them
  wsp,  // the same, but the worker groups them
  pp    // from a process to a process, which groups them
};

/// What begins a packet. Those of items go on with runs (packet_tags.hpp), but for ww, and with the items.
struct packet_head {
  enum class kind : std::uint8_t {
    ww,   // for one rank
    wps,  // runs from one rank
    wsp,  // the same, those for a rank together
    pp,   // runs from several ranks
    hop,  // the same, which may have to be passed on there
    token,
    phase_end,
    channel  // what it is (channel_records.hpp)
  };
  kind what = kind::ww;
  std::uint8_t is_urgent = 0;
  std::uint16_t channel = 0;
  std::uint32_t phase = 0;
  std::uint16_t count = 0;   // ww: of items; else of runs
  std::uint16_t target = 0;  // ww: its index in its process
  std::int32_t source = 0;   // rank of the communicator; not for pp, hop
};
static_assert(sizeof(packet_head) == 16);

/// What a packet may be long.
inline constexpr std::size_t most_packet_bytes = sizeof(packet_head) + item_buffer::most_bytes;

/// What a packet says of a run of items.
inline constexpr std::size_t run_bytes = 8;

/// How many items fit into such a packet, in one run. Where they are from several ranks, each slice of them has to have
/// room for their sources, too (item_buffer).
constexpr std::size_t packet_items(packet_head::kind what, std::size_t item_bytes) noexcept {
  using kind = packet_head::kind;
  if (what == kind::ww) return item_buffer::most_bytes / item_bytes;
  const bool has_sources = what == kind::pp || what == kind::hop;
  return (item_buffer::most_bytes - run_bytes) / (item_bytes + (has_sources ? 2 : 0));
}

/// What an item may be long, for whatever way it takes: alone in a packet, with its run and its source.
inline constexpr std::size_t most_item_bytes = item_buffer::most_bytes - run_bytes - 2;
static_assert(packet_items(packet_head::kind::hop, most_item_bytes) == 1);
static_assert(packet_items(packet_head::kind::hop, most_item_bytes + 1) == 0);

}  // namespace pure::core
