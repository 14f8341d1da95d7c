// How a derived datatype is made, as a tree: random, for any library that has MPI's constructors.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "support/oracle/dice.hpp"

namespace type_oracle {

enum class basic {
  byte,
  character,
  short_integer,
  integer,
  long_integer,
  real,
  complex,
  two_int,
  float_int,
  double_int,
  long_int,
  short_int,
  long_real,
  long_double_int
};
inline constexpr int basics = 14;
inline constexpr int copied_basics = 12;  // without those of whose bytes MPIs leave out some

enum class maker { basic, contiguous, vector, hvector, indexed, hindexed, indexed_block, structure, subarray, resized };
inline constexpr int makers = 10;

struct type_plan {
  maker by = maker::basic;
  basic element = basic::byte;
  std::int64_t count = 0, length = 0, stride = 0;  // contiguous, vectors; resized: lower bound and extent
  std::vector<std::int64_t> lengths, places;       // of blocks; subarray: subsizes, starts
  std::vector<std::int64_t> sizes;                 // subarray
  bool is_fortran = false;
  std::vector<type_plan> of;  // what it is made of: of a structure as many as blocks, of others one
};

/// What plans may contain. MPIs differ from the standard, and from each other, where
///  - only some members of a struct are resized (MPICH knows no markers; MPI 4.1, 5.1.6), or extents are negative (it
///    sends wrong bytes of some): beyond `agreed`
///  - distances do not fit the alignment, or vectors go backwards: beyond `with_markers`.
enum class range { agreed, with_markers, standard };

inline std::string to_text(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t each : numbers) text += fmt::format("{}{}", text.empty() ? "" : ",", each);
  return "[" + text + "]";
}

inline std::string to_text(const type_plan& p) {
  static constexpr const char* elements[basics] = {
      "byte", "char",      "short",      "int",      "long",      "double",      "complex",
      "2int", "float_int", "double_int", "long_int", "short_int", "long double", "long_double_int"};
  static constexpr const char* names[makers] = {"",         "contiguous",    "vector", "hvector",  "indexed",
                                                "hindexed", "indexed_block", "struct", "subarray", "resized"};
  if (p.by == maker::basic) return elements[static_cast<int>(p.element)];
  std::string text = names[static_cast<int>(p.by)];
  switch (p.by) {
    case maker::contiguous: text += fmt::format(" {} x", p.count); break;
    case maker::vector:
    case maker::hvector: text += fmt::format(" {} x {} every {}", p.count, p.length, p.stride); break;
    case maker::resized: text += fmt::format(" from {}, {} long,", p.stride, p.length); break;
    case maker::subarray:
      text += p.is_fortran ? " fortran " + to_text(p.sizes) : " " + to_text(p.sizes);
      [[fallthrough]];
    default: text += to_text(p.lengths) + to_text(p.places);
  }
  for (const type_plan& each : p.of) text += fmt::format(" ({})", to_text(each));
  return text;
}

class generator {
 public:
  generator(std::uint64_t seed, range what) : dice_(seed), what_(what) {}

  type_plan make() { return make(dice_.between(1, 4), true); }

 private:
  [[nodiscard]] bool is_all() const { return what_ == range::standard; }
  /// In bytes.
  std::int64_t place() { return is_all() ? dice_.between(-50, 90) : 16 * dice_.between(-4, 8); }
  std::int64_t count() { return dice_.chance(12) ? 0 : dice_.between(1, 3); }

  type_plan make(int depth, bool may_resize) {
    type_plan p;
    if (depth == 0 || dice_.chance(8)) {
      p.element = static_cast<basic>(dice_.below(is_all() ? basics : copied_basics));
      return p;
    }
    do {
      p.by = static_cast<maker>(dice_.between(1, makers - 1));
    } while (!may_resize && (p.by == maker::resized || p.by == maker::subarray));
    switch (p.by) {
      case maker::contiguous: p.count = count(); break;
      case maker::vector:
      case maker::hvector:
        p.count = count();
        p.length = count();
        p.stride = p.by == maker::hvector ? place() : dice_.between(is_all() ? -4 : 0, 5);
        break;
      case maker::subarray:
        for (int i = dice_.between(1, 3); i > 0; --i) {
          p.sizes.push_back(dice_.between(1, 4));
          p.lengths.push_back(1 + dice_.below(p.sizes.back()));
          p.places.push_back(dice_.below(p.sizes.back() - p.lengths.back() + 1));
        }
        p.is_fortran = dice_.chance(50);
        break;
      case maker::resized:
        p.stride = dice_.between(-20, 20);
        p.length = dice_.between(what_ == range::agreed ? 0 : -60, 90);
        break;
      default: {
        const bool is_in_bytes = p.by == maker::hindexed || p.by == maker::structure;
        const std::int64_t length = count();
        for (int i = dice_.chance(5) ? 0 : dice_.between(1, 3); i > 0; --i) {
          p.lengths.push_back(p.by == maker::indexed_block ? length : count());
          p.places.push_back(is_in_bytes ? place() : dice_.between(-4, 7));
        }
      }
    }
    const std::size_t parts = p.by == maker::structure ? p.places.size() : 1;
    if (p.by == maker::structure) may_resize = may_resize && what_ != range::agreed;
    for (std::size_t i = 0; i < parts; ++i) p.of.push_back(make(depth - 1, may_resize));
    return p;
  }

  oracle::dice dice_;
  const range what_;
};

}  // namespace type_oracle
