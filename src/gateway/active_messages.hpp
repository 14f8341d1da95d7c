// The handlers of active messages in this process, by the kinds that their rooms have given them.
//
// add() is for the thread that makes the job; the rest for the holder of the network lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/active_message.hpp"

namespace pure::core {

class active_message_handlers {
 public:
  /// The handler outlives it. Throws std::logic_error if there is one for that kind.
  void add(active_message_kind kind, active_message_handler& handler);

  /// A whole message. `number` is what the other process has said, and may be anything. False: nobody handles that.
  [[nodiscard]] bool handle(std::uint32_t number, int from, std::span<const std::byte> bytes) noexcept;

  /// Some handler has left something undone.
  [[nodiscard]] bool has_to_resume() const noexcept { return has_to_resume_; }
  /// Tries again what handlers have left undone.
  void resume() noexcept {
    if (has_to_resume_) resume_all();
  }

 private:
  void resume_all() noexcept;

  std::array<active_message_handler*, active_message_kind::most> by_number_{};
  bool has_to_resume_ = false;
};

}  // namespace pure::core
