// A rank's posted receives: those that name their sender are in a queue of his (in_channels.hpp), those from any source
// in one queue here. The first that matches a message is the one that was posted first, in whichever queue it is.
// Own thread of the rank only.
//
// Invariants: `order` of a receive that is pushed is larger than that of all that were pushed before. is_never_alone()
// is true exactly if messages are checked, or a receive from any source is posted: then no receive that starts may look
// at its sender's queue only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "match/matching_queue.hpp"
#include "match/receive_op.hpp"

namespace pure::core {

class posted_receives {
 public:
  using queue = matching_queue<receive_op>;
  struct place {
    queue* in = nullptr;
    queue::place at;  // without an entry: no posted receive matches
  };

  explicit posted_receives(bool is_checked) noexcept : is_checked_(is_checked), is_never_alone_(is_checked) {}

  [[nodiscard]] bool is_never_alone() const noexcept { return is_never_alone_; }
  [[nodiscard]] bool has_from_any() const noexcept { return !from_any_.empty(); }

  /// A receive that names the sender whose queue `named` is.
  void push(queue& named, receive_op& op) noexcept {
    op.order = pushed_++;
    named.push(op);
  }
  void push_from_any(receive_op& op) noexcept {
    push(from_any_, op);
    from_any_has_changed();
  }

  /// The first that matches a message of the sender whose queue `named` is, and for which is_open(receive), where it
  /// expects a message (expected_receives.hpp), is true.
  template <class IsOpen>
  [[nodiscard]] place find(queue& named, const envelope& who, IsOpen is_open) noexcept {
    const auto keys = [&] { return std::array{match_key{who.context, who.tag}, match_key{who.context, any_tag}}; };
    const auto is_for_it = [&](receive_op& op) { return op.matches(who) && (op.arriving == nullptr || is_open(op)); };
    place found{&named, named.find(keys, is_for_it)};
    if (!from_any_.empty()) {
      const place any{&from_any_, from_any_.find(keys, is_for_it)};
      const bool is_first = found.at.entry == nullptr ||
                            (any.at.entry != nullptr && any.at.entry->order < found.at.entry->order);
      if (is_first) found = any;
    }
    return found;
  }
  /// What find() has found is off its queue.
  receive_op& take(const place& found) noexcept {
    found.in->remove(found.at);
    if (found.in == &from_any_) from_any_has_changed();
    return *found.at.entry;
  }

  /// `op` is the first of those from any source.
  [[nodiscard]] bool is_first_from_any(const receive_op& op) const noexcept { return from_any_.front() == &op; }
  void pop_first_from_any() noexcept {
    from_any_.pop_front();
    from_any_has_changed();
  }
  /// Takes it back, where it is still posted.
  void remove_from_any(receive_op& op) noexcept {
    from_any_.remove(op);
    from_any_has_changed();
  }
  /// Forgets those from any source.
  void close() noexcept {
    from_any_.clear();
    from_any_has_changed();
  }

  [[nodiscard]] std::size_t size_from_any() const noexcept { return from_any_.size(); }
  /// How many of those from any source have been looked at so far.
  [[nodiscard]] std::uint64_t steps() const noexcept { return from_any_.steps(); }

 private:
  void from_any_has_changed() noexcept { is_never_alone_ = is_checked_ || !from_any_.empty(); }

  const bool is_checked_;
  bool is_never_alone_;
  std::uint64_t pushed_ = 0;
  queue from_any_;
};

}  // namespace pure::core
