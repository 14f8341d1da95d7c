// How types are made of others (MPI 4.1, 5.1.2 to 5.1.7).
//
// One object for one call: errors name that call. All throw count (negative), argument (too far, too large, no part of
// the array) and std::bad_alloc, and have no effect then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "objects/datatype.hpp"

namespace pure::core {

/// Which dimension of an array runs fastest.
enum class array_order { last_dimension, first_dimension };

/// How the elements of one dimension of an array belong to processes.
enum class distribution { none, block, cyclic };
struct distributed_dimension {
  std::int64_t size = 0;
  distribution kind = distribution::none;
  std::int64_t block = 0;  // elements of a block; 0: as many as make one for each process, or, cyclic, one
  std::int64_t processes = 1;
};

class datatype_constructors {
 public:
  /// `world`: for the errors.
  datatype_constructors(const communicator& world, const call& by) noexcept : world_(world), by_(by) {}

  [[nodiscard]] datatype contiguous(std::int64_t count, const datatype& element) const;
  /// `stride`: in elements.
  [[nodiscard]] datatype vector(std::int64_t count, std::int64_t block_length, std::int64_t stride,
                                const datatype& element) const;
  [[nodiscard]] datatype hvector(std::int64_t count, std::int64_t block_length, std::ptrdiff_t stride_bytes,
                                 const datatype& element) const;
  /// Of `count` blocks of lengths length(i), at displacement(i): in elements.
  template <class Length, class Displacement>
  [[nodiscard]] datatype indexed(std::int64_t count, Length length, Displacement displacement,
                                 const datatype& element) const {
    return hindexed(
        count, length, [&](std::size_t i) { return in_bytes(displacement(i), element.form->extent()); }, element);
  }
  /// Displacements in bytes.
  template <class Length, class Displacement>
  [[nodiscard]] datatype hindexed(std::int64_t count, Length length, Displacement displacement,
                                  const datatype& element) const {
    datatype made = structure(count, length, displacement, [&](std::size_t) -> const datatype& { return element; });
    made.code = element.code;  // also of no blocks
    return made;
  }
  /// Displacements in bytes, and each block of elements of its own, element(i).
  template <class Length, class Displacement, class Element>
  [[nodiscard]] datatype structure(std::int64_t count, Length length, Displacement displacement,
                                   Element element) const {
    return within_limits([&] {
      std::vector<layout> blocks(checked_count("count", count));
      std::vector<layout::part> parts;
      parts.reserve(blocks.size());
      std::vector<type_signature::part> elements;
      elements.reserve(blocks.size());
      unsigned code = 0;
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        const datatype& its = element(i);
        blocks[i] = row_of(*its.form, length(i));
        parts.push_back({displacement(i), &blocks[i]});
        elements.push_back({static_cast<std::uint64_t>(length(i)), its.signature});
        code = i == 0 || code == its.code ? its.code : 0;
      }
      return datatype(layout::joined(parts), code, type_signature::joined(elements));
    });
  }
  /// A part of an array of any dimensions, at least one: as many as each span has.
  [[nodiscard]] datatype subarray(std::span<const std::int64_t> sizes, std::span<const std::int64_t> subsizes,
                                  std::span<const std::int64_t> starts, array_order order,
                                  const datatype& element) const;
  /// What process `rank` has of a distributed array; the processes are numbered with the last dimension running fastest
  /// (MPI 5.0, 5.1.4).
  [[nodiscard]] datatype distributed_array(std::int64_t size, std::int64_t rank,
                                           std::span<const distributed_dimension> dimensions, array_order order,
                                           const datatype& element) const;
  [[nodiscard]] datatype resized(std::ptrdiff_t lower_bound, std::ptrdiff_t extent, const datatype& element) const;

 private:
  /// make(), which may ask for more than an object can be.
  template <class Make>
  [[nodiscard]] datatype within_limits(Make make) const {
    try {
      return make();
    } catch (const std::length_error& too_large) {
      throw_too_large(too_large);
    }
  }
  [[noreturn]] void throw_too_large(const std::length_error& why) const;

  [[nodiscard]] std::size_t checked_count(const char* what, std::int64_t count) const;
  [[nodiscard]] layout row_of(const layout& element, std::int64_t length) const;
  /// So many times `unit` bytes.
  [[nodiscard]] std::ptrdiff_t in_bytes(std::int64_t elements, std::ptrdiff_t unit) const;

  const communicator& world_;
  const call& by_;
};

}  // namespace pure::core
