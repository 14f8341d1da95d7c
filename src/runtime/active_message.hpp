// Active messages (T. von Eicken et al., Active Messages, ISCA 1992): bytes for a handler in another process, and the
// number by which both processes know which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace pure::core {

/// Whose messages they are: a number that the room gives itself, as a constant. Two of one number are refused when they
/// ask for their handlers (other_processes::handle_by).
class active_message_kind {
 public:
  static constexpr std::uint32_t none = 0;  // on the wire: no active message
  static constexpr std::uint32_t most = 8;

  /// 0 < number < most. Throws std::out_of_range, which as a constant is an error of the compiler.
  constexpr explicit active_message_kind(std::uint32_t number) : number_(number) {
    if (number == none || number >= most) throw std::out_of_range("a kind of active messages: most says how many");
  }
  [[nodiscard]] constexpr std::uint32_t number() const noexcept { return number_; }

 private:
  std::uint32_t number_;
};

/// When an active message leaves.
enum class departs : std::uint8_t {
  at_once,
  with_next  // it may travel with what its sender sends to any process at once, and does that before long
};

/// Bytes that come with an active message and travel past it, from the sender's memory straight to where the handler in
/// the other process says. Whoever starts one keeps it, and its memory, until has_moved().
class active_payload {
 public:
  active_payload() = default;
  active_payload(const active_payload&) = delete;
  active_payload& operator=(const active_payload&) = delete;

  /// The last that the network does with it. By who has the network lock, perhaps in the call that starts it. Must not
  /// wait, and makes no call of the network.
  virtual void has_moved() noexcept = 0;

  std::byte* data = nullptr;  // a sender's is only read
  std::size_t bytes = 0;

 protected:
  ~active_payload() = default;
};

/// What runs when an active message has come: by whoever has the network lock, one at a time, in the order in which
/// each process has sent them.
class active_message_handler {
 public:
  active_message_handler() = default;
  active_message_handler(const active_message_handler&) = delete;
  active_message_handler& operator=(const active_message_handler&) = delete;
  virtual ~active_message_handler() = default;

  /// Must not wait for a rank, and makes no call of the network but send_active_message(); and, once for a message with
  /// a payload, receive_payload(), in this very call. `bytes` are read in the call. True: something is left to be done
  /// that was not possible now.
  virtual bool handle(int from, std::span<const std::byte> bytes) noexcept = 0;
  /// Tries what has been left, at each later poll. True: there is more.
  virtual bool resume() noexcept = 0;
};

}  // namespace pure::core
