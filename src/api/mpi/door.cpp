#include "api/mpi/door.hpp"

#include <fmt/core.h>

#include <array>
#include <climits>
#include <memory>

#include "comm/point_to_point.hpp"
#include "objects/unknown_handle.hpp"
#include "runtime/call_error.hpp"
#include "start/calling_rank.hpp"
#include "start/services.hpp"

namespace pure::core::mpi {

namespace {

const ::pure::core::door_state state_of_workers(door_state::slot, [](const rank_context&) -> std::unique_ptr<service> {
  return std::make_unique<door_state>();
});

/// Every errc has a class; a new one does not compile.
int class_of(errc code) noexcept {
  switch (code) {
    case errc::success: return MPI_SUCCESS;
    case errc::buffer: return MPI_ERR_BUFFER;
    case errc::count: return MPI_ERR_COUNT;
    case errc::type: return MPI_ERR_TYPE;
    case errc::tag: return MPI_ERR_TAG;
    case errc::comm: return MPI_ERR_COMM;
    case errc::rank: return MPI_ERR_RANK;
    case errc::request: return MPI_ERR_REQUEST;
    case errc::truncate: return MPI_ERR_TRUNCATE;
    case errc::argument: return MPI_ERR_ARG;
    case errc::in_status: return MPI_ERR_IN_STATUS;
    case errc::pending: return MPI_ERR_PENDING;
    case errc::root: return MPI_ERR_ROOT;
    case errc::op: return MPI_ERR_OP;
    case errc::group: return MPI_ERR_GROUP;
    case errc::win: return MPI_ERR_WIN;
    case errc::rma_range: return MPI_ERR_RMA_RANGE;
    case errc::rma_sync: return MPI_ERR_RMA_SYNC;
    case errc::rma_attach: return MPI_ERR_RMA_ATTACH;
    case errc::rma_shared: return MPI_ERR_RMA_SHARED;
    case errc::rma_flavor: return MPI_ERR_RMA_FLAVOR;
    case errc::displacement: return MPI_ERR_DISP;
    case errc::no_memory: return MPI_ERR_NO_MEM;
    case errc::info: return MPI_ERR_INFO;
    case errc::keyval: return MPI_ERR_KEYVAL;
    case errc::rma_conflict: return MPI_ERR_RMA_CONFLICT;
    case errc::state:
    case errc::mismatch:
    case errc::other: return MPI_ERR_OTHER;
  }
  return MPI_ERR_OTHER;
}

error_state* errors_for(MPI_Comm comm) {
  const rank_context* const worker = rank_of_thread();
  if (worker == nullptr) return nullptr;
  door_state& state = door_state::of(*worker);
  std::uint64_t whose = core_handle(comm);
  if (communicator_table::of(*worker).find(whose) == nullptr) whose = communicator_table::self_handle;
  const auto set = state.handlers.find(whose);
  state.errors.returns_errors = set != state.handlers.end() && set->second == MPI_ERRORS_RETURN;
  return &state.errors;
}

struct predefined_type {
  pure_datatype code = {};
  bool is_one = false;
};

/// By the last bits of the handle.
constexpr std::uintptr_t first_type = 0x200;
constexpr auto predefined_types = [] {
  std::array<predefined_type, 256> all{};
#define PURE_MPI_DATATYPE(value, base) all[(value)-first_type] = {base, true};
#include "api/mpi/datatypes.inc"
#undef PURE_MPI_DATATYPE
  return all;
}();

}  // namespace

void throw_error(const call& by, int error_class, const std::string& text) {
  try {
    throw_wrong_call(by, errc::other, text);
  } catch (const Error& error) {
    throw classed_error(error_class, error);
  }
}

int settle(const char* operation, MPI_Comm comm) {
  error_state* const errors = errors_for(comm);
  try {
    throw;
  } catch (const classed_error& error) {
    boundaries::settle(errors, error);
    return error.error_class();
  } catch (const Error& error) {
    return class_of(boundaries::settle(errors, error));
  } catch (...) {
    return class_of(boundaries::settle_other(errors, operation));
  }
}

int refuse(const char* operation, MPI_Comm comm, const void* return_address) {
  return mpi_call(operation, comm, return_address, [&](const call& by) {
    throw_error(by, MPI_ERR_UNSUPPORTED_OPERATION, "Pure does not have this function yet (docs/mpi_coverage.md)");
  });
}

rank_context& rank_here(const call& by) {
  rank_context* const rank = self();
  if (rank == nullptr) [[unlikely]] {
    const char* const why = !has_calling_rank_begun()  ? "called before MPI_Init"
                            : has_calling_rank_ended() ? "called after MPI_Finalize"
                                                       : "called by a thread that is no rank";
    throw_error(by, MPI_ERR_OTHER, why);
  }
  return *rank;
}

communicator& world_of(const call& by) { return communicator_table::of(rank_here(by)).world(); }

communicator& communicator_of(const call& by, MPI_Comm comm) {
  rank_context& rank = rank_here(by);
  communicator* const found = communicator_table::of(rank).find(core_handle(comm));
  if (found == nullptr) [[unlikely]] {
    throw_wrong_call(by, errc::comm,
                     comm == MPI_COMM_NULL ? std::string("the communicator is MPI_COMM_NULL")
                                           : why_unknown(rank, reinterpret_cast<std::uintptr_t>(comm), "communicator"));
  }
  return *found;
}

element_type element_of(const call& by, MPI_Datatype type, const char* name) {
  const auto value = reinterpret_cast<std::uintptr_t>(type);
  const std::uintptr_t at = value - first_type;
  if (at < predefined_types.size() && predefined_types[at].is_one) [[likely]] {
    const pure_datatype code = predefined_types[at].code;
    return {code, size_of_type(code)};
  }
  if (type == MPI_DATATYPE_NULL) throw_wrong_call(by, errc::type, fmt::format("{} is MPI_DATATYPE_NULL", name));
  throw_error(by, MPI_ERR_UNSUPPORTED_OPERATION,
              fmt::format("{} (handle {:#x}) is no predefined datatype that Pure has", name, value));
}

void check_count(const call& by, std::int64_t count, const char* name) {
  if (count < 0) [[unlikely]]
    throw_wrong_call(by, errc::count, fmt::format("{} is {}, which is negative", name, count));
}

void check_pointer(const call& by, const void* given, int error_class, const char* name) {
  if (given == nullptr) [[unlikely]]
    throw_error(by, error_class, fmt::format("{} is null", name));
}

}  // namespace pure::core::mpi
