// pure::parallel_reduce: the sum, or another reduction, of what an independent loop computes (C++20).
//
//     const double energy = pure::parallel_reduce(0, n, 0.0, [&](std::size_t i) { return e[i] * e[i]; }, std::plus{});
//
// What pure/parallel.hpp says of loops holds here too: waiting ranks help, no messages in the body, exceptions leave
// the call. Also `combine` may be called by several ranks at once.
//
// The result has the same bits whoever computes what, for any number of ranks: the iterations are cut into blocks of a
// length that depends only on their number (or is given), the values of a block are combined from left to right, and
// then the blocks, from left to right. So `combine` must be associative up to rounding, but need not commute.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include <pure/call_site.hpp>
#include <pure/detail/loops.hpp>
#include <pure/parallel.hpp>

namespace pure {

namespace detail {

/// Without a block size, a reduction has at most that many blocks. Part of the contract: it decides about the last
/// bits.
inline constexpr std::size_t default_blocks = 1024;

template <class T, class Value, class Combine>
T reduce_blocks(call_site at, std::size_t iterations, T initial, const Value& value, Combine& combine,
                const chunking& how) {
  if (iterations == 0) {
    run_parts("parallel_reduce", at, {}, [](std::size_t, std::size_t) {});
    return initial;
  }
  const std::size_t length = how.size() != 0 ? how.size() : (iterations - 1) / default_blocks + 1;
  const std::size_t blocks = (iterations - 1) / length + 1;
  const auto of_block = std::make_unique<std::optional<T>[]>(blocks);
  run_parts("parallel_reduce", at, {.iterations = blocks}, [&](std::size_t first, std::size_t count) {
    for (std::size_t block = first; block < first + count; ++block) {
      std::size_t i = block * length;
      const std::size_t end = i + std::min(length, iterations - i);
      T sum(value(i));
      while (++i < end) sum = static_cast<T>(std::invoke(combine, std::move(sum), T(value(i))));
      of_block[block].emplace(std::move(sum));
    }
  });
  for (std::size_t block = 0; block < blocks; ++block) {
    initial = static_cast<T>(std::invoke(combine, std::move(initial), std::move(*of_block[block])));
  }
  return initial;
}

template <class T, class Value, class Combine>
constexpr void require_reduction() {
  static_assert(
      std::is_constructible_v<T, Value>,
      "Pure: what the body of pure::parallel_reduce returns must convert to the type of `initial`, which is that of "
      "the result. To sum doubles, write 0.0, not 0.");
  static_assert(
      !(std::integral<T> && std::floating_point<std::remove_cvref_t<Value>>),
      "Pure: the body of pure::parallel_reduce returns a floating-point value, but `initial`, which decides about "
      "the type of the result, is an integer. Write 0.0.");
  static_assert(std::is_invocable_r_v<T, Combine&, T, T>,
                "Pure: the last function of pure::parallel_reduce combines two values: combine(a, b), of the type of "
                "`initial`, as std::plus{} does.");
}

}  // namespace detail

/// combine(...combine(combine(initial, v(first)), v(first + 1))..., v(last - 1)), bracketed by blocks as said above,
/// where v(i) = body(i); `initial` if last <= first. `initial` is used once. chunk_size(n): blocks of n iterations;
/// memory is needed for one T for each block. Of `how`, only that matters.
template <std::integral First, std::integral Last, class T, class Body, class Combine>
[[nodiscard]] T parallel_reduce(First first, Last last, T initial, Body&& body, Combine&& combine,
                                const chunking& how = {}, call_site at = call_site::current()) {
  using index = detail::common_index<First, Last>;
  using function = std::remove_reference_t<Body>;
  static_assert(std::is_invocable_v<function&, index>,
                "Pure: the body of pure::parallel_reduce over integers takes one index and returns a value: body(i).");
  if constexpr (std::is_invocable_v<function&, index>) {
    detail::require_reduction<T, std::invoke_result_t<function&, index>, std::remove_reference_t<Combine>>();
  }
  const auto from = static_cast<index>(first);
  return detail::reduce_blocks<T>(
      at, detail::distance(from, static_cast<index>(last)), std::move(initial),
      [from, &body](std::size_t i) -> decltype(auto) { return std::invoke(body, detail::advanced(from, i)); }, combine,
      how);
}

/// The same over body(element) for the elements of a range with random access.
template <detail::loop_range Range, class T, class Body, class Combine>
[[nodiscard]] T parallel_reduce(Range&& range, T initial, Body&& body, Combine&& combine, const chunking& how = {},
                                call_site at = call_site::current()) {
  using function = std::remove_reference_t<Body>;
  using element = std::ranges::range_reference_t<Range>;
  static_assert(
      std::is_invocable_v<function&, element>,
      "Pure: the body of pure::parallel_reduce over a range takes an element and returns a value: body(element).");
  if constexpr (std::is_invocable_v<function&, element>) {
    detail::require_reduction<T, std::invoke_result_t<function&, element>, std::remove_reference_t<Combine>>();
  }
  const auto begin = std::ranges::begin(range);
  return detail::reduce_blocks<T>(
      at, static_cast<std::size_t>(std::ranges::size(range)), std::move(initial),
      [&begin, &body](std::size_t i) -> decltype(auto) {
        return std::invoke(body, begin[static_cast<std::ranges::range_difference_t<Range>>(i)]);
      },
      combine, how);
}

}  // namespace pure
