// pure.h, derived datatypes: how they are made, and the messages they describe.
#include "api/c/types.hpp"

#include <fmt/core.h>

#include <array>
#include <span>

#include "api/c/buffers.hpp"
#include "api/c/door.hpp"

namespace pure::core {

const layout& layout_of(const communicator& comm, const call& by, pure_datatype type) {
  static const auto basic = [] {
    std::array<layout, type_forms.size()> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = layout(type_forms[i].bytes, type_forms[i].alignment);
    return all;
  }();
  if (size_of_type(type) != 0) return basic[static_cast<std::size_t>(type)];
  const type_table::derived* const derived = c_door_state::of(comm.owner()).types.find(type);
  if (derived == nullptr) throw_bad_type(comm, by, type);
  return *derived->form;
}

unsigned code_of_derived(pure_datatype type) noexcept {
  rank_context* const rank = self();
  const type_table::derived* const derived = rank == nullptr ? nullptr : c_door_state::of(*rank).types.find(type);
  return derived == nullptr ? 0 : derived->code;
}

placed_message placed_at(const communicator& comm, const call& by, const void* buf, std::int64_t count,
                         pure_datatype type) {
  void* const base = const_cast<void*>(buf);  // the same for messages that are sent and that are received
  if (!may_be_derived(type)) return {base, bytes_at(comm, by, buf, count, type), {}};
  const layout& form = layout_of(comm, by, type);
  const std::size_t bytes = bytes_of(comm, by, count, form.bytes());
  require_buffer(comm, by, buf, bytes == 0 ? 0 : count);
  const bool is_row = form.is_contiguous() && form.extent() == static_cast<std::ptrdiff_t>(form.bytes());
  return {base, bytes, is_row ? nullptr : c_door_state::of(comm.owner()).types.find(type)->form};
}

}  // namespace pure::core

using pure::errc;
using namespace pure::core;

namespace {

/// Of elements of one type; 0: of several.
unsigned common_code(std::span<const pure_datatype> elements) {
  unsigned code = elements.empty() ? 0 : code_of(elements[0]);
  for (const pure_datatype each : elements) {
    if (code_of(each) != code) code = 0;
  }
  return code;
}

/// What the functions that make a type share: `describe` makes its layout. `elements`: of what types.
template <class Describe>
int make_type(const char* name, std::span<const pure_datatype> elements, pure_datatype* new_type,
              const pure_call_site& site, Describe describe) {
  const call by{name, site};
  return c_door(name, [&] {
    const communicator& world = world_of(by);
    require(world, by, new_type, "new_type");
    try {
      layout made = describe(world, by);
      *new_type = c_door_state::of(world.owner()).types.add(std::move(made), common_code(elements));
    } catch (const std::length_error& too_large) {
      throw_bad_argument(world, by, errc::argument, too_large.what());
    }
  });
}

std::size_t checked_count(const communicator& world, const call& by, const char* what, std::int64_t count) {
  if (count < 0) throw_bad_argument(world, by, errc::count, fmt::format("the {} {} is negative", what, count));
  return static_cast<std::size_t>(count);
}

layout row_of(const communicator& world, const call& by, const layout& element, std::int64_t length) {
  return element.repeated(checked_count(world, by, "block length", length), element.extent());
}

std::ptrdiff_t in_bytes(const communicator& world, const call& by, std::int64_t elements, std::ptrdiff_t unit) {
  std::ptrdiff_t bytes = 0;
  if (__builtin_mul_overflow(elements, unit, &bytes)) {
    throw_bad_argument(world, by, errc::argument, fmt::format("{} elements of {} bytes are too far", elements, unit));
  }
  return bytes;
}

layout vector_of(const communicator& world, const call& by, std::int64_t count, std::int64_t block_length,
                 std::ptrdiff_t stride_bytes, pure_datatype old_type) {
  const layout& element = layout_of(world, by, old_type);
  return row_of(world, by, element, block_length).repeated(checked_count(world, by, "count", count), stride_bytes);
}

/// Of `count` blocks; length(i), displacement(i) in units of `unit` bytes, and element(i) describe them.
template <class Length, class Displacement, class Element>
layout blocks_of(const communicator& world, const call& by, std::int64_t count, Length length,
                 Displacement displacement, Element element) {
  std::vector<layout> blocks(checked_count(world, by, "count", count));
  std::vector<layout::part> parts;
  parts.reserve(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i] = row_of(world, by, element(i), length(i));
    parts.push_back({displacement(i), &blocks[i]});
  }
  return layout::joined(parts);
}

/// Of blocks whose lengths are at `lengths`, `lengths_step` apart: 0, if all have the same.
int make_indexed(const char* name, std::int64_t count, const std::int64_t* lengths, std::size_t lengths_step,
                 const std::int64_t* displacements, bool are_bytes, pure_datatype old_type, pure_datatype* new_type,
                 const pure_call_site& site) {
  return make_type(name, {&old_type, 1}, new_type, site, [&](const communicator& world, const call& by) {
    if (count > 0) require(world, by, displacements, "displacements");
    if (count > 0) require(world, by, lengths, "block_lengths");
    const layout& element = layout_of(world, by, old_type);
    const std::ptrdiff_t unit = are_bytes ? 1 : element.extent();
    return blocks_of(
        world, by, count, [&](std::size_t i) { return lengths[i * lengths_step]; },
        [&](std::size_t i) { return in_bytes(world, by, displacements[i], unit); },
        [&](std::size_t) -> const layout& { return element; });
  });
}

}  // namespace

int pure_type_contiguous(std::int64_t count, pure_datatype old_type, pure_datatype* new_type, pure_call_site site) {
  return make_type("pure_type_contiguous", {&old_type, 1}, new_type, site,
                   [&](const communicator& world, const call& by) {
                     const layout& element = layout_of(world, by, old_type);
                     return element.repeated(checked_count(world, by, "count", count), element.extent());
                   });
}

int pure_type_vector(std::int64_t count, std::int64_t block_length, std::int64_t stride, pure_datatype old_type,
                     pure_datatype* new_type, pure_call_site site) {
  return make_type("pure_type_vector", {&old_type, 1}, new_type, site, [&](const communicator& world, const call& by) {
    const std::ptrdiff_t unit = layout_of(world, by, old_type).extent();
    return vector_of(world, by, count, block_length, in_bytes(world, by, stride, unit), old_type);
  });
}

int pure_type_create_hvector(std::int64_t count, std::int64_t block_length, std::int64_t stride, pure_datatype old_type,
                             pure_datatype* new_type, pure_call_site site) {
  return make_type("pure_type_create_hvector", {&old_type, 1}, new_type, site,
                   [&](const communicator& world, const call& by) {
                     return vector_of(world, by, count, block_length, stride, old_type);
                   });
}

int pure_type_indexed(std::int64_t count, const std::int64_t block_lengths[], const std::int64_t displacements[],
                      pure_datatype old_type, pure_datatype* new_type, pure_call_site site) {
  return make_indexed("pure_type_indexed", count, block_lengths, 1, displacements, false, old_type, new_type, site);
}

int pure_type_create_hindexed(std::int64_t count, const std::int64_t block_lengths[],
                              const std::int64_t displacements[], pure_datatype old_type, pure_datatype* new_type,
                              pure_call_site site) {
  return make_indexed("pure_type_create_hindexed", count, block_lengths, 1, displacements, true, old_type, new_type,
                      site);
}

int pure_type_create_indexed_block(std::int64_t count, std::int64_t block_length, const std::int64_t displacements[],
                                   pure_datatype old_type, pure_datatype* new_type, pure_call_site site) {
  return make_indexed("pure_type_create_indexed_block", count, &block_length, 0, displacements, false, old_type,
                      new_type, site);
}

int pure_type_create_struct(std::int64_t count, const std::int64_t block_lengths[], const std::int64_t displacements[],
                            const pure_datatype types[], pure_datatype* new_type, pure_call_site site) {
  return make_type("pure_type_create_struct",
                   types == nullptr || count < 1 ? std::span<const pure_datatype>()
                                                 : std::span(types, static_cast<std::size_t>(count)),
                   new_type, site, [&](const communicator& world, const call& by) {
                     if (count > 0) {
                       require(world, by, block_lengths, "block_lengths");
                       require(world, by, displacements, "displacements");
                       require(world, by, types, "types");
                     }
                     return blocks_of(
                         world, by, count, [&](std::size_t i) { return block_lengths[i]; },
                         [&](std::size_t i) { return displacements[i]; },
                         [&](std::size_t i) -> const layout& { return layout_of(world, by, types[i]); });
                   });
}

int pure_type_create_subarray(int dimensions, const std::int64_t sizes[], const std::int64_t subsizes[],
                              const std::int64_t starts[], pure_array_order order, pure_datatype old_type,
                              pure_datatype* new_type, pure_call_site site) {
  return make_type(
      "pure_type_create_subarray", {&old_type, 1}, new_type, site, [&](const communicator& world, const call& by) {
        if (dimensions < 1) {
          throw_bad_argument(world, by, errc::argument, fmt::format("an array has no {} dimensions", dimensions));
        }
        require(world, by, sizes, "sizes");
        require(world, by, subsizes, "subsizes");
        require(world, by, starts, "starts");
        if (order != PURE_ORDER_C && order != PURE_ORDER_FORTRAN) {
          throw_bad_argument(world, by, errc::argument, fmt::format("{} is no array order", static_cast<int>(order)));
        }
        layout part = layout_of(world, by, old_type);
        std::ptrdiff_t whole = part.extent();  // of all dimensions so far
        std::ptrdiff_t first = 0;
        for (int i = 0; i < dimensions; ++i) {  // the one that runs fastest comes first
          const int d = order == PURE_ORDER_C ? dimensions - 1 - i : i;
          if (subsizes[d] < 1 || starts[d] < 0 || starts[d] > sizes[d] - subsizes[d]) {
            throw_bad_argument(world, by, errc::argument,
                               fmt::format("dimension {}: {} elements from {} on are no part of {}", d, subsizes[d],
                                           starts[d], sizes[d]));
          }
          part = part.repeated(static_cast<std::size_t>(subsizes[d]), whole);
          first += in_bytes(world, by, starts[d], whole);
          whole = in_bytes(world, by, sizes[d], whole);
        }
        const layout::part moved[] = {{first, &part}};
        return layout::joined(moved).resized(0, whole);
      });
}

int pure_type_create_resized(pure_datatype old_type, std::int64_t lower_bound, std::int64_t extent,
                             pure_datatype* new_type, pure_call_site site) {
  return make_type("pure_type_create_resized", {&old_type, 1}, new_type, site,
                   [&](const communicator& world, const call& by) {
                     return layout_of(world, by, old_type).resized(lower_bound, extent);
                   });
}

int pure_type_commit(pure_datatype* type, pure_call_site site) {
  const call by{"pure_type_commit", site};
  return c_door([&] {
    const communicator& world = world_of(by);
    require(world, by, type, "type");
    static_cast<void>(layout_of(world, by, *type));
  });
}

int pure_type_free(pure_datatype* type, pure_call_site site) {
  const call by{"pure_type_free", site};
  return c_door([&] {
    const communicator& world = world_of(by);
    require(world, by, type, "type");
    static_cast<void>(layout_of(world, by, *type));
    if (!may_be_derived(*type)) throw_bad_argument(world, by, errc::type, "basic types cannot be freed");
    c_door_state::of(world.owner()).types.free(*type);
    *type = PURE_DATATYPE_NULL;
  });
}

int pure_type_get_extent(pure_datatype type, std::int64_t* lower_bound, std::int64_t* extent, pure_call_site site) {
  const call by{"pure_type_get_extent", site};
  return c_door([&] {
    const communicator& world = world_of(by);
    require(world, by, lower_bound, "lower_bound");
    require(world, by, extent, "extent");
    const layout& form = layout_of(world, by, type);
    *lower_bound = form.lower_bound();
    *extent = form.extent();
  });
}

int pure_type_get_true_extent(pure_datatype type, std::int64_t* true_lower_bound, std::int64_t* true_extent,
                              pure_call_site site) {
  const call by{"pure_type_get_true_extent", site};
  return c_door([&] {
    const communicator& world = world_of(by);
    require(world, by, true_lower_bound, "true_lower_bound");
    require(world, by, true_extent, "true_extent");
    const layout& form = layout_of(world, by, type);
    *true_lower_bound = form.true_lower_bound();
    *true_extent = form.true_upper_bound() - form.true_lower_bound();
  });
}
