// Of what basic elements a datatype consists, in the order in which they travel: its type signature without the places
// (MPI 5.0, 5.1). Counts of elements and the external representation of data come from it.
//
// Immutable once made, and shared by all types that have it inside; any thread may read it. It is as large as what the
// program wrote to make the type, however many elements that describes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace pure::core {

class type_signature;
using signature_pointer = std::shared_ptr<const type_signature>;

/// Kinds of basic elements: a pure_datatype, or one that pure.h has no name for.
enum more_elements : unsigned {
  complex_long_double_element = 48,
  complex_2_element,
  complex_16_element,
  other_element
};

class type_signature {
 public:
  struct part {
    std::uint64_t count;
    signature_pointer what;
  };

  /// One basic element. Throws std::bad_alloc, as the others.
  [[nodiscard]] static signature_pointer of(unsigned kind, std::size_t bytes);
  [[nodiscard]] static signature_pointer joined(std::span<const part> parts);
  [[nodiscard]] static signature_pointer repeated(std::uint64_t count, const signature_pointer& what);

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint64_t elements() const noexcept { return elements_; }

  /// How many basic elements are `bytes` bytes of types of this one that follow each other; -1: an element is cut.
  [[nodiscard]] std::int64_t elements_in(std::size_t bytes) const noexcept;
  /// How many bytes are so many basic elements; -1: there are no elements.
  [[nodiscard]] std::int64_t bytes_of(std::uint64_t elements) const noexcept;

  /// visit(kind, bytes of one, count), in order; neighbours may be of the same kind.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const run& each : runs_) {
      if (each.nested == nullptr) {
        visit(each.kind, each.bytes, each.count);
      } else {
        for (std::uint64_t i = 0; i < each.count; ++i) each.nested->for_each(visit);
      }
    }
  }

 private:
  struct run {
    std::uint64_t count;
    signature_pointer nested;  // null: basic elements of that kind
    unsigned kind;
    std::size_t bytes;  // of one
    std::uint64_t elements;
  };

  void append(std::uint64_t count, const signature_pointer& what);
  void append(const run& more);

  std::vector<run> runs_;
  std::size_t bytes_ = 0;
  std::uint64_t elements_ = 0;
};

}  // namespace pure::core
