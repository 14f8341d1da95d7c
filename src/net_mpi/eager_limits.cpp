#include "net_mpi/eager_limits.hpp"

#include <mpi.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace pure::net_mpi {
namespace {

// ---- Open MPI's shared memory ---------------------------------------------------------------------------------------

constexpr std::size_t for_own_header = 48;  // Open MPI 4.1.4: of 4096 bytes, 4040 go at once, and 4064 do not

// The vader BTL asks first for what is longer than 4 KB, which then takes up to three times as long (D-vader-limit). So
// packets shall go at once; not huge ones, for they take room in that memory.
void raise_vader_limit(std::size_t message_bytes) {
  constexpr std::size_t at_most = 32 * 1024;  // its btl_vader_max_send_size
  const std::size_t limit = message_bytes + for_own_header;
  if (limit <= at_most) setenv("OMPI_MCA_btl_vader_eager_limit", std::to_string(limit).c_str(), 0);
}

// ---- UCX, below MPICH and some Open MPIs ----------------------------------------------------------------------------

// As much as Open MPI sends at once over TCP.
constexpr std::size_t ucx_eager_bytes = std::size_t{64} * 1024;

// An adapter for which UCX knows better than we when to ask: its hardware can read the sender's memory.
bool has_infiniband() {
  std::error_code none;
  return !std::filesystem::is_empty("/sys/class/infiniband", none) && !none;
}

// UCX asks first for what is longer than some 8 KB. Over TCP that is a round trip. Through shared memory the receiver's
// kernel then copies from the sender's pages, and waits for each line that the sender has just written; to copy twice
// is faster, for both do it at the same time. MPICH 4.0.2, UCX 1.13.1, half a round trip of messages that are written
// before they are sent, cores of one cache, us: shared memory 16 KB 9.6 -> 3.3, 64 KB 22.5 -> 10.0; TCP 64 KB 66 -> 37.
void raise_ucx_limit(const core::network_opening& opening) {
  if (!opening.is_on_one_host && has_infiniband()) return;
  setenv("UCX_RNDV_THRESH", std::to_string(ucx_eager_bytes + 1).c_str(), 0);
}

}  // namespace

void raise_eager_limits(const core::network_opening& opening) {
  raise_vader_limit(opening.message_bytes);
  raise_ucx_limit(opening);
}

// Open MPI tells how long a message may be that goes through shared memory at once (MPI 4.1, 15.3.6: control
// variables), also where its user has set that. 0: the library does not say.
std::size_t known_eager_bytes() {
  int provided = 0;
  if (MPI_T_init_thread(MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) return 0;
  std::size_t limit = 0;
  for (const char* const name : {"btl_vader_eager_limit", "btl_sm_eager_limit"}) {  // of Open MPI 4 and 5
    int index = 0, name_room = 0, text_room = 0, verbosity = 0, binding = 0, scope = 0, count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) continue;
    const int error = MPI_T_cvar_get_info(index, nullptr, &name_room, &verbosity, &type, nullptr, nullptr, &text_room,
                                          &binding, &scope);
    MPI_T_cvar_handle handle{};
    if (error != MPI_SUCCESS || type != MPI_UNSIGNED_LONG ||
        MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS)
      continue;
    unsigned long value = 0;
    if (count == 1 && MPI_T_cvar_read(handle, &value) == MPI_SUCCESS) limit = value;
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return limit > for_own_header ? limit - for_own_header : 0;
}

}  // namespace pure::net_mpi
