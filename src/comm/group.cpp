#include "comm/group.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "runtime/call_error.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

namespace {

group sorted(std::span<const int> numbers) {
  group all(numbers.begin(), numbers.end());
  std::sort(all.begin(), all.end());
  return all;
}

group those_of(std::span<const int> a, std::span<const int> b, bool that_are_in_b) {
  const group known = sorted(b);
  group kept;
  std::copy_if(a.begin(), a.end(), std::back_inserter(kept),
               [&](int number) { return std::binary_search(known.begin(), known.end(), number) == that_are_in_b; });
  return kept;
}

void check_rank(const call& by, std::size_t size, int rank) {
  if (rank >= 0 && static_cast<std::size_t>(rank) < size) return;
  throw_wrong_call(by, errc::rank,
                   size == 0 ? fmt::format("rank {} is out of range: the group is empty", rank)
                             : fmt::format("rank {} is out of range: the group has ranks 0 to {}", rank, size - 1));
}

/// Which ranks of a group of that size are listed.
std::vector<bool> marked(const call& by, std::size_t size, std::span<const int> ranks) {
  std::vector<bool> listed(size, false);
  for (const int rank : ranks) {
    check_rank(by, size, rank);
    const auto index = static_cast<std::size_t>(rank);
    if (listed[index]) {
      throw_wrong_call(by, errc::rank, fmt::format("rank {} is listed twice: a rank can be in a group once", rank));
    }
    listed[index] = true;
  }
  return listed;
}

}  // namespace

int rank_in(std::span<const int> in, int number) noexcept {
  const auto found = std::find(in.begin(), in.end(), number);
  return found == in.end() ? undefined : static_cast<int>(found - in.begin());
}

comparison compare(std::span<const int> a, std::span<const int> b) {
  if (std::equal(a.begin(), a.end(), b.begin(), b.end())) return comparison::ident;
  if (a.size() != b.size()) return comparison::unequal;
  return sorted(a) == sorted(b) ? comparison::similar : comparison::unequal;
}

group group_union(std::span<const int> a, std::span<const int> b) {
  group all(a.begin(), a.end());
  const group more = those_of(b, a, false);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

group group_intersection(std::span<const int> a, std::span<const int> b) { return those_of(a, b, true); }

group group_difference(std::span<const int> a, std::span<const int> b) { return those_of(a, b, false); }

group group_incl(const call& by, std::span<const int> of, std::span<const int> ranks) {
  marked(by, of.size(), ranks);
  group made;
  made.reserve(ranks.size());
  for (const int rank : ranks) made.push_back(of[static_cast<std::size_t>(rank)]);
  return made;
}

group group_excl(const call& by, std::span<const int> of, std::span<const int> ranks) {
  const std::vector<bool> listed = marked(by, of.size(), ranks);
  group made;
  for (std::size_t rank = 0; rank < of.size(); ++rank) {
    if (!listed[rank]) made.push_back(of[rank]);
  }
  return made;
}

std::vector<int> ranks_in_ranges(const call& by, int size, std::span<const int[3]> ranges) {
  std::vector<int> ranks;
  for (const auto& [first, last, stride] : ranges) {
    if (stride == 0 || (stride > 0 ? first > last : first < last)) {
      throw_wrong_call(
          by, errc::argument,
          fmt::format("the range ({}, {}, {}) does not lead from its first to its last rank: its stride is "
                      "0 or has the wrong sign",
                      first, last, stride));
    }
    // In 64 bits: first + stride may not fit an int.
    for (std::int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
      check_rank(by, static_cast<std::size_t>(size), static_cast<int>(rank));
      ranks.push_back(static_cast<int>(rank));
    }
  }
  return ranks;
}

int translate(const call& by, std::span<const int> from, int rank, std::span<const int> to) {
  if (rank == proc_null) return proc_null;
  check_rank(by, from.size(), rank);
  return rank_in(to, from[static_cast<std::size_t>(rank)]);
}

}  // namespace pure::core
