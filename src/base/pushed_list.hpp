// A list on which any thread pushes, and from which one takes all at once: the newest first.
//
// Intrusive: T has a member for the link, which is the taker's from take_all() on. Nobody takes single elements, so
// there is no ABA. What is pushed belongs to the taker; the list deletes nothing.
#pragma once

#include <atomic>
#include <utility>

namespace pure::core {

/// `Atomic`: std::atomic, or that of tests/support/interleavings.hpp.
template <class T, T* T::*Next, template <class> class Atomic = std::atomic>
class pushed_list {
 public:
  /// Any thread.
  void push(T& one) noexcept {
    one.*Next = first_.load(std::memory_order_relaxed);
    // release: what `one` holds, and its link; pairs with the acquire in take_all()
    while (!first_.compare_exchange_weak(one.*Next, &one, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }

  /// A load, which takes nothing over. Any thread.
  [[nodiscard]] bool looks_empty() const noexcept { return first_.load(std::memory_order_relaxed) == nullptr; }

  /// The taker. Linked by Next; usually null, which costs a load.
  T* take_all() noexcept {
    if (first_.load(std::memory_order_relaxed) == nullptr) [[likely]]
      return nullptr;
    return first_.exchange(nullptr, std::memory_order_acquire);  // acquire: pairs with the release in push()
  }

 private:
  Atomic<T*> first_{nullptr};
};

}  // namespace pure::core
