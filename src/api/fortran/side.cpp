#include "api/fortran/side.hpp"

#include <cstring>

namespace pure::fortran {

void raise(const char* function, int error_class, const char* text, integer* ierror) {
  if (raise_in_pure() != nullptr) return give_error(ierror, raise_in_pure()(function, error_class, text));
  MPI_Comm_call_errhandler(MPI_COMM_SELF, error_class);
  give_error(ierror, error_class);
}

void end_without_memory() {
  if (raise_in_pure() != nullptr)
    raise_in_pure()("Fortran's side of MPI", MPI_ERR_NO_MEM, "there is no memory for what it has to convert");
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

// ---- lengths ----

int ranks_of(MPI_Comm comm) {
  int is_inter = 0, size = 0;
  if (MPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return 0;
  if (is_inter != 0)
    MPI_Comm_remote_size(comm, &size);
  else
    MPI_Comm_size(comm, &size);
  return size;
}

int dimensions_of(MPI_Comm comm) {
  int topology = MPI_UNDEFINED, dimensions = 0;
  if (MPI_Topo_test(comm, &topology) != MPI_SUCCESS || topology != MPI_CART) return 0;
  MPI_Cartdim_get(comm, &dimensions);
  return dimensions;
}

degrees degrees_of(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  if (MPI_Topo_test(comm, &topology) != MPI_SUCCESS) return {0, 0};
  degrees found = {0, 0};
  if (topology == MPI_CART) {
    found.in = found.out = 2 * dimensions_of(comm);
  } else if (topology == MPI_GRAPH) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Graph_neighbors_count(comm, rank, &found.in);
    found.out = found.in;
  } else if (topology == MPI_DIST_GRAPH) {
    int is_weighted = 0;
    MPI_Dist_graph_neighbors_count(comm, &found.in, &found.out, &is_weighted);
  }
  return found;
}

// ---- texts ----

c_text::c_text(const char* from, std::size_t length, bool is_trimmed) : room_(static_cast<std::int64_t>(length) + 1) {
  while (length > 0 && from[length - 1] == ' ') --length;
  while (is_trimmed && length > 0 && *from == ' ') {
    ++from;
    --length;
  }
  if (length > 0) std::memcpy(room_.all(), from, length);
  room_.all()[length] = '\0';
}

void c_room::give(char* to, std::size_t length) {
  const char* const from = room_.all();
  const std::size_t given = strnlen(from, length);
  std::memcpy(to, from, given);
  std::memset(to + given, ' ', length - given);
}

}  // namespace pure::fortran
