#!/usr/bin/env python3
"""Mistakes that the door to MPI invites, planted in it (tests/support/planted_mutations.py)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

COMPLETION = "api/mpi/completion.cpp"
HANDLERS = "api/mpi/error_handlers.cpp"
DOOR = "api/mpi/door.cpp"
ATTRIBUTES = "api/mpi/attributes.cpp"
INFO = "api/mpi/info.cpp"
LANGUAGES = "api/mpi/languages.cpp"
COMMUNICATORS = "api/mpi/communicators.cpp"
MESSAGES = "api/mpi/point_to_point.cpp"
STRINGS = "mpi_info.strings_are_cut_to_the_room_and_their_length_is_told"
LONGEST = "mpi_info.the_longest_fit_and_longer_ones_are_refused"
LAST = "mpi_error_handlers.last_as_long_as_an_object_has_them"
EMPTY = "mpi_completion.null_and_inactive_requests_give_the_empty_status"

TWINS = [
    # ---- completion ----
    Twin("", "STARTS_AS_IT_CHECKS", COMPLETION,
         "  for (const handle each : array_of_requests) all.stored().check_startable(by, each);  // all, or none is started\n"
         "  for (const handle each : array_of_requests) all.start(by, each);\n",
         "  for (const handle each : array_of_requests) {\n    all.stored().check_startable(by, each);\n    all.start(by, each);\n  }\n",
         "mpi_completion.startall_checks_all_before_it_starts_any"),
    Twin("", "NO_ERROR_IN_STATUS", COMPLETION,
         "if (to != nullptr) to->error = class_of(result.error);", ";",
         "mpi_completion.of_several_the_errors_are_in_the_statuses"),
    Twin("", "THE_LAST_FAILURE", COMPLETION, "if (result.error == errc::success || !is_first) return;",
         "if (result.error == errc::success) return;", "mpi_completion.the_error_is_of_the_first_that_fails"),
    Twin("", "WAITANY_OF_NONE", COMPLETION, "  if (found < 0) return fill_empty(status);\n", "  if (found < 0) return;\n", EMPTY),
    Twin("", "INACTIVE_KEEPS_STATUS", COMPLETION,
         "  if (to != nullptr && !world.requests().is_active(request)) return fill_empty(to);\n", "", EMPTY),
    Twin("", "TESTALL_ENDS_SOME", COMPLETION,
         "  if (*flag == 1) complete_all(world, by, array_of_requests, array_of_statuses);\n",
         "  for (handle& each : array_of_requests) {\n"
         "    if (world.requests().poll(each)) complete(world, by, each, nullptr);\n  }\n",
         "mpi_completion.only_what_is_complete_ends"),
    Twin("", "LOOK_IS_A_TEST", COMPLETION,
         "  *flag = world.requests().look(request, makes_progress) ? 1 : 0;\n",
         "  *flag = world.requests().test(request, makes_progress) ? 1 : 0;\n",
         "mpi_completion.a_look_leaves_the_request_which_may_be_freed_then"),
    Twin("", "STATUS_OF_THE_REQUEST_S_INDEX", COMPLETION,
         "fill_with_outcome(at(array_of_statuses, static_cast<std::size_t>(complete)), world",
         "fill_with_outcome(at(array_of_statuses, i), world", "mpi_completion.a_look_at_many_leaves_them_and_says_all"),
    Twin("", "NOBODY_NEEDS_A_TYPE", MESSAGES, "  if (peer == constants::proc_null && type == constants::datatype_null) return {};\n", "",
         "mpi_completion.nobody_needs_no_type"),
    # ---- error handlers ----
    Twin("", "INHERITED_UNCOUNTED", HANDLERS,
         "  if (error_handler* const made = find_handler(owner, handler); made != nullptr) ++made->uses;\n  all[to]", "  all[to]",
         LAST),
    Twin("", "GIVEN_UNCOUNTED", HANDLERS,
         "  if (error_handler* const made = find_handler(worker, handler); made != nullptr) ++made->uses;\n  return", "  return",
         LAST),
    Twin("", "REPLACED_STAYS", HANDLERS, "  if (now.value != 0) release(worker, now);\n", "",
         "mpi_error_handlers.are_given_back_when_they_are_replaced"),
    Twin("", "ANY_SORT", HANDLERS, "    if (made.of != of) throw_error", "    if (false) throw_error",
         "mpi_error_handlers.are_for_one_sort_of_objects"),
    Twin("", "SELF_ALONE", HANDLERS,
         "    if (handler == constants::errhandler_null)\n"
         "      handler = handler_in(state.of_communicators, communicator_table::world_handle);\n",
         "", "mpi_error_handlers.of_world_get_it_where_self_has_none"),
    Twin("", "FILES_ARE_FATAL", HANDLERS, "    return set == state.of_files.end() ? constants::errors_return : set->second;\n",
         "    return set == state.of_files.end() ? constants::errors_are_fatal : set->second;\n",
         "mpi_error_handlers.of_no_file_return_unless_the_program_sets_another_one"),
    Twin("", "CALLED_BY_NAME_FAILS", DOOR, "  return is_asked ? constants::success : code;\n", "  return code;\n",
         "mpi_error_handlers.that_are_called_by_name_are_the_callers"),
    # ---- attributes ----
    Twin("", "COPIED_ALL_THE_SAME", ATTRIBUTES, "  if (code == constants::success && flag != 0) to = made;\n",
         "  if (code == constants::success) to = made;\n", "mpi_attributes.are_not_copied_where_the_function_says_so"),
    Twin("", "ANY_KEY", ATTRIBUTES, "  if (found == nullptr) require_key(by, table, key);\n", "",
         "mpi_attributes.what_is_no_key_is_refused"),
    Twin("", "KEY_STAYS", ATTRIBUTES, "  *key = constants::keyval_invalid;\n", "",
         "mpi_attributes.keys_last_as_long_as_values_have_them"),
    # ---- infos, hints, numbers ----
    Twin("", "LENGTH_WITHOUT_END", INFO, "  *buflen = static_cast<int>(found->size()) + 1;\n",
         "  *buflen = static_cast<int>(found->size());\n", STRINGS),
    Twin("", "NO_ROOM_FOR_END", INFO, "give_value(value, *found, static_cast<std::size_t>(*buflen) - 1);",
         "give_value(value, *found, static_cast<std::size_t>(*buflen));", STRINGS),
    Twin("", "KEY_TOO_LONG", INFO, "  if (name.size() >= constants::max_info_key)\n", "  if (name.size() > constants::max_info_key)\n", LONGEST),
    Twin("", "ANY_VALUE_OF_HINTS", COMMUNICATORS, ' && (*value == "true" || *value == "false")', "",
         "mpi_info.communicators_tell_all_hints_that_are_supported"),
    Twin("", "GROUPS_ARE_DEAD", LANGUAGES, "return made.groups.find(name) != nullptr;", "return false;",
         "mpi_numbers.of_what_lives_stay_and_others_are_given_again"),
    Twin("", "NOTHING_DIES", LANGUAGES, "case handle_kind::info: return is_info(rank, name);",
         "case handle_kind::info: return true;", "mpi_numbers.of_what_lives_stay_and_others_are_given_again"),
]

ROOM = Room(name="api/mpi", program="api.mpi", models=(), twins=TWINS, without={}, generated="mpi/api/mpi",
            options=("-DPURE_SOVERSION=\"0\"",), linked="CMakeFiles/pure_mpi_jumps.dir/**/*.o")

if __name__ == "__main__":
    sys.exit(run(ROOM))
