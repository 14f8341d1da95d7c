// What the ranks of a communicator share for collectives that they number alike: their dropboxes, and what each would
// otherwise have to keep of all the others.
//
// A dropbox is made by its rank, on its own memory, and lives as long as the area does (coll/collective_areas.hpp). All
// else is constant.
// Modelled by tests/model/dropbox.pml.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "coll/dropbox.hpp"
#include "comm/communicator.hpp"

namespace pure::core {

class collective_area {
 public:
  explicit collective_area(const communicator& on);
  collective_area(const collective_area&) = delete;
  collective_area& operator=(const collective_area&) = delete;
  ~collective_area() {
    for (const place& each : places_) delete each.box.load(std::memory_order_relaxed);
  }

  /// Who is notified for rank q.
  [[nodiscard]] notified& reader(int q) const noexcept { return *at(q).reader; }
  /// Some of the ranks of this process share a core.
  [[nodiscard]] bool shares_cores() const noexcept { return shares_cores_; }

  /// By the rank itself, once, or again before it is used.
  dropbox& make_box(int rank, std::size_t copied_bytes) {
    if (dropbox* const there = box_of(rank); there != nullptr) {
      there->set_copied_bytes(copied_bytes);
      return *there;
    }
    auto made = std::make_unique<dropbox>(copied_bytes);
    // release: publishes the empty dropbox; pairs with box_of()
    places_[static_cast<std::size_t>(rank)].box.store(made.get(), std::memory_order_release);
    return *made.release();
  }

  /// Null until the rank has made it.
  [[nodiscard]] dropbox* box_of(int rank) const noexcept {
    return at(rank).box.load(std::memory_order_acquire);  // acquire: pairs with make_box()
  }

  // ---- ranks that have run ahead and wait for a slot ----

  void begin_to_want_room() noexcept { wanting_room_.fetch_add(1, std::memory_order_relaxed); }
  void end_to_want_room() noexcept { wanting_room_.fetch_sub(1, std::memory_order_relaxed); }
  /// A rank that has finished an operation, and sees this, notifies all (see collective_member::finish).
  [[nodiscard]] bool room_is_wanted() const noexcept { return wanting_room_.load(std::memory_order_relaxed) != 0; }

 private:
  struct place {
    std::atomic<dropbox*> box{nullptr};  // set once
    notified* reader = nullptr;
  };
  [[nodiscard]] const place& at(int rank) const noexcept { return places_[static_cast<std::size_t>(rank)]; }

  std::vector<place> places_;
  bool shares_cores_ = false;
  // --- written by ranks that run ahead of the slowest by all slots; read by every rank once per operation ---
  alignas(pair_bytes) std::atomic<int> wanting_room_{0};
};

}  // namespace pure::core
