// The Partitioned Reducer (paper, 4.2.2): large reductions by all ranks together, straight between their buffers.
//
// Every rank posts where its operand is and where its result goes. When all have, the vector is divided among them:
// each rank reduces its own share, piece by piece, and writes the result into the buffers of all who want it; then it
// takes pieces of shares that are not done. So a rank that is late, or not running, holds nobody up with its share. A
// rank leaves when all shares are complete: then its result is there, and nobody reads its operand any more.
//
// Traffic of an all-reduce of S bytes: each rank reads S (its part of all operands) and writes S (its part of all
// results); nothing is copied in between. The bits of a result depend on no timing: an element is combined in the order
// of ranks, whoever does it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "coll/operation.hpp"

namespace pure::core {

class partitioned_reducer : public operation {
 public:
  partitioned_reducer(collective_member& on, const collective_arguments& what) noexcept;

  bool poll();

 private:
  enum class stage { entering, gathering, completing };

  struct buffers {  // what a rank posts
    const std::byte* operand;
    std::byte* result;  // unless the rank gets none
  };
  struct part {  // of the vector, in elements
    std::size_t begin, count;
  };

  [[nodiscard]] part share_part(int q) const noexcept;
  [[nodiscard]] std::uint32_t pieces_of(int q) const noexcept;
  [[nodiscard]] part piece_part(int q, std::uint32_t piece) const noexcept;
  [[nodiscard]] buffers buffers_of(int q) noexcept { return on_.own_or_posted(q, sequence_).as<buffers>(); }

  void post();
  void work();
  void work_on(int q);
  void reduce(int q, part elements);
  void fold(part elements, void* out);
  void scan(part elements);
  [[nodiscard]] const void* operand(int q, part elements) noexcept {
    return buffers_of(q).operand + elements.begin * what_.how.element_bytes;
  }
  [[nodiscard]] std::byte* result(int q, part elements) noexcept {
    return buffers_of(q).result + elements.begin * what_.how.element_bytes;
  }

  std::size_t piece_elements_;
  std::size_t share_elements_;  // of each share, but the last; not for reduce_scatter
  stage now_ = stage::entering;
  int next_ = 0;
  aligned_bytes held_back_;  // this rank's result of a reduce_scatter in place, until all are complete
};

}  // namespace pure::core
