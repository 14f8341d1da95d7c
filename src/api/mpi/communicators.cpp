// Communicators: made, compared, freed; their names and hints (MPI 5.0, 7.4 and 7.8).
#include <fmt/core.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "api/mpi/attributes.hpp"
#include "api/mpi/bodies.hpp"
#include "api/mpi/door_state.hpp"
#include "api/mpi/later_duplicates.hpp"
#include "api/mpi/topologies.hpp"
#include "api/mpi/types.hpp"
#include "coll/refused_calls.hpp"
#include "comm/create.hpp"
#include "objects/known_info.hpp"
#include "objects/later_duplicate.hpp"
#include "objects/rank_objects.hpp"
#include "runtime/call_error.hpp"

namespace pure::core::mpi {

namespace {

/// Refuses a null pointer to the result, on all ranks.
void require_of_all(communicator& from, const call& by, const comm_handle* made) {
  checked_creation(from, by, [&] { check_pointer(by, made, constants::err_arg, "newcomm"); });
}

/// A new communicator has the error handler of the one that it was made from.
void give(communicator& from, communicator* made, comm_handle* to) {
  if (made != nullptr) inherit_handler(from.owner(), from.handle(), made->handle());
  *to = made == nullptr ? constants::comm_null : name_of(*made);
}

/// The hints that MPI defines (MPI 5.0, 7.4.4 and 6.13): programs are told that they hold, for nothing here is done
/// otherwise.
constexpr std::array hint_keys{"mpi_assert_no_any_tag", "mpi_assert_no_any_source", "mpi_assert_exact_length",
                               "mpi_assert_allow_overtaking", "mpi_assert_strict_persistent_collective_ordering"};

/// What a program says that is a hint; a value that is none is ignored.
info_object known_hints(const info_object& from) {
  info_object known;
  for (const char* const key : hint_keys) {
    if (const std::string* const value = from.find(key); value != nullptr && (*value == "true" || *value == "false"))
      known.set(key, *value);
  }
  return known;
}

/// All that a duplicate has of the one that it was made from.
void duplicate_with(const call& by, communicator& comm, const info_object* hints, comm_handle* newcomm) {
  communicator& made = duplicate(comm, by);
  try {
    copy_attributes(by, comm, made);
  } catch (const Error&) {
    int key = 0;
    static_cast<void>(rank_objects::of(comm.owner()).of_communicators.remove_all(made.handle(), key));
    free(made, by);
    throw;
  }
  copy_topology(comm, made.handle());
  if (hints != nullptr) door_state::of(comm.owner()).communicators.hints[made.handle()] = known_hints(*hints);
  give(comm, &made, newcomm);
}

template <class Map>
void hand_over(Map& all, std::uint64_t from, std::uint64_t to) {
  auto entry = all.extract(from);
  if (entry.empty()) return;
  entry.key() = to;
  all.insert(std::move(entry));
}

/// What the duplicate has of the communicator is what that has now: it is kept under a name that no object has, for the
/// program may free the communicator at once.
void start_duplicate_with(const call& by, communicator& comm, const info_object* hints, const name_giver& give,
                          handle* request) {
  rank_objects& objects = rank_objects::of(comm.owner());
  door_state& state = door_state::of(comm.owner());
  const std::uint64_t unborn = ++state.unborn;
  int key = 0;
  if (const int code = objects.of_communicators.copy_all(comm.handle(), unborn, key); code != constants::success) {
    static_cast<void>(objects.of_communicators.remove_all(unborn, key));
    throw_error(by, code, fmt::format("the function that copies attribute {} has returned {}", key, code));
  }
  copy_topology(comm, unborn);
  inherit_handler(comm.owner(), comm.handle(), unborn);
  if (hints != nullptr) state.communicators.hints[unborn] = known_hints(*hints);
  give(constants::comm_null);
  *request = start_duplicate(comm, by, [&objects, &state, unborn, give](communicator& made) {
    objects.of_communicators.hand_over(unborn, made.handle());
    hand_over(objects.topologies, unborn, made.handle());
    hand_over(state.of_communicators, unborn, made.handle());
    hand_over(state.communicators.hints, unborn, made.handle());
    give(name_of(made));
  });
}

}  // namespace

void start_duplicate_given(const call& by, communicator& comm, info_handle info, const void* newcomm,
                           const name_giver& give, handle* request) {
  const info_object* const hints = counting_refusals(comm, by, refused_form::at_once, [&] {
    check_pointer(by, newcomm, constants::err_arg, "newcomm");
    check_pointer(by, request, constants::err_arg, "request");
    return info_or_null(by, info);
  });
  start_duplicate_with(by, comm, hints, give, request);
}

void bodies::Comm_idup(const call& by, communicator& comm, comm_handle* newcomm, handle* request) {
  Comm_idup_with_info(by, comm, constants::info_null, newcomm, request);
}

void bodies::Comm_idup_with_info(const call& by, communicator& comm, info_handle info, comm_handle* newcomm,
                                 handle* request) {
  start_duplicate_given(
      by, comm, info, newcomm, [newcomm](comm_handle made) { *newcomm = made; }, request);
}

void bodies::Comm_dup(const call& by, communicator& comm, comm_handle* newcomm) {
  require_of_all(comm, by, newcomm);
  duplicate_with(by, comm, nullptr, newcomm);
}

void bodies::Comm_dup_with_info(const call& by, communicator& comm, info_handle info, comm_handle* newcomm) {
  require_of_all(comm, by, newcomm);
  const info_object* const hints = checked_creation(comm, by, [&] { return info_or_null(by, info); });
  duplicate_with(by, comm, hints, newcomm);
}

void bodies::Comm_split(const call& by, communicator& comm, int color, int key, comm_handle* newcomm) {
  checked_creation(comm, by, [&] {
    check_pointer(by, newcomm, constants::err_arg, "newcomm");
    if (color < 0 && color != constants::undefined)
      throw_wrong_call(by, errc::argument, fmt::format("the color is {}, which is negative", color));
  });
  give(comm, split(comm, by, color == constants::undefined ? std::nullopt : std::optional(color), key), newcomm);
}

void bodies::Comm_split_type(const call& by, communicator& comm, int split_type, int key, info_handle info,
                             comm_handle* newcomm) {
  require_of_all(comm, by, newcomm);
  info_object* const keys = checked_creation(comm, by, [&] { return info_or_null(by, info); });
  const auto kind = [&] {
    switch (split_type) {
      case constants::comm_type_shared: return split_kind::machine;
      case constants::comm_type_hw_guided: return split_kind::hw_guided;
      case constants::comm_type_hw_unguided: return split_kind::hw_unguided;
      case constants::comm_type_resource_guided: return split_kind::resource_guided;
      case constants::undefined: return static_cast<split_kind>(undefined);
      default:
        throw_wrong_call(by, errc::argument, fmt::format("{} is no type by which communicators are split", split_type));
    }
  };
  split_wish wanted{checked_creation(comm, by, kind)};
  if (keys != nullptr) read_split_keys(*keys, wanted);
  std::string found;
  communicator* const made = split(comm, by, wanted, key, &found);
  if (keys != nullptr && made != nullptr) note_split_result(*keys, wanted.kind, found);
  give(comm, made, newcomm);
}

void bodies::Comm_create(const call& by, communicator& comm, group_handle group, comm_handle* newcomm) {
  require_of_all(comm, by, newcomm);
  give(comm, create(comm, by, *checked_creation(comm, by, [&] { return &group_of(by, group); })), newcomm);
}

void bodies::Comm_create_group(const call& by, communicator& comm, group_handle group, int tag, comm_handle* newcomm) {
  const core::group& members = group_of(by, group);
  if (rank_in(members, comm.owner().number()) < 0) {  // who is not in it makes nothing (MPI 5.0, 7.4.2)
    check_pointer(by, newcomm, constants::err_arg, "newcomm");
    return;
  }
  check_group_creation(comm, by, members, tag);
  checked_for_all([&] { check_pointer(by, newcomm, constants::err_arg, "newcomm"); },
                  [&](const Error& why) { refuse_group_creation(comm, by, members, tag, why); });
  give(comm, &create_group(comm, by, members, tag), newcomm);
}

void bodies::Comm_free(const call& by, comm_handle* comm) {
  communicator& unused = communicator_of(by, *comm);
  const std::uint64_t name = unused.handle();
  const rank_context& owner = unused.owner();
  if (*comm == constants::comm_world || *comm == constants::comm_self) {
    throw_wrong_call(
        by, errc::comm,
        fmt::format("{} cannot be freed", *comm == constants::comm_self ? "MPI_COMM_SELF" : "MPI_COMM_WORLD"));
  }
  delete_attributes(by, rank_objects::of(owner).of_communicators, name);
  free(unused, by);
  forget_handler(owner, raised_on::sort::communicator, name);
  forget_topology(owner, name);
  door_state::of(owner).communicators.forget(name);
  *comm = constants::comm_null;
}

/// What is pending on it is complete when it is freed, for the program has to see to that (MPI 5.0, 11.10.4): so is
/// what the rank has sent.
void bodies::Comm_disconnect(const call& by, comm_handle* comm) { Comm_free(by, comm); }

void bodies::Comm_compare(const call&, communicator& comm1, communicator& comm2, int* result) {
  constexpr int values[] = {constants::ident, constants::congruent, constants::similar, constants::unequal};
  *result = values[static_cast<int>(compare(comm1, comm2))];
}

void bodies::Comm_test_inter(const call&, communicator&, int* flag) { *flag = 0; }

// ---- hints ----

void bodies::Comm_set_info(const call&, communicator& comm, info_object* info) {
  if (info == nullptr) return;
  info_object& hints = door_state::of(comm.owner()).communicators.hints[comm.handle()];
  for (const auto& [key, value] : known_hints(*info)) hints.set(key, value);
}

void bodies::Comm_get_info(const call& by, communicator& comm, info_handle* info_used) {
  info_object used;  // what is supported, with its default where nobody has said anything
  for (const char* const key : hint_keys) used.set(key, "false");
  const auto& all = door_state::of(comm.owner()).communicators.hints;
  if (const auto said = all.find(comm.handle()); said != all.end()) {
    for (const auto& [key, value] : said->second) used.set(key, value);
  }
  give_info(by, std::move(used), info_used);
}

// ---- names ----

namespace {

std::string checked_name(const char* name) {
  std::string text(name);
  if (text.size() >= constants::max_object_name)
    text.resize(constants::max_object_name - 1);  // what the program can read again
  return text;
}

}  // namespace

void bodies::Comm_set_name(const call&, communicator& comm, const char* comm_name) {
  std::string name = checked_name(comm_name);
  comm.rename(name);
  door_state::of(comm.owner()).communicators.names[comm.handle()] = std::move(name);
}

void bodies::Comm_get_name(const call& by, comm_handle comm, char* comm_name, int* resultlen) {
  if (comm == constants::comm_null) return give_text(comm_name, resultlen, "MPI_COMM_NULL", constants::max_object_name);
  const communicator& named = communicator_of(by, comm);
  const auto& names = door_state::of(named.owner()).communicators.names;
  const auto set = names.find(named.handle());
  const char* const own = comm == constants::comm_world  ? "MPI_COMM_WORLD"
                          : comm == constants::comm_self ? "MPI_COMM_SELF"
                                                         : "";
  give_text(comm_name, resultlen, set == names.end() ? own : set->second, constants::max_object_name);
}

void bodies::Type_set_name(const call& by, type_handle datatype, const char* type_name) {
  type_of(by, datatype, "datatype");
  if (find_predefined(datatype) != nullptr) {
    door_state::of(rank_here(by)).names_of_predefined_types[datatype.value] = checked_name(type_name);
  } else {
    made_type_of(by, datatype, "datatype").name = checked_name(type_name);
  }
}

void bodies::Type_get_name(const call& by, type_handle datatype, char* type_name, int* resultlen) {
  if (datatype == constants::datatype_null)
    return give_text(type_name, resultlen, "MPI_DATATYPE_NULL", constants::max_object_name);
  const core::datatype& type = type_of(by, datatype, "datatype");
  const auto& names = door_state::of(rank_here(by)).names_of_predefined_types;
  const auto set = names.find(datatype.value);
  const predefined_type* const known = find_predefined(datatype);
  const std::string name = known == nullptr ? type.name : set == names.end() ? known->name : set->second;
  give_text(type_name, resultlen, name, constants::max_object_name);
}

void bodies::Win_set_name(const call&, window& win, const char* win_name) {
  std::string name = checked_name(win_name);
  win.rename(name);
  door_state::of(win.owner()).windows.names[win.handle()] = std::move(name);
}

void bodies::Win_get_name(const call& by, win_handle win, char* win_name, int* resultlen) {
  if (win == constants::win_null) return give_text(win_name, resultlen, "MPI_WIN_NULL", constants::max_object_name);
  const window& named = window_of(by, win);
  const auto& names = door_state::of(named.owner()).windows.names;
  const auto set = names.find(named.handle());
  give_text(win_name, resultlen, set == names.end() ? std::string() : set->second, constants::max_object_name);
}

}  // namespace pure::core::mpi
