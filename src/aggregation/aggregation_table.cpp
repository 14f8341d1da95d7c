#include "aggregation/aggregation_table.hpp"

#include <fmt/core.h>

#include <new>

#include "runtime/job.hpp"
#include "runtime/leftovers.hpp"

namespace pure::core {

aggregation_table::aggregation_table(rank_context& owner)
    : handlers_(owner), made_(handle_kind::aggregation, owner.number()), owner_(owner) {
  job& running = owner.owner();
  if (running.others() == nullptr) return;
  // The ranks get their tables one after the other, before they run.
  spanning_ = owner.index() == 0 ? std::make_shared<process_aggregations>(running) : of(running.worker(0)).spanning_;
}

aggregation* aggregation_table::find(std::uint64_t name) noexcept {
  const core::handle key{name};
  if (key.kind() != handle_kind::aggregation || key.rank() != static_cast<std::uint32_t>(owner_.number()))
    return nullptr;
  const std::unique_ptr<aggregation>* const entry = made_.find(key);
  return entry == nullptr ? nullptr : entry->get();
}

aggregation& aggregation_table::add(aggregation_part& part, int index) {
  try {
    all_.reserve(all_.size() + 1);
    const auto made = made_.make();
    try {
      made.entry = std::make_unique<aggregation>(owner_, part, index, handlers_, left_open_, made.name.value);
    } catch (...) {
      made_.free(made.name);
      throw;
    }
    all_.push_back(made.entry.get());
    return *made.entry;
  } catch (...) {
    part.leave(index);
    throw;
  }
}

void aggregation_table::remove(const aggregation& unused) noexcept {
  std::erase(all_, &unused);
  made_.free({unused.handle()});
}

bool aggregation_table::advance() {
  bool has_moved = false;
  for (std::size_t i = 0; i < all_.size(); ++i) has_moved |= all_[i]->advance();
  return has_moved;
}

bool aggregation_table::before_sleep() {
  bool has_moved = false;
  for (std::size_t i = 0; i < all_.size(); ++i) has_moved |= all_[i]->before_sleep();
  return has_moved;
}

bool aggregation_table::end_main() noexcept {
  for (aggregation* const each : all_) each->end_main();
  return false;
}

void aggregation_table::add_leftovers(leftovers& to) {
  for (const aggregation* const each : all_)
    to.aggregations.push_back(fmt::format("rank {}: aggregation \"{}\" was not freed", owner_.number(), each->name()));
}

}  // namespace pure::core
