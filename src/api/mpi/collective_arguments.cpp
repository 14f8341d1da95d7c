#include "api/mpi/collective_arguments.hpp"

#include "objects/described_collective_definitions.hpp"

namespace pure::core {

bool mpi::mpi_words::find_reduction(const communicator&, const call& by, pure::core::mpi::op_handle op,
                                    pure::core::mpi::type_handle type, detail::reduction& found,
                                    program_combination& made) {
  const given_operator given = operator_of(by, op);
  if (given.built_in != PURE_OP_NULL) {
    found = built_in_reduction(by, op, given.built_in, type);
    return true;
  }
  made = combination_of(given, type);
  return false;
}

template class described_collective<mpi::mpi_words>;
template collective_arguments described_collective<mpi::mpi_words>::reduce_everywhere<detail::collective::allreduce>(
    const void*, void*, std::int64_t, pure::core::mpi::type_handle, pure::core::mpi::op_handle) const;
template collective_arguments described_collective<mpi::mpi_words>::reduce_everywhere<detail::collective::scan>(
    const void*, void*, std::int64_t, pure::core::mpi::type_handle, pure::core::mpi::op_handle) const;
template collective_arguments described_collective<mpi::mpi_words>::reduce_everywhere<detail::collective::exscan>(
    const void*, void*, std::int64_t, pure::core::mpi::type_handle, pure::core::mpi::op_handle) const;

}  // namespace pure::core
