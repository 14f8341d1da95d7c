#!/usr/bin/env python3
"""Plants mistakes in tables of from_mpi.py, each of which it must name: from_mpi_test.py ROOT COMPILER"""
import sys
import tempfile
import unittest
from pathlib import Path

import from_mpi

ROOT, COMPILER = Path(sys.argv.pop(1)), sys.argv.pop(1)
TABLE = """
== 3. Messages
MPI_Send | pure_send_msg | comm::send | but for that
MPI_Aaa MPI_Bbb | - | - | not there
=== Constants, types and operators
== Operators
MPI_SUM MPI_MAX MPI_X_* | = | pure::max, (words, and more) |
=== What MPI does not have
pure_rank | comm::rank | who am I
"""


def table(text: str = TABLE) -> from_mpi.Table:
    return from_mpi.table_in(text, "table")


class FromMpi(unittest.TestCase):
    def test_a_table_is_read(self):
        rows = table().rows
        self.assertEqual([row.kind for row in rows],
                         [from_mpi.FUNCTIONS, from_mpi.FUNCTIONS, from_mpi.CONSTANTS, from_mpi.ONLY_HERE])
        self.assertEqual(rows[1].mpi, ["MPI_Aaa", "MPI_Bbb"])
        self.assertEqual(rows[2].pure_h, ["PURE_SUM", "PURE_MAX", "PURE_X_*"])
        self.assertEqual(rows[2].cxx, ["pure::max", "(words, and more)"])
        with self.assertRaises(from_mpi.BadTable):
            table("== A\nMPI_Send | pure_send_msg | comm::send\n")

    def test_a_page_gets_the_tables(self):
        places = "".join(f"<!-- generated: {name} -->\n<!-- end -->\n"
                         for name in ("counts", "functions", "constants", "only here"))
        page = from_mpi.page_with(table(), "# Page\n" + places)
        self.assertIn("| `MPI_Send` | `pure_send_msg` | `comm::send` | but for that |", page)
        self.assertIn("Of these 3 functions 1 have a twin", page)
        self.assertEqual(from_mpi.page_with(table(), page), page)
        with self.assertRaises(from_mpi.BadTable):
            from_mpi.page_with(table(), "# Page\n")

    def test_names_of_pure_h(self):
        problems = from_mpi.check_names_of_pure_h(table(TABLE.replace("pure_send_msg", "pure_sent")), ROOT)
        self.assertIn("pure_sent is not in pure.h", problems)
        self.assertIn("pure_send_msg is in no table", problems)
        self.assertIn("PURE_INT is in no table", problems)
        self.assertNotIn("pure_rank is in no table", problems)

    def test_names_of_cxx(self):
        wrong = TABLE.replace("comm::send", "comm::sent").replace("pure::max", "pure::most, a \\| 7")
        self.assertEqual(from_mpi.check_cxx_names(table(wrong), ROOT, COMPILER),
                         [f"there is no C++ {name}" for name in ("a | 7", "comm::sent", "pure::most")])

    def test_names_of_mpi(self):
        with tempfile.TemporaryDirectory() as folder:
            header = Path(folder, "mpi_abi.h")
            header.write_text("#define MPI_SUM 1\n#define MPI_X_Y 2\n#define MPI_Z 3\nint MPI_Send(void);\n"
                              "int MPI_Send_c(void);\nint MPI_Ccc(void);\nint MPI_Bbb(void);\n", encoding="utf-8")
            problems = from_mpi.check_mpi_names(table(TABLE.replace("MPI_Aaa", "MPI_Aaa MPI_Send")), [header])
        self.assertEqual(problems, ["MPI_Send comes 2 times", f"{header}: MPI_Ccc is in no table",
                                    f"{header}: MPI_Z is in no table of constants", f"MPI_Aaa is not in {header}"])

    def test_renames(self):
        self.assertIn("s/\\bMPI_MAX\\b/PURE_MAX/g", from_mpi.renames_of(table()))
        self.assertNotIn("MPI_Aaa", from_mpi.renames_of(table()))


if __name__ == "__main__":
    unittest.main()
