// The end of a job of several processes: when the mains of all have returned, they add up how many packets each has
// been sent, and stay until these have arrived; large messages that nobody has received are received, and dropped. By
// the holder of the network lock, but for what is said.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "gateway/context.hpp"
#include "gateway/control_channel.hpp"
#include "gateway/foreseen_receives.hpp"
#include "gateway/packet_sender.hpp"
#include "gateway/payload_receiver.hpp"
#include "network/process_collective.hpp"

namespace pure::core {

class end_of_job {
 public:
  end_of_job(gateway_context& context, const packet_sender& packets, payload_receiver& payloads,
             foreseen_receives& foreseen, const control_channel& control)
      : context_(context), packets_(packets), payloads_(payloads), foreseen_(foreseen), control_(control) {}

  /// The mains of this process have returned. By one thread, once.
  void own_mains_have_returned() noexcept {
    own_mains_ended_.store(true, std::memory_order_release);  // release: pairs with the acquire in move_on()
  }
  [[nodiscard]] bool have_own_mains_returned() const noexcept {
    return own_mains_ended_.load(std::memory_order_relaxed);  // relaxed: move_on() looks again
  }
  /// Any thread.
  [[nodiscard]] bool has_ended() const noexcept {
    return has_ended_.load(std::memory_order_acquire);  // acquire: pairs with the release in move_on()
  }

  /// Takes the next steps. True if it took one.
  bool move_on();
  void operation_is_done() { together_.one_is_done(); }

 private:
  [[nodiscard]] bool has_nothing_to_send() const noexcept;
  [[nodiscard]] bool all_have_arrived() const noexcept;

  gateway_context& context_;
  const packet_sender& packets_;
  payload_receiver& payloads_;
  foreseen_receives& foreseen_;
  const control_channel& control_;
  std::atomic<bool> own_mains_ended_{false};
  gateway_operation under_way_{gateway_operation::kind::step};
  process_collective together_{context_.net, &under_way_};  // the steps that take all processes
  std::vector<std::uint64_t> sent_to_all_;  // packets, by receiver: of this process, then of all together
  std::atomic<bool> has_ended_{false};
};

}  // namespace pure::core
