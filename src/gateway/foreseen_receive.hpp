// A receive of a payload that is posted before its envelope is here (match/arriving_message.hpp is what the rank sees
// of it). By the holder of the network lock, but for what its receiver writes.
//
//   waiting ---bytes---> arrived                       waiting: nothing of its message is here
//   waiting ---envelope---> announced ---bytes---> arrived
//   waiting ---cancel---> giving_up ---cancelled---> given_up
//   giving_up ---bytes---> arrived
//   giving_up ---envelope---> announced_giving_up ---bytes---> arrived
//   announced_giving_up ---cancelled, posted again---> announced
#pragma once

#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "gateway/gateway_operation.hpp"
#include "gateway/message_streams.hpp"
#include "match/arriving_message.hpp"

namespace pure::core {

struct alignas(pair_bytes) foreseen_receive : arriving_message, gateway_operation {
  enum class stage : std::uint8_t {
    free,
    waiting,
    announced,            // its envelope is here, its bytes are not
    giving_up,            // something else has come in its place, or its receiver withdraws
    announced_giving_up,  // and meanwhile its envelope has come
    arrived,              // its receiver's, until it releases the message
    given_up              // likewise: nothing has come
  };
  /// What each stage may become.
  static constexpr std::array<std::uint8_t, 7> next_stages{
      /* free                */ 1U << static_cast<int>(stage::waiting),
      /* waiting             */ 1U << static_cast<int>(stage::announced) | 1U << static_cast<int>(stage::giving_up) |
          1U << static_cast<int>(stage::arrived),
      /* announced           */ 1U << static_cast<int>(stage::arrived),
      /* giving_up           */ 1U << static_cast<int>(stage::given_up) | 1U << static_cast<int>(stage::arrived) |
          1U << static_cast<int>(stage::announced_giving_up),
      /* announced_giving_up */ 1U << static_cast<int>(stage::announced) | 1U << static_cast<int>(stage::arrived),
      /* arrived             */ 1U << static_cast<int>(stage::free),
      /* given_up            */ 1U << static_cast<int>(stage::free)};

  foreseen_receive() noexcept : gateway_operation(kind::foreseen_in) {}

  [[nodiscard]] stage now() const noexcept { return now_; }
  [[nodiscard]] bool is(stage which) const noexcept { return now_ == which; }
  void become(stage next) noexcept {
    assert((next_stages[static_cast<std::size_t>(now_)] >> static_cast<int>(next) & 1U) != 0);
    now_ = next;
  }
  [[nodiscard]] bool is_announced() const noexcept { return is(stage::announced) || is(stage::announced_giving_up); }
  /// The memory is the gateway's: no rank has posted a receive (run_receiver.hpp).
  [[nodiscard]] bool is_own() const noexcept { return kept != nullptr; }

  // --- constant ---
  int process = 0;
  int tag = 0;
  in_stream* stream = nullptr;     // whose tag it has
  bool is_kept_by_stream = false;  // for its next messages (payload_pool.hpp)
  // --- by the holder of the network lock ---
  bool holds_back = false;  // what comes in its pair waits until the network has said what comes of it
  // release: the last that its receiver does with it, if a stream keeps it; acquire: pairs with it, in get_again()
  std::atomic<bool> is_released{false};
  foreseen_receive* next_released = nullptr;

 private:
  stage now_ = stage::free;
};

}  // namespace pure::core
