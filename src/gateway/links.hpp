// What the gateway (gateway.hpp) keeps: for each pair of ranks a link, for each rank here an end, for each other
// process a peer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/cache_line.hpp"
#include "base/peer_table.hpp"
#include "base/pushed_list.hpp"
#include "gateway/envelope_cache.hpp"
#include "gateway/handed_over.hpp"
#include "gateway/message_entry.hpp"
#include "gateway/message_streams.hpp"
#include "gateway/outgoing.hpp"
#include "gateway/payload_pool.hpp"
#include "gateway/wire.hpp"
#include "match/remote_ranks.hpp"
#include "transport/ring.hpp"
#include "transport/send_claim.hpp"

namespace pure::core {

class gateway;

struct local_end;

/// Messages of one rank here to one elsewhere.
struct out_link final : outbound_ring {
  out_link(gateway& reader, local_end& writer, int from_rank, int to_rank, int to_process, std::size_t bytes)
      : outbound_ring(from_rank, bytes), by(reader), end(writer), to(to_rank), process(to_process) {}
  void wake() noexcept override;
  [[nodiscard]] message_entry entry_of(const envelope& who, std::size_t bytes) const noexcept {
    message_entry what;
    what.who = who;
    what.bytes = bytes;
    what.to = to;
    what.from = messages.source();
    return what;
  }

  gateway& by;
  local_end& end;
  const int to;
  const int process;  // where that rank is
  out_link* next_announced = nullptr;
  // On the list of those with messages that nobody has forwarded: from before it is pushed there until after it is
  // taken off, and before the ring is read. So it is pushed once, and what is written later is seen or pushes again.
  std::atomic<bool> is_listed{false};
  out_link* next_listed = nullptr;
  // --- by the holder of the network lock ---
  bool is_unfinished = false;  // something in it waits for room in the network
  envelope_cache tags;
  out_streams streams;
};

/// An entry that found no room in its ring.
struct waiting_entry {
  message_entry what;
  int process;
  const char* object_type = nullptr;  // it is a serialized object
  std::unique_ptr<std::byte[]> payload = nullptr;
  announced_payload* large = nullptr;
};

/// What has come behind a run of which messages are still under way.
struct message_behind {
  message_entry what;
  std::optional<wire_note> note;
  std::unique_ptr<std::byte[]> payload;
};
using entry_behind = std::variant<message_behind, wire_run_stream, wire_run_end>;

/// A run (message_streams.hpp), where it arrives.
struct in_run {
  [[nodiscard]] bool has_begun() const noexcept { return of != nullptr; }

  in_stream* of = nullptr;  // whose message is the first that is missing; null: there is no run
  streams_in_turn<in_stream> streams;
  std::uint32_t streams_to_come = 0;  // it begins, and so many of them have not been told yet
  int process = 0;
  message_entry what;         // of its messages, but for their tag and `bytes`
  std::uint32_t arrived = 0;  // those that have come ahead of others, too
  // No receive is posted for its next message: the receiver's next one may be; or else one into memory of the
  // gateway, when that has taken too long, or was so with the last message of its stream.
  bool lacks_receive = false;
  bool is_unwanted = false;                 // its sender has been told
  std::uint32_t taken_back = 0;             // receives into memory of the gateway, for one of the receiver came
  std::uint32_t polls = 0;                  // since it lacks one
  std::int64_t lacks_receive_since_ns = 0;  // about; 0: not looked at yet
  // Its end has come, and these messages have not.
  std::uint32_t missing = 0;
  std::vector<entry_behind> behind;
};

/// Messages of one rank elsewhere to one here.
struct in_link {
  /// Of a message of `who`, if it is of a run, or one begins behind it, and its receiver has not been told of its
  /// stream.
  [[nodiscard]] in_stream* stream_to_note(const envelope& who) noexcept {
    in_stream* const its = run.has_begun() ? streams.find(who) : nullptr;
    return its != nullptr && its->run_of != nullptr && !its->is_noted ? its : nullptr;
  }

  pure::core::ring* to = nullptr;
  local_end* end = nullptr;
  std::uint32_t holds = 0;  // foreseen_receive::holds_back
  pair_streams<in_stream> streams;
  std::deque<waiting_entry> waiting;
  in_run run;
};

/// What a rank of this process leaves for the holder of the network lock, and what the holder keeps for it.
struct alignas(pair_bytes) local_end {
  // --- by the rank ---
  std::atomic<bool> has_work{false};
  pushed_list<out_link, &out_link::next_announced> announced;
  pushed_list<out_link, &out_link::next_listed> with_messages;
  pushed_list<announced_payload, &announced_payload::next_requested> requested;
  pushed_list<handed_over, &handed_over::next_matched> matched;
  std::uint32_t left_for_later = 0;
  std::atomic<bool> has_asked_back{false};  // seldom
  std::mutex asking;
  std::vector<claimed_send> asked_back;  // under the lock
  // --- by the holder of the network lock ---
  alignas(pair_bytes) rank_context* rank = nullptr;
  std::vector<std::unique_ptr<out_link>> out;
  std::vector<out_link*> unfinished;
  std::vector<in_link*> full;  // those where something waits for room
  /// Of a call that blocks, and has no send_op: a rank is in one at a time, for nothing that a wait executes may send.
  rendezvous blocking_send;
  peer_table<in_link> in;  // by sender
};

/// What a message is that comes bare (gateway/envelope_cache.hpp).
struct known_envelope {
  [[nodiscard]] message_entry with(std::size_t bytes) const noexcept {
    message_entry message = what;
    message.bytes = bytes;
    return message;
  }

  in_link* link = nullptr;  // null: no envelope has that tag
  message_entry what;       // but for `bytes`
};

/// Another process.
struct peer {
  /// Whether it counts on being told what has been dealt with here (out_stream), and has not been for long: bare
  /// messages do not tell it. (64 KB, answered by 8 B, over TCP, raw MPI's time = 1, MPICH and Open MPI, in turn:
  /// 1.07, 1.07; if it is never told 1.17, 1.28.) Seldom where all have been small for some time: they need no tags.
  [[nodiscard]] bool has_to_be_told() const noexcept {
    if (!has_streams_to_here) return false;
    const std::uint64_t untold = dealt_with - dealt_with_as_told;
    const bool is_late = untold >= most_untold && (untold >= most_untold_if_small || arrived - last_large <= some_time);
    return is_late || (dealt_with_as_told < has_to_know && has_to_know <= dealt_with);
  }
  static constexpr std::uint64_t most_untold = streams::tags_of_each / 4;
  static constexpr std::uint64_t most_untold_if_small = 64, some_time = 64;

  std::unique_ptr<packet> open;  // being packed; null: none
  std::uint32_t next_tag = 0;
  std::uint32_t pairs_with_streams = 0;
  std::uint32_t pairs_with_tags = 0;  // envelope_cache
  std::uint64_t sent = 0;             // packets
  std::uint64_t arrived = 0;
  std::uint64_t sent_in_runs = 0;  // messages, which have no packets
  std::uint64_t arrived_in_runs = 0;
  std::uint64_t dealt_with = 0;  // of those: all entries handed over, or nothing expected any more that they end
  std::uint64_t dealt_with_as_told = 0;
  std::uint64_t dealt_with_by_it = 0;  // of those sent, as far as it has told
  bool has_streams_to_here = false;
  std::uint64_t last_large = 0;       // in which a message has come whose payload travels by itself
  std::uint64_t has_to_know = 0;      // that this packet has been dealt with: a run that began with it needs its tag
  std::vector<known_envelope> known;  // by envelope_cache::number_of()
  unposted_payloads unposted;
  std::map<std::string, std::uint32_t, std::less<>> told;  // texts that it has been told, and their numbers
  std::deque<std::string> texts;                           // that it has told; number 1 is the first
};

}  // namespace pure::core
