// What the MPI door keeps for each worker: error handlers, names, hints, and small numbers of handles. What a rank
// makes that all doors know is in its rank_objects. Own thread of the worker only.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/mpi/arguments.hpp"
#include "api/mpi/door.hpp"
#include "objects/handle_numbers.hpp"
#include "objects/object_table.hpp"
#include "objects/type_contents.hpp"
#include "runtime/rank_service.hpp"

namespace pure::core::mpi {

/// A function of the program that gets errors.
struct error_handler {
  /// Knows what the function's arguments are, where they are not those of the standard ABI in C. `object`: the name of
  /// a communicator, a window or a file.
  using caller = void (*)(void (*function)(), std::uintptr_t object, int code);

  raised_on::sort of;
  void (*function)();       // MPI_Comm_errhandler_function, or that of windows or files
  caller called = nullptr;  // null: in C
  int uses = 1;             // by the program's name for it, and by objects: freed with the last
};

/// The error handlers of one worker's objects of one sort, by core handle. Where none was set: MPI_ERRORS_ARE_FATAL,
/// and MPI_ERRORS_RETURN for files.
using handlers_of_objects = std::unordered_map<std::uint64_t, errhandler_handle>;

/// What the program says of its objects of one sort, by core handle.
struct said_of_objects {
  std::unordered_map<std::uint64_t, std::string> names;
  std::unordered_map<std::uint64_t, info_object> hints;

  void forget(std::uint64_t object) {
    names.erase(object);
    hints.erase(object);
  }
};

struct door_state final : rank_service<door_state, 9> {
  explicit door_state(const rank_context& owner) : made_handlers(handle_kind::error_handler, owner.number()) {}

  [[nodiscard]] bool advances() const noexcept override { return false; }

  [[nodiscard]] handlers_of_objects& handlers_of(raised_on::sort sort) noexcept {
    return sort == raised_on::sort::communicator ? of_communicators
           : sort == raised_on::sort::window     ? of_windows
                                                 : of_files;
  }

  /// What attributes of a window point to.
  struct own_window_values {
    MPI_Aint size;
    int unit, flavor, model;
  };

  int thread_level = constants::thread_single;  // what was provided; constant from MPI_Init on

  object_table<error_handler> made_handlers;
  handlers_of_objects of_communicators;
  handlers_of_objects of_windows;
  handlers_of_objects of_files;
  error_state errors;  // of the call that fails

  struct made_operator {
    program_function function;
    bool commutes;
  };
  std::unordered_map<std::uint64_t, made_operator> operators;  // by core handle

  struct own_values {
    int last_code, universe_size;
    std::array<int, 2> last_codes_of_doors;  // as other interfaces number them (api/foreign)
  };
  own_values values_of_worlds{};  // what attributes of MPI_COMM_WORLD point to

  said_of_objects communicators;
  std::uint64_t unborn = 1U << 20;  // names of communicators that are not there yet
  said_of_objects windows;
  std::unordered_map<std::uint64_t, own_window_values> values_of_windows;
  std::unordered_map<std::uintptr_t, std::string> names_of_predefined_types;

  /// By how they were asked for.
  std::map<std::pair<type_combiner, std::vector<std::int64_t>>, type_handle> types_of_fortran;

  handle_numbers numbers{static_cast<int>(predefined_limit)};  // of what is not predefined
};

/// The largest error code or class that is in use (MPI_LASTUSEDCODE). Any thread.
[[nodiscard]] int last_used_code();

// ---- error handlers ----

/// As MPI_Comm_create_errhandler and its kin. Throws argument.
errhandler_handle make_handler(const call& by, const error_handler& made);
/// The handler of an object, or of MPI_COMM_SELF if there is no such object.
[[nodiscard]] errhandler_handle handler_of(const rank_context& worker, raised_on where);
/// A new object has the handler of another one.
void inherit_handler(const rank_context& owner, std::uint64_t from, std::uint64_t to);
/// An object ends.
void forget_handler(const rank_context& owner, raised_on::sort of, std::uint64_t object);

}  // namespace pure::core::mpi
