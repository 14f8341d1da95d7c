#include "transport/inbox.hpp"

#include <memory>

namespace pure::core {

inbox::inbox(std::size_t ring_bytes, huge_pages* pages) : ring_bytes_(ring_bytes), pages_(pages), memory_(ring_bytes) {}

inbox::~inbox() {
  rings_.for_each([](const ring& each) { delete &each; });
}

inbox::found inbox::find_or_make(int source) {
  const std::lock_guard lock(connecting_);
  if (ring* const there = rings_[source]; there != nullptr) return {*there, false};
  auto made = std::make_unique<ring>(source, ring_bytes_, pages_, ring_memory::suits(ring_bytes_) ? &memory_ : nullptr);
  rings_.add(source, made.get());
  return {*made.release(), true};
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
