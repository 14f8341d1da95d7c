// A communicator's name in programs of the standard ABI, an MPI_Comm (MPI 5.0, 20.2): the core's handle, which is beyond
// all predefined ones, or one of these three.
#pragma once

#include <cstdint>

#include "comm/communicator_table.hpp"

namespace pure::core {

inline constexpr std::uint64_t mpi_comm_null = 0x100;
inline constexpr std::uint64_t mpi_comm_world = 0x101;
inline constexpr std::uint64_t mpi_comm_self = 0x102;
inline constexpr std::uint64_t predefined_mpi_handles = 4096;  // less than that

/// 0: no communicator, or another predefined handle.
constexpr std::uint64_t handle_of_mpi_comm(std::uint64_t name) noexcept {
  if (name == mpi_comm_world) return communicator_table::world_handle;
  if (name == mpi_comm_self) return communicator_table::self_handle;
  return name < predefined_mpi_handles ? 0 : name;
}
constexpr std::uint64_t mpi_comm_of_handle(std::uint64_t handle) noexcept {
  switch (handle) {
    case 0: return mpi_comm_null;
    case communicator_table::world_handle: return mpi_comm_world;
    case communicator_table::self_handle: return mpi_comm_self;
    default: return handle;
  }
}

}  // namespace pure::core
