// How a datatype was made, and which predefined one has given properties (MPI 5.0, 5.1.13, 19.1.9 and 19.1.5).
#include <fmt/core.h>

#include <utility>

#include "api/mpi/bodies.hpp"
#include "api/mpi/type_record.hpp"
#include "api/mpi/types.hpp"
#include "runtime/call_error.hpp"

namespace pure::core::mpi {

namespace {

const type_contents& contents_of(const call& by, MPI_Datatype type) {
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

void give_types(const call& by, const type_contents& of, MPI_Datatype to[]) {
  for (std::size_t i = 0; i < of.types.size(); ++i) {
    const constituent_type& each = of.types[i];
    to[i] = name_of_object<MPI_Datatype>(
        each.derived == nullptr ? each.name : rank_objects::of(rank_here(by)).types.add(datatype(*each.derived)));
  }
}

const type_contents& made_contents_of(const call& by, MPI_Datatype type) {
  const type_contents& found = contents_of(by, type);
  // Types of MPI_Type_create_f90_real and its kin are predefined, too: their contents are their parameters.
  if (found.combiner == type_combiner::named)
    throw_wrong_call(by, errc::type, "the datatype is predefined: it has no contents");
  return found;
}

}  // namespace

void bodies::Type_get_envelope(const call& by, MPI_Datatype datatype, int* num_integers, int* num_addresses,
                               int* num_datatypes, int* combiner) {
  const type_contents& of = contents_of(by, datatype);
  if (!of.large_counts.empty())
    throw_wrong_call(by, errc::type, "the datatype was made with large counts: ask MPI_Type_get_envelope_c");
  *num_integers = static_cast<int>(of.integers.size());
  *num_addresses = static_cast<int>(of.addresses.size());
  *num_datatypes = static_cast<int>(of.types.size());
  *combiner = value_of(of.combiner);
}

void bodies::Type_get_envelope_c(const call& by, MPI_Datatype datatype, MPI_Count* num_integers,
                                 MPI_Count* num_addresses, MPI_Count* num_large_counts, MPI_Count* num_datatypes,
                                 int* combiner) {
  const type_contents& of = contents_of(by, datatype);
  *num_integers = static_cast<MPI_Count>(of.integers.size());
  *num_addresses = static_cast<MPI_Count>(of.addresses.size());
  *num_large_counts = static_cast<MPI_Count>(of.large_counts.size());
  *num_datatypes = static_cast<MPI_Count>(of.types.size());
  *combiner = value_of(of.combiner);
}

void bodies::Type_get_contents(const call& by, MPI_Datatype datatype, int max_integers, int max_addresses,
                               int max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[],
                               MPI_Datatype array_of_datatypes[]) {
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

void bodies::Type_get_contents_c(const call& by, MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                                 MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[],
                                 MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
                                 MPI_Datatype array_of_datatypes[]) {
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

void bodies::Type_match_size(const call& by, int typeclass, int size, MPI_Datatype* datatype) {
  struct sized {
    int size;
    MPI_Datatype type;
  };
  const sized integers[] = {
      {1, MPI_INTEGER1}, {2, MPI_INTEGER2}, {4, MPI_INTEGER4}, {8, MPI_INTEGER8}, {16, MPI_INTEGER16}};
  const sized reals[] = {{2, MPI_REAL2}, {4, MPI_REAL4}, {8, MPI_REAL8}, {16, MPI_REAL16}};
  const sized complexes[] = {{4, MPI_COMPLEX4}, {8, MPI_COMPLEX8}, {16, MPI_COMPLEX16}, {32, MPI_COMPLEX32}};
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

void bodies::Type_get_value_index(const call& by, MPI_Datatype value_type, MPI_Datatype index_type,
                                  MPI_Datatype* pair_type) {
  type_of(by, value_type, "value_type");
  type_of(by, index_type, "index_type");
  struct known_pair {
    MPI_Datatype value, index, pair;
  };
  const known_pair pairs[] = {
      {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},     {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
      {MPI_LONG, MPI_INT, MPI_LONG_INT},       {MPI_INT, MPI_INT, MPI_2INT},
      {MPI_SHORT, MPI_INT, MPI_SHORT_INT},     {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
      {MPI_REAL, MPI_REAL, MPI_2REAL},         {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
      {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER}};
  *pair_type = MPI_DATATYPE_NULL;
  for (const known_pair& each : pairs) {
    if (each.value == value_type && each.index == index_type) *pair_type = each.pair;
  }
}

}  // namespace pure::core::mpi
