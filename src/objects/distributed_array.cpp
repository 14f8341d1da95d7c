// Distributed arrays as datatypes (MPI 5.0, 5.1.4).
#include <fmt/core.h>

#include <algorithm>

#include "comm/point_to_point.hpp"
#include "objects/datatype_constructors.hpp"

namespace pure::core {

namespace {

/// What one process has of a dimension: `blocks` of `length` elements, each `step` after the one before, the first at
/// `first`, and then `rest` elements of one more.
struct owned_elements {
  std::int64_t first = 0, length = 0, step = 0, blocks = 0, rest = 0;

  [[nodiscard]] std::int64_t count() const noexcept { return blocks * length + rest; }
};

owned_elements elements_of(const distributed_dimension& of, std::int64_t process) {
  if (of.kind == distribution::none) return {0, of.size, of.size, 1, 0};
  const bool is_block = of.kind == distribution::block;
  const std::int64_t equal = (of.size + of.processes - 1) / of.processes;
  const std::int64_t length = of.block != 0 ? of.block : is_block ? equal : 1;
  const std::int64_t first = length * process;
  const std::int64_t left = std::max<std::int64_t>(of.size - first, 0);
  if (is_block) return {first, std::min(length, left), of.size, 1, 0};
  const std::int64_t step = length * of.processes;
  return {first, length, step, left / step + (left % step >= length ? 1 : 0), left % step >= length ? 0 : left % step};
}

}  // namespace

datatype datatype_constructors::distributed_array(std::int64_t size, std::int64_t rank,
                                                  std::span<const distributed_dimension> dimensions, array_order order,
                                                  const datatype& element) const {
  const auto wrong = [&](const std::string& text) { throw_bad_argument(world_, by_, errc::argument, text); };
  std::int64_t processes = 1;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const distributed_dimension& each = dimensions[d];
    if (each.size < 1 || each.processes < 1 || each.block < 0) {
      wrong(fmt::format("dimension {}: {} elements in blocks of {} for {} processes", d, each.size, each.block,
                        each.processes));
    }
    if (each.kind == distribution::none && each.processes != 1)
      wrong(fmt::format("dimension {} is not distributed, and so for 1 process, not {}", d, each.processes));
    if (each.kind == distribution::block && each.block != 0 && each.block * each.processes < each.size) {
      wrong(fmt::format("dimension {}: {} blocks of {} elements are less than its {}", d, each.processes, each.block,
                        each.size));
    }
    processes *= each.processes;
  }
  if (processes != size) wrong(fmt::format("the grid has {} processes, and not {}", processes, size));
  if (rank < 0 || rank >= size) wrong(fmt::format("there is no process {} of {}", rank, size));

  return within_limits([&] {
    std::vector<std::int64_t> process(dimensions.size());
    for (std::size_t d = dimensions.size(); d-- > 0; rank /= dimensions[d].processes)
      process[d] = rank % dimensions[d].processes;
    layout part = *element.form;
    std::ptrdiff_t whole = part.extent();  // of all dimensions so far
    std::ptrdiff_t first = 0;
    std::uint64_t elements = 1;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {  // the one that runs fastest comes first
      const std::size_t d = order == array_order::last_dimension ? dimensions.size() - 1 - i : i;
      const owned_elements own = elements_of(dimensions[d], process[d]);
      const layout block = part.repeated(static_cast<std::size_t>(own.length), whole);
      const layout blocks = block.repeated(static_cast<std::size_t>(own.blocks), in_bytes(own.step, whole));
      const layout rest = part.repeated(static_cast<std::size_t>(own.rest), whole);
      const layout::part both[] = {{0, &blocks}, {in_bytes(own.step * own.blocks, whole), &rest}};
      part = own.rest == 0 ? blocks : layout::joined(both);
      if (own.count() > 0) first += in_bytes(own.first, whole);
      elements *= static_cast<std::uint64_t>(own.count());
      whole = in_bytes(dimensions[d].size, whole);
    }
    const layout::part moved[] = {{first, &part}};
    return datatype(layout::joined(moved).resized(0, whole), element.code,
                    type_signature::repeated(elements, element.signature));
  });
}

}  // namespace pure::core
