// Errors in the arguments of a collective that its rank can see alone.
#pragma once

#include "base/call.hpp"
#include "coll/operation.hpp"

namespace pure::core {

/// Throws root; buffer: null, overlapping, or in place where only the root may be; mismatch, if the rank gives itself
/// more or less than it expects.
void check_arguments(const communicator& on, const call& by, const collective_arguments& what);

}  // namespace pure::core
