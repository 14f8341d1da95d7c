// Datatypes that a program has derived from one kind of pairs (MPI_DOUBLE_INT and the like), for atomic operations on
// windows: these combine a pair as it lies in memory, with its gap, but in messages gaps stay behind. Own thread of the
// rank only.
#pragma once

#include <cstdint>

#include "api/mpi/door.hpp"
#include "api/mpi/types.hpp"
#include "objects/datatype.hpp"

namespace pure::core::mpi {

/// The pairs that `type`, a derived one, consists of; MPI_DATATYPE_NULL: of something else as well, or only.
[[nodiscard]] MPI_Datatype pair_inside(const datatype& type) noexcept;

/// Where the pairs of `count` elements of `type` lie, each with its gap. Throws std::bad_alloc, std::length_error.
[[nodiscard]] layout_pointer whole_pairs(const call& by, std::int64_t count, const datatype& type, MPI_Datatype pair);

}  // namespace pure::core::mpi
