#include "coll/collective_areas.hpp"

#include <fmt/core.h>

#include <pure/error.hpp>

namespace pure::core {

collective_areas::collective_areas(const communicator& on)
    : in_order_(on),
      parts_(on.shared().part_here() == nullptr ? nullptr : std::make_unique<const process_parts>(on)),
      ranks_here_(parts_ == nullptr ? on.size() : on.shared().part_here()->size()) {}

collective_area& collective_areas::join(const communicator& on, std::uint64_t number) {
  const std::lock_guard lock(changing_);
  if (const auto there = persistent_.find(number); there != persistent_.end()) return *there->second.area;
  refuse_if_tags_are_in_use(number);
  auto made = std::make_unique<collective_area>(on);
  return *persistent_.emplace(number, joined_area{std::move(made), ranks_here_}).first->second.area;
}

void collective_areas::refuse_if_tags_are_in_use(std::uint64_t number) const {
  while (number > most_persistent) {
    number -= most_persistent;
    if (!persistent_.contains(number)) continue;
    throw Error(errc::other, fmt::format("{} persistent collectives have been made on a communicator since one that is "
                                         "not freed yet: free it first, or use another communicator",
                                         most_persistent));
  }
}

void collective_areas::leave(std::uint64_t number) noexcept {
  std::unique_ptr<collective_area> destroyed_after_unlock;
  const std::lock_guard lock(changing_);
  const auto there = persistent_.find(number);
  if (--there->second.still_to_leave > 0) return;
  destroyed_after_unlock = std::move(there->second.area);
  persistent_.erase(there);
}

std::size_t collective_areas::persistent() {
  const std::lock_guard lock(changing_);
  return persistent_.size();
}

}  // namespace pure::core
