// A network made of two: the near one joins some processes of a host, by memory that they share, and the far one joins
// all processes, by an MPI. What is for a near process goes over the near network, all else over the far one; so the
// messages of one process to another have one way, and keep their order.
//
// As for every network, one thread at a time is inside (network/network.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "network/network.hpp"

namespace pure::core {

/// Where several networks are one: the first failure of any is the failure of all, and the only one that is reported.
/// Any thread: who looks at the starter is not inside.
class shared_failure {
 public:
  shared_failure(void (*report)(void*, const char*), void* context) noexcept : report_(report), context_(context) {}

  /// For network_opening::failed, whose context is this object.
  static void has_come(void* self, const char* text) { static_cast<shared_failure*>(self)->come(text); }
  [[nodiscard]] bool is_there() const noexcept { return is_there_.load(std::memory_order_relaxed); }

 private:
  void come(const char* text);

  void (*const report_)(void*, const char*);
  void* const context_;
  std::atomic<bool> is_there_{false};
};

/// What has to be the same in all processes of a job, because senders and receivers both compute with it.
struct network_limits {
  std::uint64_t largest_tag = 0;
  std::uint64_t message_bytes = 0;
  std::uint64_t piece_bytes = 0;

  [[nodiscard]] static network_limits of(const network_peers& peers) noexcept;
  /// The smaller ones.
  [[nodiscard]] network_limits common_with(const network_limits& other) const noexcept;
};

class two_level_network final : public network {
 public:
  /// Polls of the far network in a row that the near one may come before, where it always has something.
  static constexpr int most_near_in_a_row = 8;

  /// `near` may be null: this process has no near ones, but others have. `near_processes`: by the near network's
  /// numbers, those of the far one. `limits`: the common ones of all processes. `failure`: the one that both tell.
  /// `longest_pause_ns`: between polls of the far network, however long one has taken, of a thread that had lost its
  /// core, say.
  two_level_network(std::unique_ptr<network> far, std::unique_ptr<network> near, std::vector<int> near_processes,
                    const network_limits& limits, std::shared_ptr<const shared_failure> failure,
                    std::int64_t longest_pause_ns = 1000);

  bool send_message(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) override;
  bool send(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) override;
  bool send_short(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) override;
  bool receive(network_operation& receiving, int process, int tag, void* data, std::size_t bytes) override;
  bool cancel(network_operation& receiving) override;

  /// The near network each time; the far one after a pause as long as its last poll, `longest_pause_ns` at most, and
  /// each time where it has just had something.
  bool poll(network_events& events) override;

  /// Only where all processes are near: a descriptor of the far network would be a second one.
  [[nodiscard]] int wake_descriptor() const noexcept override { return are_all_near_ ? near_->wake_descriptor() : -1; }
  void arm() noexcept override;
  void disarm() noexcept override;

  /// Whose launcher it is, the far network knows; nobody has started processes for the near one.
  void look_at_starter() noexcept override { far_->look_at_starter(); }

  /// By the far network, whose launcher ends all processes.
  [[noreturn]] void abort(int status) noexcept override;
  /// By the far network alone. Its operations are done, but an MPI may still have to move on what it has taken: who
  /// waited for near processes meanwhile would keep from them, by way of a third process, what they wait for. Behind
  /// the far network's meeting nobody has anything to do with the near one.
  void finalize(int status) override { far_->finalize(status); }

 private:
  [[nodiscard]] int near_number(int process) const noexcept { return near_numbers_[static_cast<std::size_t>(process)]; }
  bool poll_near(network_events& events);
  bool poll_far(network_events& events);

  const std::unique_ptr<network> far_, near_;
  const std::shared_ptr<const shared_failure> failure_;
  const std::int64_t longest_pause_ns_;
  const std::vector<int> near_processes_;
  std::vector<int> near_numbers_;  // by process; -1: far
  const bool are_all_near_;
  int near_in_a_row_ = 0;
  std::int64_t far_due_ns_ = 0;  // before, the far network has nothing, as far as one can guess
};

}  // namespace pure::core
