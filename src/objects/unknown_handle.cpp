#include "objects/unknown_handle.hpp"

#include <fmt/core.h>

#include "match/handle_table.hpp"
#include "runtime/job.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

std::string why_unknown(const rank_context& self, std::uint64_t handle, const char* what) {
  const core::handle key{handle};
  if (key.is_null()) return fmt::format("the {} is the null {}", what, what);
  const auto maker = static_cast<int>(key.rank());
  if (key.generation() == 0 || maker >= self.owner().size()) {
    return fmt::format("{:#x} is no {}: was the variable ever given to a call that makes one?", handle, what);
  }
  if (maker != self.number()) {
    return fmt::format("the {} {:#x} belongs to rank {}: each rank uses the handle that its own call gave it", what,
                       handle, maker);
  }
  return fmt::format(
      "the {} {:#x} has been freed already: freeing sets the variable to the null {}, but not its copies", what, handle,
      what);
}

}  // namespace pure::core
