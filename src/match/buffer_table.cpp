#include "match/buffer_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

namespace pure::core {

std::uint64_t pending_buffer::content_now() const {
  if (laid_out.form == nullptr) return content_of(begin, bytes);
  const auto packed = std::make_unique_for_overwrite<std::byte[]>(laid_out_bytes);
  copy_laid_out({packed.get(), nullptr}, 0, laid_out, 0, laid_out_bytes);
  return content_of(packed.get(), laid_out_bytes);
}

// ---- intervals ----

void buffer_table::intervals::add(const pending_buffer& what) {
  const auto width = static_cast<std::size_t>(std::bit_width(what.bytes));
  of_width_[width][reinterpret_cast<std::uintptr_t>(what.begin)].emplace(what.bytes, &what);
  widths_ |= std::uint64_t{1} << width;
}

void buffer_table::intervals::remove(const pending_buffer& what) noexcept {
  const auto width = static_cast<std::size_t>(std::bit_width(what.bytes));
  auto& alike = of_width_[width];
  const auto same = alike.find(reinterpret_cast<std::uintptr_t>(what.begin));
  if (same == alike.end()) return;
  same->second.erase({what.bytes, &what});
  if (same->second.empty()) alike.erase(same);
  if (alike.empty()) widths_ &= ~(std::uint64_t{1} << width);
}

const pending_buffer* buffer_table::intervals::overlap(std::uintptr_t begin, std::uintptr_t end) const noexcept {
  for (std::uint64_t left = widths_; left != 0; left &= left - 1) {
    const int width = std::countr_zero(left);
    const std::uintptr_t longest = (std::uintptr_t{1} << width) - 1;
    const auto& alike = of_width_[static_cast<std::size_t>(width)];
    // What begins before ends before; and what begins less than half as far before `begin` is found at once.
    for (auto each = alike.lower_bound(begin > longest ? begin - longest : 0); each != alike.end(); ++each) {
      if (each->first >= end) break;
      const auto& [bytes, buffer] = *each->second.rbegin();
      if (each->first + bytes > begin) return buffer;
    }
  }
  return nullptr;
}

// ---- the table ----

const pending_buffer* buffer_table::conflict(const void* begin, std::size_t bytes, bool writes) const noexcept {
  if (bytes == 0) return nullptr;
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  const pending_buffer* const written = receives_.overlap(from, from + bytes);
  return written != nullptr || !writes ? written : sends_.overlap(from, from + bytes);
}

pending_buffer& buffer_table::add(const void* operation, const pending_buffer& what) {
  pending_buffer& made = by_operation_.insert_or_assign(operation, what).first->second;
  if (made.bytes > 0) (made.is_receive ? receives_ : sends_).add(made);
  return made;
}

pending_buffer* buffer_table::find(const void* operation) noexcept {
  const auto found = by_operation_.find(operation);
  return found == by_operation_.end() ? nullptr : &found->second;
}

void buffer_table::remove(const void* operation) noexcept {
  const auto found = by_operation_.find(operation);
  if (found == by_operation_.end()) return;
  if (found->second.bytes > 0) (found->second.is_receive ? receives_ : sends_).remove(found->second);
  by_operation_.erase(found);
}

}  // namespace pure::core
