// Payloads: which receive gets which, and how the bytes get there.
//
//   small   they follow in the record, and are copied from there
//   large   the record says where they lie. When the receiver has a place for them, it asks for them, and the sender
//           sends them in pieces that follow in records: two copies, but by two cores at once, through lines that stay
//           in their caches. Where nothing comes, since the sender computes, the receiver reads pieces from there
//           itself (claims.hpp), if the kernel lets it.
//
// Receives and payloads of one process and tag meet in the order of their starts. By whoever is inside the network.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/open_accounts.hpp"
#include "net_shm/claims.hpp"
#include "net_shm/doorbell.hpp"
#include "net_shm/numbered_table.hpp"
#include "net_shm/outgoing.hpp"
#include "net_shm/peer_memory.hpp"
#include "net_shm/record.hpp"
#include "net_shm/segment.hpp"
#include "network/network.hpp"

namespace pure::net_shm {

/// Sizes from which the ways differ, in bytes.
struct payload_ways {
  std::size_t most_inside = 16 * 1024;  // of a record, if it may be as long now
  std::size_t piece = 16 * 1024;        // of a large one, if it may ever be as long
  std::size_t most_read = 64 * 1024;    // by a receiver, at a time: nobody else waits long
  std::uint32_t patience = 200;         // polls in which no piece comes, before it reads
  bool may_reach_peers = true;          // false: as if the kernel forbade it
};

/// A payload in pieces.
struct cut_payload {
  std::size_t bytes;
  std::size_t piece;  // bytes of each but the last

  [[nodiscard]] std::uint32_t pieces() const noexcept {
    return static_cast<std::uint32_t>((bytes + piece - 1) / piece);
  }
  [[nodiscard]] std::size_t at(std::uint32_t number) const noexcept { return number * piece; }
  [[nodiscard]] std::size_t bytes_of(piece_range pieces) const noexcept {
    return std::min(pieces.count * piece, bytes - at(pieces.first));
  }
};

class payloads {
 public:
  /// `failed` is told what nobody can mend.
  payloads(const segment_view& front, const doorbell& bell, outgoing& out, int process, payload_ways ways,
           std::function<void(const std::string&)> failed);

  // As the network's (network/network.hpp): true if it is done already.
  bool send(core::network_operation& sending, int process, int tag, const void* data, std::size_t bytes);
  bool receive(core::network_operation& receiving, int process, int tag, void* data, std::size_t bytes);
  bool cancel(core::network_operation& receiving);

  /// A record that is no message. Calls events.operation_done() for what it ends.
  void take_in(int from, const arrived_record& what, core::network_events& events);
  /// The next pieces of each large payload that is under way. True if something has moved, or will without a record.
  bool move_on(core::network_events& events);
  [[nodiscard]] bool is_anything_under_way() const noexcept { return !readable_.empty() || !sending_.empty(); }
  void add_open_accounts(core::open_accounts& to) const;
  /// A record that no process of this version writes: the network fails.
  void damaged(int from);

 private:
  enum class reach : std::uint8_t { unknown, yes, no };

  static constexpr std::uint32_t no_transfer = ~0U;

  struct posted_receive {
    core::network_operation* op;
    int process;
    int tag;
    std::byte* data;
    std::size_t bytes;
    offered_payload from{};                // when it has met one
    std::uint32_t transfer = no_transfer;  // until it has asked for the pieces
    std::uint32_t pieces_sent = 0;         // by the sender, of those that are here
    std::uint32_t pieces_read = 0;
    std::uint32_t polls_in_vain = 0;
    bool has_met = false;
  };
  struct arrived_payload {
    bool is_inside;
    std::vector<std::byte> bytes;  // if so
    offered_payload offer{};
  };
  struct offered_send {
    core::network_operation* op;
    int process;
    const std::byte* data;
    std::size_t bytes;
    bool is_wanted = false;  // once
  };
  struct channel {
    std::vector<std::uint32_t> receives;  // the oldest first; or:
    std::vector<arrived_payload> payloads;
  };
  /// Who uses a transfer: nobody, a receive, or the sender of one that is complete.
  static constexpr int nobody = -1, a_receive = -2;

  static std::uint64_t key_of(int process, int tag) noexcept {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(process)) << 32 | static_cast<std::uint32_t>(tag);
  }
  [[nodiscard]] channel& channel_of(int process, int tag) { return channels_[key_of(process, tag)]; }
  void forget_if_empty(int process, int tag);
  [[nodiscard]] std::uint32_t take_receive(int process, int tag);

  void arrive_inside(int from, const arrived_record& what, core::network_events& events);
  void arrive_offered(int from, const arrived_record& what);
  [[nodiscard]] bool deliver_inside(posted_receive& to, const std::byte* bytes, std::size_t count);
  [[nodiscard]] bool reaches(int process, std::uint64_t address);
  void fail_if_wrong(copy_outcome how, int process);
  void begin_copy(std::uint32_t number);
  /// True if it fits; else the job fails.
  [[nodiscard]] bool require_fit(const posted_receive& to, std::size_t bytes);
  void ask_for_waiting();
  void take_in_wanted(int from, const arrived_record& what);
  void take_in_piece(int from, const arrived_record& what, core::network_events& events);
  void take_in_released(int from, const arrived_record& what);
  [[nodiscard]] bool read_pieces(std::uint32_t number, core::network_events& events);
  [[nodiscard]] bool send_pieces(std::size_t index, core::network_events& events);
  [[nodiscard]] bool is_whole(const posted_receive& its) const noexcept;
  void end_transfer(std::uint32_t number, core::network_events& events);
  void end_send(std::uint32_t number, core::network_events& events);
  void end_receive(std::uint32_t number, core::network_events& events);
  /// A payload that is received here.
  [[nodiscard]] cut_payload cut(std::size_t bytes) const noexcept { return {bytes, ways_.piece}; }
  [[nodiscard]] pid_t pid_of(int process) const noexcept;
  [[nodiscard]] claims claims_of(int receiver, std::uint32_t transfer) const noexcept;

  segment_view front_;
  const doorbell& bell_;
  outgoing& out_;
  const int process_;
  payload_ways ways_;
  std::vector<reach> reach_;  // by process: its memory
  std::function<void(const std::string&)> failed_;

  std::unordered_map<std::uint64_t, channel> channels_;
  numbered_table<posted_receive> receives_;
  numbered_table<offered_send> sends_;
  std::vector<std::uint32_t> readable_;         // receives that may read pieces themselves
  std::deque<std::uint32_t> without_transfer_;  // receives that wait for one
  std::vector<std::uint32_t> free_transfers_;
  std::array<int, transfers_per_process> users_;  // of the transfers: a process that has yet to release it; or
  std::vector<wanted_payload> sending_;
};

}  // namespace pure::net_shm
