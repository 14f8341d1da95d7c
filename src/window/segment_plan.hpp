// Where the parts of a window's ranks lie in a segment that processes share: the same in all processes, for it is
// worked out from what all of them know.
//
//   | control of part 0 | small part 0 | control of part 1 | ... |   page   | large part 1 |   page   | large part 2 |
//   ...
//
// A part of less than a page lies with its control; a larger one has pages of its own. Contiguous: all parts follow one
// another, after the controls.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pure::core {

class segment_plan {
 public:
  struct part {
    std::size_t control = 0;  // offsets in the segment
    std::size_t data = 0;
    // What its owner makes present, beside what prologue_bytes() says: from a page on, to a page.
    std::size_t first_page = 0;
    std::size_t bytes_of_pages = 0;
  };

  /// `alignment`: of the first part, or, where they are separate, of each. A power of two.
  segment_plan(std::span<const std::size_t> bytes_of_parts, std::size_t alignment, bool is_contiguous);

  [[nodiscard]] const part& at(std::size_t number) const noexcept { return parts_[number]; }
  /// Of the controls and small parts, at the beginning: whoever makes the segment makes them present.
  [[nodiscard]] std::size_t prologue_bytes() const noexcept { return prologue_bytes_; }
  /// All; 0: it is larger than any memory.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t alignment() const noexcept { return alignment_; }

 private:
  std::vector<part> parts_;
  std::size_t alignment_;
  std::size_t prologue_bytes_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace pure::core
