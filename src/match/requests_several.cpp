// Requests, several in one call (MPI 4.1, 3.7.5): each is given once, and all are waited for, or one of them.
//
// Completing a request ends it for all copies of its handle, so a list that has one twice cannot be completed. It is
// found by marks: the entry of a request keeps the number of the last call that has visited it, in the line that the
// look-up loads anyhow. The error comes before anything is waited for or completed.
#include <fmt/core.h>

#include <algorithm>

#include "match/requests.hpp"

namespace pure::core {

/// all[i] has been visited under the number of this call; or, very rarely, of one that is 2^32 calls old.
void requests::throw_if_twice(const call& by, std::span<const handle> all, std::size_t i) {
  const auto before = all.first(i);
  const auto found = std::find(before.begin(), before.end(), all[i]);
  if (found == before.end()) return;
  const request_origin of = tables_.visit(all[i], [](const auto& entry) { return entry.origin; });
  throw_wrong_request(
      by, self_,
      fmt::format("requests[{}] and requests[{}] are the same request, that of {}: give each request once; "
                  "this call has completed and started none of them",
                  found - before.begin(), i, to_text(of.operation, of.site)));
}

/// use(entry) for the entry of all[i], which is valid and has not been visited in this call; true for a fixed handle.
template <class Use>
bool requests::visit_once(const call& by, std::span<const handle> all, std::size_t i, std::uint32_t number, Use use) {
  const handle one = all[i];
  if (one.is_fixed()) {
    check(by, one);
    return true;
  }
  bool again = false;
  return tables_.visit_found(
      one, [&](auto& table) { return tables_.is_own(one) ? table.visit(one, number, again) : nullptr; },
      [&](auto& entry) {
        if (again) [[unlikely]]
          throw_if_twice(by, all, i);
        return use(entry);
      },
      [&]() -> bool { throw_invalid_request(by, self_, one); });
}

namespace {

constexpr auto nothing_to_do = [](auto&) { return true; };

}  // namespace

void requests::check_several(const call& by, std::span<const handle> all) {
  const std::uint32_t number = tables_.next_visit();
  for (std::size_t i = 0; i < all.size(); ++i) visit_once(by, all, i, number, nothing_to_do);
}

void requests::wait_all(const call& by, std::span<const handle> all) {
  const std::uint32_t number = tables_.next_visit();
  const auto is_complete = [this](auto& entry) { return entry.poll(engine_); };
  std::size_t i = 0;
  while (i < all.size() && visit_once(by, all, i, number, is_complete)) ++i;
  if (i == all.size()) return;
  for (std::size_t later = i + 1; later < all.size(); ++later) visit_once(by, all, later, number, nothing_to_do);
  for (; i < all.size(); ++i) {
    if (!poll(all[i])) wait_for(by, all[i]);
  }
}

int requests::wait_any(const call& by, std::span<const handle> all) {
  int first_pending = -1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_active(all[i])) continue;
    if (poll(all[i])) return static_cast<int>(i);
    if (first_pending < 0) first_pending = static_cast<int>(i);
  }
  if (first_pending < 0) return -1;
  int complete = -1;
  wait_reason why = reason_for(by, all[static_cast<std::size_t>(first_pending)]);
  why.only_peer = false;  // any of the others may end the wait
  wait_until(self_, why, [&] {
    for (std::size_t i = 0; complete < 0 && i < all.size(); ++i) {
      if (is_active(all[i]) && poll(all[i])) complete = static_cast<int>(i);
    }
    return complete >= 0;
  });
  return complete;
}

}  // namespace pure::core
