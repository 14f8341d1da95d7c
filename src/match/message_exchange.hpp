// A send and a receive behind one request (MPI 4.1, 3.11). Own thread of the rank only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "match/match_engine.hpp"
#include "match/pending_operation.hpp"
#include "match/stored_message.hpp"

namespace pure::core {

class message_exchange final : public pending_operation {
 public:
  explicit message_exchange(match_engine& engine) noexcept : engine_(engine) {}
  ~message_exchange() override;

  // ---- either may be left out: it is then with the null process ----

  void set_send(int to, const envelope& who, const placed_message& what);
  void set_receive(const placed_message& where, std::uint32_t context, int from, int tag);
  /// Memory that it owns: for a send from a copy.
  void keep(std::unique_ptr<std::byte[]> copy) noexcept { kept_ = std::move(copy); }
  /// The receive first. Throws buffer, before anything has started, where messages are checked.
  void start_both(const call& by);
  void settle(const call& by) noexcept override;
  [[nodiscard]] const Error* failure() const noexcept override { return failure_ ? &*failure_ : nullptr; }

  bool poll() noexcept override;
  [[nodiscard]] wait_reason reason(const call& by) const noexcept override;
  [[nodiscard]] status outcome() const noexcept override;
  /// Cancels the receive; the send goes on.
  void cancel() noexcept override;
  void forget() noexcept override;
  [[nodiscard]] bool is_of_messages() const noexcept override { return true; }
  void add_contexts(std::vector<std::uint32_t>& to) const override {
    if (send_) to.push_back(send_->who.context);
    if (receive_) to.push_back(receive_->context);
  }

 private:
  match_engine& engine_;
  placed_message what_, where_;
  receive_sink sink_{};
  std::optional<send_op> send_;
  std::optional<receive_op> receive_;
  std::unique_ptr<std::byte[]> kept_;
  std::optional<Error> failure_;  // that a check has found
};

}  // namespace pure::core
