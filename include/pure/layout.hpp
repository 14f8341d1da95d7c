// Messages whose elements do not lie in a row: a column of a matrix, the faces of a block, scattered particles (MPI
// 4.1, chapter 5).
//
//   world.send(pure::strided(matrix, rows, 1, columns), right);              // a column
//   const auto halo = pure::layout<double>::vector(rows, 2, columns);        // described once, used again and again
//   world.irecv_into(halo.of(matrix), left);
//
// What one end sends laid out, the other may receive laid out otherwise, or in a row; the elements are copied once,
// from layout to layout, unless they lie far apart at both ends (PURE_PACKED_COPY_MAX). Taken wherever a message is a
// range, but not by collectives, and not by recv<T>, which makes its result.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pure/buffer.hpp>
#include <pure/call_site.hpp>
#include <pure/detail/layouts.hpp>
#include <pure/detail/transfer.hpp>

namespace pure {

template <class T>
class window;

/// `length` elements from number `at` on.
struct block {
  std::size_t at;
  std::size_t length = 1;
};

/// Elements of a range, laid out: what layout::of gives to send and receive. Only names the elements, as a span does.
template <class T>
struct laid_out {
  T* data;
  detail::layout_pointer form;
};

/// Where the elements of a message lie among those of a range, and in which order they travel. Made once, used for any
/// number of messages and ranges, by any rank. Lengths, distances and places are in elements. Errors of all: argument,
/// for sizes that no memory has.
template <plain_value T>
class layout {
 public:
  using here = call_site;

  /// `count` elements in a row.
  static layout contiguous(std::size_t count, here at = here::current()) {
    return layout(detail::row_layout(at, bytes_of(count)));
  }
  /// `count` blocks of `length` elements; each begins `stride` elements after the one before.
  static layout vector(std::size_t count, std::size_t length, std::ptrdiff_t stride, here at = here::current()) {
    return contiguous(length, at).repeated(count, stride, at);
  }
  /// Blocks, in that order.
  static layout indexed(std::span<const block> blocks, here at = here::current()) {
    std::vector<layout> rows;
    std::vector<detail::layout_part> parts;
    rows.reserve(blocks.size());
    parts.reserve(blocks.size());
    for (const block& each : blocks) {
      rows.push_back(contiguous(each.length, at));
      parts.push_back({static_cast<std::ptrdiff_t>(bytes_of(each.at)), rows.back().form_.get()});
    }
    return layout(detail::joined_layout(at, parts.data(), parts.size()));
  }
  static layout indexed(std::initializer_list<block> blocks, here at = here::current()) {
    return indexed(std::span<const block>(blocks.begin(), blocks.size()), at);
  }

  /// All of this `count` times, each `stride` elements after the one before: the layers of a cube.
  [[nodiscard]] layout repeated(std::size_t count, std::ptrdiff_t stride, here at = here::current()) const {
    return layout(detail::repeated_layout(at, form_, count, stride * static_cast<std::ptrdiff_t>(sizeof(T))));
  }

  /// How many elements travel.
  [[nodiscard]] std::size_t size() const noexcept { return detail::bytes_of(form_) / sizeof(T); }

  /// Those elements of a contiguous range. Errors: argument, if the range ends before the layout does.
  template <std::ranges::contiguous_range Range>
  requires std::is_same_v<std::ranges::range_value_t<Range>, T>
  [[nodiscard]] auto of(Range&& elements, here at = here::current()) const {
    detail::require_inside(at, form_, sizeof(T), std::ranges::size(elements));
    return laid_out<std::remove_reference_t<std::ranges::range_reference_t<Range>>>{std::ranges::data(elements), form_};
  }

 private:
  template <class>
  friend class window;  // targets of operations
  explicit layout(detail::layout_pointer form) noexcept : form_(std::move(form)) {}

  /// No memory has more elements than this says.
  static std::size_t bytes_of(std::size_t elements) noexcept {
    constexpr std::size_t most = ~std::size_t{0} / sizeof(T);
    return elements > most ? most * sizeof(T) : elements * sizeof(T);
  }

  detail::layout_pointer form_;
};

/// layout::vector of the range's elements, for once.
template <std::ranges::contiguous_range Range>
[[nodiscard]] auto strided(Range&& elements, std::size_t count, std::size_t length, std::ptrdiff_t stride,
                           call_site at = call_site::current()) {
  return layout<std::ranges::range_value_t<Range>>::vector(count, length, stride, at).of(elements, at);
}

/// layout::indexed of the range's elements, for once.
template <std::ranges::contiguous_range Range>
[[nodiscard]] auto indexed(Range&& elements, std::span<const block> blocks, call_site at = call_site::current()) {
  return layout<std::ranges::range_value_t<Range>>::indexed(blocks, at).of(elements, at);
}
template <std::ranges::contiguous_range Range>
[[nodiscard]] auto indexed(Range&& elements, std::initializer_list<block> blocks, call_site at = call_site::current()) {
  return layout<std::ranges::range_value_t<Range>>::indexed(blocks, at).of(elements, at);
}

namespace detail {

template <class>
inline constexpr bool is_laid_out = false;
template <class T>
inline constexpr bool is_laid_out<laid_out<T>> = true;
template <class T>
inline constexpr bool is_borrowed_view<laid_out<T>> = true;

template <class T>
placed_message bytes_to_send(const laid_out<T>& what) noexcept {
  return {const_cast<std::remove_const_t<T>*>(what.data), bytes_of(what.form), what.form.get()};
}
template <class T>
placed_message bytes_to_fill(const laid_out<T>& where) noexcept {
  static_assert(!std::is_const_v<T>, "Pure: cannot receive into constant elements.");
  return {where.data, bytes_of(where.form), where.form.get()};
}
template <class T>
placed_message bytes_to_fill(laid_out<T>& where) noexcept {
  return bytes_to_fill(std::as_const(where));
}

}  // namespace detail
}  // namespace pure
