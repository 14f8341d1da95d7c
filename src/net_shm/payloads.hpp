// Payloads: which receive gets which, and how the bytes get there.
//
//   small     they follow in the record, and are copied from there
//   medium    the record says where they lie; the receiver copies them from there, and says that it has
//   large     likewise, but in pieces that both ends take (claims.hpp), a piece a poll, so that nobody else waits long
//   forbidden where the kernel does not let a process read another one's memory: the receiver asks for them, and the
//             sender sends them in pieces that follow in records
//
// Receives and payloads of one process and tag meet in the order of their starts. By whoever is inside the network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

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
  std::size_t most_inside = 4096;           // of a record
  std::size_t both_ends_from = 128 * 1024;  // large
  std::size_t piece = 64 * 1024;            // of a large one, at least
  bool may_reach_peers = true;              // false: as if the kernel forbade it
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
  void take_in(int from, const record& what, core::network_events& events);
  /// One piece of each large payload that is under way. True if something has moved.
  bool move_on(core::network_events& events);
  [[nodiscard]] bool is_anything_under_way() const noexcept {
    return !receiving_.empty() || !helped_.empty() || !streamed_.empty();
  }

 private:
  enum class reach : std::uint8_t { unknown, yes, no };

  struct posted_receive {
    core::network_operation* op;
    int process;
    int tag;
    std::byte* data;
    std::size_t bytes;
    std::size_t arrived = 0;  // of one that comes in pieces
    offered_payload from{};   // when it has met one
    std::uint32_t transfer = wanted_payload::no_transfer;
    std::uint32_t round = 0;
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
  };
  struct channel {
    std::vector<std::uint32_t> receives;  // the oldest first; or:
    std::vector<arrived_payload> payloads;
  };
  /// What this process copies of a large payload that it sends.
  struct helped_send {
    std::uint32_t send;
    wanted_payload what;
  };
  struct streamed_send {
    std::uint32_t send;
    std::uint32_t receive;
    std::size_t sent = 0;
  };

  static std::uint64_t key_of(int process, int tag) noexcept {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(process)) << 32 | static_cast<std::uint32_t>(tag);
  }
  [[nodiscard]] channel& channel_of(int process, int tag) { return channels_[key_of(process, tag)]; }
  void forget_if_empty(int process, int tag);
  [[nodiscard]] std::uint32_t take_receive(int process, int tag);

  void arrive_inside(int from, const record& what, core::network_events& events);
  void arrive_offered(int from, const record& what, core::network_events& events);
  [[nodiscard]] bool deliver_inside(posted_receive& to, const std::byte* bytes, std::size_t count);
  [[nodiscard]] bool reaches(int process, std::uint64_t address);
  [[nodiscard]] bool is_done(copy_outcome how, int process);
  [[nodiscard]] bool begin_copy(std::uint32_t number);
  [[nodiscard]] bool fits(const posted_receive& to, std::size_t bytes);
  void ask_for_pieces(std::uint32_t number);
  void share_waiting();
  void say_taken(const posted_receive& done);
  void take_in_wanted(int from, const record& what);
  void take_in_piece(int from, const record& what, core::network_events& events);
  void take_in_taken(int from, const record& what, core::network_events& events);
  [[nodiscard]] bool copy_piece(std::uint32_t number);
  [[nodiscard]] bool help(std::size_t index, core::network_events& events);
  [[nodiscard]] bool stream(std::size_t index, core::network_events& events);
  void end_send(std::uint32_t number, core::network_events& events);
  void end_receive(std::uint32_t number, core::network_events& events);
  void damaged(int from);

  [[nodiscard]] std::size_t piece_bytes(std::size_t bytes) const noexcept;
  [[nodiscard]] std::uint32_t pieces_of(std::size_t bytes) const noexcept;
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
  std::vector<std::uint32_t> receiving_;    // receives that copy pieces
  std::deque<std::uint32_t> to_be_shared_;  // receives that wait for a transfer
  std::vector<std::uint32_t> free_transfers_;
  std::vector<helped_send> helped_;
  std::vector<streamed_send> streamed_;
};

}  // namespace pure::net_shm
