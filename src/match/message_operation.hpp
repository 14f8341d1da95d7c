// A message, or a send and a receive together, behind a request that is more than a plain one: persistent
// (MPI 4.1, 3.9), or a send-receive (3.11).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "match/match_engine.hpp"
#include "match/pending_operation.hpp"

namespace pure::core {

class requests;

/// How a send completes (MPI 4.1, 3.4). A ready send is a standard one: a receive is there, so it does not wait.
enum class send_mode : std::uint8_t { standard, buffered, synchronous, ready };

class message_operation final : public pending_operation {
 public:
  message_operation(requests& owner, match_engine& engine, bool is_persistent) noexcept
      : owner_(owner), engine_(engine), is_persistent_(is_persistent) {}
  ~message_operation() override;

  // ---- what it does when it is started; without either: nothing, as with the null process ----

  void set_send(send_mode mode, int to, const envelope& who, const void* data, std::size_t bytes);
  void set_receive(const detail::receive_place& place, std::uint32_t context, int from, int tag);
  void set_receive_from_nobody() noexcept { from_nobody_ = true; }
  /// Of the elements of both, as the call site that makes it has them.
  void set_types(unsigned types) noexcept { types_ = types; }
  /// Memory that it owns: for a send from a copy.
  void keep(std::unique_ptr<std::byte[]> copy) noexcept { kept_ = std::move(copy); }

  bool poll() noexcept override;
  [[nodiscard]] wait_reason reason(const call& by) const noexcept override;
  [[nodiscard]] const Error* failure() const noexcept override { return failure_ ? &*failure_ : nullptr; }
  [[nodiscard]] status outcome() const noexcept override;
  void cancel() noexcept override;
  void withdraw_receive() noexcept override;
  void settle(const call& by) noexcept override;
  [[nodiscard]] bool can_be_cancelled() const noexcept override { return true; }

  [[nodiscard]] bool is_persistent() const noexcept override { return is_persistent_; }
  [[nodiscard]] bool is_active() const noexcept override { return is_active_; }
  void start(const call& by) override;
  void deactivate() noexcept override { is_active_ = false; }

 private:
  void fill_send();
  void check_send(const call& by);
  void start_receive(const call& by);

  struct receive_arguments {
    detail::receive_place place;
    std::uint32_t context;
    int from, tag;
  };
  struct send_arguments {
    send_mode mode;
    int to;
    envelope who;
    const void* data;
    std::size_t bytes;
  };

  requests& owner_;
  match_engine& engine_;
  const bool is_persistent_;
  bool is_active_ = false;
  bool is_sent_ = true;
  bool is_cancelled_ = false;
  bool from_nobody_ = false;  // the receive, of the null process
  std::optional<send_arguments> to_send_;
  std::optional<receive_arguments> to_receive_;
  std::unique_ptr<send_op> send_;  // made by the first start; one that was withdrawn is left to the requests
  std::optional<receive_op> receive_;
  std::unique_ptr<std::byte[]> kept_;
  unsigned types_ = 0;
  std::optional<Error> failure_;
};

}  // namespace pure::core
