// The choice of the algorithm for one operation inside a process: all ranks of a communicator choose the same.
#pragma once

#include <type_traits>
#include <variant>

#include "coll/exchange.hpp"
#include "coll/flat.hpp"
#include "coll/partitioned_reducer.hpp"
#include "coll/rooted_copy.hpp"
#include "coll/tree.hpp"

namespace pure::core {

/// True if the ranks need not even meet: nobody gives or gets anything. Of several ranks, all see the same.
[[nodiscard]] inline bool is_nothing(const collective_arguments& what) noexcept {
  switch (what.kind) {
    case collective::bcast:
    case collective::reduce:
    case collective::allreduce:
    case collective::scan:
    case collective::exscan: return what.count == 0;
    default: return false;
  }
}

/// Calls use.template operator()<Algorithm>(arguments of its constructor...). More than one rank.
template <class Use>
decltype(auto) choose_algorithm_here(collective_member& on, const collective_arguments& what, Use&& use) {
  const algorithm_choice& how = on.choice_of(what.kind);
  switch (what.kind) {
    case collective::barrier:
      if (how.tree_radix > 0) return use.template operator()<tree_reduction>(on, what, how.tree_radix);
      return use.template operator()<flat_barrier>(on, what);
    case collective::bcast:
      if (what.count * what.element_bytes > how.copied_bytes) return use.template operator()<rooted_copy>(on, what);
      return use.template operator()<tree_broadcast>(on, what, how.tree_radix > 0 ? how.tree_radix : on.size());
    case collective::reduce:
    case collective::allreduce:
      if (bytes_of_vector(what) > how.copied_bytes) break;
      if (how.tree_radix > 0 && !(on.sums_exactly() && what.how.sum_exactly != nullptr)) {
        return use.template operator()<tree_reduction>(on, what, how.tree_radix);
      }
      return use.template operator()<flat_reduction>(on, what);
    case collective::scan:
    case collective::exscan:
    case collective::reduce_scatter:
      if (bytes_of_vector(what) > how.copied_bytes) break;
      return use.template operator()<flat_reduction>(on, what);
    case collective::gather:
    case collective::scatter: return use.template operator()<rooted_copy>(on, what);
    case collective::allgather:
    case collective::alltoall: return use.template operator()<exchange>(on, what);
  }
  return use.template operator()<partitioned_reducer>(on, what);
}

/// Room for the one that was chosen.
using algorithm_here = std::variant<std::monostate, flat_barrier, flat_reduction, tree_reduction, tree_broadcast,
                                    partitioned_reducer, rooted_copy, exchange>;

/// The collective on a communicator of one rank.
void run_alone(const collective_arguments& what) noexcept;

}  // namespace pure::core
