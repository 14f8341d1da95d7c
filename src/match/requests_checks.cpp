// Requests, where they are checked (PURE_CHECK): how they end, and which of them never do.
#include <fmt/core.h>

#include <unordered_set>

#include "match/requests.hpp"
#include "runtime/leftovers.hpp"

namespace pure::core {

requests::ended requests::end_checked(handle name, receive_entry& entry, const call& by) {
  ended how{entry.op.result, engine_.checks()->end(entry.op, by)};
  if (entry.op.result.error != errc::success) how.failure.reset();  // that one says more
  end_entry(name, entry);
  return how;
}

requests::ended requests::end_checked(handle name, send_entry& entry, const call& by) {
  ended how{{.cancelled = entry.was_cancelled()}, engine_.checks()->end(entry.op, by)};
  end_entry(name, entry);
  return how;
}

void requests::add_leftovers(leftovers& to) {
  if (engine_.checks() == nullptr) return;
  const int me = engine_.self().number();
  const auto add = [&](const char* what, const auto& entry, const std::string& how) {
    to.requests.push_back(fmt::format("rank {}: {} of {}{}", me, what, to_text(entry.operation, entry.site), how));
  };
  const auto with = [](int peer, int tag) {
    return fmt::format(" ({}, {})", peer == any_source ? "any rank" : fmt::format("rank {}", peer),
                       tag == any_tag ? "any tag" : fmt::format("tag {}", tag));
  };
  const auto add_inactive = [&](const auto& each) {
    const bool is_inactive = is_persistent(each) && !each.stored->is_active;
    if (is_inactive) add("the persistent request", each, " was never freed");
    return is_inactive;
  };
  std::unordered_set<const receive_entry*> freed;
  for (const handle each : freed_) {
    if (each.kind() == request_kind::receive) freed.insert(receives_.find(each));
  }
  receives_.for_each([&](const receive_entry& each) {
    if (add_inactive(each)) return;
    const char* const how = freed.contains(&each) ? " was freed, and nothing has come" : " was never completed";
    add("the request", each, with(each.op.from, each.op.tag) + how);
  });
  sends_.for_each([&](const send_entry& each) {  // those that were freed are checked no longer
    if (!add_inactive(each) && each.op.is_checked) {
      add("the request", each, with(each.op.to, each.op.who.tag) + " was never completed");
    }
  });
  operations_.for_each([&](const operation_entry& each) {
    const bool is_inactive = each.what->is_persistent() && !each.what->is_active();
    add(is_inactive ? "the persistent request" : "the request", each,
        is_inactive ? " was never freed" : " was never completed");
  });
  to.findings.insert(to.findings.end(), engine_.checks()->notes().begin(), engine_.checks()->notes().end());
}

std::vector<const unexpected_message*> requests::unreceived() {
  std::vector<const unexpected_message*> all;
  messages_.for_each([&](const unexpected_message* each) { all.push_back(each); });
  return all;
}

}  // namespace pure::core
