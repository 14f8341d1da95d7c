// The box of one rank of a window over the program's memory, for epochs of post, start, complete and wait: what ranks
// of other processes on its machine tell it there, and what little they put, without a message. It lies in memory that
// these processes map; no pointers (D-epoch-box).
//
//   a post       goes into the box of each origin: which place of the target's box is the origin's in this epoch
//   a complete   goes into that place of the target's box, with one small put, if there was one and nothing else
//
// Each word has one writer at a time. A target posts again when all origins have completed, and so when they have taken
// its post; an origin writes into its place between its start and its complete, the target before its post and behind
// its wait.
//
//   place     empty -> filled -> empty, or empty -> ended -> empty
//
// Of one that is filled the end of the epoch comes by a message.
//
// Who tells the owner something counts it afterwards, and so learns whether the owner sleeps (notification.hpp). The
// count's line stays with who tells, for the owner looks at it only before it sleeps.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "base/cache_line.hpp"
#include "window/notification.hpp"

namespace pure::core {

class epoch_box {
 public:
  static constexpr int places = 8;  // for so many origins of an epoch; others complete by messages
  static constexpr std::size_t most_bytes_put = 40;

  enum class state : std::uint32_t { empty, filled, ended };

  /// One origin's in an epoch.
  struct alignas(line_bytes) place {
    std::atomic<state> now{state::empty};
    std::uint32_t bytes = 0;  // that have been put; 0: none
    std::int64_t offset = 0;  // of these, in the part
    std::array<std::byte, most_bytes_put> data;
  };

  static constexpr std::size_t bytes_for(int ranks) noexcept {
    return sizeof(epoch_box) + static_cast<std::size_t>(ranks) * sizeof(std::atomic<std::uint8_t>);
  }
  /// In zeroed memory of bytes_for() bytes, aligned to a line.
  static epoch_box& make(void* at, int ranks) noexcept {
    auto* const made = ::new (at) epoch_box;
    for (int rank = 0; rank < ranks; ++rank) ::new (&made->posted_by(rank)) std::atomic<std::uint8_t>(nothing);
    return *made;
  }
  /// One that another process has made.
  static epoch_box& at(void* memory) noexcept { return *static_cast<epoch_box*>(memory); }

  // ---- by the owner ----

  /// The post of that rank, once it has come: the number of the owner's place in the box there, or no_place. `none`: it
  /// has not come.
  static constexpr int no_place = places, none = -1;
  [[nodiscard]] int take_post(int target) noexcept {
    // acquire: the target has emptied the place; pairs with the release in post()
    const std::uint8_t word = posted_by(target).load(std::memory_order_acquire);
    if (word == nothing) return none;
    posted_by(target).store(nothing, std::memory_order_relaxed);  // the next post comes behind the next complete
    return word - 1;
  }
  [[nodiscard]] place& place_of(int number) noexcept { return places_[static_cast<std::size_t>(number)]; }
  /// How many of the first `count` places say that the epoch of their origin has ended.
  [[nodiscard]] std::uint64_t ended(int count) const noexcept {
    std::uint64_t found = 0;
    // acquire: what has been put; pairs with the release in tell()
    for (int i = 0; i < count; ++i)
      found += places_[static_cast<std::size_t>(i)].now.load(std::memory_order_acquire) == state::ended ? 1 : 0;
    return found;
  }
  /// Before the owner sleeps: looks, and if that is in vain, whoever tells it something next has to wake it.
  template <class Look>
  bool look_or_sleep(Look look) {
    return told_.look_or_sleep(look);
  }

  // ---- by ranks of other processes; true: the caller has to wake the owner ----

  /// By that target: its place with that number, or no_place, is the owner's in the epoch that begins.
  [[nodiscard]] bool post(int target, int number) noexcept {
    // release: the place is empty; pairs with the acquire in take_post()
    posted_by(target).store(static_cast<std::uint8_t>(number + 1), std::memory_order_release);
    return told_.add();
  }
  /// The place has what it is to have. `filled` wakes nobody: a message will.
  [[nodiscard]] bool tell(place& filled, state what) noexcept {
    filled.now.store(what, std::memory_order_release);  // release: what has been put; pairs with the acquire in ended()
    return what == state::ended && told_.add();
  }

 private:
  static constexpr std::uint8_t nothing = 0;

  epoch_box() = default;

  [[nodiscard]] std::atomic<std::uint8_t>& posted_by(int rank) noexcept {
    return reinterpret_cast<std::atomic<std::uint8_t>*>(this + 1)[rank];
  }
  alignas(line_bytes) notification told_;
  std::array<place, places> places_{};
  // behind it: posts, by the rank that has posted

  static_assert(std::atomic<state>::is_always_lock_free && std::atomic<std::uint8_t>::is_always_lock_free);
};

static_assert(sizeof(epoch_box::place) == line_bytes);

}  // namespace pure::core
