#include "match/matched_messages.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <utility>

#include <pure/error.hpp>

#include "runtime/call_error.hpp"

namespace pure::core {

matched_messages::~matched_messages() {
  kept_.for_each([](unexpected_message* never_received) { unexpected_message::destroy(never_received); });
}

unexpected_message** matched_messages::find(handle message) noexcept {
  const bool may_be_here = !message.is_fixed() && message.kind() == handle_kind::message &&
                           message.rank() == static_cast<std::uint32_t>(rank_);
  return may_be_here ? kept_.find(message) : nullptr;
}

unexpected_message& matched_messages::find(const call& by, handle message) {
  unexpected_message** const found = find(message);
  if (found == nullptr) {
    throw call_error(
        by, errc::request,
        fmt::format("rank {}: {}", rank_,
                    message.is_null() ? "the message is the null message: a matched probe makes one"
                                      : "the message has been received already, or belongs to another rank"));
  }
  return **found;
}

void matched_messages::give_up(handle& message) noexcept { kept_.free(std::exchange(message, handle{})); }

std::vector<const unexpected_message*> matched_messages::unreceived() {
  std::vector<const unexpected_message*> all;
  kept_.for_each([&](const unexpected_message* each) { all.push_back(each); });
  return all;
}

}  // namespace pure::core
