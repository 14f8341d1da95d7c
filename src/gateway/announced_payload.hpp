// A large message whose envelope is here, and what the gateway keeps for it (match/arriving_message.hpp is what its
// receiver sees). By the holder of the network lock, but for what its receiver writes.
//
//   announced ---asked---> fetching ---come---> delivered
//       |                     ^                     ^
//       +---post---> prefetching ---come---> here --+ asked
//       |                |                    |
//       +---taken back---+-> discarding       +---taken back---> free
//                                |
//                                +---come---> free
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "gateway/gateway_operation.hpp"
#include "gateway/handed_over.hpp"
#include "gateway/message_streams.hpp"
#include "match/arriving_message.hpp"

namespace pure::core {

struct alignas(pair_bytes) announced_payload : arriving_message, gateway_operation {
  enum class stage : std::uint8_t {
    free,         // in the pool
    announced,    // its bytes are its sender's network's; nobody here has asked for them
    prefetching,  // they are received into `kept`, and nobody has asked for them yet
    here,         // they are in `kept`, and nobody has asked for them yet
    fetching,     // its receiver has asked for them, and they are received
    discarding,   // its sender has it back: they are received, and thrown away
    delivered     // they are its receiver's, until it releases the message
  };
  /// What each stage may become.
  static constexpr std::array<std::uint8_t, 7> next_stages{
      /* free        */ 1U << static_cast<int>(stage::announced) | 1U << static_cast<int>(stage::here),
      /* announced   */ 1U << static_cast<int>(stage::prefetching) | 1U << static_cast<int>(stage::fetching) |
          1U << static_cast<int>(stage::discarding),
      /* prefetching */ 1U << static_cast<int>(stage::here) | 1U << static_cast<int>(stage::fetching) |
          1U << static_cast<int>(stage::discarding),
      /* here        */ 1U << static_cast<int>(stage::delivered) | 1U << static_cast<int>(stage::free),
      /* fetching    */ 1U << static_cast<int>(stage::delivered),
      /* discarding  */ 1U << static_cast<int>(stage::free),
      /* delivered   */ 1U << static_cast<int>(stage::free)};

  announced_payload() noexcept : gateway_operation(kind::announced_in) {}

  [[nodiscard]] stage now() const noexcept { return now_; }
  [[nodiscard]] bool is(stage which) const noexcept { return now_ == which; }
  void become(stage next) noexcept {
    assert((next_stages[static_cast<std::size_t>(now_)] >> static_cast<int>(next) & 1U) != 0);
    now_ = next;
  }

  // --- constant ---
  int process = 0;
  int tag = 0;               // of the payload in the network
  std::uint32_t number = 0;  // by which its sender knows it,
  bool names_send = false;   // if that may ask for it back
  bool is_synchronous = false;
  std::int32_t message_tag = 0;
  in_stream* stream = nullptr;   // whose tag it has
  handed_over* claim = nullptr;  // which its receiver takes, unless the sender has it back
  // --- by the holder of the network lock ---
  bool was_seen = false;    // by a look for what nobody has asked for
  bool is_counted = false;  // among the bytes that were received before somebody asked
  announced_payload* next_requested = nullptr;
  announced_payload* next_released = nullptr;
  announced_payload* sent_before = nullptr;  // in the list of those that are not posted (unposted_payloads)
  announced_payload* sent_after = nullptr;
  std::uint64_t order = 0;

 private:
  stage now_ = stage::free;
};

}  // namespace pure::core
