// How a datatype was made, and which predefined one has given properties (MPI 5.0, 5.1.13, 19.1.9 and 19.1.5).
#include <fmt/core.h>

#include <utility>

#include "api/mpi/bodies.hpp"
#include "api/mpi/type_record.hpp"
#include "api/mpi/types.hpp"
#include "runtime/call_error.hpp"

namespace pure::core::mpi {

namespace {

const type_contents& contents_of(const call& by, type_handle type) {
  static const type_contents named;
  const datatype& of = type_of(by, type, "datatype");
  return of.contents == nullptr ? named : *of.contents;
}

/// The combiners are MPI's constants, one after the other.
static_assert(constants::combiner_named + static_cast<int>(type_combiner::value_index) ==
              constants::combiner_value_index);
static_assert(constants::combiner_named + static_cast<int>(type_combiner::darray) == constants::combiner_darray);
int value_of(type_combiner combiner) noexcept { return constants::combiner_named + static_cast<int>(combiner); }

void require_room(const call& by, std::int64_t room, std::size_t count, const char* what) {
  if (room < static_cast<std::int64_t>(count))
    throw_wrong_call(by, errc::argument, fmt::format("there is room for {} {}, but there are {}", room, what, count));
}

void give_types(const call& by, const type_contents& of, type_handle to[]) {
  for (std::size_t i = 0; i < of.types.size(); ++i) {
    const constituent_type& each = of.types[i];
    to[i] = name_of_object<type_handle>(
        each.derived == nullptr ? each.name : rank_objects::of(rank_here(by)).types.add(datatype(*each.derived)));
  }
}

const type_contents& made_contents_of(const call& by, type_handle type) {
  const type_contents& found = contents_of(by, type);
  // Types of MPI_Type_create_f90_real and its kin are predefined, too: their contents are their parameters.
  if (found.combiner == type_combiner::named)
    throw_wrong_call(by, errc::type, "the datatype is predefined: it has no contents");
  return found;
}

}  // namespace

void bodies::Type_get_envelope(const call& by, type_handle datatype, int* num_integers, int* num_addresses,
                               int* num_datatypes, int* combiner) {
  const type_contents& of = contents_of(by, datatype);
  if (!of.large_counts.empty())
    throw_wrong_call(by, errc::type, "the datatype was made with large counts: ask MPI_Type_get_envelope_c");
  *num_integers = static_cast<int>(of.integers.size());
  *num_addresses = static_cast<int>(of.addresses.size());
  *num_datatypes = static_cast<int>(of.types.size());
  *combiner = value_of(of.combiner);
}

void bodies::Type_get_envelope_c(const call& by, type_handle datatype, MPI_Count* num_integers,
                                 MPI_Count* num_addresses, MPI_Count* num_large_counts, MPI_Count* num_datatypes,
                                 int* combiner) {
  const type_contents& of = contents_of(by, datatype);
  *num_integers = static_cast<MPI_Count>(of.integers.size());
  *num_addresses = static_cast<MPI_Count>(of.addresses.size());
  *num_large_counts = static_cast<MPI_Count>(of.large_counts.size());
  *num_datatypes = static_cast<MPI_Count>(of.types.size());
  *combiner = value_of(of.combiner);
}

void bodies::Type_get_contents(const call& by, type_handle datatype, int max_integers, int max_addresses,
                               int max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[],
                               type_handle array_of_datatypes[]) {
  const type_contents& of = made_contents_of(by, datatype);
  if (!of.large_counts.empty())
    throw_wrong_call(by, errc::type, "the datatype was made with large counts: ask MPI_Type_get_contents_c");
  require_room(by, max_integers, of.integers.size(), "integers");
  require_room(by, max_addresses, of.addresses.size(), "addresses");
  require_room(by, max_datatypes, of.types.size(), "datatypes");
  for (std::size_t i = 0; i < of.integers.size(); ++i) array_of_integers[i] = static_cast<int>(of.integers[i]);
  for (std::size_t i = 0; i < of.addresses.size(); ++i) array_of_addresses[i] = of.addresses[i];
  give_types(by, of, array_of_datatypes);
}

void bodies::Type_get_contents_c(const call& by, type_handle datatype, MPI_Count max_integers, MPI_Count max_addresses,
                                 MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[],
                                 MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
                                 type_handle array_of_datatypes[]) {
  const type_contents& of = made_contents_of(by, datatype);
  require_room(by, max_integers, of.integers.size(), "integers");
  require_room(by, max_addresses, of.addresses.size(), "addresses");
  require_room(by, max_large_counts, of.large_counts.size(), "large counts");
  require_room(by, max_datatypes, of.types.size(), "datatypes");
  for (std::size_t i = 0; i < of.integers.size(); ++i) array_of_integers[i] = static_cast<int>(of.integers[i]);
  for (std::size_t i = 0; i < of.addresses.size(); ++i) array_of_addresses[i] = of.addresses[i];
  for (std::size_t i = 0; i < of.large_counts.size(); ++i) array_of_large_counts[i] = of.large_counts[i];
  give_types(by, of, array_of_datatypes);
}

// ---- predefined types by their properties ----

void bodies::Type_match_size(const call& by, int typeclass, int size, type_handle* datatype) {
  struct sized {
    int size;
    type_handle type;
  };
  const sized integers[] = {{1, constants::type_integer1},
                            {2, constants::type_integer2},
                            {4, constants::type_integer4},
                            {8, constants::type_integer8},
                            {16, constants::type_integer16}};
  const sized reals[] = {
      {2, constants::type_real2}, {4, constants::type_real4}, {8, constants::type_real8}, {16, constants::type_real16}};
  const sized complexes[] = {{4, constants::type_complex4},
                             {8, constants::type_complex8},
                             {16, constants::type_complex16},
                             {32, constants::type_complex32}};
  const auto find = [&](const auto& among) {
    for (const sized& each : among) {
      if (each.size == size) {
        *datatype = each.type;
        return;
      }
    }
    throw_wrong_call(by, errc::argument, fmt::format("no type of that class has {} bytes", size));
  };
  switch (typeclass) {
    case constants::typeclass_integer: return find(integers);
    case constants::typeclass_real: return find(reals);
    case constants::typeclass_complex: return find(complexes);
    default: throw_wrong_call(by, errc::argument, fmt::format("{} is no class of types", typeclass));
  }
}

void bodies::Type_get_value_index(const call& by, type_handle value_type, type_handle index_type,
                                  type_handle* pair_type) {
  type_of(by, value_type, "value_type");
  type_of(by, index_type, "index_type");
  struct known_pair {
    type_handle value, index, pair;
  };
  const known_pair pairs[] = {
      {constants::type_float, constants::type_int, constants::type_float_int},
      {constants::type_double, constants::type_int, constants::type_double_int},
      {constants::type_long, constants::type_int, constants::type_long_int},
      {constants::type_int, constants::type_int, constants::type_2int},
      {constants::type_short, constants::type_int, constants::type_short_int},
      {constants::type_long_double, constants::type_int, constants::type_long_double_int},
      {constants::type_real, constants::type_real, constants::type_2real},
      {constants::type_double_precision, constants::type_double_precision, constants::type_2double_precision},
      {constants::type_integer, constants::type_integer, constants::type_2integer}};
  *pair_type = constants::datatype_null;
  for (const known_pair& each : pairs) {
    if (each.value == value_type && each.index == index_type) *pair_type = each.pair;
  }
}

}  // namespace pure::core::mpi
