// Start, end, what there is; times (MPI 5.0, chapters 9 and 11).
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include <pure/version.hpp>

#include "api/mpi/attributes.hpp"
#include "api/mpi/bodies.hpp"
#include "api/mpi/door.hpp"
#include "api/mpi/door_state.hpp"
#include "api/mpi/one_mpi.hpp"
#include "base/cache_line.hpp"
#include "base/clock.hpp"
#include "comm/locality.hpp"
#include "runtime/cut_off_job.hpp"
#include "runtime/job.hpp"
#include "start/calling_rank.hpp"

namespace pure::core::mpi {

namespace {

/// One thread at a time: what a rank has is guarded by the order in which its threads call.
constexpr int highest_thread_level = constants::thread_serialized;

/// As the program has named it.
std::string name_in_messages(const rank_context* rank, comm_handle comm) {
  if (rank != nullptr) {
    const auto& names = door_state::of(*rank).communicators.names;
    if (const auto set = names.find(core_handle(comm)); set != names.end()) return set->second;
  }
  return comm == constants::comm_world  ? "MPI_COMM_WORLD"
         : comm == constants::comm_self ? "MPI_COMM_SELF"
                                        : "a communicator";
}

/// What is provided.
int begin(const call& by, int required) {
  if (has_calling_rank_begun()) throw_error(by, constants::err_other, "MPI has been initialized already");
  constexpr int levels[] = {constants::thread_single, constants::thread_funneled, constants::thread_serialized,
                            constants::thread_multiple};
  if (std::find(std::begin(levels), std::end(levels), required) == std::end(levels))
    throw_error(by, constants::err_arg, fmt::format("required is {}, which is no thread level", required));
  refuse_other_mpi(by);
  begin_calling_rank(by, failure_action::end_process);
  const int provided = std::min(required, highest_thread_level);
  rank_context& here = rank_here(by);
  door_state::of(here).thread_level = provided;
  communicator_table& communicators = communicator_table::of(here);
  communicators.world().rename("MPI_COMM_WORLD");
  communicators.self().rename("MPI_COMM_SELF");
  return provided;
}

}  // namespace

void bodies::Init(const call& by, int*, char***) { begin(by, constants::thread_single); }

void bodies::Init_thread(const call& by, int*, char***, int required, int* provided) {
  *provided = begin(by, required);
}

void bodies::Finalize(const call& by) {
  static_cast<void>(rank_of_any_thread(by));
  if (!is_main_thread_of_calling_rank()) {
    throw_error(by, constants::err_other,
                "called by another thread than the one that has called MPI_Init, which alone may call it");
  }
  delete_attributes_at_end(by);
  requests::of(rank_here(by)).leave_freed_receives(by);
  end_calling_rank(by, 0);
}

void bodies::Initialized(const call&, int* flag) { *flag = has_calling_rank_begun() ? 1 : 0; }
void bodies::Finalized(const call&, int* flag) { *flag = has_calling_rank_ended() ? 1 : 0; }

void bodies::Query_thread(const call& by, int* provided) {
  *provided = door_state::of(rank_of_any_thread(by)).thread_level;
}

void bodies::Is_thread_main(const call& by, int* flag) {
  static_cast<void>(rank_of_any_thread(by));
  *flag = is_main_thread_of_calling_rank() ? 1 : 0;
}

/// All processes end, whatever the communicator (MPI 5.0, 11.5: a best attempt).
void bodies::Abort(const call&, comm_handle comm, int errorcode) {
  const rank_context* const rank = rank_or_null();
  const std::string text = fmt::format("{}MPI_Abort({}, {})",
                                       rank == nullptr ? "" : rank->owner().name_of(*rank) + ": ",
                                       name_in_messages(rank, comm), errorcode);
  if (rank != nullptr) rank->owner().fail(text, errorcode);
  end_process(text, nonzero_status(errorcode));
}

/// No job of Pure was spawned by another one.
void bodies::Comm_get_parent(const call& by, comm_handle* parent) {
  rank_here(by);
  *parent = constants::comm_null;
}

void bodies::Comm_rank(const call&, communicator& comm, int* rank) { *rank = comm.rank(); }
void bodies::Comm_size(const call&, communicator& comm, int* size) { *size = comm.size(); }

void bodies::Get_version(const call&, int* version, int* subversion) {
  *version = constants::version;
  *subversion = constants::subversion;
}

void bodies::Abi_get_version(const call&, int* abi_major, int* abi_minor) {
  *abi_major = constants::abi_version;
  *abi_minor = constants::abi_subversion;
}

void bodies::Get_library_version(const call&, char* version, int* resultlen) {
  give_text(version, resultlen, "Pure " PURE_VERSION, constants::max_library_version_string);
}

void bodies::Get_processor_name(const call&, char* name, int* resultlen) {
  char own[constants::max_processor_name] = "";
  if (gethostname(own, sizeof own - 1) != 0) std::strcpy(own, "localhost");
  give_text(name, resultlen, own, constants::max_processor_name);
}

/// The kinds of hardware that have names, and whether the rank is bound to one of each (MPI 5.0, 9.1.4).
void bodies::Get_hw_resource_info(const call& by, info_handle* hw_info) {
  const other_processes* const others = rank_here(by).owner().others();
  info_object all;
  for (std::size_t i = 0; i < hardware_kinds; ++i) {
    const auto kind = static_cast<hardware_kind>(i);
    all.set(hardware_name(kind), locality_of_caller(kind, others).number == locality{}.number ? "false" : "true");
  }
  give_info(by, std::move(all), hw_info);
}

void bodies::Alloc_mem(const call& by, MPI_Aint size, info_object*, void* baseptr) {
  if (size < 0) throw_error(by, constants::err_arg, fmt::format("size is {}, which is negative", size));
  // As large as a type of any alignment takes; its size may be 0.
  void* const made = std::aligned_alloc(line_bytes, (static_cast<std::size_t>(size) / line_bytes + 1) * line_bytes);
  if (made == nullptr) throw_error(by, constants::err_no_mem, fmt::format("there are no {} bytes", size));
  give_pointer(baseptr, made);
}
void bodies::Free_mem(const call&, void* base) { std::free(base); }

void bodies::Pcontrol(const call&, int) {}

double bodies::Wtime() { return static_cast<double>(now_ns()) * 1e-9; }
double bodies::Wtick() { return 1e-9; }

// Addresses are added as numbers (MPI 5.0, 5.1.5).
MPI_Aint bodies::Aint_add(MPI_Aint base, MPI_Aint disp) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(disp));
}
MPI_Aint bodies::Aint_diff(MPI_Aint addr1, MPI_Aint addr2) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(addr1) - static_cast<std::uintptr_t>(addr2));
}

}  // namespace pure::core::mpi
