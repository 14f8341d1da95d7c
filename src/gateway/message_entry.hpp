// A message between ranks of two processes, as the gateways at both ends handle it, whatever its kind on the wire.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gateway/wire.hpp"

namespace pure::core {

struct message_entry {
  envelope who;
  std::size_t bytes = 0;
  int to = 0;  // ranks of the job
  int from = 0;
  bool is_large = false;            // its payload travels by itself
  bool is_synchronous = false;      // its sender waits until it has matched
  std::uint32_t send_number = 0;    // of one that has_send_number(): the sender's
  std::uint32_t record_number = 0;  // transport/record.hpp
  std::uint32_t payload_tag = 0;    // of a large one
  std::uint32_t stream = 0;         // of a large one: that starts with it; 0: none
  std::uint32_t bare_tag = 0;       // of a short one that is not synchronous: wire_eager

  /// Whether its sender may ask for it back.
  [[nodiscard]] bool has_send_number() const noexcept { return is_large || is_synchronous; }
  /// Short, and nobody waits for it.
  [[nodiscard]] bool is_eager() const noexcept { return !is_large && !is_synchronous; }
  /// What follows its fixed part in a packet.
  [[nodiscard]] std::size_t payload_inside() const noexcept { return is_large ? 0 : bytes; }

  /// Where to copy the payload that travels with it. There must be room.
  std::byte* write(wire_writer& in) const noexcept {
    const wire_pair of{who, static_cast<std::uint32_t>(to), static_cast<std::uint32_t>(from)};
    if (is_large) {
      const wire_tail tail{is_synchronous ? wire_kind::large_synchronous : wire_kind::large};
      return in.add(wire_large{bytes, of, send_number, payload_tag, tail, record_number, stream});
    }
    if (is_synchronous)
      return in.add(
          wire_synchronous{.bytes = bytes, .of = of, .send_number = send_number, .record_number = record_number});
    return in.add(wire_eager{.bytes = bytes, .of = of, .bare_tag = bare_tag, .record_number = record_number});
  }

  static message_entry of(const wire_eager& what) noexcept {
    message_entry made = of(what.of, what.bytes, what.record_number);
    made.bare_tag = what.bare_tag;
    return made;
  }
  static message_entry of(const wire_synchronous& what) noexcept {
    message_entry made = of(what.of, what.bytes, what.record_number);
    made.is_synchronous = true;
    made.send_number = what.send_number;
    return made;
  }
  static message_entry of(const wire_large& what) noexcept {
    message_entry made = of(what.of, what.bytes, what.record_number);
    made.is_large = true;
    made.is_synchronous = what.tail.kind == wire_kind::large_synchronous;
    made.send_number = what.send_number;
    made.payload_tag = what.payload_tag;
    made.stream = what.stream;
    return made;
  }

 private:
  static message_entry of(const wire_pair& pair, std::uint64_t bytes, std::uint32_t record_number) noexcept {
    message_entry made;
    made.who = pair.who;
    made.bytes = bytes;
    made.to = static_cast<int>(pair.to);
    made.from = static_cast<int>(pair.from);
    made.record_number = record_number;
    return made;
  }
};

}  // namespace pure::core
