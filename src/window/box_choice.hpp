// Whether a window over the program's memory has boxes for its epochs of post, and which (box_pool.hpp). For the making
// of windows of several processes (create_spanning.cpp): of one rank, while it makes one. All ranks choose alike, from
// what all offer.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "window/box_pool.hpp"
#include "window/window_creation.hpp"

namespace pure::core::window_creation {

class box_choice {
 public:
  /// Adds this rank's part to its offer.
  void offer(box_pool& pool, window_offer& to) {
    pool_ = &pool;
    to.may_have_boxes = true;
    to.has_pool = pool.is_made();
    to.free_boxes = pool.free();
  }
  /// From the offers of all ranks. Of a process its first rank's counts, who has made the last pool.
  void choose(std::span<const window_offer> all) noexcept {
    std::size_t processes = 0, pools = 0;
    std::uint32_t free = ~std::uint32_t{0};
    for (const window_offer& each : all) {
      if (!each.may_have_boxes) return;
      if (each.group == nullptr) continue;
      ++processes;
      pools += each.has_pool ? 1 : 0;
      free &= each.free_boxes;
    }
    if (pools == 0) {
      now_ = state::to_be_made;
    } else if (pools == processes && free != 0) {
      now_ = state::of_pool;
      number_ = std::countr_zero(free);
    }
  }

  [[nodiscard]] bool has() const noexcept { return now_ != state::none; }
  /// The ranks have no pool yet: it is made with the window, in whose segments it lies meanwhile.
  [[nodiscard]] bool makes() const noexcept { return now_ == state::to_be_made; }

  /// By one rank of each process. False: another window that is being made here has taken them.
  [[nodiscard]] bool take() noexcept {
    is_taken_ = now_ == state::of_pool && pool_->take(number_);
    return is_taken_ || now_ != state::of_pool;
  }
  /// That process's, of a window with such a part. Null: this one does not map them.
  [[nodiscard]] const shared_segment* segment(const window_group::spanning_part& its, int process) const noexcept {
    const auto at = static_cast<std::size_t>(process);
    return now_ == state::of_pool ? (is_taken_ ? pool_->all()[at].get() : nullptr) : its.segments[at].get();
  }
  /// Among those of a rank, which begin there.
  [[nodiscard]] std::byte* at(std::byte* boxes_of_rank, int ranks) const noexcept {
    return boxes_of_rank + static_cast<std::size_t>(number_) * box_pool::bytes_of_box(ranks);
  }
  /// By the same rank, when all know whether processes share them.
  void keep(window_group::spanning_part& its, bool are_shared) noexcept {
    bool is_of_pool = is_taken_;
    if (makes()) is_of_pool = pool_->make(std::move(its.segments), are_shared) && are_shared;
    if (!is_of_pool) return;
    if (!are_shared) return pool_->give_back(number_);
    its.boxes = pool_;
    its.box = number_;
  }

 private:
  enum class state : std::uint8_t { none, to_be_made, of_pool };

  state now_ = state::none;
  box_pool* pool_ = nullptr;
  int number_ = 0;
  bool is_taken_ = false;
};

}  // namespace pure::core::window_creation
