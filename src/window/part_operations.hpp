// What other processes do to the parts of a window's ranks here: each operation as its message says (rma_message.hpp),
// and its answer. The message has been read, and its ranks are some of the window, the target here.
//
// By who has the network lock, and while no part ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/other_processes.hpp"
#include "window/operations_in_turn.hpp"
#include "window/part_payloads.hpp"
#include "window/rma_wire.hpp"
#include "window/wanted_locks.hpp"
#include "window/window_group.hpp"

namespace pure::core {

class part_operations {
 public:
  explicit part_operations(other_processes& others) noexcept : others_(others) {}

  /// What becomes of a message.
  enum class step : std::uint8_t {
    done,
    held,      // not yet: somebody has a stripe that it needs, or payloads of its process are on their way
    senseless  // no peer of this version sends it
  };

  /// Refuses an operation on what is not there, if that is no fault of the peer: in dynamic windows, and where the part
  /// has ended.
  template <class Message>
  step act(int from, window_group& of, const arrived_rma<Message>& message, partly_done& so_far);

  /// A large put that waits behind others: its payload is received all the same.
  void keep_payload(int from, const rma_large_put& of, partly_done& so_far);
  /// Payloads of that process are on their way.
  [[nodiscard]] bool is_moving(int process) const noexcept { return payloads_.is_moving(process); }
  [[nodiscard]] wanted_locks& locks() noexcept { return locks_; }

 private:
  template <class Message>
  [[nodiscard]] static bool is_there(const window_group& of, const window_group::target& its,
                                     const arrived_rma<Message>& message) noexcept;
  template <class Message>
  step refuse(int from, const window_group& of, const window_group::target& its, const arrived_rma<Message>& message);
  void answer(int from, window_key window, rma_request request, std::span<const std::byte> data = {}) {
    others_.send_active_message(from, window_messages, packed(window, rma_answer{.request = request}, {}, data));
  }

  step act_on(int from, window_group& of, window_group::target& its, const arrived_rma<rma_put>& put, partly_done&);
  step act_on(int from, window_group& of, window_group::target& its, const arrived_rma<rma_get>& get, partly_done&);
  step act_on(int from, window_group& of, window_group::target& its, const arrived_rma<rma_accumulate>& message,
              partly_done& so_far);
  step act_on(int from, window_group& of, window_group::target& its, const arrived_rma<rma_compare_swap>& message,
              partly_done&);
  step act_on(int from, window_group& of, window_group::target& its, const arrived_rma<rma_lock>& wanted, partly_done&);
  step act_on(int from, window_group& of, window_group::target& its, const arrived_rma<rma_unlock>& message,
              partly_done&);
  step act_on(int from, window_group& of, window_group::target& its, const arrived_rma<rma_flush>& flush, partly_done&);
  step act_on(int from, window_group& of, window_group::target& its, const arrived_rma<rma_question>& message,
              partly_done&);
  step act_on(int from, window_group& of, window_group::target& its, const arrived_rma<rma_notify>& message,
              partly_done&);
  step act_on(int from, window_group& of, window_group::target& its, const arrived_rma<rma_end_epoch>& message,
              partly_done&);
  step act_on(int from, window_group& of, window_group::target& its, const arrived_rma<rma_large_get>& get,
              partly_done&);
  step put_payload(int from, window_group& of, window_group::target& its, const arrived_rma<rma_large_put>& put,
                   partly_done& so_far);

  other_processes& others_;
  wanted_locks locks_{others_};
  part_payloads payloads_;
};

}  // namespace pure::core
