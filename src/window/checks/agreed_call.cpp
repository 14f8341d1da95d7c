#include "window/checks/agreed_call.hpp"

#include <fmt/core.h>

#include <cstring>
#include <vector>

#include "coll/offers.hpp"
#include "match/message_checks.hpp"

namespace pure::core {

namespace {

/// What one rank calls. Sent as bytes; texts are cut.
struct call_of_rank {
  std::uint64_t orderings = 0;  // message_checks::orderings
  std::uint32_t window = 0;
  char operation[28] = {};
  char name[32] = {};
  char site[64] = {};

  call_of_rank() = default;
  call_of_rank(const window_end& on, const call& by) noexcept
      : orderings(on.comm().engine().checks()->orderings().load(std::memory_order_relaxed)),
        window(on.shared().number()) {
    std::strncpy(operation, by.operation, sizeof operation - 1);
    std::strncpy(name, on.name().c_str(), sizeof name - 1);
    std::strncpy(site, to_text(by.site).c_str(), sizeof site - 1);
  }
  [[nodiscard]] bool is_same(const call_of_rank& other) const noexcept {
    return window == other.window && std::strcmp(operation, other.operation) == 0;
  }
};

std::string text_of(const call_of_rank& what) {
  return fmt::format("{} of window \"{}\"{}{}", what.operation, what.name, what.site[0] == '\0' ? "" : " at ",
                     what.site);
}

}  // namespace

void agree_on_call(window_checks& checks, const window_end& on, const call& by) {
  const std::vector<call_of_rank> all = gather_all(on.comm(), by, call_of_rank(on, by));
  for (std::size_t i = 0; i < all.size(); ++i) checks.calls(static_cast<int>(i), all[i].orderings);
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].is_same(all[0])) continue;
    on.throw_wrong(
        by, errc::mismatch,
        fmt::format("rank 0 calls {}, but rank {} {}: all ranks make the same calls on the same windows of a "
                    "communicator, in the same order",
                    text_of(all[0]), i, text_of(all[i])));
  }
}

}  // namespace pure::core
