#include "coll/operation.hpp"

#include <fmt/core.h>

namespace pure::core {

void operation::want_room(bool now) noexcept {
  wants_room_ = now;
  on_.want_room(now);
}

void operation::disagree_on_size(int q, std::size_t theirs, std::size_t ours) {
  if (!disagreement_.empty()) return;
  disagrees_with_ = q;
  disagreement_ = fmt::format(
      "the ranks disagree on a size: rank {} gives {} bytes where rank {} expects {}; counts and types must describe the "
      "same data on both sides",
      q, theirs, rank(), ours);
}

}  // namespace pure::core
