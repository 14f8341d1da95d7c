#include "network/two_level_network.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"

namespace pure::core {

namespace {

/// Events of the near network, by the numbers of the far one.
class renumbered_events final : public network_events {
 public:
  renumbered_events(network_events& to, const std::vector<int>& processes) noexcept : to_(to), processes_(processes) {}

  void message_arrived(int from_process, int tag, const std::byte* data, std::size_t bytes) override {
    to_.message_arrived(processes_[static_cast<std::size_t>(from_process)], tag, data, bytes);
  }
  void operation_done(network_operation& done) override { to_.operation_done(done); }

 private:
  network_events& to_;
  const std::vector<int>& processes_;
};

}  // namespace

void shared_failure::come(const char* text) {
  if (is_there_.exchange(true, std::memory_order_relaxed)) return;
  if (report_ != nullptr) report_(context_, text);
}

network_limits network_limits::of(const network_peers& peers) noexcept {
  return {static_cast<std::uint64_t>(peers.largest_tag), peers.message_bytes, peers.piece_bytes};
}

network_limits network_limits::common_with(const network_limits& other) const noexcept {
  return {std::min(largest_tag, other.largest_tag), std::min(message_bytes, other.message_bytes),
          std::min(piece_bytes, other.piece_bytes)};
}

two_level_network::two_level_network(std::unique_ptr<network> far, std::unique_ptr<network> near,
                                     std::vector<int> near_processes, const network_limits& limits,
                                     std::shared_ptr<const shared_failure> failure, std::int64_t longest_pause_ns)
    : far_(std::move(far)),
      near_(std::move(near)),
      failure_(std::move(failure)),
      longest_pause_ns_(longest_pause_ns),
      near_processes_(near_ != nullptr ? std::move(near_processes) : std::vector<int>()),
      near_numbers_(static_cast<std::size_t>(far_->peers().processes), -1),
      are_all_near_(near_processes_.size() == near_numbers_.size()) {
  for (std::size_t i = 0; i < near_processes_.size(); ++i) {
    if (near_processes_[i] != far_->peers().process)
      near_numbers_[static_cast<std::size_t>(near_processes_[i])] = static_cast<int>(i);
  }
  peers_ = far_->peers();
  peers_.largest_tag = static_cast<int>(limits.largest_tag);
  peers_.message_bytes = limits.message_bytes;
  peers_.piece_bytes = limits.piece_bytes;
  if (near_ == nullptr) return;
  peers_.eager_bytes = near_->peers().eager_bytes;
  peers_.library += " and " + near_->peers().library;
}

bool two_level_network::send_message(network_operation& sending, int process, int tag, const void* data,
                                     std::size_t bytes) {
  if (failure_->is_there()) [[unlikely]]
    return false;
  const int near = near_number(process);
  return near >= 0 ? near_->send_message(sending, near, tag, data, bytes)
                   : far_->send_message(sending, process, tag, data, bytes);
}

bool two_level_network::send(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) {
  if (failure_->is_there()) [[unlikely]]
    return false;
  const int near = near_number(process);
  return near >= 0 ? near_->send(sending, near, tag, data, bytes) : far_->send(sending, process, tag, data, bytes);
}

bool two_level_network::send_short(network_operation& sending, int process, int tag, const void* data,
                                   std::size_t bytes) {
  if (failure_->is_there()) [[unlikely]]
    return false;
  const int near = near_number(process);
  return near >= 0 ? near_->send_short(sending, near, tag, data, bytes)
                   : far_->send_short(sending, process, tag, data, bytes);
}

bool two_level_network::receive(network_operation& receiving, int process, int tag, void* data, std::size_t bytes) {
  if (failure_->is_there()) [[unlikely]]
    return false;
  const int near = near_number(process);
  receiving.is_near = near >= 0;
  return near >= 0 ? near_->receive(receiving, near, tag, data, bytes)
                   : far_->receive(receiving, process, tag, data, bytes);
}

bool two_level_network::cancel(network_operation& receiving) {
  if (failure_->is_there()) [[unlikely]]
    return false;
  return (receiving.is_near ? near_ : far_)->cancel(receiving);
}

bool two_level_network::poll(network_events& events) {
  if (failure_->is_there()) [[unlikely]]
    return false;
  if (are_all_near_) return poll_near(events);
  const bool is_turn_of_far = near_in_a_row_ == most_near_in_a_row;
  if (!is_turn_of_far && near_ != nullptr && poll_near(events)) {
    ++near_in_a_row_;
    return true;
  }
  near_in_a_row_ = 0;
  if (is_turn_of_far) return poll_far(events) || (!failure_->is_there() && poll_near(events));
  return (near_ == nullptr || now_ns() >= far_due_ns_) && !failure_->is_there() && poll_far(events);
}

bool two_level_network::poll_near(network_events& events) {
  renumbered_events renumbered(events, near_processes_);
  return near_->poll(renumbered);
}

bool two_level_network::poll_far(network_events& events) {
  if (near_ == nullptr) return far_->poll(events);
  const std::int64_t began_ns = now_ns();
  const bool has_moved = far_->poll(events);
  const std::int64_t ended_ns = now_ns();
  far_due_ns_ = has_moved ? ended_ns : ended_ns + std::min(ended_ns - began_ns, longest_pause_ns_);
  return has_moved;
}

void two_level_network::abort(int status) noexcept {
  far_->abort(status);
  __builtin_unreachable();
}

void two_level_network::arm() noexcept {
  if (are_all_near_) near_->arm();
}

void two_level_network::disarm() noexcept {
  if (are_all_near_) near_->disarm();
}

}  // namespace pure::core
