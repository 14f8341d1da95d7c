#!/usr/bin/env python3
"""Plants a violation of each rule of table.py, and of what mpi_table.py refuses, in a copy of the table."""
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import generated
import table as rules

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "src/api/mpi"))
sys.dont_write_bytecode = True
from mpi_table import BadTable, read_table  # noqa: E402

# file, text with one blank where it has several, what stands there instead, what is said of it
PLANTED = [
    ("12_one_sided", "lock_type:lock", "lock_type:int", "Win_lock: lock_type has constants, and is int"),
    ("12_one_sided", "lock_type:lock", "lock_type:int", "kind lock: no parameter is of it"),
    ("08_topologies", "weighted:out logical", "weighted:out int", "Dist_graph_neighbors_count: weighted is true or false, and is int"),
    ("07_communicators", "comm_name:out text[MPI_MAX_OBJECT_NAME]", "comm_name:out text", "Comm_get_name: comm_name has no length"),
    ("03_point_to_point", "array_of_requests:inout request[count]", "array_of_requests:inout request",
     "Startall: array_of_requests has no length"),
    ("06_collectives", "keeps_arrays", "persistent", "Ialltoallw: keeps_arrays is for what makes a request of arrays"),
    ("06_collectives", "Alltoallw | there | large, collective", "Alltoallw | there | large, collective, persistent",
     "Alltoallw: persistent, and makes no request"),
    ("06_collectives", "persistent, form_of Bcast | buffer:buffer", "persistent, form_of Bcast | buffer:data",
     "Bcast_init: not the parameters of Bcast"),
    ("10_info", "Info_create | there | -", "Info_create | there | collective", "Info_create: collective, and has no communicator"),
    ("constants", "MPI_ORDER_C | 0xC", "MPI_ORDER_C | 0xC\nMPI_SORT | 0xD", "constant MPI_SORT: no kind has it"),
    ("kinds", "MPI_LOCK_*", "MPI_LOCKS_*", "kind lock: there is no constant MPI_LOCKS_*"),
    ("kinds", "MPI_TYPECLASS_*", "-", "kind type_class: openmpi converts constants, and it has none"),
    ("kinds", "values/- | values/- | MPI_LOCK_*", "values/- | values | MPI_LOCK_*",
     "kind lock: one of its interfaces has a conversion outward, another none"),
    ("05_datatypes", "typeclass:type_class", "typeclass:out type_class", "kind type_class: outward it has no conversion"),
]
REFUSED = [
    ("kinds", "| values/- | values/- | MPI_LOCK_*", "| values/- | MPI_LOCK_*", "10 columns"),
    ("kinds", "| values/- | values/- | MPI_LOCK_*", "| | values/- | MPI_LOCK_*", "lock: nothing in column openmpi"),
    ("kinds", "| values/- | values/- | MPI_LOCK_*", "| value/- | values/- | MPI_LOCK_*", "lock, openmpi: no such conversion: 'value'"),
    ("08_topologies", "coords:int[dimensions]", "coords:int[]", "not a parameter: 'coords:int[]'"),
    ("08_topologies", "coords:int[dimensions]", "coords:int[depth]", "coords has no length 'depth'"),
    ("08_topologies", "edges:rank[last(indx)]", "edges:rank[last(ends)]", "edges has no length 'last(ends)'"),
    ("03_point_to_point", "[incount:outcount]", "[incount:outcounts]", "array_of_indices has no length 'outcounts'"),
    ("09_environment", "null_ok base", "null_ok bases", "no parameter is called 'bases'"),
    ("11_process", "any_handle", "some_handle", "no such attribute: 'some_handle'"),
    ("06_collectives", "form_of Bcast", "form_of Cast", "no form of its own name: Cast"),
    ("12_one_sided", "lock_type:lock", "lock_type:locks", "no such kind: 'locks'"),
]


def changed_table(file: str, old: str, new: str):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "src/api/mpi/table", folder, dirs_exist_ok=True)
        path = Path(folder, f"{file}.table")
        text = re.sub(" +", " ", path.read_text())
        assert old in text, f"{file} has no {old!r}"
        path.write_text(text.replace(old, new))
        return read_table(Path(folder))


class WholeTable(unittest.TestCase):
    def test_the_table_is_whole(self):
        self.assertEqual(rules.violations(read_table()), [])

    def test_each_planted_violation_is_found(self):
        for file, old, new, said in PLANTED:
            with self.subTest(file=file, new=new):
                self.assertIn(said, rules.violations(changed_table(file, old, new)))

    def test_rows_that_say_too_little_are_refused(self):
        for file, old, new, said in REFUSED:
            with self.subTest(file=file, new=new):
                with self.assertRaises(BadTable) as refused:
                    changed_table(file, old, new)
                self.assertTrue(str(refused.exception).endswith(said), refused.exception)

    def test_a_function_that_the_generator_knows_by_name_is_found(self):
        self.assertEqual(list(rules.functions_named_in('if of.name == "Abort" or of.chapter in ("10_info", kind):', read_table())),
                         ["write_entries.py: knows 10_info by name", "write_entries.py: knows Abort by name"])

    def test_words_of_an_abi_are_found_in_code_and_only_there(self):
        text = 'MPI_Count n; // MPI_COMM_NULL\nsay("MPI_INT"); MPI_Status* s = MPI_STATUS_IGNORE; MPI_Copy_function* f; MPI_Comm c;\n'
        for name, words in (("info.cpp", ["MPI_Comm", "MPI_Copy_function", "MPI_STATUS_IGNORE", "MPI_Status"]),
                            ("door.cpp", ["MPI_STATUS_IGNORE", "MPI_Status"]), ("standard_abi.hpp", [])):
            with self.subTest(name=name):
                self.assertEqual([each.split()[2].rstrip(",") for each in rules.words_of_an_abi(name, text)], words)

    def test_a_generated_file_that_is_another_one_is_named(self):
        self.assertEqual(generated.differences({"mpi.h": "1", "gone": "1"}, {"mpi.h": "2", "new": "1"}),
                         ["new: is made, and was not", "gone: was made, and is not", "mpi.h: is another one"])


if __name__ == "__main__":
    unittest.main()
