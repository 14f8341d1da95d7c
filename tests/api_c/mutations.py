#!/usr/bin/env python3
"""Mistakes that loops, reductions and tasks from C invite, planted in their code (tests/support/planted_mutations.py)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

TASKS = "api/c/pure_h_tasks.cpp"
ONCE = "tasks_h.each_index_is_done_once"
JOINED = "tasks_h.a_reduction_is_combined_from_the_first_block_to_the_last"
WRONG = "tasks_h.what_is_wrong_is_an_error_of_its_argument"

TWINS = [
    Twin("", "LINES_OF_INDEX_0", TASKS, "(address + element * options.element_bytes) % line_bytes",
         "(element * options.element_bytes) % line_bytes", ONCE),
    Twin("", "LEAD_REVERSED", TASKS, "shape.lead = (shape.unit - first) % shape.unit;", "shape.lead = first;", ONCE),
    Twin("", "LAST_OF_NEXT", TASKS, "loop.body(first, first + count, loop.context)",
         "loop.body(first, first + count + 1, loop.context)", ONCE),
    Twin("", "BLOCKS_BEGIN_AS_THEY_ARE", TASKS, "      std::memcpy(all.value(block), all.result, all.bytes);\n", "", JOINED),
    Twin("", "COMBINED_BACKWARDS", TASKS, "combine(all.result, all.value(block), all.context)",
         "combine(all.result, all.value(blocks - 1 - block), all.context)", JOINED),
    Twin("", "LAST_BLOCK_IS_LONG", TASKS, "first + std::min(all.length, all.count - first)", "first + all.length", JOINED),
    Twin("", "MORE_BLOCKS", TASKS, "blocks_of_reduction = 1024;", "blocks_of_reduction = 1000;",
         "tasks_h.a_reduction_has_the_bits_of_its_blocks"),
    Twin("", "NOBODY_IS_ALONE", TASKS, "(self() == nullptr && rank_in_chunk() == nullptr) || is_guest();", "is_guest();",
         "tasks_h.who_is_no_rank_works_alone"),
    Twin("", "ONE_ITERATION_FEWER", TASKS,
         '    check(by, count <= most_iterations, "the count is more than 2^63 - 1: is it a negative number?");\n'
         "    const std::size_t length",
         '    check(by, count < most_iterations, "the count is more than 2^63 - 1: is it a negative number?");\n'
         "    const std::size_t length", WRONG),
    Twin("", "ANY_ARRAY", TASKS, "options.element_bytes != 0,", "true,", WRONG),
    Twin("", "ONE_UNIT_TOO_MANY", "task/parallel_loop.cpp", "loop.units() > adaptive_loop::most_iterations",
         "loop.units() > adaptive_loop::most_iterations + 1", "tasks_h.loops_of_any_length"),
    Twin("", "LARGE_ITEMS", TASKS, "element_bytes == 0 || element_bytes >= line_bytes ? 1", "element_bytes == 0 ? 1",
         "tasks_h.a_task_does_all_its_chunks"),
    Twin("", "ITEMS_OF_FIRST_CHUNK", TASKS, "first_chunk, last_chunk, pure_task_chunks());", "first_chunk, first_chunk, pure_task_chunks());",
         "tasks_h.a_task_does_all_its_chunks"),
]

if __name__ == "__main__":
    sys.exit(run(Room(name="api/c", program="api", models=(), twins=TWINS, without={}, sources="",
                  tests="tasks_h_test.cpp")))
