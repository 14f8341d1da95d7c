// The choice of the algorithm for one operation: all ranks of a communicator choose the same.
#pragma once

#include "coll/algorithms_here.hpp"
#include "coll/spanning.hpp"

namespace pure::core {

/// Calls use.template operator()<Algorithm>(arguments of its constructor...). More than one rank.
template <class Use>
decltype(auto) choose_algorithm(collective_member& on, const collective_arguments& what, Use&& use) {
  if (on.is_spanning()) return use.template operator()<spanning_collective>(on, what);
  return choose_algorithm_here(on, what, use);
}

}  // namespace pure::core
