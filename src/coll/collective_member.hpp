// One rank's side of the collectives on one communicator: its dropbox, where those of the others are, and the count of
// operations. Own thread of the rank only.
//
// An operation takes the next sequence number when it starts. may_post() says when its slot is free (dropbox.hpp,
// invariant 1); finish() tells the others. Operations of one communicator may be pending together, and end in any
// order (finished_operations.hpp). A persistent collective has a member of its own: its starts are numbered apart from
// all others. Modelled by tests/model/dropbox.pml.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "coll/closed_calls.hpp"
#include "coll/collective_areas.hpp"
#include "coll/dropbox.hpp"
#include "coll/finished_operations.hpp"
#include "coll/numbers_between.hpp"
#include "coll/spread.hpp"
#include "coll/tuning.hpp"
#include "coll/working_memory.hpp"
#include "comm/communicator.hpp"

namespace pure::core {

class collective_member final : public upper_part {
 public:
  /// The one of the communicator's rank; made at its first collective.
  static collective_member& of(communicator& on) {
    std::unique_ptr<upper_part>& there = on.upper();
    if (there == nullptr) [[unlikely]]
      there = make(on);
    return static_cast<collective_member&>(*there);
  }

  /// Of the next persistent collective on the communicator, for this rank, until leave(). The next one is another after
  /// count_persistent(). copied_bytes: the largest data that it puts into its dropbox, where all ranks are here. Throws
  /// pure::Error (other), as collective_areas::join.
  static std::unique_ptr<collective_member> make_persistent(communicator& on, std::size_t copied_bytes) {
    const collective_member& ordinary = of(on);
    const std::uint64_t number = ordinary.persistent_made_ + 1;
    return std::unique_ptr<collective_member>(new collective_member(ordinary, number, copied_bytes));
  }
  void count_persistent() noexcept { ++persistent_made_; }
  /// Of a persistent one, which is complete and not started again: only the destructor is called after this.
  void leave() noexcept;

  [[nodiscard]] communicator& comm() const noexcept { return comm_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] const algorithm_choice& choice_of(detail::collective kind) const noexcept {
    return choices_[static_cast<std::size_t>(kind)];
  }

  /// PURE_REPRODUCIBLE_SUMS.
  [[nodiscard]] bool sums_exactly() const noexcept { return sums_exactly_; }

  /// PURE_CHECK.
  [[nodiscard]] bool checks() const noexcept { return checks_; }

  /// Some of the ranks are in other processes. Then nothing of what follows works between the ranks: the algorithm is
  /// spanning.hpp's, and works with the part that is here.
  [[nodiscard]] bool is_spanning() const noexcept { return over_ != nullptr; }
  [[nodiscard]] const spread& over() const noexcept { return *over_; }
  /// The member of that part.
  [[nodiscard]] collective_member& here() const { return here_ != nullptr ? *here_ : of(*over_->here); }

  [[nodiscard]] numbers_between& between() noexcept { return between_; }

  // ---- the life of an operation ----

  std::uint64_t start_next() noexcept { return ++started_; }

  /// True when this rank's slot for operation `sequence` is free.
  bool may_post(std::uint64_t sequence) noexcept {
    return sequence <= all_finished_ + dropbox::slots || look_for_room(sequence);
  }
  /// A rank that waits for its slot says so, that others wake it.
  void want_room(bool now) noexcept { now ? area_.begin_to_want_room() : area_.end_to_want_room(); }
  /// A rank that has not yet finished what used the slot before; for reasons of waits.
  [[nodiscard]] int slowest() const noexcept { return slowest_; }

  /// This rank has neither to read nor to write anything of operation `sequence` any more.
  void finish(std::uint64_t sequence) noexcept {
    if (!finished_.add(sequence)) return;
    // release: what this rank has read in others' slots it has read before; pairs with look_for_room()
    own_.finished.store(finished_.count(), std::memory_order_release);
    light_fence();  // the store before, the look after: a rank that parks for want of room announces that first
    if (area_.room_is_wanted()) [[unlikely]]
      notify_all();
  }

  // ---- posting ----

  [[nodiscard]] dropbox::slot& own_slot(std::uint64_t sequence) noexcept { return own_.at(sequence); }

  /// Publishes a posting of this rank whose contents are filled in; notify those who may wait for it.
  /// `finished`: how many operations those for whom it speaks have finished, at least.
  void publish(posting& filled, std::uint64_t sequence, posting::place where, std::size_t bytes,
               std::uint64_t finished) noexcept {
    filled.unfinished = static_cast<std::uint16_t>(sequence - finished);  // at most `slots`, because of may_post()
    filled.where = where;
    filled.low_bytes = static_cast<std::uint32_t>(bytes);
    // release: the contents, what they point to, and the reset share; pairs with posted() and answered()
    filled.sequence.store(sequence, std::memory_order_release);
  }

  /// A place for `bytes` of data in a posting of this rank: in the posting, or in a copy to which it then points.
  std::byte* room_in(posting& target, std::uint64_t sequence, std::size_t bytes, bool answer) {
    if (bytes <= posting::inline_bytes) return target.contents;
    std::byte* const copy = own_.copy_for(sequence, answer);
    std::memcpy(target.contents, &copy, sizeof copy);
    return copy;
  }
  static posting::place place_for(std::size_t bytes) noexcept {
    return bytes <= posting::inline_bytes ? posting::place::here : posting::place::copied;
  }

  // ---- what others have posted ----

  /// Rank q's post for operation `sequence`, or null: not there yet.
  [[nodiscard]] const posting* posted(int q, std::uint64_t sequence) noexcept {
    dropbox* const box = area_.box_of(q);
    if (box == nullptr) [[unlikely]]
      return nullptr;
    const posting& there = box->at(sequence).post;
    // acquire: the contents; pairs with publish()
    const bool is_there = there.sequence.load(std::memory_order_acquire) == sequence;
    return is_there ? &there : nullptr;
  }
  [[nodiscard]] const posting* answered(int q, std::uint64_t sequence) noexcept {
    dropbox* const box = area_.box_of(q);
    if (box == nullptr) [[unlikely]]
      return nullptr;
    const posting& there = box->at(sequence).answer;
    // acquire: the contents; pairs with publish()
    const bool is_there = there.sequence.load(std::memory_order_acquire) == sequence;
    return is_there ? &there : nullptr;
  }
  /// The same once more, or this rank's own, which it may not have published.
  [[nodiscard]] const posting& own_or_posted(int q, std::uint64_t sequence) noexcept {
    return q == rank_ ? own_.at(sequence).post : area_.box_of(q)->at(sequence).post;
  }
  /// Only after posted(q, sequence), or for this rank.
  [[nodiscard]] share& share_of(int q, std::uint64_t sequence) noexcept {
    return q == rank_ ? own_.at(sequence).share : area_.box_of(q)->at(sequence).share;
  }

  /// An operation of which this rank does nothing: it only has its place among the others.
  void pass_over() noexcept { finish(start_next()); }

  [[nodiscard]] closed_calls& calls() noexcept { return calls_; }

  /// All ranks are known to have finished this many operations: that much less to look up.
  void all_have_finished(std::uint64_t count) noexcept { all_finished_ = std::max(all_finished_, count); }
  [[nodiscard]] std::uint64_t finished() const noexcept { return finished_.count(); }

  // ---- waking ----

  /// Wakes rank q if it is parked. After a publication that it may wait for.
  void notify(int q) noexcept { area_.reader(q).notify(); }
  void notify_all() noexcept {
    for (int q = 0; q < size_; ++q) notify(q);
  }

  [[nodiscard]] working_memory& memory() noexcept { return memory_; }

  ~collective_member() override;

 private:
  explicit collective_member(communicator& on);
  collective_member(const collective_member& ordinary, std::uint64_t number, std::size_t copied_bytes);
  static std::unique_ptr<upper_part> make(communicator& on);

  bool look_for_room(std::uint64_t sequence) noexcept;

  communicator& comm_;
  collective_areas& areas_;
  collective_area& area_;
  const int rank_;
  const int size_;
  const bool sums_exactly_;
  const bool checks_;
  closed_calls calls_{checks_};
  std::uint64_t started_ = 0;
  std::uint64_t all_finished_ = 0;  // every rank has finished at least these
  finished_operations finished_;    // their count is what own_.finished says
  int slowest_ = 0;
  std::uint64_t persistent_made_ = 0;
  std::array<algorithm_choice, detail::collective_kinds> choices_;
  const std::unique_ptr<const spread> own_over_;   // null for a persistent one
  const spread* const over_;                       // null: all ranks are here
  const std::unique_ptr<collective_member> here_;  // null: over_->here has it
  dropbox& own_;
  working_memory memory_;
  numbers_between between_;
};

}  // namespace pure::core
