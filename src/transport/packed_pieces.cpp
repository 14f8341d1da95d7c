#include "transport/packed_pieces.hpp"

#include <new>

namespace pure::core {

packed_pieces* packed_pieces_pool::get() noexcept {
  if (free_.empty()) try {
      all_.reserve(all_.size() + 1);
      free_.reserve(all_.size() + 1);
      all_.emplace_back(new packed_pieces);
      free_.push_back(all_.back().get());
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  packed_pieces* const next = free_.back();
  free_.pop_back();
  next->clear();
  return next;
}

}  // namespace pure::core
