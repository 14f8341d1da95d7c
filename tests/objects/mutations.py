#!/usr/bin/env python3
"""Mistakes that tables of objects and the boundary of doors invite, planted in them (tests/support/planted_mutations.py)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

TABLE = "objects/object_table.hpp"
OPERATORS = "objects/operator_table.hpp"
ATTRIBUTES = "objects/attribute_table.cpp"
TYPES = "objects/datatype.cpp"
CONSTRUCTORS = "objects/datatype_constructors.hpp"
BUFFERS = "objects/attached_buffer.cpp"
BOUNDARY = "objects/boundary.cpp"

# Templates and inline functions are those of the test that uses them.
TABLE_TEST = "tests/unit/objects/object_table_test.cpp"
OPERATORS_TEST = "tests/unit/objects/operator_table_test.cpp"
TYPES_TEST = "tests/unit/objects/datatype_test.cpp"

TWINS = [
    # ---- handles ----
    Twin("", "ANY_KIND", TABLE, "key.kind() == kind_ && ", "", "object_table.handles_of_others_are_not_found", TABLE_TEST),
    Twin("", "ANY_RANK", TABLE, " && key.rank() == rank_ ? ", " ? ", "object_table.handles_of_others_are_not_found", TABLE_TEST),
    Twin("", "ONE_TOO_MANY", TABLE, "made_.live() >= most_", "made_.live() > most_",
         "object_table.one_too_many_is_refused_and_changes_nothing", TABLE_TEST),
    # ---- operators ----
    Twin("", "A_FUNCTION_OF_ANY_DOOR", OPERATORS, "try_emplace({make, function, names})", "try_emplace({maker{}, function, names})",
         "operator_table.doors_do_not_call_each_others_functions", OPERATORS_TEST),
    Twin("", "NO_SECOND_TRY", OPERATORS, "if (is_new || known->second == nullptr)", "if (is_new)",
         "operator_table.a_function_for_which_there_was_no_memory_can_be_tried_again", OPERATORS_TEST),
    # ---- attributes ----
    Twin("", "A_FREED_KEY_IS_GONE", ATTRIBUTES, "is_freed && found->second.uses == 0)", "is_freed)",
         "attribute_table.a_freed_key_lasts_as_long_as_its_values"),
    Twin("", "A_USE_IS_NOT_COUNTED", ATTRIBUTES, "  --keys_.find(name)->second.uses;\n", "",
         "attribute_table.a_freed_key_lasts_as_long_as_its_values"),
    Twin("", "THE_FIRST_GOES_FIRST", ATTRIBUTES, "values->second.back().first", "values->second.front().first",
         "attribute_table.an_object_that_ends_loses_the_last_value_first"),
    Twin("", "A_FAILURE_IS_NONE", ATTRIBUTES, "  if (result != 0 || find(of, name) == nullptr)",
         "  if (find(of, name) == nullptr)", "attribute_table.a_value_whose_callback_fails_stays"),
    Twin("", "ONE_KEY_TOO_MANY", ATTRIBUTES, "  if (next_key_ == std::numeric_limits<int>::max())",
         "  if (next_key_ < 0)", "attribute_table.when_all_numbers_have_been_keys_there_is_no_other"),
    # ---- types ----
    Twin("", "PARTS_OF_AN_ELEMENT", TYPES, "bytes % size == 0 ? bytes / size : -1", "bytes / size",
         "datatype.elements_are_counted_whole"),
    Twin("", "THE_LAST_PART_DECIDES", CONSTRUCTORS, "i == 0 || code == its.code ? its.code : 0", "its.code",
         "datatype.the_element_of_a_derived_type_is_that_of_all_its_parts", TYPES_TEST),
    Twin("", "DISPLACEMENTS_IN_BYTES", CONSTRUCTORS, "in_bytes(displacement(i), element.form->extent())",
         "in_bytes(displacement(i), 1)", "datatype.displacements_are_in_elements_or_in_bytes", TYPES_TEST),
    # ---- buffers ----
    Twin("", "A_SECOND_BUFFER", BUFFERS, "  if (to.is_attached())", "  if (false)",
         "attached_buffers.are_given_back_as_they_were"),
    Twin("", "STAYS_ATTACHED", BUFFERS, "  from.detach();\n", "", "attached_buffers.are_given_back_as_they_were"),
    # ---- the boundary ----
    Twin("", "TOO_LONG_ENDS_THE_JOB", BOUNDARY,
         "  } catch (const std::length_error&) {\n    return settle_no_memory(of, operation);\n", "",
         "boundary_of_doors.missing_memory_is_an_error"),
    Twin("", "THE_TEXT_IS_LOST", BOUNDARY, "    of->last_text = text;\n", "",
         "boundary_of_doors.errors_have_the_codes_of_the_door"),
    Twin("", "ERRORS_ARE_NEVER_FATAL", BOUNDARY, "  if (of->returns_errors) return {code};\n", "  return {code};\n",
         "boundary_of_doors.fatal_errors_go_to_whoever_has_called_run"),
    Twin("", "THE_END_OF_THE_JOB_IS_ONE_MORE_EXCEPTION", BOUNDARY, "  } catch (const job_ended&) {\n    return passing(errc::other);\n", "",
         "boundary_of_doors.the_end_of_the_job_passes"),
]

if __name__ == "__main__":
    sys.exit(run(Room("objects", (), TWINS, {})))
