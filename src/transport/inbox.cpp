#include "transport/inbox.hpp"

#include <memory>

namespace pure::core {

inbox::inbox(int ranks, std::size_t ring_bytes, huge_pages* pages)
    : ring_bytes_(ring_bytes), pages_(pages), rings_(ranks) {}

inbox::~inbox() {
  for (std::atomic<ring*>& slot : rings_.all()) delete slot.load(std::memory_order_relaxed);
}

inbox::found inbox::find_or_make(int source) {
  std::atomic<ring*>& slot = rings_[source];
  // acquire: the ring's contents; pairs with the release in the exchange below
  if (ring* const there = slot.load(std::memory_order_acquire); there != nullptr) return {*there, false};
  auto made = std::make_unique<ring>(source, ring_bytes_, pages_);
  ring* other = nullptr;
  // acq_rel: publishes the ring, or acquires the one that the other end has published
  if (slot.compare_exchange_strong(other, made.get(), std::memory_order_acq_rel, std::memory_order_acquire)) {
    return {*made.release(), true};
  }
  return {*other, false};
}

ring& inbox::connect(int source) {
  const found ring_found = find_or_make(source);
  if (ring_found.made) announced_.push(ring_found.which);
  return ring_found.which;
}

std::vector<ring*> inbox::rings() {
  std::vector<ring*> all;
  for (std::atomic<ring*>& slot : rings_.all()) {
    if (ring* const there = slot.load(std::memory_order_relaxed); there != nullptr) all.push_back(there);
  }
  return all;
}

ring& inbox::connect_own(int source) { return find_or_make(source).which; }

}  // namespace pure::core
