// Groups: ordered sets of ranks, as lists of their numbers in the job (MPI 4.1, 7.3).
//
// Pure functions of their arguments; any thread may call them. Every number of a group is in it once. Those that take
// ranks from a program throw pure::Error: rank, count, argument.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <pure/error.hpp>

#include "base/call.hpp"
#include "match/status.hpp"

namespace pure::core {

using group = std::vector<int>;

/// The values are those of pure_comparison in pure.h.
enum class comparison { ident, congruent, similar, unequal };

/// The rank in `in` of a number, or `undefined`.
[[nodiscard]] int rank_in(std::span<const int> in, int number) noexcept;

/// ident, similar or unequal.
[[nodiscard]] comparison compare(std::span<const int> a, std::span<const int> b);

/// All of a in its order, then what only b has, in b's.
[[nodiscard]] group group_union(std::span<const int> a, std::span<const int> b);
/// What both have, or what only a has; in a's order.
[[nodiscard]] group group_intersection(std::span<const int> a, std::span<const int> b);
[[nodiscard]] group group_difference(std::span<const int> a, std::span<const int> b);

/// The listed ranks of `of`, in the order of the list, or those that are not listed. Throws rank: out of range, or
/// listed twice.
[[nodiscard]] group group_incl(const call& by, std::span<const int> of, std::span<const int> ranks);
[[nodiscard]] group group_excl(const call& by, std::span<const int> of, std::span<const int> ranks);

/// The ranks of a group of `size` ranks that triples (first, last, stride) describe. Throws argument: a stride that is
/// 0 or leads away from last; rank: out of range.
[[nodiscard]] std::vector<int> ranks_in_ranges(const call& by, int size, std::span<const int[3]> ranges);

/// The rank in `to` of what is `rank` in `from`, or `undefined`; proc_null stays. Throws rank: out of range.
[[nodiscard]] int translate(const call& by, std::span<const int> from, int rank, std::span<const int> to);

}  // namespace pure::core
