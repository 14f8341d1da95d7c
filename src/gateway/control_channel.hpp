// Control messages: what the runtimes of two processes tell each other, in the packets that also carry the messages of
// ranks. Those for a handler are active messages (other_processes.hpp); the others are kept for who takes them.
//
// A control message of any length travels as entries of the kind `control message`, in order with everything else
// between the two processes. A lock guards both ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/open_accounts.hpp"
#include "runtime/other_processes.hpp"

namespace pure::core {

class control_channel {
 public:
  // ---- any thread ----

  /// `handler`: the number of an active_message_kind, or none. `with`: its payload, or null.
  void send(int process, std::string text, std::uint32_t handler = active_message_kind::none,
            active_payload* with = nullptr);
  /// The messages that have come, in the order of their coming.
  [[nodiscard]] std::vector<control_message> take_arrived();

  // ---- by the holder of the network lock ----

  /// Whoever has just sent says so to the holder of the network lock (gateway::leave_work), which orders it.
  [[nodiscard]] bool has_unsent() const noexcept { return has_unsent_.load(std::memory_order_relaxed); }

  /// What is next to be sent: at most `most` bytes of it. `left`: how many follow them.
  struct piece {
    int process;
    std::string_view bytes;
    std::size_t left;
    std::uint32_t handler;
    active_payload* with;  // of the last piece
  };
  /// Hands out pieces, as long as `take(piece)` takes them.
  template <class Take>
  void hand_out(std::size_t most, Take take);
  /// Nothing can be sent any more; nor can the payloads that would have been, which are returned.
  [[nodiscard]] std::vector<active_payload*> drop_unsent();

  /// A piece of a control message. The whole of it, until the next call, if it was the last one.
  [[nodiscard]] std::optional<std::string_view> assemble(int from, std::string_view bytes, std::size_t left);
  /// The same for one that is kept. True if it was the last one.
  bool arrive(int from, std::string_view bytes, std::size_t left);
  /// Control messages that have come whole are not among them: who takes them need not.
  void add_open_accounts(open_accounts& to);
  /// A control message of this process to itself.
  void arrive_whole(int from, std::string text);

 private:
  struct message {
    int process;
    std::uint32_t handler;
    std::string text;
    active_payload* with;
  };

  std::mutex guard_;
  std::deque<message> unsent_;
  std::size_t done_of_first_ = 0;  // bytes of the first one that have left
  std::vector<control_message> arrived_;
  std::atomic<bool> has_unsent_{false};
  // by the holder of the network lock
  std::unordered_map<int, std::string> unfinished_;  // by process
  std::string whole_;
};

template <class Take>
void control_channel::hand_out(std::size_t most, Take take) {
  const std::lock_guard lock(guard_);
  while (!unsent_.empty()) {
    const auto& [process, handler, text, with] = unsent_.front();
    const std::string_view bytes = std::string_view(text).substr(done_of_first_, most);
    const std::size_t left = text.size() - done_of_first_ - bytes.size();
    if (!take(piece{process, bytes, left, handler, left == 0 ? with : nullptr})) return;
    done_of_first_ += bytes.size();
    if (done_of_first_ < text.size()) continue;
    unsent_.pop_front();
    done_of_first_ = 0;
  }
  has_unsent_.store(false, std::memory_order_relaxed);
}

}  // namespace pure::core
