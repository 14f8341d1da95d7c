// Derived datatypes: how they are made, their bounds (MPI 5.0, 5.1).
#include <fmt/core.h>

#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "api/mpi/bodies.hpp"
#include "api/mpi/type_record.hpp"
#include "api/mpi/types.hpp"
#include "objects/datatype_constructors.hpp"
#include "runtime/call_error.hpp"

namespace pure::core::mpi {

namespace {

void give_type(const call& by, datatype made, type_contents how, type_handle* newtype) {
  made.contents = std::make_shared<const type_contents>(std::move(how));
  made.name.clear();
  made.is_committed = false;
  *newtype = name_of_object<type_handle>(rank_objects::of(rank_here(by)).types.add(std::move(made)));
}

/// make(element), also of its pairs with the gaps inside them.
template <class Make>
datatype made_of(const datatype& element, Make make) {
  datatype made = make(element);
  if (element.whole != nullptr) made.whole = std::make_shared<const datatype>(make(*element.whole));
  return made;
}

array_order order_of(const call& by, int order) {
  if (order == constants::order_c) return array_order::last_dimension;
  if (order == constants::order_fortran) return array_order::first_dimension;
  throw_wrong_call(by, errc::argument, fmt::format("{} is no array order", order));
}

void check_dimensions(const call& by, int ndims) {
  if (ndims < 1) throw_wrong_call(by, errc::argument, fmt::format("an array has no {} dimensions", ndims));
}

}  // namespace

void bodies::Type_contiguous(const call& by, MPI_Count count, type_handle oldtype, type_handle* newtype,
                             call_form form) {
  const datatype& element = type_of(by, oldtype, "oldtype");
  give_type(by,
            made_of(element,
                    [&](const datatype& of) { return datatype_constructors(world_of(by), by).contiguous(count, of); }),
            type_record(type_combiner::contiguous, form).count(count).type(oldtype, element).done(), newtype);
}

void bodies::Type_vector(const call& by, MPI_Count count, MPI_Count blocklength, MPI_Count stride, type_handle oldtype,
                         type_handle* newtype, call_form form) {
  const datatype& element = type_of(by, oldtype, "oldtype");
  give_type(by,
            made_of(element,
                    [&](const datatype& of) {
                      return datatype_constructors(world_of(by), by).vector(count, blocklength, stride, of);
                    }),
            type_record(type_combiner::vector, form)
                .count(count)
                .count(blocklength)
                .count(stride)
                .type(oldtype, element)
                .done(),
            newtype);
}

void bodies::Type_create_hvector(const call& by, MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                                 type_handle oldtype, type_handle* newtype, call_form form) {
  const datatype& element = type_of(by, oldtype, "oldtype");
  give_type(by,
            made_of(element,
                    [&](const datatype& of) {
                      return datatype_constructors(world_of(by), by).hvector(count, blocklength, stride, of);
                    }),
            type_record(type_combiner::hvector, form)
                .count(count)
                .count(blocklength)
                .address(stride)
                .type(oldtype, element)
                .done(),
            newtype);
}

namespace {

/// The four constructors of blocks at displacements, which differ in whether these are bytes, and in `record_lengths`.
template <class Length, class RecordLengths>
void give_indexed(const call& by, type_combiner combiner, bool are_bytes, std::int64_t count, Length length,
                  RecordLengths record_lengths, number_array displacements, type_handle oldtype, type_handle* newtype,
                  call_form form) {
  const datatype& element = type_of(by, oldtype, "oldtype");
  const auto displacement = [&](std::size_t i) { return displacements[i]; };
  const auto make = [&](const datatype& of) {
    const datatype_constructors all(world_of(by), by);
    return are_bytes ? all.hindexed(count, length, displacement, of) : all.indexed(count, length, displacement, of);
  };
  datatype made = made_of(element, make);  // before what it is made from is noted: it finds a count that is wrong
  type_record record(combiner, form);
  record_lengths(record.count(count));
  are_bytes ? record.addresses(displacements, count) : record.counts(displacements, count);
  give_type(by, std::move(made), record.type(oldtype, element).done(), newtype);
}

void give_blocks(const call& by, type_combiner combiner, bool are_bytes, std::int64_t count, number_array lengths,
                 number_array displacements, type_handle oldtype, type_handle* newtype, call_form form) {
  give_indexed(
      by, combiner, are_bytes, count, [&](std::size_t i) { return lengths[i]; },
      [&](type_record& record) { record.counts(lengths, count); }, displacements, oldtype, newtype, form);
}

void give_equal_blocks(const call& by, type_combiner combiner, bool are_bytes, std::int64_t count, std::int64_t length,
                       number_array displacements, type_handle oldtype, type_handle* newtype, call_form form) {
  give_indexed(
      by, combiner, are_bytes, count, [&](std::size_t) { return length; },
      [&](type_record& record) { record.count(length); }, displacements, oldtype, newtype, form);
}

}  // namespace

void bodies::Type_indexed(const call& by, MPI_Count count, number_array array_of_blocklengths,
                          number_array array_of_displacements, type_handle oldtype, type_handle* newtype,
                          call_form form) {
  give_blocks(by, type_combiner::indexed, false, count, array_of_blocklengths, array_of_displacements, oldtype, newtype,
              form);
}

void bodies::Type_create_hindexed(const call& by, MPI_Count count, number_array array_of_blocklengths,
                                  number_array array_of_displacements, type_handle oldtype, type_handle* newtype,
                                  call_form form) {
  give_blocks(by, type_combiner::hindexed, true, count, array_of_blocklengths, array_of_displacements, oldtype, newtype,
              form);
}

void bodies::Type_create_indexed_block(const call& by, MPI_Count count, MPI_Count blocklength,
                                       number_array array_of_displacements, type_handle oldtype, type_handle* newtype,
                                       call_form form) {
  give_equal_blocks(by, type_combiner::indexed_block, false, count, blocklength, array_of_displacements, oldtype,
                    newtype, form);
}

void bodies::Type_create_hindexed_block(const call& by, MPI_Count count, MPI_Count blocklength,
                                        number_array array_of_displacements, type_handle oldtype, type_handle* newtype,
                                        call_form form) {
  give_equal_blocks(by, type_combiner::hindexed_block, true, count, blocklength, array_of_displacements, oldtype,
                    newtype, form);
}

void bodies::Type_create_struct(const call& by, MPI_Count count, number_array array_of_blocklengths,
                                number_array array_of_displacements, const type_handle array_of_types[],
                                type_handle* newtype, call_form form) {
  const auto element = [&](std::size_t i) -> const datatype& {
    return type_of(by, array_of_types[i], "array_of_types");
  };
  bool has_pairs = false;
  const auto make = [&](auto element_of) {
    return datatype_constructors(world_of(by), by)
        .structure(
            count, [&](std::size_t i) { return array_of_blocklengths[i]; },
            [&](std::size_t i) { return array_of_displacements[i]; }, element_of);
  };
  datatype made = make([&](std::size_t i) -> const datatype& {
    const datatype& of = element(i);
    has_pairs = has_pairs || of.whole != nullptr;
    return of;
  });
  if (has_pairs) {
    made.whole = std::make_shared<const datatype>(make([&](std::size_t i) -> const datatype& {
      const datatype& of = element(i);
      return of.whole != nullptr ? *of.whole : of;
    }));
  }
  type_record record(type_combiner::structure, form);
  record.count(count).counts(array_of_blocklengths, count).addresses(array_of_displacements, count);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) record.type(array_of_types[i], element(i));
  give_type(by, std::move(made), record.done(), newtype);
}

void bodies::Type_create_subarray(const call& by, int ndims, number_array array_of_sizes,
                                  number_array array_of_subsizes, number_array array_of_starts, int order,
                                  type_handle oldtype, type_handle* newtype, call_form form) {
  check_dimensions(by, ndims);
  const datatype& element = type_of(by, oldtype, "oldtype");
  const auto n = static_cast<std::size_t>(ndims);
  const auto sizes = copied(array_of_sizes, n), subsizes = copied(array_of_subsizes, n),
             starts = copied(array_of_starts, n);
  give_type(
      by,
      made_of(
          element,
          [&](const datatype& of) {
            return datatype_constructors(world_of(by), by).subarray(sizes, subsizes, starts, order_of(by, order), of);
          }),
      type_record(type_combiner::subarray, form)
          .number(ndims)
          .counts(array_of_sizes, ndims)
          .counts(array_of_subsizes, ndims)
          .counts(array_of_starts, ndims)
          .number(order)
          .type(oldtype, element)
          .done(),
      newtype);
}

namespace {

distributed_dimension dimension_of(const call& by, std::int64_t size, int distrib, int darg, int psize) {
  distributed_dimension made{size, distribution::none, darg == constants::distribute_dflt_darg ? 0 : darg, psize};
  if (distrib == constants::distribute_block || distrib == constants::distribute_cyclic) {
    made.kind = distrib == constants::distribute_block ? distribution::block : distribution::cyclic;
    if (darg != constants::distribute_dflt_darg && darg < 1)
      throw_wrong_call(by, errc::argument, fmt::format("blocks have no {} elements", darg));
  } else if (distrib == constants::distribute_none) {
    made.block = 0;
  } else {
    throw_wrong_call(by, errc::argument, fmt::format("{} is no distribution", distrib));
  }
  return made;
}

}  // namespace

void bodies::Type_create_darray(const call& by, int size, int rank, int ndims, number_array array_of_gsizes,
                                const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[],
                                int order, type_handle oldtype, type_handle* newtype, call_form form) {
  check_dimensions(by, ndims);
  const datatype& element = type_of(by, oldtype, "oldtype");
  std::vector<distributed_dimension> dimensions;
  for (std::size_t d = 0; d < static_cast<std::size_t>(ndims); ++d) {
    dimensions.push_back(
        dimension_of(by, array_of_gsizes[d], array_of_distribs[d], array_of_dargs[d], array_of_psizes[d]));
  }
  give_type(by,
            made_of(element,
                    [&](const datatype& of) {
                      return datatype_constructors(world_of(by), by)
                          .distributed_array(size, rank, dimensions, order_of(by, order), of);
                    }),
            type_record(type_combiner::darray, form)
                .number(size)
                .number(rank)
                .number(ndims)
                .counts(array_of_gsizes, ndims)
                .numbers(array_of_distribs, ndims)
                .numbers(array_of_dargs, ndims)
                .numbers(array_of_psizes, ndims)
                .number(order)
                .type(oldtype, element)
                .done(),
            newtype);
}

void bodies::Type_create_resized(const call& by, type_handle oldtype, MPI_Count lb, MPI_Count extent,
                                 type_handle* newtype, call_form form) {
  const datatype& element = type_of(by, oldtype, "oldtype");
  give_type(
      by,
      made_of(element,
              [&](const datatype& of) { return datatype_constructors(world_of(by), by).resized(lb, extent, of); }),
      type_record(type_combiner::resized, form).address(lb).address(extent).type(oldtype, element).done(), newtype);
}

void bodies::Type_dup(const call& by, type_handle oldtype, type_handle* newtype) {
  const datatype& old = type_of(by, oldtype, "oldtype");
  const bool is_committed = old.is_committed;
  give_type(by, old, type_record(type_combiner::dup, call_form::small).type(oldtype, old).done(), newtype);
  made_type_of(by, *newtype, "newtype").is_committed = is_committed;
  int key = 0;
  attribute_table& attributes = rank_objects::of(rank_here(by)).of_types;
  if (const int code = attributes.copy_all(oldtype.value, newtype->value, key); code != constants::success) {
    static_cast<void>(attributes.remove_all(newtype->value, key));
    rank_objects::of(rank_here(by)).types.free(core_handle(*newtype));
    *newtype = constants::datatype_null;
    throw_error(by, code, fmt::format("the function that copies attribute {} has returned {}", key, code));
  }
}

void bodies::Type_commit(const call& by, type_handle* datatype) {
  if (!type_of(by, *datatype, "datatype").is_committed) made_type_of(by, *datatype, "datatype").is_committed = true;
}

void bodies::Type_free(const call& by, type_handle* datatype) {
  made_type_of(by, *datatype, "datatype");
  rank_objects& objects = rank_objects::of(rank_here(by));
  int key = 0;
  if (const int code = objects.of_types.remove_all(datatype->value, key); code != constants::success)
    throw_error(by, code, fmt::format("the function that deletes attribute {} has returned {}", key, code));
  objects.types.free(core_handle(*datatype));
  *datatype = constants::datatype_null;
}

// ---- sizes and bounds ----

void bodies::Type_size(const call& by, type_handle datatype, MPI_Count* size) {
  *size = static_cast<MPI_Count>(type_of(by, datatype, "datatype").form->bytes());
}
void bodies::Type_size_x(const call& by, type_handle datatype, MPI_Count* size) { Type_size(by, datatype, size); }

void bodies::Type_get_extent(const call& by, type_handle datatype, MPI_Count* lb, MPI_Count* extent) {
  const layout& form = *type_of(by, datatype, "datatype").form;
  *lb = form.lower_bound();
  *extent = form.extent();
}
void bodies::Type_get_extent_x(const call& by, type_handle datatype, MPI_Count* lb, MPI_Count* extent) {
  Type_get_extent(by, datatype, lb, extent);
}

void bodies::Type_get_true_extent(const call& by, type_handle datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  const layout& form = *type_of(by, datatype, "datatype").form;
  *true_lb = form.true_lower_bound();
  *true_extent = form.true_upper_bound() - form.true_lower_bound();
}
void bodies::Type_get_true_extent_x(const call& by, type_handle datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  Type_get_true_extent(by, datatype, true_lb, true_extent);
}

void bodies::Get_address(const call&, const void* location, MPI_Aint* address) {
  *address = static_cast<MPI_Aint>(reinterpret_cast<std::uintptr_t>(location));
}

// ---- names of MPI-1 ----

void bodies::Address(const call& by, const void* location, MPI_Aint* address) { Get_address(by, location, address); }

void bodies::Type_extent(const call& by, type_handle datatype, MPI_Aint* extent) {
  *extent = type_of(by, datatype, "datatype").form->extent();
}
void bodies::Type_lb(const call& by, type_handle datatype, MPI_Aint* displacement) {
  *displacement = type_of(by, datatype, "datatype").form->lower_bound();
}
void bodies::Type_ub(const call& by, type_handle datatype, MPI_Aint* displacement) {
  const layout& form = *type_of(by, datatype, "datatype").form;
  *displacement = form.lower_bound() + form.extent();
}
void bodies::Type_hvector(const call& by, int count, int blocklength, MPI_Aint stride, type_handle oldtype,
                          type_handle* newtype) {
  Type_create_hvector(by, count, blocklength, stride, oldtype, newtype, call_form::small);
}
void bodies::Type_hindexed(const call& by, int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
                           type_handle oldtype, type_handle* newtype) {
  Type_create_hindexed(by, count, array_of_blocklengths, array_of_displacements, oldtype, newtype, call_form::small);
}
void bodies::Type_struct(const call& by, int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
                         type_handle array_of_types[], type_handle* newtype) {
  Type_create_struct(by, count, array_of_blocklengths, array_of_displacements, array_of_types, newtype,
                     call_form::small);
}

}  // namespace pure::core::mpi
