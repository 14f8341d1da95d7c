// Modelled by tests/model/room.pml, ring.pml.
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

record* make_lines(std::size_t bytes, huge_pages* pages, ring_memory* memory) {
  void* const made = pages != nullptr    ? pages->cut(bytes, numa_node_of_caller())
                     : memory != nullptr ? memory->take()
                                         : ::operator new (bytes, std::align_val_t{pair_bytes});
  return static_cast<record*>(made);
}

}  // namespace

// (The ends keep the address of `released_`, which is made after them.)
ring::ring(int source, std::size_t bytes, huge_pages* pages, ring_memory* memory)
    : ring(source, bytes, pages, pages == nullptr ? memory : nullptr, make_lines(bytes, pages, memory)) {}

ring::ring(int source, std::size_t bytes, huge_pages* pages, ring_memory* memory, record* lines) noexcept
    : out_(lines, bytes / line_bytes, released_),
      in_(lines, bytes / line_bytes, released_),
      source_(source),
      pages_(pages),
      memory_(memory),
      lines_(lines),
      bytes_(bytes) {
  // Only line 0 must read as not ready. In the first lap the sender clears the rest line by line, so that the pages are
  // touched only when they are used.
  std::construct_at(lines_)->mark.store(0, std::memory_order_relaxed);
}

ring::~ring() {
  if (pages_ != nullptr) {
    pages_->give_back(lines_, bytes_);
  } else if (memory_ == nullptr) {
    ::operator delete (lines_, std::align_val_t{pair_bytes});
  }
}

bool ring::give_back_unused() noexcept {
  const std::uint64_t sent = out_.sent();
  if (sent != sent_before_) {
    sent_before_ = sent;
    is_given_back_ = false;
    return false;
  }
  if (memory_ == nullptr || is_given_back_ || !out_.is_all_received()) return false;
  is_given_back_ = true;  // also if the kernel does not want it: it will not want it the next time
  return ring_memory::give_back(lines_, bytes_);
}

void ring::tell_if_idle() noexcept {
  const std::uint64_t received = in_.received();
  if (received == received_before_) return in_.tell();
  received_before_ = received;
}

}  // namespace pure::core
