// pure::parallel_for: a loop whose iterations ranks that wait may take over (C++20).
//
//     pure::parallel_for(n, [&](std::size_t i) { t[i] = work(a[i]); });
//     pure::parallel_for(1, n - 1, [&](std::size_t i) { ... });
//     pure::parallel_for(values, [](double& x) { x = work(x); });               // a container or other range
//     pure::parallel_for(pure::box{rows, columns}, [&](std::size_t i, std::size_t j) { ... });
//     pure::parallel_for(n, [&](pure::index_range part) { for (std::size_t i : part) ... });
//
// What holds for all forms. The calling rank works itself; ranks that wait in a message or a collective take chunks of
// the loop meanwhile (paper, 3.2 and 4.3). The call returns when every iteration is done, each exactly once, by
// whatever rank, in any order. So iterations must be independent of each other; the body is one object, which several
// ranks call at once, and a stolen chunk sees the thief's thread_local variables and errno. What iterations have
// written, the caller sees.
//
// Inside the body a message or a collective is an error (pure::errc::state); another task or parallel loop runs in
// place. The first exception of the body leaves the call, when the chunks in progress have ended; the others are
// dropped. Called by a rank, on its own thread; elsewhere: pure::errc::state.
#pragma once

#include <pure/detail/needs_cxx20.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <ranges>
#include <type_traits>
#include <utility>

#include <pure/call_site.hpp>
#include <pure/detail/loops.hpp>
#include <pure/error.hpp>

namespace pure {

/// The indices first, first + 1, ..., last - 1; none if last <= first.
class index_range {
 public:
  class iterator {
   public:
    using value_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    constexpr iterator() noexcept = default;
    constexpr explicit iterator(std::size_t at) noexcept : at_(at) {}
    constexpr std::size_t operator*() const noexcept { return at_; }
    constexpr iterator& operator++() noexcept { return ++at_, *this; }
    constexpr iterator operator++(int) noexcept { return iterator(at_++); }
    constexpr bool operator==(const iterator&) const noexcept = default;

   private:
    std::size_t at_ = 0;
  };

  constexpr index_range() noexcept = default;
  /// 0 .. count-1. A negative count is 0.
  template <std::integral Count>
  constexpr explicit index_range(Count count) noexcept : index_range(Count{0}, count) {}
  /// A negative `first` is 0.
  template <std::integral First, std::integral Last>
  constexpr index_range(First first, Last last) noexcept : first_(index(first)), last_(index(last)) {
    if (last_ < first_) last_ = first_;
  }

  [[nodiscard]] constexpr std::size_t first() const noexcept { return first_; }
  /// One behind the last index.
  [[nodiscard]] constexpr std::size_t last() const noexcept { return last_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return last_ - first_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return first_ == last_; }
  [[nodiscard]] constexpr iterator begin() const noexcept { return iterator(first_); }
  [[nodiscard]] constexpr iterator end() const noexcept { return iterator(last_); }

 private:
  template <std::integral Index>
  static constexpr std::size_t index(Index at) noexcept {
    return std::cmp_less(at, 0) ? 0 : static_cast<std::size_t>(at);
  }

  std::size_t first_ = 0, last_ = 0;
};

/// The cells of a 2-D or 3-D array, or of a part of it: box{rows, columns}, box{{1, rows - 1}, {1, columns - 1}},
/// box{planes, rows, columns}. Neighbours in the last dimension are done one after the other.
template <std::size_t Dimensions>
class box {
 public:
  template <std::integral... Counts>
  requires(sizeof...(Counts) == Dimensions) constexpr explicit box(Counts... counts) noexcept
      : ranges_{index_range(counts)...} {}
  constexpr box(index_range rows, index_range columns) noexcept requires(Dimensions == 2) : ranges_{rows, columns} {}
  constexpr box(index_range planes, index_range rows, index_range columns) noexcept requires(Dimensions == 3)
      : ranges_{planes, rows, columns} {}

  [[nodiscard]] constexpr const index_range& operator[](std::size_t dimension) const noexcept {
    return ranges_[dimension];
  }
  [[nodiscard]] constexpr std::size_t cells() const noexcept {
    std::size_t all = 1;
    for (const index_range& each : ranges_) all *= each.size();
    return all;
  }

 private:
  std::array<index_range, Dimensions> ranges_;
};
template <std::integral... Counts>
box(Counts...) -> box<sizeof...(Counts)>;
box(index_range, index_range)->box<2>;
box(index_range, index_range, index_range)->box<3>;

/// How a loop is cut into chunks. By default, by measurement: the loop begins with single iterations, and its chunks
/// become what takes about 20 us, also where the cost of the body changes on the way; towards the end they become
/// shorter. A loop of less than about 3 us is done by the calling rank alone, unless it has few iterations (less than
/// 32 for each rank), which may all be long.
class chunking {
 public:
  constexpr chunking() noexcept = default;

  /// The same, with chunks of that many iterations (0: by measurement).
  [[nodiscard]] constexpr chunking size(std::size_t iterations) const noexcept {
    chunking changed = *this;
    changed.size_ = iterations;
    return changed;
  }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }

  /// For `iterations` iterations, the first of which writes element number `first` of the array that is aligned.
  [[nodiscard]] constexpr detail::loop_shape shape(std::uint64_t iterations, std::size_t first) const noexcept {
    const std::uint64_t lead = (first % unit_ + unit_ - lead_) % unit_;
    return {iterations, unit_, lead, size_};
  }
  /// Chunks begin where element `aligned_element` + k * line / gcd(line, bytes) of an array of elements of `bytes`
  /// bytes is.
  static constexpr chunking at_lines(std::size_t bytes, std::size_t address) noexcept {
    chunking aligned;
    aligned.unit_ = line_bytes / std::gcd(line_bytes, bytes);
    std::size_t nearest = line_bytes;  // from the beginning of a line to that of the element
    for (std::size_t element = 0; element < aligned.unit_; ++element) {
      const std::size_t off = (address + element * bytes) % line_bytes;
      if (off < nearest) {
        nearest = off;
        aligned.lead_ = element;
      }
    }
    return aligned;
  }

 private:
  static constexpr std::size_t line_bytes = 64;

  std::size_t size_ = 0;
  std::size_t unit_ = 1;  // elements from one place where a chunk may begin to the next
  std::size_t lead_ = 0;  // the first such place
};

/// Chunks of `iterations` iterations, the last one shorter. A body that takes an index_range gets just these. More than
/// 65535 chunks are dealt out several at a time.
constexpr chunking chunk_size(std::size_t iterations) noexcept { return chunking().size(iterations); }

/// Chunks begin where a cache line of `data` begins, so that two ranks never write the same line of it: for bodies in
/// which index i stands for data[i] (in a box: the box's cell number i, in the order in which they are done). If no
/// element begins with a line: as near as can be. Combine: cache_aligned(data).size(n), which is rounded up to whole
/// lines.
template <std::ranges::contiguous_range Range>
requires std::ranges::sized_range<Range> chunking cache_aligned(const Range& data)
noexcept {
  return chunking::at_lines(sizeof(std::ranges::range_value_t<const Range>),
                            reinterpret_cast<std::uintptr_t>(std::to_address(std::ranges::data(data))));
}

/// The same for an array of T that begins with a cache line.
template <class T>
inline constexpr chunking aligned = chunking::at_lines(sizeof(T), 0);

namespace detail {

/// Runs `part(first, count)` for parts that cover the shape's iterations. Bodies are called with std::invoke: a body
/// that takes an int gets no warning about a conversion in this header.
template <class Part>
void run_parts(const char* operation, call_site at, const loop_shape& shape, const Part& part) {
  run_loop(
      operation, at,
      [](void* context, std::uint64_t first, std::uint64_t count) {
        in_program([=] {
          (*static_cast<const Part*>(context))(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
        });
      },
      const_cast<void*>(static_cast<const void*>(std::addressof(part))), shape);
}

/// How many integers are from first to last - 1.
template <std::integral Index>
constexpr std::uint64_t distance(Index first, Index last) noexcept {
  return last <= first ? 0 : static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
}
/// first + by, also where that is beyond the half of the type's values.
template <std::integral Index>
constexpr Index advanced(Index first, std::size_t by) noexcept {
  return static_cast<Index>(static_cast<std::uint64_t>(first) + by);
}

template <class First, class Last>
using common_index = std::common_type_t<First, Last>;

template <class Range>
concept loop_range = std::ranges::random_access_range<Range> && std::ranges::sized_range<Range>;

/// The cells of one row.
template <class Body, class... Index>
void do_row(Body& body, index_range columns, Index... row) {
  if constexpr (std::is_invocable_v<Body&, Index..., std::size_t>) {
    for (const std::size_t column : columns) std::invoke(body, row..., column);
  } else {
    static_assert(
        std::is_invocable_v<Body&, Index..., index_range>,
        "Pure: the body of pure::parallel_for over a pure::box takes one index for each dimension, body(i, j) or "
        "body(i, j, k), or a pure::index_range as the last.");
    std::invoke(body, row..., columns);
  }
}

/// Cells first..first+count-1 of the box, row by row.
template <std::size_t Dimensions, class Body>
void for_rows(const box<Dimensions>& cells, std::size_t first, std::size_t count, Body& body) {
  const index_range& columns = cells[Dimensions - 1];
  std::size_t line = first / columns.size();
  for (std::size_t column = first % columns.size(); count != 0; ++line, column = 0) {
    const std::size_t length = std::min(count, columns.size() - column);
    const index_range part(columns.first() + column, columns.first() + column + length);
    if constexpr (Dimensions == 2) {
      do_row(body, part, cells[0].first() + line);
    } else {
      do_row(body, part, cells[0].first() + line / cells[1].size(), cells[1].first() + line % cells[1].size());
    }
    count -= length;
  }
}

}  // namespace detail

/// body(i) for i = first, ..., last - 1, or body(index_range) for parts of these, of any size; then first must not be
/// negative. i has the common type of `first` and `last`. At most 2^63 - 1 iterations.
template <std::integral First, std::integral Last, class Body>
void parallel_for(First first, Last last, Body&& body, const chunking& how = {}, call_site at = call_site::current()) {
  using index = detail::common_index<First, Last>;
  using function = std::remove_reference_t<Body>;
  const auto from = static_cast<index>(first);
  const auto shape = how.shape(detail::distance(from, static_cast<index>(last)), static_cast<std::size_t>(from));
  if constexpr (std::is_invocable_v<function&, index>) {
    detail::run_parts("parallel_for", at, shape, [from, &body](std::size_t start, std::size_t count) {
      const index end = detail::advanced(from, start + count);
      for (index i = detail::advanced(from, start); i != end; ++i) std::invoke(body, index{i});
    });
  } else {
    static_assert(
        std::is_invocable_v<function&, index_range>,
        "Pure: the body of pure::parallel_for over integers takes one index, body(i), or a pure::index_range. "
        "It must be callable as it is captured: a mutable lambda must not be const.");
    if (std::cmp_less(from, 0)) {
      throw Error(errc::argument, "parallel_for: a body that takes a pure::index_range has no negative indices", at);
    }
    detail::run_parts("parallel_for", at, shape, [from, &body](std::size_t start, std::size_t count) {
      const std::size_t begin = static_cast<std::size_t>(from) + start;
      body(index_range(begin, begin + count));
    });
  }
}

/// parallel_for(0, count, body).
template <std::integral Count, class Body>
requires(!std::integral<std::remove_cvref_t<Body>>) void parallel_for(Count count, Body&& body,
                                                                      const chunking& how = {},
                                                                      call_site at = call_site::current()) {
  parallel_for(Count{0}, count, body, how, at);
}

/// body(element) for every element of a range with random access: containers, spans, views. Chunks of a contiguous
/// range that is not constant begin at cache lines.
template <detail::loop_range Range, class Body>
void parallel_for(Range&& range, Body&& body, const chunking& how, call_site at = call_site::current()) {
  static_assert(std::is_invocable_v<std::remove_reference_t<Body>&, std::ranges::range_reference_t<Range>>,
                "Pure: the body of pure::parallel_for over a range takes an element: body(element), by value or by "
                "reference; not an index.");
  const auto begin = std::ranges::begin(range);
  const auto shape = how.shape(static_cast<std::uint64_t>(std::ranges::size(range)), 0);
  detail::run_parts("parallel_for", at, shape, [&begin, &body](std::size_t start, std::size_t count) {
    using difference = std::ranges::range_difference_t<Range>;
    auto element = begin + static_cast<difference>(start);
    for (const auto end = element + static_cast<difference>(count); element != end; ++element)
      std::invoke(body, *element);
  });
}
template <detail::loop_range Range, class Body>
void parallel_for(Range&& range, Body&& body, call_site at = call_site::current()) {
  chunking how;
  if constexpr (std::ranges::contiguous_range<Range>) {
    if constexpr (!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>) {
      how = cache_aligned(range);
    }
  }
  parallel_for(range, body, how, at);
}

/// body(i, j), or body(i, j, k), for every cell; or body(i, index_range), or body(i, j, index_range), for parts of
/// rows. The cells are one loop: the numbers of rows and columns do not matter for how it is shared. At most 2^63 - 1
/// cells.
template <std::size_t Dimensions, class Body>
void parallel_for(const box<Dimensions>& cells, Body&& body, const chunking& how = {},
                  call_site at = call_site::current()) {
  detail::run_parts("parallel_for", at, how.shape(cells.cells(), 0),
                    [&](std::size_t first, std::size_t count) { detail::for_rows(cells, first, count, body); });
}

}  // namespace pure
