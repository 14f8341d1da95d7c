// Objects of one sort that a rank has made, by the handles that programs hold. Own thread of the rank only.
//
// A handle is found as long as its object lives, in the rank that has made it, among objects of its own kind: neither a
// freed one, nor one of another rank or kind, nor a number that was never a handle. Objects do not move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "match/handle_table.hpp"

namespace pure::core {

template <class Object>
class object_table {
 public:
  static constexpr std::size_t most_of_all = std::size_t{1} << handle::index_bits;

  /// `most`: how many there may be at a time.
  object_table(handle_kind kind, int rank, std::size_t most = most_of_all)
      : made_(kind, rank), kind_(kind), rank_(static_cast<std::uint32_t>(rank)), most_(most) {}

  /// The handle of `made`. Throws std::length_error, std::bad_alloc: then nothing has changed.
  std::uint64_t add(Object made) {
    if (made_.live() >= most_) throw std::length_error("more than " + std::to_string(most_) + " objects of one kind");
    return made_.make(std::move(made)).name.value;
  }
  /// Null: no object of this table has that handle. The pointer is good until the object is freed.
  [[nodiscard]] Object* find(std::uint64_t name) noexcept {
    const handle key{name};
    return key.kind() == kind_ && key.rank() == rank_ ? made_.find(key) : nullptr;
  }
  /// The handle is one that find() knows.
  void free(std::uint64_t name) noexcept { made_.free({name}); }

  /// How many objects there are.
  [[nodiscard]] std::size_t live() const noexcept { return made_.live(); }

 private:
  handle_table<Object> made_;
  const handle_kind kind_;
  const std::uint32_t rank_;
  const std::size_t most_;
};

}  // namespace pure::core
