#include "api/mpi/collective_arguments.hpp"

#include "api/mpi/operators.hpp"

namespace pure::core::mpi {

namespace {

class mpi_collective_door final : public collective_door {
 public:
  mpi_collective_door() noexcept
      : collective_door({.in_place = "MPI_IN_PLACE",
                         .displs = "displs",
                         .type = "datatype",
                         .sent = {"sendcounts", "sdispls", "sendtype", "sendtypes"},
                         .received = {"recvcounts", "rdispls", "recvtype", "recvtypes"}},
                        constants::in_place) {}

  [[nodiscard]] const datatype& type_of(const communicator&, const call& by, std::uint64_t type, const char* argument,
                                        int /*at*/) const override {
    return committed_type_of(by, {type}, argument);
  }

  [[nodiscard]] given_type type_at(const void* types, int rank) const noexcept override {
    return given(static_cast<const type_handle*>(types)[rank]);
  }

  [[nodiscard]] bool find_reduction(const communicator&, const call& by, std::uint64_t op, const given_type& type,
                                    detail::reduction& found) const override {
    const pure_op built_in = operator_of(by, {op}).built_in;
    if (built_in == PURE_OP_NULL) return false;
    set_built_in_reduction(by, {op}, built_in, {type.name}, found);
    return true;
  }

  [[nodiscard]] program_combination combination_of(const communicator&, const call& by, std::uint64_t op,
                                                   const given_type& type) const override {
    return mpi::combination_of(operator_of(by, {op}), {type.name});
  }
};

const mpi_collective_door door;

}  // namespace

const collective_door& collectives() noexcept { return door; }

}  // namespace pure::core::mpi
