// What the ranks of a job have left in their communicators: messages that nobody has received (PURE_CHECK).
#include <fmt/core.h>

#include <string>

#include "comm/communicator_table.hpp"
#include "match/message_checks.hpp"
#include "match/message_content.hpp"
#include "match/unreceived.hpp"
#include "runtime/leftovers.hpp"

namespace pure::core {

const communicator* communicator_table::find_context(std::uint32_t context) noexcept {
  if (context == world_.context()) return &world_;
  if (context == self_.context()) return &self_;
  const communicator* found = nullptr;
  made_.for_each([&](const std::unique_ptr<communicator>& each) {
    if (each->context() == context) found = each.get();
  });
  return found;
}

void communicator_table::add_leftovers(leftovers& to) {
  match_engine& engine = match_engine::of(owner_);
  const message_checks* const checks = engine.checks();
  if (checks == nullptr) return;
  std::vector<unreceived_message> all = engine.unreceived();
  for (const unexpected_message* const matched : requests::of(owner_).matched().unreceived()) {
    all.push_back({matched->who, bytes_of(*matched), matched->from, owner_.number(), matched->number});
  }
  for (const unreceived_message& each : all) {
    if (!communicator_registry::is_of_programs(each.who.context)) continue;  // of a collective that was never completed
    const communicator* const on = find_context(each.who.context);
    to.messages.push_back(
        fmt::format("rank {}: the message from rank {} on {}, tag {}, of {} bytes was never received: {} has sent it",
                    each.to, each.from, on != nullptr ? on->name() : "a freed communicator", each.who.tag, each.bytes,
                    checks->sent_by(each.from, each.number)));
  }
}

}  // namespace pure::core
