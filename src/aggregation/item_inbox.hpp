// Where buffers for one rank arrive: any rank of the process pushes, the owner takes all at once, the oldest first.
//
// Buffers of one sender are taken in the order of their pushes, for a push is one step of the list's head. A sender
// notifies the owner behind a push; an owner that is about to sleep looks once more (runtime/wait.hpp).
// Modelled by tests/model/aggregation_inbox.pml.
#pragma once

#include <atomic>
#include <utility>

#include "aggregation/item_buffer.hpp"
#include "base/pushed_list.hpp"

namespace pure::core {

/// Buffers in the order in which they came. Own thread of a rank.
class buffer_queue {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] item_buffer* front() const noexcept { return first_; }

  void push(item_buffer& last) noexcept {
    last.next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = &last;
    last_ = &last;
  }
  [[nodiscard]] item_buffer& pop() noexcept {
    item_buffer& taken = *first_;
    first_ = taken.next;
    return taken;
  }
  /// All, linked by `next`.
  [[nodiscard]] item_buffer* release() noexcept { return std::exchange(first_, nullptr); }

 private:
  item_buffer* first_ = nullptr;
  item_buffer* last_ = nullptr;
};

/// `Buffer` has a link `next`. `Atomic`: std::atomic, or that of tests/support/interleavings.hpp.
template <class Buffer, template <class> class Atomic>
class alignas(pair_bytes) basic_item_inbox {
 public:
  /// Any thread.
  void push(Buffer& arriving) noexcept { arrived_.push(arriving); }

  /// The owner. False: a load, and nothing has come.
  [[nodiscard]] bool has_some() const noexcept { return !arrived_.looks_empty(); }
  /// All that have come, linked by `next`, the oldest first; null if there are none.
  [[nodiscard]] Buffer* take() noexcept {
    Buffer* newest_first = arrived_.take_all();
    Buffer* oldest_first = nullptr;
    while (newest_first != nullptr) {
      Buffer* const taken = std::exchange(newest_first, newest_first->next);
      taken->next = std::exchange(oldest_first, taken);
    }
    return oldest_first;
  }

 private:
  pushed_list<Buffer, &Buffer::next, Atomic> arrived_;
};

using item_inbox = basic_item_inbox<item_buffer, std::atomic>;

}  // namespace pure::core
