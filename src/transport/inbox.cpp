#include "transport/inbox.hpp"

#include <cstdint>
#include <memory>

#include "machine/memory_pages.hpp"

namespace pure::core {

namespace {

/// Where the first one may begin, in memory that ring_memory has given.
std::byte* first_cell_in(void* memory) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  constexpr std::size_t to = cell_pair::alignment;
  return reinterpret_cast<std::byte*>((at + to - 1) / to * to);
}

}  // namespace

inbox::inbox(std::size_t ring_bytes, huge_pages* pages, bool takes_lines)
    : ring_bytes_(ring_bytes),
      takes_lines_(takes_lines),
      pages_(pages),
      memory_(ring_bytes),
      memory_of_cells_(cell_pair::bytes) {}

inbox::~inbox() {
  cells_.for_each([](const cell_pair& each) { delete &each; });
  rings_.for_each([](const ring& each) { delete &each; });
}

inbox::found inbox::find_or_make(int source) {
  const std::lock_guard lock(connecting_);
  if (ring* const there = rings_[source]; there != nullptr) return {*there, false};
  auto made = std::make_unique<ring>(source, ring_bytes_, pages_, ring_memory::suits(ring_bytes_) ? &memory_ : nullptr);
  rings_.add(source, made.get());
  return {*made.release(), true};
}

cell_pair& inbox::cells_with(int other) {
  const std::lock_guard lock(connecting_);
  if (cell_pair* const there = cells_[other]; there != nullptr) return *there;
  auto made = std::make_unique<cell_pair>(first_cell_in(memory_of_cells_.take()),
                                          cell_pair::manner{takes_lines_, page_bytes() == cell_pair::alignment});
  cells_.add(other, made.get());
  return *made.release();
}

ring& inbox::connect(int source) {
  const found ring_found = find_or_make(source);
  if (ring_found.made) announced_.push(ring_found.which);
  return ring_found.which;
}

std::vector<ring*> inbox::rings() {
  std::vector<ring*> all;
  rings_.for_each([&](ring& each) { all.push_back(&each); });
  return all;
}

ring& inbox::connect_own(int source) { return find_or_make(source).which; }

}  // namespace pure::core
