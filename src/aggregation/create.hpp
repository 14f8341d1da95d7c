// Making aggregations, and ending them.
#pragma once

#include <optional>

#include <pure/error.hpp>

#include "aggregation/aggregation.hpp"
#include "base/call.hpp"
#include "comm/communicator.hpp"

namespace pure::core {

/// Collective over the communicator. What one rank finds wrong with its options is thrown in all: argument, mismatch
/// (other options on some rank), no_memory. `wrong`: the interface has found this rank's arguments wrong, and all ranks
/// are to get that error, whatever is wanted.
aggregation& make_aggregation(communicator& on, const call& by, const aggregation_options& wanted,
                              const std::optional<Error>& wrong = std::nullopt);

/// This rank uses it no longer. Does not block. Throws state, when it has ended, if there are items that no finish has
/// made sure of.
void free_aggregation(aggregation& unused, const call& by);

/// Frees it for a caller who cannot be told of errors, a destructor: the job fails with them. `is_unwinding`: an
/// exception is on its way, and says why.
void end_aggregation(aggregation& unused, const call& by, bool is_unwinding) noexcept;

}  // namespace pure::core
