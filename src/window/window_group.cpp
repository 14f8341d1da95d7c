#include "window/window_group.hpp"

#include <algorithm>

#include "window/process_windows.hpp"

namespace pure::core {

bool attached_memory::add(const std::byte* from, std::size_t bytes) {
  const std::lock_guard lock(guard_);
  const auto behind = std::find_if(regions_.begin(), regions_.end(),
                                   [&](const region& each) { return each.from > from; });
  if (behind != regions_.end() && from + bytes > behind->from) return false;
  if (behind != regions_.begin() && (behind - 1)->from + (behind - 1)->bytes > from) return false;
  regions_.insert(behind, {from, bytes});
  return true;
}

bool attached_memory::remove(const std::byte* from) noexcept {
  const std::lock_guard lock(guard_);
  return std::erase_if(regions_, [&](const region& each) { return each.from == from; }) > 0;
}

bool attached_memory::contains(const std::byte* from, std::size_t bytes) const noexcept {
  const std::lock_guard lock(guard_);
  const auto behind = std::find_if(regions_.begin(), regions_.end(),
                                   [&](const region& each) { return each.from > from; });
  if (behind == regions_.begin()) return false;
  const region& its = *(behind - 1);
  const auto offset = static_cast<std::size_t>(from - its.from);
  return offset <= its.bytes && bytes <= its.bytes - offset;
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
  for (const target& each : targets_) is_too_much |= __builtin_add_overflow(bytes, each.bytes, &bytes);
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
