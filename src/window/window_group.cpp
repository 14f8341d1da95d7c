#include "window/window_group.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace pure::core {

std::size_t attached_memory::first_behind(const std::byte* from) const noexcept {
  const auto found = std::upper_bound(regions_.begin(), regions_.end(), from,
                                      [](const std::byte* address, const region& each) { return address < each.from; });
  return static_cast<std::size_t>(found - regions_.begin());
}

bool attached_memory::add(const std::byte* from, std::size_t bytes) {
  const std::lock_guard lock(guard_);
  if (bytes == 0) {
    empty_.push_back(from);
    return true;
  }
  const std::size_t behind = first_behind(from);
  if (behind < regions_.size() && from + bytes > regions_[behind].from) return false;
  if (behind > 0 && regions_[behind - 1].end() > from) return false;
  regions_.insert(regions_.begin() + static_cast<std::ptrdiff_t>(behind), {from, bytes});
  return true;
}

bool attached_memory::remove(const std::byte* from) noexcept {
  const std::lock_guard lock(guard_);
  if (const auto none = std::find(empty_.begin(), empty_.end(), from); none != empty_.end()) {
    empty_.erase(none);
    return true;
  }
  return std::erase_if(regions_, [&](const region& each) { return each.from == from; }) > 0;
}

void attached_memory::clear() noexcept {
  const std::lock_guard lock(guard_);
  regions_.clear();
  empty_.clear();
}

bool attached_memory::contains(const std::byte* from, std::size_t bytes) const noexcept {
  const std::lock_guard lock(guard_);
  std::size_t which = first_behind(from);
  if (which > 0) --which;
  for (; bytes > 0; ++which) {
    if (which == regions_.size() || regions_[which].from > from || regions_[which].end() <= from) return false;
    const std::size_t here = std::min(bytes, static_cast<std::size_t>(regions_[which].end() - from));
    from += here;
    bytes -= here;
  }
  return true;
}

std::string window_group::target::why_gone(int rank) const {
  switch (ended.load(std::memory_order_relaxed)) {
    case part_end::none: break;
    case part_end::given_up:
      return fmt::format(
          "rank {} has given the window up, and with it its part, which lies in memory of the program: "
          "free the window on all ranks, which waits for all",
          rank);
    case part_end::main_ended:
      return fmt::format(
          "the main of rank {} has ended, and with it its part, which lies in memory of the program: free "
          "the window before that",
          rank);
  }
  return {};
}

void window_group::end_part(int rank, part_end why) noexcept {
  if (has_own_memory()) return;
  if (spanning_ != nullptr) return spanning_->windows->end_part(*this, rank, why);
  at(rank).end(why);
}

void window_group::end() noexcept {
  if (spanning_ != nullptr) return spanning_->windows->leave(*this);
  delete this;
}

void window_group::wake_in_all_processes() noexcept {
  wake_here();
  spanning_->windows->wake_elsewhere(*this);
}

void window_group::allocate_for_all() {
  std::size_t bytes = 0;
  bool is_too_much = false;
  for (const target& each : targets_) is_too_much |= __builtin_add_overflow(bytes, std::size_t{each.bytes}, &bytes);
  is_too_much = is_too_much || is_more_than_there_is(bytes);
  if (!is_too_much) whole_ = granted_pages(bytes, options_.alignment, options_.pages, refused_);
  has_failed_ = whole_.data() == nullptr;
  std::byte* at = whole_.data();
  for (target& each : targets_) {
    each.base = at;
    if (!has_failed_) at += each.bytes;
  }
}

}  // namespace pure::core
