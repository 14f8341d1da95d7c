#include "objects/datatype_constructors.hpp"

#include <fmt/core.h>

#include "comm/point_to_point.hpp"

namespace pure::core {

void datatype_constructors::throw_too_large(const std::length_error& why) const {
  throw_bad_argument(world_, by_, errc::argument, why.what());
}

std::size_t datatype_constructors::checked_count(const char* what, std::int64_t count) const {
  if (count < 0) throw_bad_argument(world_, by_, errc::count, fmt::format("the {} {} is negative", what, count));
  return static_cast<std::size_t>(count);
}

layout datatype_constructors::row_of(const layout& element, std::int64_t length) const {
  return element.repeated(checked_count("block length", length), element.extent());
}

std::ptrdiff_t datatype_constructors::in_bytes(std::int64_t elements, std::ptrdiff_t unit) const {
  std::ptrdiff_t bytes = 0;
  if (__builtin_mul_overflow(elements, unit, &bytes)) {
    throw_bad_argument(world_, by_, errc::argument, fmt::format("{} elements of {} bytes are too far", elements, unit));
  }
  return bytes;
}

datatype datatype_constructors::contiguous(std::int64_t count, const datatype& element) const {
  return within_limits([&] {
    const layout& form = *element.form;
    const std::size_t copies = checked_count("count", count);
    return datatype(form.repeated(copies, form.extent()), element.code,
                    type_signature::repeated(copies, element.signature));
  });
}

datatype datatype_constructors::vector(std::int64_t count, std::int64_t block_length, std::int64_t stride,
                                       const datatype& element) const {
  return hvector(count, block_length, in_bytes(stride, element.form->extent()), element);
}

datatype datatype_constructors::hvector(std::int64_t count, std::int64_t block_length, std::ptrdiff_t stride_bytes,
                                        const datatype& element) const {
  return within_limits([&] {
    const layout block = row_of(*element.form, block_length);
    const std::size_t copies = checked_count("count", count);
    return datatype(block.repeated(copies, stride_bytes), element.code,
                    type_signature::repeated(copies * static_cast<std::size_t>(block_length), element.signature));
  });
}

datatype datatype_constructors::subarray(std::span<const std::int64_t> sizes, std::span<const std::int64_t> subsizes,
                                         std::span<const std::int64_t> starts, array_order order,
                                         const datatype& element) const {
  return within_limits([&] {
    layout part = *element.form;
    std::ptrdiff_t whole = part.extent();  // of all dimensions so far
    std::ptrdiff_t first = 0;
    std::uint64_t elements = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i) {  // the one that runs fastest comes first
      const std::size_t d = order == array_order::last_dimension ? sizes.size() - 1 - i : i;
      if (subsizes[d] < 1 || starts[d] < 0 || starts[d] > sizes[d] - subsizes[d]) {
        throw_bad_argument(
            world_, by_, errc::argument,
            fmt::format("dimension {}: {} elements from {} on are no part of {}", d, subsizes[d], starts[d], sizes[d]));
      }
      part = part.repeated(static_cast<std::size_t>(subsizes[d]), whole);
      first += in_bytes(starts[d], whole);
      elements *= static_cast<std::uint64_t>(subsizes[d]);
      whole = in_bytes(sizes[d], whole);
    }
    const layout::part moved[] = {{first, &part}};
    return datatype(layout::joined(moved).resized(0, whole), element.code,
                    type_signature::repeated(elements, element.signature));
  });
}

datatype datatype_constructors::resized(std::ptrdiff_t lower_bound, std::ptrdiff_t extent,
                                        const datatype& element) const {
  return within_limits(
      [&] { return datatype(element.form->resized(lower_bound, extent), element.code, element.signature); });
}

}  // namespace pure::core
