// Small data among few ranks: every rank posts what it contributes and takes what it needs straight from the posts.
//
// One cache-line transfer from each rank to each rank that needs its data, all at the same time, and no leader: on two
// ranks, an all-reduce of a few elements costs what a message does. docs/benchmarks.md
// Modelled by tests/model/dropbox.pml.
#pragma once

#include <cstddef>

#include "coll/fold.hpp"
#include "coll/operation.hpp"

namespace pure::core {

/// Barrier (MPI 4.1, 6.3): posts without contents.
class flat_barrier : public operation {
 public:
  flat_barrier(collective_member& on, const collective_arguments& what) noexcept : operation(on, what) {}

  bool poll() noexcept {
    if (!has_posted_) {
      if (!enter()) return false;
      publish_post(posting::place::here, 0);
      on_.notify_all();
      has_posted_ = true;
    }
    while (next_ < size()) {
      const posting* const there = posted(next_);
      if (there == nullptr) return false;
      hear(*there);
      ++next_;
    }
    has_heard_all();
    return finish();
  }

 private:
  bool has_posted_ = false;
  int next_ = 0;
};

/// Reductions, scans and reduce-scatter of vectors that fit into the dropboxes (MPI 4.1, 6.9 to 6.11).
class flat_reduction : public operation {
 public:
  flat_reduction(collective_member& on, const collective_arguments& what) noexcept : operation(on, what) {
    const bool is_root = what.root == on.rank();
    switch (what.kind) {
      case collective::reduce:
        readers_ = {what.root, what.root + 1};
        operands_ = is_root ? range{0, on.size()} : range{0, 0};
        break;
      case collective::scan:
        readers_ = {on.rank() + 1, on.size()};
        operands_ = {0, on.rank() + 1};
        break;
      case collective::exscan:
        readers_ = {on.rank() + 1, on.size()};
        operands_ = {0, on.rank()};
        break;
      default:  // allreduce, reduce_scatter
        readers_ = {0, on.size()};
        operands_ = {0, on.size()};
    }
    next_ = operands_.begin;
  }

  bool poll() {
    if (!has_posted_) {
      if (!enter()) return false;
      post();
      has_posted_ = true;
    }
    while (next_ < operands_.end) {
      const posting* const there = next_ == rank() ? &slot().post : posted(next_);
      if (there == nullptr) return false;
      check_size(next_, *there, bytes_of_vector(what_));
      hear(*there);
      ++next_;
    }
    if (operands_.end - operands_.begin == size()) has_heard_all();
    if (operands_.begin < operands_.end) [[likely]]
      combine();
    return finish();
  }

 private:
  struct range {
    int begin, end;
  };

  void post() {
    const std::size_t bytes = bytes_of_vector(what_);
    posting& own = slot().post;
    copy_bytes(on_.room_in(own, sequence_, bytes, false), operand_of(what_), bytes);
    // Published even if nobody else reads it: this rank does, which may be in place.
    publish_post(collective_member::place_for(bytes), bytes);
    for (int q = readers_.begin; q < readers_.end; ++q) on_.notify(q);
  }

  void combine();

  range readers_;   // the ranks that may wait for this rank's post
  range operands_;  // the ranks whose vectors make this rank's result
  int next_;
  bool has_posted_ = false;
};

}  // namespace pure::core
