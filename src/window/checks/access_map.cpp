#include "window/checks/access_map.hpp"

#include <algorithm>
#include <iterator>

namespace pure::core {

namespace {

/// Operations of one rank that others need not tell from each other: the last one stands for them.
bool is_alike(const window_access& a, const window_access& b) noexcept {
  return a.origin == b.origin && a.kind == b.kind && a.what == b.what && a.is_by_instruction == b.is_by_instruction &&
         a.request == b.request;
}

}  // namespace

access_map::segments::const_iterator access_map::first_behind(std::uint64_t byte) const {
  auto found = segments_.upper_bound(byte);
  if (found != segments_.begin() && std::prev(found)->second.end > byte) --found;
  return found;
}

void access_map::cut(std::uint64_t byte) {
  auto found = segments_.upper_bound(byte);
  if (found == segments_.begin()) return;
  --found;
  if (found->first == byte || found->second.end <= byte) return;
  segments_.emplace(byte, segment{found->second.end, found->second.by});
  found->second.end = byte;
}

void access_map::add(range bytes, const window_access& made) {
  cut(bytes.begin);
  cut(bytes.end);
  std::uint64_t at = bytes.begin;
  while (at < bytes.end) {
    const auto next = segments_.lower_bound(at);
    if (next == segments_.end() || next->first > at) {  // a gap
      const std::uint64_t end = next == segments_.end() ? bytes.end : std::min(next->first, bytes.end);
      segments_.emplace(at, segment{end, {made}});
      at = end;
      continue;
    }
    std::vector<window_access>& by = next->second.by;
    const auto same = std::find_if(by.begin(), by.end(),
                                   [&](const window_access& each) { return is_alike(each, made); });
    if (same == by.end()) {
      by.push_back(made);
    } else {
      *same = made;
    }
    at = next->second.end;
  }
}

void access_map::remove_read(range bytes, int origin, std::uint64_t request) {
  for (auto each = segments_.lower_bound(bytes.begin); each != segments_.end() && each->first < bytes.end;) {
    std::erase_if(each->second.by,
                  [&](const window_access& made) { return made.origin == origin && made.request == request; });
    each = each->second.by.empty() ? segments_.erase(each) : std::next(each);
  }
}

}  // namespace pure::core
