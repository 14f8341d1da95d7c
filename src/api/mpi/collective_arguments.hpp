// The collectives of mpi.h: its words for objects/described_collective.hpp. Own thread of the rank only.
#pragma once

#include <cstdint>

#include "api/mpi/operators.hpp"
#include "api/mpi/types.hpp"
#include "objects/described_collective.hpp"

namespace pure::core::mpi {

struct mpi_words {
  using datatype_name = type_handle;
  using operator_name = op_handle;
  static constexpr collective_argument_names names{.in_place = "MPI_IN_PLACE",
                                                   .send_counts = "sendcounts",
                                                   .send_displs = "sdispls",
                                                   .send_types = "sendtypes",
                                                   .recv_counts = "recvcounts",
                                                   .recv_displs = "rdispls",
                                                   .recv_types = "recvtypes",
                                                   .displs = "displs",
                                                   .type = "datatype",
                                                   .send_type = "sendtype",
                                                   .recv_type = "recvtype"};

  static void* in_place() noexcept { return constants::in_place; }
  static bool is_in_place(const void* buffer) noexcept { return buffer == constants::in_place; }
  /// Nearly all data is of predefined types.
  static element_row row_of_predefined(type_handle type) noexcept {
    const predefined_type* const known = find_predefined(type);
    if (known == nullptr || is_pair(known->base)) return {0, 0};
    return {known->row_bytes, static_cast<std::uint32_t>(known->base)};
  }
  static const datatype& type_of(const communicator&, const call& by, type_handle type, const char* argument,
                                 int /*at*/ = -1) {
    return committed_type_of(by, type, argument);
  }
  static std::uint32_t identity_of(type_handle type) noexcept { return static_cast<std::uint32_t>(base_of(type)); }
  static bool find_reduction(const communicator&, const call& by, op_handle op, type_handle type,
                             detail::reduction& found, program_combination& made);
};

}  // namespace pure::core::mpi

extern template class pure::core::described_collective<pure::core::mpi::mpi_words>;

namespace pure::core::mpi {

using described_collective = core::described_collective<mpi_words>;

}  // namespace pure::core::mpi
