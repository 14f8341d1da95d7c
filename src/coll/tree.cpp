#include "coll/tree.hpp"

#include <algorithm>

namespace pure::core {

// ---- reductions ---------------------------------------------------------------------------------------------------

bool tree_reduction::poll() {
  if (now_ == stage::entering) {
    if (!enter()) return false;
    now_ = stage::gathering;
  }
  if (now_ == stage::gathering && !gather()) return false;
  return answer() && finish();
}

/// Collects from the children, and passes on to the parent.
bool tree_reduction::gather() {
  const bool complete = tree_.each_child(rank(), [&](int child) {
    if (child < first_missing_) return true;
    const posting* const there = posted(child);
    if (there == nullptr) return false;
    check_size(child, *there, bytes());
    hear(*there);
    first_missing_ = child + 1;
    return true;
  });
  if (!complete) return false;

  if (rank() != 0) {
    posting& own = slot().post;
    const std::size_t passed_on = what_agrees_of(bytes());
    std::byte* const room = on_.room_in(own, sequence_, passed_on, false);
    if (!disagrees()) combine_into(room);
    on_.publish(own, sequence_, collective_member::place_for(passed_on), passed_on, least_finished_);
    on_.notify(tree_.parent(rank()));
  }
  now_ = stage::answering;
  return true;
}

/// The result of this rank's subtree, in the order of ranks.
void tree_reduction::combine_into(void* out) {
  if (bytes() == 0) return;
  // From the right: the operands are this rank's own and then its children's.
  int operands = 1;
  tree_.each_child(rank(), [&](int) { return ++operands, true; });
  const void* right = nullptr;
  for (int i = operands - 1; i >= 0; --i) {
    const void* left = operand_of(what_);
    int position = 0;
    if (i > 0) {
      tree_.each_child(rank(), [&](int child) {
        if (++position < i) return true;
        left = on_.own_or_posted(child, sequence_).data();
        return false;
      });
    }
    if (right == nullptr) {
      right = left;
      if (operands == 1) copy_bytes(out, left, bytes());
    } else {
      what_.how.combine(what_.how.context, left, right, out, what_.count);
      right = out;
    }
  }
}

/// Passes the result down, or to the root.
bool tree_reduction::answer() {
  const void* result = nullptr;
  if (rank() == 0) {
    posting& own = slot().answer;
    std::byte* const room = on_.room_in(own, sequence_, what_agrees_of(bytes()), true);
    if (!disagrees()) combine_into(room);
    result = room;
  } else {
    if (!gets_the_result()) return true;
    const posting* const there = answered(all_get_the_result() ? tree_.parent(rank()) : 0);
    if (there == nullptr) return false;
    least_finished_ = sequence_ - there->unfinished;
    check_size(all_get_the_result() ? tree_.parent(rank()) : 0, *there, bytes());
    result = there->data();
  }
  if (all_get_the_result() || rank() == 0) {
    posting& own = slot().answer;
    bool has_children = false;
    tree_.each_child(rank(), [&](int) { return has_children = true, false; });
    if (has_children) {
      const std::size_t passed_on = what_agrees_of(bytes());
      if (rank() != 0) copy_bytes(on_.room_in(own, sequence_, passed_on, true), result, passed_on);
      on_.publish(own, sequence_, collective_member::place_for(passed_on), passed_on, least_finished_);
      if (all_get_the_result()) {
        tree_.each_child(rank(), [&](int child) { return on_.notify(child), true; });
      } else {
        on_.notify(what_.root);
      }
    }
  }
  if (gets_the_result()) copy_bytes(what_.recv, result, what_agrees_of(bytes()));
  has_heard_all();
  return true;
}

// ---- broadcast ----------------------------------------------------------------------------------------------------

bool tree_broadcast::poll() {
  if (!has_data_ && from_root_ != 0) {
    const int parent = rank_at(tree_.parent(from_root_));
    const posting* const there = posted(parent);
    if (there == nullptr) return false;
    check_size(parent, *there, bytes());
    if (!disagrees()) copy_bytes(what_.recv, there->data(), bytes());
  }
  has_data_ = true;
  bool has_children = false;
  tree_.each_child(from_root_, [&](int) { return has_children = true, false; });
  if (has_children) {
    if (!enter()) return false;
    post();
  }
  return finish();
}

void tree_broadcast::post() {
  posting& own = slot().post;
  const std::size_t passed_on = what_agrees_of(bytes());
  copy_bytes(on_.room_in(own, sequence_, passed_on, false), what_.recv, passed_on);
  publish_post(collective_member::place_for(passed_on), passed_on);
  tree_.each_child(from_root_, [&](int child) { return on_.notify(rank_at(child)), true; });
}

}  // namespace pure::core
