// All-gather and all-to-all, in all variants: every rank takes a block from every other.
//
// A rank whose blocks are small copies them into its dropbox. Otherwise it lends them: each taker copies its block
// straight from buffer to buffer, and says in its answer when it has read all that was lent. Every rank copies what it
// gets, in turn from the ranks after it, so that not all read from the same rank at the same time.
#pragma once

#include <cstddef>
#include <memory>

#include "coll/operation.hpp"

namespace pure::core {

class exchange : public operation {
 public:
  exchange(collective_member& on, const collective_arguments& what) noexcept : operation(on, what) {}

  bool poll();

 private:
  enum class stage { entering, taking, waiting_for_takers };

  struct lent_blocks {  // what a rank posts that lends
    const void* base;   // of an all-gather, the block; else the buffer that `layout` describes
    const detail::block_layout* layout;
  };

  [[nodiscard]] bool is_allgather() const noexcept { return what_.kind == collective::allgather; }
  void post();
  void post_block();
  void post_blocks();
  void lend(const void* base, const detail::block_layout* layout, std::size_t bytes);
  void take(int q, const posting& from);
  void take_own();
  void answer();

  stage now_ = stage::entering;
  bool lends_ = false;
  bool was_lent_to_ = false;
  int next_ = 1;                             // ranks counted from the one after this
  std::unique_ptr<std::byte[]> moved_away_;  // an all-to-all in place: what it sends, out of the way of what it gets
};

}  // namespace pure::core
