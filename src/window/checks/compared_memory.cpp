#include "window/checks/compared_memory.hpp"

#include <algorithm>
#include <cstring>

namespace pure::core {

compared_memory::block* compared_memory::make(std::uint64_t number) {
  const auto found = blocks_.find(number);
  if (found != blocks_.end()) return found->second.get();
  if (copied_bytes() + block_bytes > most_bytes_) return nullptr;
  return blocks_.emplace(number, std::make_unique<block>()).first->second.get();
}

void compared_memory::begin(const std::byte* memory, std::size_t bytes) {
  ++epoch_;
  is_on_ = bytes > 0;
  const bool is_small = bytes <= small_part_bytes;
  if (is_small) {
    for (std::uint64_t number = 0; number * block_bytes < bytes; ++number) make(number);
  } else {
    std::erase_if(blocks_, [&](const auto& each) { return epoch_ - each.second->touched_in > epochs_kept; });
  }
  for (auto& [number, each] : blocks_) {
    const std::size_t first = number * block_bytes, count = std::min(block_bytes, bytes - first);
    std::memcpy(each->bytes, memory + first, count);
    each->known.set();  // nobody asks for bytes behind the end of the part
  }
}

void compared_memory::know(access_map::range bytes, const std::byte* content) {
  if (!is_on_) return;
  for_each_block(bytes, [&](std::uint64_t number, std::uint64_t first, std::uint64_t count, std::uint64_t done) {
    block* const its = make(number);
    if (its == nullptr) return true;
    its->touched_in = epoch_;
    std::memcpy(its->bytes + first, content + done, count);
    if (its->known.all()) return true;
    if (count == block_bytes) {
      its->known.set();
    } else {
      for (std::uint64_t i = first; i < first + count; ++i) its->known.set(i);
    }
    return true;
  });
}

void compared_memory::touch(access_map::range bytes) {
  for_each_block(bytes, [&](std::uint64_t number, std::uint64_t, std::uint64_t, std::uint64_t) {
    if (block* const its = make(number)) its->touched_in = epoch_;
    return true;
  });
}

void compared_memory::forget(access_map::range bytes) noexcept {
  for_each_block(bytes, [&](std::uint64_t number, std::uint64_t first, std::uint64_t count, std::uint64_t) {
    const auto found = blocks_.find(number);
    for (std::uint64_t i = first; found != blocks_.end() && i < first + count; ++i) found->second->known.reset(i);
    return true;
  });
}

std::optional<access_map::range> compared_memory::changed(access_map::range bytes, const std::byte* memory) const {
  std::optional<access_map::range> wrong;
  if (!is_on_) return wrong;
  const std::byte* const now = memory + bytes.begin;
  for_each_block(bytes, [&](std::uint64_t number, std::uint64_t first, std::uint64_t count, std::uint64_t done) {
    const auto found = blocks_.find(number);
    if (found == blocks_.end()) return !wrong;
    const block& its = *found->second;
    if (!wrong && its.known.all() && std::memcmp(its.bytes + first, now + done, count) == 0) return true;
    for (std::uint64_t i = 0; i < count; ++i) {
      const bool differs = its.known.test(first + i) && its.bytes[first + i] != now[done + i];
      const std::uint64_t at = bytes.begin + done + i;
      if (wrong && !(differs && wrong->end == at)) return false;
      if (!differs) continue;
      if (!wrong) wrong = access_map::range{at, at};
      wrong->end = at + 1;
    }
    return true;
  });
  return wrong;
}

}  // namespace pure::core
