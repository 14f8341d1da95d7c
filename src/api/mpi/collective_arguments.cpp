#include "api/mpi/collective_arguments.hpp"

#include "api/mpi/operators.hpp"

namespace pure::core::mpi {

namespace {

class mpi_collective_door final : public collective_door {
 public:
  mpi_collective_door() noexcept
      : collective_door({.in_place = "MPI_IN_PLACE",
                         .send_counts = "sendcounts",
                         .send_displs = "sdispls",
                         .send_types = "sendtypes",
                         .recv_counts = "recvcounts",
                         .recv_displs = "rdispls",
                         .recv_types = "recvtypes",
                         .displs = "displs",
                         .type = "datatype",
                         .send_type = "sendtype",
                         .recv_type = "recvtype"},
                        constants::in_place) {}

  [[nodiscard]] const datatype& type_of(const communicator&, const call& by, std::uint64_t type, const char* argument,
                                        int /*at*/) const override {
    return committed_type_of(by, {type}, argument);
  }

  [[nodiscard]] given_type type_at(const void* types, int rank) const noexcept override {
    return given(static_cast<const type_handle*>(types)[rank]);
  }

  [[nodiscard]] bool find_reduction(const communicator&, const call& by, std::uint64_t op, const given_type& type,
                                    detail::reduction& found, program_combination& made) const override {
    const given_operator its = operator_of(by, {op});
    if (its.built_in != PURE_OP_NULL) [[likely]] {
      found = built_in_reduction(by, {op}, its.built_in, {type.name});
      return true;
    }
    made = combination_of(its, {type.name});
    return false;
  }
};

const mpi_collective_door door;

}  // namespace

const collective_door& collectives() noexcept { return door; }

}  // namespace pure::core::mpi
