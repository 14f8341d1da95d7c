// How a rank spends the time in a wait. Decided when the rank is made, and constant from then on.
#pragma once

#include <cstdint>

namespace pure::core {

/// How a rank spends the time in a wait before it parks. From the settings and from who shares its core.
struct wait_policy {
  static constexpr std::int64_t usual_spin_ns = 50'000'000;  // who asks for more never sleeps before
  static constexpr std::int64_t polite_after_ns = 100'000;   // from then on the core is offered to others (courtesy)
  int pauses_per_poll = 1;               // the poll's pace: a poll that comes too early takes the line from its writer
  bool yields = false;                   // more ranks than cores here: give the core away instead of pausing
  std::int64_t spin_ns = usual_spin_ns;  // then park

  // --- in a wait that a rank of another process ends ---
  std::int64_t stays_ns = 0;  // if it yields: not at once, for who ends it is on another core
  std::int64_t spin_elsewhere_ns = 50'000'000;
  std::int64_t spin_for_payloads_ns = 50'000'000;  // while large messages are on their way

  // Of ranks that share a core. A turn: how long each of the others there keeps it that waits, too. Elsewhere: so far
  // apart may ranks be that do the same. A large message moves on by the polls of the rank that waits for it.
  static constexpr std::int64_t turn_ns = 1'500;
  static constexpr std::int64_t spin_on_shared_core_ns = 100'000;
  static constexpr std::int64_t spin_elsewhere_on_shared_core_ns = 1'000'000;
  static constexpr std::int64_t spin_for_payloads_on_shared_core_ns = 20'000'000;
};

}  // namespace pure::core
