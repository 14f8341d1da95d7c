// Large messages from their envelopes to their last bytes: which receives are posted in the network, in what order, and
// for whom. By the holder of the network lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gateway/context.hpp"
#include "gateway/packet_sender.hpp"
#include "gateway/payload_pool.hpp"

namespace pure::core {

class payload_receiver {
 public:
  payload_receiver(gateway_context& context, packet_sender& packets) : context_(context), packets_(packets) {}

  /// Of an envelope that has come.
  remote_payload& make(int process, const wire_envelope& what);
  /// What receivers have asked for.
  void take_requests(local_end& end);
  /// Posts the receive of its bytes, after those of all that were sent before it under the same tag: whoever is not
  /// wanted yet comes to memory of its own.
  void post(remote_payload& payload);
  /// The payloads of the stream that nobody has asked for yet: those of its next messages come under the same tags.
  void post_all_of(const in_stream& stream);
  /// Its bytes are there: it is the receiver's, if that has asked for it.
  void has_come(remote_payload& payload);
  /// Of a large message that its sender has back: its bytes still come, and are thrown away.
  void drop(remote_payload& payload);
  /// Large messages that nobody has received: their senders' networks wait for that.
  void drop_unreceived();
  /// For ranks that compute: starts to receive those that were there at the look before, as far as there is memory for
  /// them.
  void receive_unrequested();

  /// Whether nobody here has asked for any of these, so that their senders have to keep them.
  [[nodiscard]] bool are_unwanted(std::span<const held_elsewhere> held) const;
  [[nodiscard]] payload_pool& pool() noexcept { return pool_; }
  [[nodiscard]] const payload_pool& pool() const noexcept { return pool_; }

 private:
  void start_receive(remote_payload& payload);
  void forget(remote_payload& payload);

  gateway_context& context_;
  packet_sender& packets_;
  payload_pool pool_;
  std::size_t unrequested_bytes_ = 0;  // of those among them that were received before somebody asked
};

}  // namespace pure::core
