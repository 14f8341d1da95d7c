#include "transport/packed_pieces.hpp"

#include <new>

namespace pure::core {

packed_pieces* packed_pieces_pool::get() noexcept try {
  if (free_.empty()) {
    all_.reserve(all_.size() + 1);
    free_.reserve(all_.size() + 1);
    all_.emplace_back(new packed_pieces);
    free_.push_back(all_.back().get());
  }
  packed_pieces* const next = free_.back();
  free_.pop_back();
  next->clear();
  return next;
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace pure::core
