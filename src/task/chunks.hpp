// How work is cut into chunks: every index in exactly one, remainders spread evenly.
#pragma once

#include <cstddef>

namespace pure::core {

struct index_span {
  std::size_t first;
  std::size_t count;
};

/// The items of chunks start..end (included) when `size` items are dealt to `chunks` chunks in runs of
/// `items_per_unit`; chunks differ by at most one unit, and only the last unit may be incomplete.
index_span items_of_chunks(std::size_t size, std::size_t items_per_unit, std::size_t start, std::size_t end,
                           std::size_t chunks) noexcept;

}  // namespace pure::core
