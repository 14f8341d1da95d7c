// The typemap of a plan, byte by byte, as the standard defines it (MPI 4.1, 5.1): what every library must make of it.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "support/type_oracle/plan.hpp"

namespace type_oracle {

using offsets = std::vector<std::ptrdiff_t>;

struct typemap {
  static constexpr std::size_t most_bytes = 2000;  // of plans of moderate size; it ends soon after that

  offsets bytes;                                                     // in the order in which they travel
  std::ptrdiff_t first = 0, end = 0;                                 // of these
  std::ptrdiff_t alignment = 1;                                      // the largest of the basic types
  std::optional<std::pair<std::ptrdiff_t, std::ptrdiff_t>> markers;  // the least lb_marker, the largest ub_marker

  // Where MPIs leave the standard:
  bool has_empty_part = false;    // what has no bytes has no effect; some of them let it have one
  bool is_ambiguous = false;      // an MPI that rounds up the extents of parts finds another one for the whole
  std::ptrdiff_t padded_end = 0;  // because they end there

  [[nodiscard]] std::ptrdiff_t lower() const { return markers ? markers->first : first; }
  [[nodiscard]] std::ptrdiff_t extent() const {
    return markers ? markers->second - markers->first : rounded(end - first);
  }
  [[nodiscard]] std::ptrdiff_t rounded(std::ptrdiff_t width) const {
    return (width + alignment - 1) / alignment * alignment;
  }

  void add(const typemap& what, std::ptrdiff_t offset) {
    has_empty_part |= what.has_empty_part || what.bytes.empty();
    if (what.bytes.empty() || bytes.size() > most_bytes) return;
    const bool is_first = bytes.empty();
    const auto cover = [is_first](std::ptrdiff_t& lower, std::ptrdiff_t& upper, std::ptrdiff_t from,
                                  std::ptrdiff_t to) {
      lower = is_first ? from : std::min(lower, from);
      upper = is_first ? to : std::max(upper, to);
    };
    for (const std::ptrdiff_t each : what.bytes) bytes.push_back(each + offset);
    alignment = std::max(alignment, what.alignment);
    cover(first, end, offset + what.first, offset + what.end);
    const std::ptrdiff_t its_end = offset + what.first + what.rounded(what.padded_end - what.first);
    padded_end = first + rounded((is_first ? its_end : std::max(padded_end, its_end)) - first);
    is_ambiguous |= what.is_ambiguous || padded_end - first != rounded(end - first);
    if (!what.markers) return;
    const auto [lower, upper] = *what.markers;
    if (!markers) markers.emplace(lower + offset, upper + offset);
    markers->first = std::min(markers->first, lower + offset);
    markers->second = std::max(markers->second, upper + offset);
  }
  void add_block(const typemap& what, std::ptrdiff_t offset, std::int64_t length) {
    for (std::int64_t i = 0; i < length; ++i) add(what, offset + i * what.extent());
  }
};

/// Pure's pairs of a value and an int travel whole; those of MPI without the gap behind the int, or the short.
enum class pairs { whole, without_gaps };

class expander {
 public:
  explicit expander(pairs how) : how_(how) {}

  [[nodiscard]] typemap operator()(const type_plan& p) const {
    if (p.by == maker::basic) return of(p.element);
    typemap made;
    if (p.by == maker::structure) {
      for (std::size_t i = 0; i < p.of.size(); ++i) made.add_block((*this)(p.of[i]), p.places[i], p.lengths[i]);
      return made;
    }
    const typemap inner = (*this)(p.of.front());
    switch (p.by) {
      case maker::contiguous: made.add_block(inner, 0, p.count); break;
      case maker::vector:
      case maker::hvector:
        for (std::int64_t i = 0; i < p.count; ++i) {
          made.add_block(inner, i * p.stride * (p.by == maker::vector ? inner.extent() : 1), p.length);
        }
        break;
      case maker::subarray: return subarray(p, inner);
      case maker::resized:
        made = inner;
        made.markers.emplace(p.stride, p.stride + p.length);
        break;
      default:
        for (std::size_t i = 0; i < p.places.size(); ++i) {
          made.add_block(inner, p.places[i] * (p.by == maker::hindexed ? 1 : inner.extent()), p.lengths[i]);
        }
    }
    return made;
  }

 private:
  [[nodiscard]] typemap of(basic element) const {
    switch (element) {
      case basic::byte:
      case basic::character: return plain<char>();
      case basic::short_integer: return plain<short>();
      case basic::integer: return plain<int>();
      case basic::long_integer: return plain<long>();
      case basic::real: return plain<double>();
      case basic::long_real: return plain<long double>();
      case basic::complex: return plain<std::complex<double>>();
      case basic::two_int: return pair<int>();
      case basic::float_int: return pair<float>();
      case basic::double_int: return pair<double>();
      case basic::long_int: return pair<long>();
      case basic::short_int: return pair<short>();
      case basic::long_double_int: return pair<long double>();
    }
    return {};
  }
  template <class T>
  static typemap plain() {
    typemap made;
    for (std::size_t i = 0; i < sizeof(T); ++i) made.bytes.push_back(static_cast<std::ptrdiff_t>(i));
    made.alignment = alignof(T);
    made.end = made.padded_end = sizeof(T);
    return made;
  }
  template <class Value>
  [[nodiscard]] typemap pair() const {
    struct both {
      Value value;
      int index;
    };
    if (how_ == pairs::whole) return plain<both>();
    typemap made = plain<Value>();
    made.add(plain<int>(), offsetof(both, index));
    return made;
  }

  static typemap subarray(const type_plan& p, const typemap& inner) {
    const auto dimensions = static_cast<int>(p.sizes.size());
    typemap part = inner;
    std::ptrdiff_t whole = inner.extent(), first = 0;
    for (int i = 0; i < dimensions; ++i) {
      const auto d = static_cast<std::size_t>(p.is_fortran ? i : dimensions - 1 - i);
      typemap more;
      for (std::int64_t j = 0; j < p.lengths[d]; ++j) more.add(part, j * whole);
      part = std::move(more);
      first += p.places[d] * whole;
      whole *= p.sizes[d];
    }
    typemap made;
    made.add(part, first);
    made.markers.emplace(0, whole);
    return made;
  }

  const pairs how_;
};

/// Of `count` elements, as in a buffer.
inline offsets bytes_of_several(const typemap& type, int count) {
  offsets all;
  for (int i = 0; i < count; ++i) {
    for (const std::ptrdiff_t each : type.bytes) all.push_back(each + i * type.extent());
  }
  return all;
}

inline bool overlaps_itself(const offsets& bytes) {
  return std::set<std::ptrdiff_t>(bytes.begin(), bytes.end()).size() != bytes.size();
}

}  // namespace type_oracle
