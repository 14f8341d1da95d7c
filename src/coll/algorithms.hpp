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

/// What ranks do that have nothing to do: they only take a sequence number.
class empty_operation : public operation {
 public:
  empty_operation(collective_member& on, const collective_arguments& what) noexcept : operation(on, what) {}
  bool poll() noexcept { return finish(); }
};

/// The same where calls are compared, also where there is nothing to do: all ranks take as many sequence numbers,
/// whatever each of them has called, and can go on after they have been told.
template <class Use>
decltype(auto) choose_compared_algorithm(collective_member& on, const collective_arguments& what, Use&& use) {
  if (is_nothing(what) && !on.is_spanning()) return use.template operator()<empty_operation>(on, what);
  return choose_algorithm(on, what, use);
}

}  // namespace pure::core
