// How an atomic operation makes a new element of the one that is there and the origin's.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pure/detail/collectives.hpp>

namespace pure::core {

struct combination {
  enum class kind : std::uint8_t { combine, replace, none };

  kind what = kind::combine;
  detail::reduction how;  // of combine
  std::size_t element_bytes = 0;
};

/// In bytes, of atomic operations.
inline constexpr std::size_t largest_element = 64;

}  // namespace pure::core
