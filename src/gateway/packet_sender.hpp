// Packets: what is being packed for each process, what is on its way, and answers that wait for room. By the holder of
// the network lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "base/open_accounts.hpp"
#include "gateway/context.hpp"
#include "gateway/outgoing.hpp"
#include "gateway/packet_pool.hpp"
#include "gateway/wire.hpp"

namespace pure::core {

class packet_sender {
 public:
  explicit packet_sender(gateway_context& context) : context_(context), pool_(context.net.peers().message_bytes) {}

  /// A packet to the process with room for an entry; null if too many are on their way. Nothing is reserved: who adds
  /// nothing, or less, leaves the room to the next. (One that stays empty travels all the same, and is counted.)
  packet* room_for(int process, std::size_t entry_bytes);
  /// The next one to the process, empty; null if too many are on their way.
  std::unique_ptr<packet> new_packet(const peer& to);
  void send_packet(peer& to, int process, std::unique_ptr<packet> full);
  /// What has been packed.
  void send_all();

  /// Says something of a message by its sender's number. There may be no room for it now: then later.
  void answer(int process, wire_kind kind, std::uint32_t send_number) {
    say(process, wire_answer{.send_number = send_number, .tail = {kind}});
  }
  /// No receives foresee the messages of that stream. Likewise.
  void say_run_is_unwanted(int process, std::uint32_t stream) { say(process, wire_run_unwanted{.stream = stream}); }
  /// The answers that had to wait, as far as there is room.
  void send_answers();
  /// What has been dealt with: messages of a run do not say it, and end with a packet of their pair.
  void tell(peer& to, int process);

  /// The network is done with it.
  void has_left(packet& full);
  [[nodiscard]] packet_pool& pool() noexcept { return pool_; }
  /// Nothing that has been packed or said is still here.
  [[nodiscard]] bool is_empty() const noexcept { return answers_.empty() && being_packed_.empty(); }
  [[nodiscard]] std::size_t on_their_way() const noexcept { return pool_.on_their_way(); }
  void add_open_accounts(open_accounts& to) const;

 private:
  using said = std::variant<wire_answer, wire_run_unwanted>;

  void say(int process, const said& what);

  gateway_context& context_;
  packet_pool pool_;
  std::vector<int> being_packed_;             // processes
  std::deque<std::pair<int, said>> answers_;  // for which there was no room
};

}  // namespace pure::core
