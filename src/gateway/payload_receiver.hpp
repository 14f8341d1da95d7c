// Large messages from their envelopes to their last bytes: which receives are posted in the network, in what order, and
// for whom. By the holder of the network lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/open_accounts.hpp"
#include "gateway/context.hpp"
#include "gateway/packet_sender.hpp"
#include "gateway/payload_pool.hpp"

namespace pure::core {

class payload_receiver {
  using stage = announced_payload::stage;

 public:
  payload_receiver(gateway_context& context, packet_sender& packets) : context_(context), packets_(packets) {}

  /// Of an envelope that has come: its bytes come later.
  announced_payload& announce(int process, const message_entry& what);
  /// Of a message that has come whole.
  announced_payload& keep(int process, const message_entry& what, const std::byte* payload);
  /// What receivers have asked for.
  void take_requests(local_end& end);
  /// The payloads of the stream that nobody has asked for yet: those of its next messages come under the same tags.
  void post_all_of(const in_stream& stream);
  /// The payload's bytes are there: it is the receiver's, if that has asked for it.
  void has_come(announced_payload& payload);
  /// Of a large message that its sender has back: its bytes still come, and are thrown away.
  void drop(announced_payload& payload);
  /// Large messages that nobody has received: their senders' networks wait for that.
  void drop_unreceived();
  /// For ranks that compute: starts to receive those that were there at the look before, as far as there is memory for
  /// them.
  void receive_unrequested();

  /// Whether bytes are missing that a rank has asked for of which that is true.
  template <class IsAskedFor>
  [[nodiscard]] bool is_fetching_for(IsAskedFor is_asked_for) const {
    return std::any_of(pool_.all().begin(), pool_.all().end(),
                       [&](const auto& each) { return each->is(stage::fetching) && is_asked_for(each->receiver); });
  }
  /// Whether nobody here has asked for any of these, so that their senders have to keep them.
  [[nodiscard]] bool are_unwanted(std::span<const held_elsewhere> held) const;
  void add_open_accounts(open_accounts& to) const;
  [[nodiscard]] payload_pool<announced_payload>& pool() noexcept { return pool_; }
  [[nodiscard]] const payload_pool<announced_payload>& pool() const noexcept { return pool_; }

 private:
  /// Posts the receive of its bytes, after those of all that were sent before it under the same tag: whoever is not
  /// wanted yet comes to memory of its own. `as`: prefetching, fetching or discarding.
  void post(announced_payload& payload, stage as);
  announced_payload& make(int process, const message_entry& what, stage as);
  void start_receive(announced_payload& payload);
  void deliver(announced_payload& payload);
  void discard(announced_payload& payload);

  gateway_context& context_;
  packet_sender& packets_;
  payload_pool<announced_payload> pool_;
  std::size_t unrequested_bytes_ = 0;  // of those among them that were received before somebody asked
};

}  // namespace pure::core
