#include "comm/communicator_registry.hpp"

#include <numeric>
#include <utility>

#include <pure/error.hpp>

namespace pure::core {

namespace {

std::vector<int> all_numbers(int ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

communicator_registry::communicator_registry(int ranks, const other_processes* others)
    : others_(others),
      processes_(others == nullptr ? 1 : static_cast<std::uint32_t>(others->placement().processes())),
      world_(nullptr, world_context, all_numbers(ranks), others),
      next_block_(first_free_block + (others == nullptr ? 0 : static_cast<std::uint32_t>(others->process()))) {}

std::uint32_t communicator_registry::take_block() {
  if (resting_.size() <= quarantine && next_block_ < blocks - processes_) {
    return std::exchange(next_block_, next_block_ + processes_);
  }
  if (resting_.empty())
    throw Error(errc::other, "more than 2^30 communicators at a time: free those that are not in use");
  const std::uint32_t block = resting_.front();
  resting_.pop_front();
  return block;
}

communicator_group& communicator_registry::make(std::vector<int> numbers) {
  const std::lock_guard lock(changing_);
  return keep(take_block() * contexts_per_block, std::move(numbers));
}

communicator_group& communicator_registry::make_also(std::uint32_t first_context, std::vector<int> numbers) {
  const std::lock_guard lock(changing_);
  return keep(first_context, std::move(numbers));
}

communicator_group& communicator_registry::make_or_find(std::uint32_t first_context, const std::vector<int>& numbers) {
  const std::lock_guard lock(changing_);
  const auto found = live_.find(first_context);
  return found != live_.end() ? *found->second : keep(first_context, numbers);
}

communicator_group& communicator_registry::keep(std::uint32_t first_context, std::vector<int> numbers) {
  auto made = std::make_unique<communicator_group>(this, first_context, std::move(numbers), others_);
  communicator_group& result = *made;
  live_.emplace(first_context, std::move(made));
  return result;
}

std::unique_ptr<communicator_group> communicator_registry::take_out(const communicator_group& unused) noexcept {
  const auto found = live_.find(unused.context(traffic::user));
  std::unique_ptr<communicator_group> taken = std::move(found->second);
  live_.erase(found);
  return taken;
}

void communicator_registry::leave_to_others(communicator_group& made) noexcept {
  std::unique_ptr<communicator_group> destroyed_after_unlock;
  const std::lock_guard lock(changing_);
  destroyed_after_unlock = take_out(made);
}

void communicator_registry::remove(communicator_group& unused) noexcept {
  std::unique_ptr<communicator_group> destroyed_after_unlock;
  const std::lock_guard lock(changing_);
  destroyed_after_unlock = take_out(unused);
  if (destroyed_after_unlock->part_here() == nullptr) {
    resting_.push_back(destroyed_after_unlock->context(traffic::user) / contexts_per_block);
  }
}

std::size_t communicator_registry::live() {
  const std::lock_guard lock(changing_);
  return live_.size();
}

std::uint32_t communicator_registry::blocks_used() {
  const std::lock_guard lock(changing_);
  return (next_block_ - first_free_block) / processes_;
}

}  // namespace pure::core
