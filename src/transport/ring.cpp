#include "transport/ring.hpp"

#include <memory>
#include <new>

namespace pure::core {

ring::ring(int source, std::size_t bytes)
    : lines_(static_cast<record*>(::operator new(bytes, std::align_val_t{pair_bytes}))),
      mask_(bytes / line_bytes - 1),
      source_(source) {
  // Only line 0 must read as not ready. The rest is cleared line by line as the sender advances, so that the pages are
  // touched only when they are used.
  std::construct_at(lines_)->mark.store(0, std::memory_order_relaxed);
}

ring::~ring() { ::operator delete(lines_, std::align_val_t{pair_bytes}); }

void ring::skip_to_start(std::size_t wasted) noexcept {
  record* const skipped = line(tail_);
  tail_ += wasted;
  line(tail_)->mark.store(0, std::memory_order_relaxed);
  // release: publishes the cleared mark at line 0; pairs with the acquire in front()
  skipped->mark.store(record::make_mark(static_cast<std::uint32_t>(wasted), record_kind::wrap),
                      std::memory_order_release);
}

}  // namespace pure::core
