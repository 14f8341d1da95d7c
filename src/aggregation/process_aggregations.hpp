// Aggregations of this process whose ranks are in several ones: their packets travel as active messages
// (runtime/other_processes.hpp), and come to the part of the aggregation that is here.
//
// Flow: a part has at most most_under_way packets on their way to another process, or there and not acknowledged; the
// rest waits with the sender. The receiver acknowledges packets as they come, but not while too many of their items
// wait to be handled (whoever handles one of them looks again), or for
// room on their way to a third process (item_routes.hpp). So a process that does not handle its items is sent few
// more of them, whatever their sender does.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "aggregation/aggregation_part.hpp"
#include "aggregation/item_transport.hpp"
#include "runtime/job.hpp"
#include "runtime/other_processes.hpp"

namespace pure::core {

class network_items;

inline constexpr active_message_kind aggregation_messages{2};

class process_aggregations final : public active_message_handler {
 public:
  /// `of`: of several processes; outlives it.
  explicit process_aggregations(job& of) : job_(of) { of.others()->handle_by(aggregation_messages, *this); }

  // ---- any rank ----

  void add(std::uint64_t key, network_items& way);
  void remove(std::uint64_t key) noexcept;

  // ---- by who has the network lock ----

  bool handle(int from, std::span<const std::byte> bytes) noexcept override;
  bool resume() noexcept override { return false; }

  /// Items have come from that process, or have been handled, and there is no memory to go on: the job ends.
  void end_without_memory(int from) noexcept;

 private:
  /// Returns what is wrong with it; empty: nothing. Throws std::bad_alloc.
  [[nodiscard]] std::string take(int from, std::span<const std::byte> bytes);

  job& job_;
  std::mutex guard_;  // while a packet is delivered, too: a part does not end meanwhile
  std::unordered_map<std::uint64_t, network_items*> ways_;
};

/// The way of one part to the other processes of its aggregation, which the part numbers from 0 on.
class network_items final : public item_transport {
 public:
  static constexpr std::uint64_t most_under_way = 64;  // packets
  static constexpr std::uint64_t acknowledged_together = 16;
  /// Buffers of another process that wait to be handled, for each rank here.
  static constexpr std::uint64_t most_unhandled = 32;

  /// `processes`: their numbers in the job.
  network_items(process_aggregations& all, other_processes& others, std::vector<int> processes)
      : all_(all), others_(others), processes_(std::move(processes)), peers_(processes_.size()) {}
  ~network_items() override;

  /// Packets come from now on, under that key, which no other aggregation of the job has.
  void connect(std::uint64_t key, aggregation_part& part);

  [[nodiscard]] bool try_send(int process, std::span<const std::byte> packet) override;
  bool poll() override { return others_.poll(nullptr); }
  void has_handled(int process) noexcept override { acknowledge(process); }
  void add_open_accounts(open_accounts& to) override;

  // ---- by process_aggregations ----

  /// Return what is wrong with it; empty: nothing.
  [[nodiscard]] std::string packet_arrived(int from, std::span<const std::byte> packet);
  [[nodiscard]] std::string acknowledged(int from, std::uint64_t packets);

 private:
  struct alignas(pair_bytes) peer {
    std::atomic<std::uint64_t> sent{0};          // by who serves that process (outgoing_packets.hpp)
    std::atomic<std::uint64_t> acknowledged{0};  // of these, by the receiver
    std::atomic<std::uint64_t> arrived{0};       // by who has the network lock
    std::atomic<std::uint64_t> told{0};          // of these: have been acknowledged
  };

  [[nodiscard]] int index_of(int process) const noexcept;
  void acknowledge(int process) noexcept;

  process_aggregations& all_;
  other_processes& others_;
  const std::vector<int> processes_;
  std::uint64_t key_ = 0;
  aggregation_part* part_ = nullptr;
  std::vector<peer> peers_;
};

}  // namespace pure::core
