// What a rank does with an aggregation, and in which phase it is.
//
//   open --begin_finish()--> finishing --become_quiet()--> quiet
//     ^                        |    ^                        |
//     +------end_finish()------+    +-----become_active()----+
//
//   any of these, and closed --fail()--> failed;   open, finishing, quiet --close()--> closed
//
// What always holds: the phase grows by one with each end_finish(), and with nothing else. Own thread of the rank only.
// Modelled by tests/model/termination.pml.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

namespace pure::core {

class rank_stage {
 public:
  enum class stage : std::uint8_t {
    open,       // items are sent and handled
    finishing,  // the same, inside finish
    quiet,      // inside finish it waits, and has nothing to do
    failed,     // an exception has ended its finish or a handler
    closed      // its main has ended, or it uses the aggregation no longer
  };

  [[nodiscard]] stage now() const noexcept { return now_; }
  [[nodiscard]] bool is(stage which) const noexcept { return now_ == which; }
  /// Whether items are sent and handled.
  [[nodiscard]] bool moves_items() const noexcept { return now_ == stage::open || now_ == stage::finishing; }
  [[nodiscard]] std::uint64_t phase() const noexcept { return phase_; }

  void begin_finish() noexcept { become(stage::finishing); }
  void become_quiet() noexcept { become(stage::quiet); }
  void become_active() noexcept { become(stage::finishing); }
  void end_finish() noexcept {
    become(stage::open);
    ++phase_;
  }
  void fail() noexcept { now_ = stage::failed; }
  /// What has failed stays so.
  void close() noexcept {
    if (now_ != stage::failed) now_ = stage::closed;
  }

 private:
  /// What each stage may become, but for failed and closed.
  static constexpr std::array<std::uint8_t, 5> next_stages{
      /* open      */ 1U << static_cast<int>(stage::finishing),
      /* finishing */ 1U << static_cast<int>(stage::open) | 1U << static_cast<int>(stage::quiet),
      /* quiet     */ 1U << static_cast<int>(stage::finishing), /* failed */ 0, /* closed */ 0};

  void become(stage next) noexcept {
    assert((next_stages[static_cast<std::size_t>(now_)] >> static_cast<int>(next) & 1U) != 0);
    now_ = next;
  }

  stage now_ = stage::open;
  std::uint64_t phase_ = 1;
};

}  // namespace pure::core
