// Small data among many ranks: up a tree of ranks, and down again, so that no rank looks at all others.
//
// The tree: write a rank in digits of base `radix`; its parent is the rank with the lowest digit that is not 0 set to
// 0. So a rank's subtree is the range of ranks from it on, and combining own, first child, second child, ... is
// combining in the order of ranks. The root is rank 0, for a broadcast the rank whose data it is (ranks counted from
// it).
#pragma once

#include <cstddef>
#include <cstdint>

#include "coll/operation.hpp"

namespace pure::core {

/// The tree of `ranks` ranks with that radix, as rank 0 is its root.
struct rank_tree {
  int ranks;
  int radix;

  /// Calls visit(child), in ascending order, while it returns true. True if all were visited.
  template <class Visit>
  bool each_child(int rank, Visit&& visit) const {
    for (std::int64_t stride = 1; stride < ranks && rank / stride % radix == 0; stride *= radix) {
      for (std::int64_t child = rank + stride; child < ranks && child < rank + stride * radix; child += stride) {
        if (!visit(static_cast<int>(child))) return false;
      }
    }
    return true;
  }
  /// rank > 0.
  [[nodiscard]] int parent(int rank) const noexcept {
    std::int64_t stride = 1;
    while (rank / stride % radix == 0) stride *= radix;
    return static_cast<int>(rank - rank / stride % radix * stride);
  }
};

/// Barrier, allreduce, and reduce to any root: posts go up, answers come down.
class tree_reduction : public operation {
 public:
  tree_reduction(collective_member& on, const collective_arguments& what, int radix) noexcept
      : operation(on, what), tree_{on.size(), radix} {}

  bool poll();

 private:
  enum class stage { entering, gathering, answering };

  [[nodiscard]] bool gather();
  [[nodiscard]] bool answer();
  void combine_into(void* out);
  [[nodiscard]] std::size_t bytes() const noexcept {
    return what_.kind == collective::barrier ? 0 : bytes_of_vector(what_);
  }
  [[nodiscard]] bool all_get_the_result() const noexcept { return what_.kind != collective::reduce; }
  [[nodiscard]] bool gets_the_result() const noexcept { return all_get_the_result() || what_.root == rank(); }

  const rank_tree tree_;
  stage now_ = stage::entering;
  int first_missing_ = 0;  // the children below it have posted
};

/// Broadcast: each rank posts to its children what its parent has posted. With a radix of at least the number of ranks
/// all read the root's post.
class tree_broadcast : public operation {
 public:
  tree_broadcast(collective_member& on, const collective_arguments& what, int radix) noexcept
      : operation(on, what), tree_{on.size(), radix}, from_root_((on.rank() - what.root + on.size()) % on.size()) {}

  bool poll();

 private:
  [[nodiscard]] int rank_at(int from_root) const noexcept { return (from_root + what_.root) % size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return what_.count * what_.element_bytes; }
  void post();

  const rank_tree tree_;
  const int from_root_;  // this rank, as the tree counts
  bool has_data_ = false;
};

}  // namespace pure::core
