#include "task/chunks.hpp"

#include <algorithm>

namespace pure::core {

namespace {

/// The first unit of `chunk`. Chunks that have one unit more lie evenly among the others: an owner takes the first half
/// of the chunks at once, which must not be all the work where there are fewer units than chunks.
std::size_t first_unit(std::size_t units, std::size_t chunks, std::size_t chunk) noexcept {
  return chunk * (units / chunks) + chunk * (units % chunks) / chunks;
}

}  // namespace

index_span items_of_chunks(std::size_t size, std::size_t items_per_unit, std::size_t start, std::size_t end,
                           std::size_t chunks) noexcept {
  const std::size_t units = size / items_per_unit + (size % items_per_unit != 0 ? 1 : 0);
  const std::size_t from = std::min(size, first_unit(units, chunks, start) * items_per_unit);
  const std::size_t to = std::min(size, first_unit(units, chunks, end + 1) * items_per_unit);
  return {from, to - from};
}

}  // namespace pure::core
