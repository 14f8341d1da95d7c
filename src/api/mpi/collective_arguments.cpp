#include "api/mpi/collective_arguments.hpp"

#include "objects/described_collective_definitions.hpp"

namespace pure::core {

bool mpi::mpi_words::find_reduction(const communicator&, const call& by, MPI_Op op, MPI_Datatype type,
                                    detail::reduction& found, program_combination& made) {
  const given_operator given = operator_of(by, op);
  if (given.built_in != PURE_OP_NULL) {
    found = built_in_reduction(by, op, given.built_in, type);
    return true;
  }
  made = combination_of(given, type);
  return false;
}

template class described_collective<mpi::mpi_words>;

}  // namespace pure::core
