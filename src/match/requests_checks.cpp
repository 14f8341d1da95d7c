// Requests, where they are checked (PURE_CHECK): which of them never end.
#include <fmt/core.h>

#include <optional>
#include <string>
#include <unordered_set>

#include "match/requests.hpp"
#include "runtime/leftovers.hpp"

namespace pure::core {

namespace {

std::string with(int peer, int tag) {
  return fmt::format(" ({}, {})", peer == any_source ? "any rank" : fmt::format("rank {}", peer),
                     tag == any_tag ? "any tag" : fmt::format("tag {}", tag));
}

/// What is to be said of a request that has been left over; null: nothing.
std::optional<std::string> left_over(const receive_entry& entry, bool is_freed) {
  return with(entry.op.from, entry.op.tag) + (is_freed ? " was freed, and nothing has come" : " was never completed");
}
std::optional<std::string> left_over(const send_entry& entry, bool /*is_freed*/) {
  if (!entry.op.is_checked) return std::nullopt;  // it was freed
  return with(entry.op.to, entry.op.who.tag) + " was never completed";
}
std::optional<std::string> left_over(const operation_entry& /*entry*/, bool /*is_freed*/) {
  return " was never completed";
}

}  // namespace

void requests::add_leftovers(leftovers& to) {
  if (engine_.checks == nullptr) return;
  const int me = self_.number();
  std::unordered_set<const void*> freed;
  for (const handle each : freed_.all()) {
    tables_.visit(
        each, [&](const auto& entry) { freed.insert(&entry); }, [] {});
  }
  tables_.for_each([&](const auto& entry) {
    const bool is_inactive = entry.is_persistent() && !entry.is_active();
    const std::optional<std::string> how = is_inactive ? " was never freed" : left_over(entry, freed.contains(&entry));
    if (!how) return;
    to.requests.push_back(fmt::format("rank {}: the {}request of {}{}", me, is_inactive ? "persistent " : "",
                                      to_text(entry.origin.operation, entry.origin.site), *how));
  });
  to.findings.insert(to.findings.end(), engine_.checks->notes().begin(), engine_.checks->notes().end());
}

}  // namespace pure::core
