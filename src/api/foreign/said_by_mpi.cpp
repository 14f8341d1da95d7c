// Answers of MPI about itself, its own objects, and how a datatype was made: numbers of this interface.
#include "api/foreign/entry.hpp"

namespace pure::foreign {

[[noreturn]] void end_without_memory() { std::abort(); }

std::int64_t ranks_of(comm_handle comm) {
  int ranks = 0;
  if (pure_core_mpi_is_communicator(comm) != 0) pure_MPI_Comm_size(comm, &ranks);
  return ranks;
}

degrees degrees_of(comm_handle comm) {
  int topology = constants::undefined;
  if (pure_core_mpi_is_communicator(comm) == 0 || pure_MPI_Topo_test(comm, &topology) != constants::success) return {};
  int in = 0, out = 0, rank = 0, is_weighted = 0;
  switch (topology) {
    case constants::cart: pure_MPI_Cartdim_get(comm, &in); return {2 * in, 2 * in};
    case constants::graph:
      pure_MPI_Comm_rank(comm, &rank);
      pure_MPI_Graph_neighbors_count(comm, rank, &in);
      return {in, in};
    case constants::dist_graph: pure_MPI_Dist_graph_neighbors_count(comm, &in, &out, &is_weighted); return {in, out};
    default: return {};
  }
}

namespace {

#ifdef PURE_FOREIGN_MPICH
constexpr int this_door = 1;
#else
constexpr int this_door = 0;
#endif

// ---- attributes that are constants of this interface; programs get their addresses ----

const void* own_value(int key, const void* in_core) {
  static const int any = MPI_ANY_SOURCE, none = MPI_PROC_NULL, unified = MPI_WIN_UNIFIED, separate = MPI_WIN_SEPARATE;
  static const int flavors[] = {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_DYNAMIC,
                                MPI_WIN_FLAVOR_SHARED};
  const auto value = [&] { return *static_cast<const int*>(in_core); };
  switch (key) {
    case constants::io: return value() == constants::any_source ? &any : in_core;
    case constants::host: return value() == constants::proc_null ? &none : in_core;
    case constants::lastusedcode: {  // no constant: it is the rank's, of which several may have this door
      int& last_code = *pure_core_mpi_place_of_last_code(this_door);
      last_code = code_out(value());
      return &last_code;
    }
    case constants::win_create_flavor: return &flavors[value() - constants::win_flavor_create];
    case constants::win_model: return value() == constants::win_unified ? &unified : &separate;
    default: return in_core;
  }
}
static_assert(constants::win_flavor_shared - constants::win_flavor_create == 3);

int give_attribute(int code, int key, void* attribute_val, const int* flag) {
  if (code != constants::success) return code_out(code);
  if (*flag != 0) {
    const void* in_core = nullptr;
    std::memcpy(&in_core, attribute_val, sizeof in_core);
    const void* const here = own_value(key, in_core);
    std::memcpy(attribute_val, &here, sizeof here);
  }
  return MPI_SUCCESS;
}

// ---- the integers of a datatype's contents (5.1.13): orders and distributions are constants ----

void convert_contents(int combiner, int* integers) {
  if (combiner == constants::combiner_subarray) {
    const int dimensions = integers[0];
    convert(integers + 1 + 3 * dimensions, 1, order_out);
  } else if (combiner == constants::combiner_darray) {
    const int dimensions = integers[2];
    convert(integers + 3 + dimensions, dimensions, distribution_out);
    convert(integers + 3 + 2 * dimensions, dimensions, distribution_argument_out);
    convert(integers + 3 + 4 * dimensions, 1, order_out);
  }
}
/// With large counts the sizes are no integers.
void convert_large_contents(int combiner, std::int64_t large_counts, int* integers) {
  if (large_counts == 0) return convert_contents(combiner, integers);
  if (combiner == constants::combiner_subarray) {
    convert(integers + 1, 1, order_out);
  } else if (combiner == constants::combiner_darray) {
    const int dimensions = integers[2];
    convert(integers + 3, dimensions, distribution_out);
    convert(integers + 3 + dimensions, dimensions, distribution_argument_out);
    convert(integers + 3 + 3 * dimensions, 1, order_out);
  }
}

}  // namespace

}  // namespace pure::foreign

using namespace pure::foreign;

extern "C" {

/// By which it is told from the library whose name it has (loader/mpi_libraries.hpp).
__attribute__((visibility("default"))) extern const char pure_foreign_door[];
const char pure_foreign_door[] = "a door of Pure";

int PMPI_Get_version(int* version, int* subversion) {
  called_from(__builtin_return_address(0));
  const int code = pure_MPI_Get_version(version, subversion);
  if (code != constants::success) return code_out(code);
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}
PURE_FOREIGN_NAME(MPI_Get_version);

/// The code is the status of the job, which is the program's.
int PMPI_Abort(MPI_Comm comm, int errorcode) {
  called_from(__builtin_return_address(0));
  return code_out(pure_MPI_Abort(comm_in(comm), errorcode));
}
PURE_FOREIGN_NAME(MPI_Abort);

int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void* attribute_val, int* flag) {
  called_from(__builtin_return_address(0));
  const int key = keyval_in(keyval);
  return give_attribute(pure_MPI_Comm_get_attr(comm_in(comm), key, attribute_val, flag), key, attribute_val, flag);
}
PURE_FOREIGN_NAME(MPI_Comm_get_attr);

int PMPI_Attr_get(MPI_Comm comm, int keyval, void* attribute_val, int* flag) {
  called_from(__builtin_return_address(0));
  const int key = keyval_in(keyval);
  return give_attribute(pure_MPI_Attr_get(comm_in(comm), key, attribute_val, flag), key, attribute_val, flag);
}
PURE_FOREIGN_NAME(MPI_Attr_get);

int PMPI_Win_get_attr(MPI_Win win, int keyval, void* attribute_val, int* flag) {
  called_from(__builtin_return_address(0));
  const int key = keyval_in(keyval);
  return give_attribute(pure_MPI_Win_get_attr(win_in(win), key, attribute_val, flag), key, attribute_val, flag);
}
PURE_FOREIGN_NAME(MPI_Win_get_attr);

int PMPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
                           int integers[], MPI_Aint addresses[], MPI_Datatype datatypes[]) {
  made_handles<type_handle, MPI_Datatype, type_in, type_out> types(datatypes, max_datatypes);
  const type_handle type = type_in(datatype);
  called_from(__builtin_return_address(0));
  const int code = pure_MPI_Type_get_contents(type, max_integers, max_addresses, max_datatypes, integers, addresses,
                                              types.place());
  if (code != constants::success) return code_out(code);
  types.give();
  int counts[3], combiner = constants::combiner_named;
  pure_MPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &combiner);
  convert_contents(combiner, integers);
  return MPI_SUCCESS;
}
PURE_FOREIGN_NAME(MPI_Type_get_contents);

int PMPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                             MPI_Count max_large_counts, MPI_Count max_datatypes, int integers[], MPI_Aint addresses[],
                             MPI_Count large_counts[], MPI_Datatype datatypes[]) {
  made_handles<type_handle, MPI_Datatype, type_in, type_out> types(datatypes, max_datatypes);
  const type_handle type = type_in(datatype);
  called_from(__builtin_return_address(0));
  const int code = pure_MPI_Type_get_contents_c(type, max_integers, max_addresses, max_large_counts, max_datatypes,
                                                integers, addresses, large_counts, types.place());
  if (code != constants::success) return code_out(code);
  types.give();
  MPI_Count counts[4];
  int combiner = constants::combiner_named;
  pure_MPI_Type_get_envelope_c(type, &counts[0], &counts[1], &counts[2], &counts[3], &combiner);
  convert_large_contents(combiner, counts[2], integers);
  return MPI_SUCCESS;
}
PURE_FOREIGN_NAME(MPI_Type_get_contents_c);

}  // extern "C"
