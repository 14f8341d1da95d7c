#include "coll/operation.hpp"

#include <fmt/core.h>

namespace pure::core {

void operation::want_room(bool now) noexcept {
  wants_room_ = now;
  on_.want_room(now);
}

std::string operation::disagreement() const {
  const wrong_size& how = *disagreement_;
  return fmt::format(
      "the ranks disagree on a size: rank {} gives {} bytes where rank {} expects {}; counts and types must describe the "
      "same data on both sides",
      how.giver, how.given_bytes, how.taker, how.expected_bytes);
}

}  // namespace pure::core
