#include "gateway/active_messages.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <typeinfo>

#include "base/text.hpp"

namespace pure::core {

void active_message_handlers::add(active_message_kind kind, active_message_handler& handler) {
  active_message_handler*& place = by_number_[kind.number()];
  if (place != nullptr) {
    throw std::logic_error(fmt::format("active messages of kind {} are for one handler, but are asked for by {} and {}",
                                       kind.number(), type_name(typeid(*place).name()),
                                       type_name(typeid(handler).name())));
  }
  place = &handler;
}

bool active_message_handlers::handle(std::uint32_t number, int from, std::span<const std::byte> bytes) noexcept {
  if (number >= by_number_.size() || by_number_[number] == nullptr) return false;
  if (by_number_[number]->handle(from, bytes)) has_to_resume_ = true;
  return true;
}

void active_message_handlers::resume_all() noexcept {
  has_to_resume_ = false;
  for (active_message_handler* const each : by_number_) {
    if (each != nullptr && each->resume()) has_to_resume_ = true;
  }
}

}  // namespace pure::core
