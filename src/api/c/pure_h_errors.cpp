// pure.h, errors: handlers, codes and texts, abort; and the table of types.
#include <fmt/core.h>

#include <array>
#include <memory>
#include <new>

#include "api/c/door.hpp"
#include "api/c/types.hpp"
#include "runtime/call_error.hpp"
#include "runtime/cut_off_job.hpp"
#include "runtime/forked_child.hpp"
#include "runtime/job.hpp"
#include "start/services.hpp"
#include "task/task_service.hpp"

namespace pure::core {

namespace {

const door_state state_of_workers(c_door_state::slot, [](const rank_context&) -> std::unique_ptr<service> {
  return std::make_unique<c_door_state>();
});

struct code_text {
  pure_error_code code;
  const char* text;
};
constexpr std::array code_texts{
    code_text{PURE_SUCCESS, "success"},
    code_text{PURE_ERR_BUFFER, "the buffer is null or overlaps another"},
    code_text{PURE_ERR_COUNT, "the count is out of range"},
    code_text{PURE_ERR_TYPE, "the datatype is wrong"},
    code_text{PURE_ERR_TAG, "the tag is out of range"},
    code_text{PURE_ERR_COMM, "the communicator is null or freed"},
    code_text{PURE_ERR_RANK, "the rank is out of range"},
    code_text{PURE_ERR_REQUEST, "the request is freed, or of another rank"},
    code_text{PURE_ERR_TRUNCATE, "the message is longer than the receive buffer"},
    code_text{PURE_ERR_ARG, "an argument is wrong"},
    code_text{PURE_ERR_IN_STATUS, "some operations failed: see the error of each status"},
    code_text{PURE_ERR_PENDING, "the operation is not complete"},
    code_text{PURE_ERR_STATE, "the call is not allowed here"},
    code_text{PURE_ERR_OTHER, "another error"},
    code_text{PURE_ERR_ROOT, "the root is out of range"},
    code_text{PURE_ERR_OP, "the operator is wrong, or does not fit the datatype"},
    code_text{PURE_ERR_GROUP, "the group is null or freed, or has wrong ranks"},
    code_text{PURE_ERR_MISMATCH, "ranks called different operations, or with different arguments"},
    code_text{PURE_ERR_WIN, "the window is null or freed, or of another rank"},
    code_text{PURE_ERR_RMA_RANGE, "memory that is not in the window"},
    code_text{PURE_ERR_RMA_SYNC, "an epoch is missing, or in the way"},
    code_text{PURE_ERR_RMA_ATTACH, "memory cannot be attached, or was not"},
    code_text{PURE_ERR_RMA_SHARED, "memory that not all ranks of the window can share"},
    code_text{PURE_ERR_RMA_FLAVOR, "the window is of another kind"},
    code_text{PURE_ERR_DISP, "the unit of displacements is wrong"},
    code_text{PURE_ERR_NO_MEM, "there is not so much memory"},
    code_text{PURE_ERR_INFO, "an info object, a key of one, or a value is wrong"},
    code_text{PURE_ERR_KEYVAL, "the key of attributes is none, or not one that may be changed"},
    code_text{PURE_ERR_RMA_CONFLICT, "accesses to one place of a window that exclude each other"},
    code_text{PURE_ERR_TOPOLOGY, "the communicator has no such topology, or too few ranks for it"},
    code_text{PURE_ERR_DIMS, "a dimension, or the number of them, is wrong"},
};

// The two lists of codes are one: errc is cast to int.
static_assert(static_cast<int>(errc::truncate) == PURE_ERR_TRUNCATE);
static_assert(static_cast<int>(errc::in_status) == PURE_ERR_IN_STATUS);
static_assert(static_cast<int>(errc::other) == PURE_ERR_OTHER);
static_assert(static_cast<int>(errc::mismatch) == PURE_ERR_MISMATCH);
static_assert(static_cast<int>(errc::rma_conflict) == PURE_ERR_RMA_CONFLICT);
static_assert(static_cast<int>(errc::dims) == PURE_ERR_DIMS);

}  // namespace

void throw_bad_communicator(const rank_context& self, const call& by, pure_comm comm) {
  throw_wrong_call(by, errc::comm, why_unknown(self, static_cast<std::uint64_t>(comm), "communicator"));
}

namespace {

std::string bad_type_text(const communicator& comm, pure_datatype type) {
  const auto value = static_cast<std::uint64_t>(type);
  if (rank_objects::of(comm.owner()).types.find(type) != nullptr) {
    return "it takes basic types only, and this is a derived one; derived types are for messages and collectives";
  }
  if (handle{value}.generation() != 0) return why_unknown(comm.owner(), value, "datatype");
  return fmt::format("{} is not a datatype of pure.h", value);
}

}  // namespace

void throw_bad_type(const communicator& comm, const call& by, pure_datatype type) {
  throw_bad_argument(comm, by, errc::type, bad_type_text(comm, type));
}

void throw_bad_type(const communicator& comm, const call& by, pure_datatype type, const std::string& argument) {
  throw_bad_argument(comm, by, errc::type, argument + ": " + bad_type_text(comm, type));
}

}  // namespace pure::core

using namespace pure::core;

int pure_set_errhandler(pure_errhandler handler, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    if (handler != PURE_ERRORS_ARE_FATAL && handler != PURE_ERRORS_RETURN) {
      throw_bad_argument(world_of(by), by, pure::errc::argument,
                         fmt::format("{} is no error handler", static_cast<int>(handler)));
    }
    c_door_state::of(rank_of(by)).errors.returns_errors = handler == PURE_ERRORS_RETURN;
  });
}

const char* pure_error_string(int code) {
  for (const code_text& each : code_texts) {
    if (each.code == code) return each.text;
  }
  return "not an error code of pure.h";
}

const char* pure_last_error() {
  const rank_context* const rank = rank_of_thread();
  return rank == nullptr ? "" : c_door_state::of(*rank).errors.last_text.c_str();
}

void pure_abort(int code, pure_call_site site) {
  const rank_context* const rank = rank_of_thread();
  std::string text = "pure_abort";
  try {
    text = fmt::format("pure_abort({})", code);
    if (const std::string where = to_text(site); !where.empty()) text += " called at " + where;
    if (rank != nullptr && !is_forked_child()) text = fmt::format("{}: {}", rank->owner().name_of(*rank), text);
  } catch (const std::bad_alloc&) {  // it says what there is memory for
  }
  if (is_forked_child()) end_forked_child(fmt::format("{}: {}", text, forked_child_text()), code);
  if (rank != nullptr && rank->owner().action() == failure_action::end_process) rank->owner().fail(text, code);
  end_process(text, nonzero_status(code));
}

std::size_t pure_type_size(pure_datatype type) {
  const rank_context* const rank = rank_of_thread();
  if (!may_be_derived(type) || rank == nullptr) return size_of_type(type);
  const datatype* const found = find_datatype(*rank, type);
  return found == nullptr ? 0 : found->form->bytes();
}
