// Who has a message that its sender can still take back: the receiver that matches it, or the sender that cancels it
// (MPI 4.1, 3.8.4). One compare-exchange decides.
//
// It lies in the sender's memory and must stay there until the receiver has seen it: a sender that has withdrawn waits
// with the reuse for is_disposed(). What else belongs to the message is not touched by a receiver that has not taken
// or held it, and may go at once.
// Modelled by tests/model/send_claim.pml.
#pragma once

#include <atomic>
#include <cstdint>

namespace pure::core {

class send_claim;

/// A send, by its claim, for whoever keeps that longer than the send may last: another send has the claim then.
struct claimed_send {
  const send_claim* claim = nullptr;
  std::uint32_t use = 0;  // of the claim
  friend bool operator==(const claimed_send&, const claimed_send&) = default;
};

class send_claim {
 public:
  /// By the sender, before the message is published; the publication publishes it, too.
  void open() noexcept { state_.store(state::open, std::memory_order_relaxed); }

  /// By the receiver, for a message that a receive matches: true if it is the receiver's now. False if it was
  /// withdrawn; then forget the message: the claim may be gone.
  bool take() noexcept {
    state expected = state::open;
    // release: the receive has been posted before, as a synchronous sender may infer; pairs with is_taken()
    if (state_.compare_exchange_strong(expected, state::taken, std::memory_order_release, std::memory_order_relaxed)) {
      return true;
    }
    dispose();
    return false;
  }
  /// By the receiver, for a message that a matched probe takes out: nobody can withdraw it any more, but its send is
  /// complete only when it is received (MPI 4.1, 3.8.2). False: as for take().
  bool hold() noexcept {
    state expected = state::open;
    if (state_.compare_exchange_strong(expected, state::held, std::memory_order_relaxed)) return true;
    dispose();
    return false;
  }
  /// By the receiver, for a message that it holds, or whose sender cannot withdraw it, and that it now receives.
  void take_held() noexcept {
    state_.store(state::taken, std::memory_order_release);  // release: as in take(); pairs with is_taken()
  }
  /// By the receiver: true if it was withdrawn; then, as for take().
  bool was_withdrawn() noexcept {
    if (state_.load(std::memory_order_relaxed) != state::withdrawn) [[likely]]
      return false;
    dispose();
    return true;
  }

  /// By the receiver: it will take it soon.
  void expect_to_take() noexcept {
#if defined(__x86_64__)
    // Asks for the line to write to it. (The builtin asks to read, unless told that the processor knows prefetchw;
    // those that do not ignore it.)
    asm volatile("prefetchw %0" ::"m"(state_));
#else
    __builtin_prefetch(&state_, 1);
#endif
  }

  /// By the sender: true if it has the message back.
  bool withdraw() noexcept {
    state expected = state::open;
    return state_.compare_exchange_strong(expected, state::withdrawn, std::memory_order_relaxed);
  }
  /// By the sender: a receive has matched, or was_taken_back().
  [[nodiscard]] bool is_taken() const noexcept {
    return state_.load(std::memory_order_acquire) >= state::taken;  // acquire: pairs with take()
  }

  /// For a message to another process, by the gateway, which holds it: the sender has asked for it, and has it again.
  void take_back() noexcept {
    state_.store(state::taken_back, std::memory_order_release);  // release: as in take(); pairs with is_taken()
  }
  /// By the sender, after is_taken(), or after the buffer has been given back.
  [[nodiscard]] bool was_taken_back() const noexcept {
    return state_.load(std::memory_order_relaxed) == state::taken_back;
  }
  /// By a sender that has withdrawn: the receiver will not look here any more.
  [[nodiscard]] bool is_disposed() const noexcept {
    return state_.load(std::memory_order_acquire) == state::disposed;  // acquire: pairs with dispose()
  }

  /// By the sender, while it has the claim, and by the gateway while it holds it.
  [[nodiscard]] claimed_send of_now() const noexcept { return {this, use_}; }
  /// By the sender: the next send is another one.
  void end_use() noexcept { ++use_; }

  /// For a message to another process, by the gateway, which holds it: by what number it knows it.
  std::uint32_t number_elsewhere = 0;

 private:
  enum class state : std::uint32_t { open, held, withdrawn, disposed, taken, taken_back };

  // release: the receiver's last look; pairs with is_disposed()
  void dispose() noexcept { state_.store(state::disposed, std::memory_order_release); }

  std::atomic<state> state_{state::disposed};
  std::uint32_t use_ = 0;  // how many sends have had it
};

/// How the receiver knows a claim. Firm: the sender waits for it and cannot withdraw; then a store is enough, and the
/// receiver does not wait for the line.
class claim_reference {
 public:
  claim_reference() noexcept = default;
  claim_reference(send_claim& claim, bool is_firm) noexcept
      : value_(reinterpret_cast<std::uintptr_t>(&claim) | (is_firm ? firm : 0)) {}

  explicit operator bool() const noexcept { return value_ != 0; }

  void expect_to_take() const noexcept { claim().expect_to_take(); }
  /// As send_claim's functions of these names.
  [[nodiscard]] bool take() const noexcept {
    if (!is_firm()) return claim().take();
    claim().take_held();
    return true;
  }
  [[nodiscard]] bool hold() const noexcept { return is_firm() || claim().hold(); }
  void take_held() const noexcept { claim().take_held(); }
  void take_back() const noexcept { claim().take_back(); }
  [[nodiscard]] bool is_of(const send_claim& one) const noexcept { return &claim() == &one; }
  [[nodiscard]] send_claim& claim() const noexcept { return *reinterpret_cast<send_claim*>(value_ & ~firm); }
  [[nodiscard]] bool was_withdrawn() const noexcept { return !is_firm() && claim().was_withdrawn(); }

 private:
  static constexpr std::uintptr_t firm = 1;
  static_assert(alignof(send_claim) > firm);

  [[nodiscard]] bool is_firm() const noexcept { return (value_ & firm) != 0; }

  std::uintptr_t value_ = 0;
};

}  // namespace pure::core
