// With what call, and what arguments, a program has made a datatype (MPI 5.0, 5.1.13). Immutable; any thread may read
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace pure::core {

struct datatype;

/// In the order of MPI's constants.
enum class type_combiner {
  named,
  dup,
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  hindexed_block,
  structure,
  subarray,
  darray,
  f90_real,
  f90_complex,
  f90_integer,
  resized,
  value_index
};

/// A type as it was when another was made of it: it may have been freed since.
struct constituent_type {
  std::uint64_t name = 0;                   // what the door calls a predefined one; 0: a derived one
  std::shared_ptr<const datatype> derived;  // null: a predefined one
};

struct type_contents {
  type_combiner combiner = type_combiner::named;
  std::vector<std::int64_t> integers;
  std::vector<std::int64_t> addresses;
  std::vector<std::int64_t> large_counts;  // of a call whose counts are 64 bits wide
  std::vector<constituent_type> types;
};

}  // namespace pure::core
