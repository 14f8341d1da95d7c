// pure.h, derived datatypes: translates names and arrays, forwards to objects/datatype_constructors.hpp.
#include <pure.h>

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "api/c/door.hpp"
#include "api/c/types.hpp"
#include "objects/datatype_constructors.hpp"

using pure::errc;
using namespace pure::core;

namespace {

/// What the functions that make a type share: make(constructors, world, by) makes it.
template <class Make>
int make_type(const char* name, pure_datatype* new_type, const pure_call_site& site, Make make) {
  const call by{name, site};
  return c_door(name, [&] {
    const communicator& world = world_of(by);
    require(world, by, new_type, "new_type");
    const datatype_constructors constructors(world, by);
    *new_type = static_cast<pure_datatype>(rank_objects::of(world.owner()).types.add(make(constructors, world, by)));
  });
}

/// A type that is made of one other: make(constructors, element).
template <class Make>
int make_type_of(pure_datatype old_type, const char* name, pure_datatype* new_type, const pure_call_site& site,
                 Make make) {
  return make_type(name, new_type, site,
                   [&](const datatype_constructors& constructors, const communicator& world, const call& by) {
                     return make(constructors, datatype_of(world, by, old_type));
                   });
}

/// Refuses a null array of `count` numbers.
void require_numbers(const communicator& world, const call& by, std::int64_t count, const pure_number_array& numbers,
                     const char* name) {
  if (count > 0 && numbers.is_null()) throw_null(world, by, name);
}

/// A type of blocks whose lengths are at `lengths`, `lengths_step` apart: 0, if all have the same.
int make_indexed(const char* name, std::int64_t count, pure_number_array lengths, std::size_t lengths_step,
                 pure_number_array displacements, bool are_bytes, pure_datatype old_type, pure_datatype* new_type,
                 const pure_call_site& site) {
  return make_type(name, new_type, site,
                   [&](const datatype_constructors& constructors, const communicator& world, const call& by) {
                     require_numbers(world, by, count, displacements, "displacements");
                     require_numbers(world, by, count, lengths, "block_lengths");
                     const datatype& element = datatype_of(world, by, old_type);
                     const auto length = [&](std::size_t i) { return lengths[i * lengths_step]; };
                     const auto displacement = [&](std::size_t i) { return displacements[i]; };
                     return are_bytes ? constructors.hindexed(count, length, displacement, element)
                                      : constructors.indexed(count, length, displacement, element);
                   });
}

}  // namespace

int pure_type_contiguous(std::int64_t count, pure_datatype old_type, pure_datatype* new_type, pure_call_site site) {
  return make_type_of(old_type, "pure_type_contiguous", new_type, site,
                      [&](const datatype_constructors& constructors, const datatype& element) {
                        return constructors.contiguous(count, element);
                      });
}

int pure_type_vector(std::int64_t count, std::int64_t block_length, std::int64_t stride, pure_datatype old_type,
                     pure_datatype* new_type, pure_call_site site) {
  return make_type_of(old_type, "pure_type_vector", new_type, site,
                      [&](const datatype_constructors& constructors, const datatype& element) {
                        return constructors.vector(count, block_length, stride, element);
                      });
}

int pure_type_create_hvector(std::int64_t count, std::int64_t block_length, std::int64_t stride, pure_datatype old_type,
                             pure_datatype* new_type, pure_call_site site) {
  return make_type_of(old_type, "pure_type_create_hvector", new_type, site,
                      [&](const datatype_constructors& constructors, const datatype& element) {
                        return constructors.hvector(count, block_length, stride, element);
                      });
}

int pure_type_indexed(std::int64_t count, pure_number_array block_lengths, pure_number_array displacements,
                      pure_datatype old_type, pure_datatype* new_type, pure_call_site site) {
  return make_indexed("pure_type_indexed", count, block_lengths, 1, displacements, false, old_type, new_type, site);
}

int pure_type_create_hindexed(std::int64_t count, pure_number_array block_lengths, pure_number_array displacements,
                              pure_datatype old_type, pure_datatype* new_type, pure_call_site site) {
  return make_indexed("pure_type_create_hindexed", count, block_lengths, 1, displacements, true, old_type, new_type,
                      site);
}

int pure_type_create_indexed_block(std::int64_t count, std::int64_t block_length, pure_number_array displacements,
                                   pure_datatype old_type, pure_datatype* new_type, pure_call_site site) {
  return make_indexed("pure_type_create_indexed_block", count, &block_length, 0, displacements, false, old_type,
                      new_type, site);
}

int pure_type_create_struct(std::int64_t count, pure_number_array block_lengths, pure_number_array displacements,
                            const pure_datatype types[], pure_datatype* new_type, pure_call_site site) {
  return make_type("pure_type_create_struct", new_type, site,
                   [&](const datatype_constructors& constructors, const communicator& world, const call& by) {
                     require_numbers(world, by, count, block_lengths, "block_lengths");
                     require_numbers(world, by, count, displacements, "displacements");
                     if (count > 0) require(world, by, types, "types");
                     return constructors.structure(
                         count, [&](std::size_t i) { return block_lengths[i]; },
                         [&](std::size_t i) { return displacements[i]; },
                         [&](std::size_t i) -> const datatype& { return datatype_of(world, by, types[i]); });
                   });
}

int pure_type_create_subarray(int dimensions, pure_number_array sizes, pure_number_array subsizes,
                              pure_number_array starts, pure_array_order order, pure_datatype old_type,
                              pure_datatype* new_type, pure_call_site site) {
  return make_type(
      "pure_type_create_subarray", new_type, site,
      [&](const datatype_constructors& constructors, const communicator& world, const call& by) {
        if (dimensions < 1) {
          throw_bad_argument(world, by, errc::argument, fmt::format("an array has no {} dimensions", dimensions));
        }
        require_numbers(world, by, dimensions, sizes, "sizes");
        require_numbers(world, by, dimensions, subsizes, "subsizes");
        require_numbers(world, by, dimensions, starts, "starts");
        if (order != PURE_ORDER_C && order != PURE_ORDER_FORTRAN) {
          throw_bad_argument(world, by, errc::argument, fmt::format("{} is no array order", static_cast<int>(order)));
        }
        const auto all = [&](const pure_number_array& given) {
          std::vector<std::int64_t> numbers(static_cast<std::size_t>(dimensions));
          for (std::size_t d = 0; d < numbers.size(); ++d) numbers[d] = given[d];
          return numbers;
        };
        return constructors.subarray(all(sizes), all(subsizes), all(starts),
                                     order == PURE_ORDER_C ? array_order::last_dimension : array_order::first_dimension,
                                     datatype_of(world, by, old_type));
      });
}

int pure_type_create_resized(pure_datatype old_type, std::int64_t lower_bound, std::int64_t extent,
                             pure_datatype* new_type, pure_call_site site) {
  return make_type_of(old_type, "pure_type_create_resized", new_type, site,
                      [&](const datatype_constructors& constructors, const datatype& element) {
                        return constructors.resized(lower_bound, extent, element);
                      });
}

int pure_type_commit(pure_datatype* type, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const communicator& world = world_of(by);
    require(world, by, type, "type");
    static_cast<void>(datatype_of(world, by, *type));
  });
}

int pure_type_free(pure_datatype* type, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const communicator& world = world_of(by);
    require(world, by, type, "type");
    static_cast<void>(datatype_of(world, by, *type));
    if (!may_be_derived(*type) || *type == PURE_PACKED)
      throw_bad_argument(world, by, errc::type, "basic types cannot be freed");
    rank_objects::of(world.owner()).types.free(*type);
    *type = PURE_DATATYPE_NULL;
  });
}

int pure_type_get_extent(pure_datatype type, std::int64_t* lower_bound, std::int64_t* extent, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const communicator& world = world_of(by);
    require(world, by, lower_bound, "lower_bound");
    require(world, by, extent, "extent");
    const layout& form = *datatype_of(world, by, type).form;
    *lower_bound = form.lower_bound();
    *extent = form.extent();
  });
}

int pure_type_get_true_extent(pure_datatype type, std::int64_t* true_lower_bound, std::int64_t* true_extent,
                              pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const communicator& world = world_of(by);
    require(world, by, true_lower_bound, "true_lower_bound");
    require(world, by, true_extent, "true_extent");
    const layout& form = *datatype_of(world, by, type).form;
    *true_lower_bound = form.true_lower_bound();
    *true_extent = form.true_upper_bound() - form.true_lower_bound();
  });
}
