// Modelled by tests/model/ring.pml, room.pml.
#include "transport/ring.hpp"

#include <algorithm>
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
      mask_(bytes / line_bytes - 1),
      source_(source),
      room_until_(mask_),
      release_at_((mask_ + 1) / 4) {
  // Only line 0 must read as not ready. In the first lap the sender clears the rest line by line, so that the pages are
  // touched only when they are used.
  std::construct_at(lines_)->mark.store(0, std::memory_order_relaxed);
}

ring::~ring() {
  if (pages_ != nullptr) {
    pages_->give_back(lines_, (mask_ + 1) * line_bytes);
  } else {
    ::operator delete (lines_, std::align_val_t{pair_bytes});
  }
}

/// try_reserve() for a record that does not end before room_until_: looks how much room there is now.
record* ring::reserve_behind_room(std::size_t lines) noexcept {
  const std::uint64_t size = mask_ + 1;
  const std::uint64_t to_end = size - (tail_ & mask_);
  const std::uint64_t wasted = lines <= to_end ? 0 : to_end;
  // acquire: the receiver is done with those lines; pairs with the release in pop()
  const std::uint64_t free_until = released_.load(std::memory_order_acquire) + size;
  if (tail_ + wasted + lines + 1 > free_until) return nullptr;
  if (wasted != 0) skip_to_start(wasted);
  const std::uint64_t end_of_lap = (tail_ & ~mask_) + size;
  room_until_ = std::min(end_of_lap, free_until - 1);
  clear_mark_at(tail_ + lines);
  return line(tail_);
}

void ring::skip_to_start(std::size_t wasted) noexcept {
  record* const skipped = line(tail_);
  const std::uint32_t lap = lap_bit(tail_);
  tail_ += wasted;
  // relaxed: it says nothing of other lines. Line 0 holds a mark of the lap before, and the record that comes there is
  // longer than one line, so that payload_until_ will cover the skipped lines.
  skipped->mark.store(record::make_mark(static_cast<std::uint32_t>(wasted), record_kind::wrap, lap),
                      std::memory_order_relaxed);
}

}  // namespace pure::core
