// Control messages: what the runtimes of two processes tell each other, in the packets that also carry the messages of
// ranks.
//
// A control message of any length travels as entries of the kind `control message`, in order with everything else
// between the two processes. They are seldom (hang/watch.hpp sends them), so a lock guards both ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/other_processes.hpp"

namespace pure::core {

class control_channel {
 public:
  // ---- any thread ----

  void send(int process, std::string text);
  /// Those that have come, in the order of their coming.
  [[nodiscard]] std::vector<control_message> take_arrived();

  // ---- by the holder of the network lock ----

  /// Whoever has just sent says so to the holder of the network lock (gateway::leave_work), which orders it.
  [[nodiscard]] bool has_unsent() const noexcept { return has_unsent_.load(std::memory_order_relaxed); }

  /// What is next to be sent: at most `most` bytes of it. `left`: how many follow them.
  struct piece {
    int process;
    std::string_view bytes;
    std::size_t left;
  };
  /// Hands out pieces, as long as `take(piece)` takes them.
  template <class Take>
  void hand_out(std::size_t most, Take take);
  /// Nothing can be sent any more.
  void drop_unsent();

  /// A piece of a control message. True if it was the last one.
  bool arrive(int from, std::string_view bytes, std::size_t left);
  /// A control message of this process to itself.
  void arrive_whole(int from, std::string text);

 private:
  std::mutex guard_;
  std::deque<std::pair<int, std::string>> unsent_;
  std::size_t done_of_first_ = 0;  // bytes of the first one that have left
  std::vector<control_message> arrived_;
  std::atomic<bool> has_unsent_{false};
  std::unordered_map<int, std::string> unfinished_;  // by process; by the holder of the network lock
};

template <class Take>
void control_channel::hand_out(std::size_t most, Take take) {
  const std::lock_guard lock(guard_);
  while (!unsent_.empty()) {
    const auto& [process, text] = unsent_.front();
    const std::string_view bytes = std::string_view(text).substr(done_of_first_, most);
    if (!take(piece{process, bytes, text.size() - done_of_first_ - bytes.size()})) return;
    done_of_first_ += bytes.size();
    if (done_of_first_ < text.size()) continue;
    unsent_.pop_front();
    done_of_first_ = 0;
  }
  has_unsent_.store(false, std::memory_order_relaxed);
}

}  // namespace pure::core
