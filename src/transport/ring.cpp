// Modelled by tests/model/room.pml.
#include "transport/ring.hpp"

#include <memory>
#include <new>

#include "runtime/job.hpp"

namespace pure::core {

namespace {

int numa_node_of_caller() noexcept {
  const rank_context* const caller = rank_of_thread();
  const rank_place* const place = caller == nullptr ? nullptr : caller->owner().place_of(*caller);
  return place == nullptr ? -1 : place->numa;
}

record* make_lines(std::size_t bytes, huge_pages* pages) {
  void* const memory = pages != nullptr ? pages->cut(bytes, numa_node_of_caller())
                                        : ::operator new (bytes, std::align_val_t{pair_bytes});
  return static_cast<record*>(memory);
}

}  // namespace

ring::ring(int source, std::size_t bytes, huge_pages* pages)
    : pages_(pages),
      lines_(make_lines(bytes, pages)),
      bytes_(bytes),
      source_(source),
      out_(lines_, bytes / line_bytes, released_),
      in_(lines_, bytes / line_bytes, released_) {
  // Only line 0 must read as not ready. In the first lap the sender clears the rest line by line, so that the pages are
  // touched only when they are used.
  std::construct_at(lines_)->mark.store(0, std::memory_order_relaxed);
}

ring::~ring() {
  if (pages_ != nullptr) {
    pages_->give_back(lines_, bytes_);
  } else {
    ::operator delete (lines_, std::align_val_t{pair_bytes});
  }
}

}  // namespace pure::core
