#include "comm/refusal.hpp"

#include <fmt/core.h>

#include <cstring>
#include <string>
#include <string_view>

#include "comm/point_to_point.hpp"

namespace pure::core {

refusal::refusal(const Error& why, const call& by) noexcept : code_(why.code()) {
  std::string_view from = why.what();
  const std::string_view name = by.operation;
  if (from.starts_with(name) && from.substr(name.size()).starts_with(": ")) from.remove_prefix(name.size() + 2);
  std::size_t used = 0;
  while (!from.empty() && used + 3 < sizeof text_) {
    if (from.front() == '\n') {
      from.remove_prefix(std::min(from.find_first_not_of("\n "), from.size()));
      if (from.empty()) break;
      std::memcpy(text_ + used, ", ", 2);
      used += 2;
    } else {
      text_[used++] = from.front();
      from.remove_prefix(1);
    }
  }
}

Error refusal::error_elsewhere(const communicator& on, const call& by, int refused) const {
  return bad_argument(on, by, code_,
                      fmt::format("it has failed on rank {}, and so it fails on all ranks: {}", refused, text_));
}

}  // namespace pure::core
