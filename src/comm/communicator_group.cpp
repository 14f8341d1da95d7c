#include "comm/communicator_group.hpp"

#include <numeric>
#include <utility>

#include "comm/communicator_registry.hpp"

namespace pure::core {

namespace {

bool is_identity(const std::vector<int>& numbers) noexcept {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != static_cast<int>(i)) return false;
  }
  return true;
}

std::vector<int> those_here(const std::vector<int>& numbers, const other_processes* others) {
  std::vector<int> here;
  for (const int number : numbers) {
    if (others == nullptr || others->is_here(number)) here.push_back(number);
  }
  return here;
}

}  // namespace

communicator_group::communicator_group(communicator_registry* home, std::uint32_t first_context,
                                       std::vector<int> numbers, const other_processes* others)
    : home_(home), first_context_(first_context), size_(static_cast<int>(numbers.size())), references_(size_) {
  std::vector<int> here = those_here(numbers, others);
  references_.store(static_cast<int>(here.size()), std::memory_order_relaxed);
  if (here.size() != numbers.size()) {
    part_here_ = std::make_unique<communicator_group>(nullptr, first_context, std::move(here));
  }
  if (!is_identity(numbers)) numbers_ = std::move(numbers);
}

communicator_group::~communicator_group() { delete upper_.load(std::memory_order_relaxed); }

std::vector<int> communicator_group::members() const {
  if (!numbers_.empty()) return numbers_;
  std::vector<int> all(static_cast<std::size_t>(size_));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

upper_part& communicator_group::install(std::unique_ptr<upper_part> made) noexcept {
  upper_part* there = nullptr;
  // acq_rel: publishes what was made, or takes over what another rank has; pairs with itself and the load in upper()
  if (upper_.compare_exchange_strong(there, made.get(), std::memory_order_acq_rel, std::memory_order_acquire)) {
    there = made.release();
  }
  return *there;
}

void communicator_group::release() noexcept {
  // acq_rel: the last to come destroys what all the others have used; pairs with itself in their release()
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1 && home_ != nullptr) home_->remove(*this);
}

}  // namespace pure::core
