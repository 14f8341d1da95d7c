// What the parts of the gateway share: who is there, what may be said now, and the lock's holder. The gateway makes it,
// and sets what is said here to be its own; a part changes only what a comment gives to all.
// Modelled by tests/model/network_lock.pml.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/cache_line.hpp"
#include "base/observed_count.hpp"
#include "base/open_accounts.hpp"
#include "gateway/handed_over.hpp"
#include "gateway/links.hpp"
#include "gateway/send_pace.hpp"
#include "gateway/special_ways.hpp"
#include "machine/rank_placement.hpp"
#include "network/network.hpp"
#include "runtime/job.hpp"

namespace pure::core {

/// How far the end of the job has come (end_of_job.hpp).
enum class end_step { mains_run, gathering, counting, draining, leaving, ended };

struct gateway_context {
  gateway_context(int own_process, const rank_placement& of_ranks, network& over);

  // --- constant once the job is there ---
  network& net;
  const int process;
  const rank_placement& placement;
  job* running = nullptr;
  /// Of the payloads that travel with their envelopes. A fast network copies a larger one at once to where it belongs.
  const std::size_t largest_inside;
  const std::size_t largest_inside_if_fast;
  std::size_t ring_bytes = 0;
  bool is_checked = false;  // PURE_CHECK
  special_ways ways;
  std::vector<std::unique_ptr<local_end>> ends;  // by index

  send_pace pace;
  alignas(pair_bytes) std::atomic<bool> has_work{false};

  // --- by the holder of the network lock ---
  alignas(pair_bytes) bool has_unfinished = false;  // some end has to be looked at again
  rank_context* polls = nullptr;                    // the holder itself, where its receives may end
  std::vector<peer> peers;                          // by process
  handed_over_messages handed_over;
  observed_count payloads_on_their_way;  // both ways
  end_step step = end_step::mains_run;   // by end_of_job

  [[nodiscard]] peer& peer_of(int other) noexcept { return peers[static_cast<std::size_t>(other)]; }
  [[nodiscard]] local_end& end_of(const rank_context& rank) const noexcept {
    return *ends[static_cast<std::size_t>(rank.index())];
  }

  /// Nothing leaves any more.
  [[nodiscard]] bool has_stopped_sending() const noexcept { return step > end_step::gathering; }
  [[nodiscard]] std::size_t most_inside_now() const noexcept {
    return pace.is_slow() ? largest_inside : largest_inside_if_fast;
  }
  /// A message of so many bytes does not wait for others like it: they would not fit into a packet with it.
  [[nodiscard]] std::size_t not_packed_from() const noexcept { return largest_inside / 2; }
  /// Too long for a packet: it can only be sent from its sender's buffer.
  [[nodiscard]] bool has_to_be_lent(std::size_t bytes) const noexcept { return bytes > largest_inside; }
  /// In one piece, for its receive has more room where others of the run are longer.
  [[nodiscard]] bool is_too_long_for_run(std::size_t bytes) const noexcept {
    return bytes > streams::longest_of_run || bytes > net.peers().piece_bytes;
  }
  [[nodiscard]] int largest_tag() const noexcept { return net.peers().largest_tag; }
  /// By which the receiver's process gets to know its tags; not 0.
  [[nodiscard]] std::uint32_t number_of(const message_stream& one) const noexcept {
    return (one.first_tag - streams::first_tag(largest_tag())) / streams::tags_of_each + 1;
  }
  /// The other way round.
  [[nodiscard]] std::uint32_t first_tag_of(std::uint32_t number) const noexcept {
    return streams::first_tag(largest_tag()) + (number - 1) * streams::tags_of_each;
  }

  // ---- for all parts ----

  /// Ends the job: what has come of that message is not what was sent.
  void damaged(int from, int to, int tag, std::size_t bytes) const;

  static void say_work(local_end& end) noexcept {
    end.has_work.store(true, std::memory_order_release);  // release: pairs with the acquire in gateway::work()
  }
  /// What waits for room is tried again. By the holder of the network lock.
  void say_unfinished(local_end& end) noexcept {
    end.has_work.store(true, std::memory_order_relaxed);
    has_unfinished = true;
  }
  /// What the ends, links and peers have.
  void add_open_accounts(open_accounts& to) const;
  /// What has come of that process makes no sense.
  void damaged(int from_process) const;
};

}  // namespace pure::core
