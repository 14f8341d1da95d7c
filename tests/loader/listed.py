#!/usr/bin/env python3
"""What the documentation lists: of each thing that a rank has for itself there is a test, of each call that makes ranks
processes a program that calls it, and what is left shared is named here as well."""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from loaded_programs import Folder, Run, require  # noqa: E402

ROOT = Path(__file__).parent.parent.parent
folder = Folder()

LEFT = "nobody tests that it is shared"
UNIT, THREADS, PROGRAM = "tests/unit/libc", "tests/unit/loader/program_threads_test.cpp", "tests/loader"
# By how a row of docs/libc_of_ranks.md begins: the file of its test, and a name in it.
PRIVATE = {
    "`getopt`": (f"{UNIT}/arguments_test.cpp", "begin_where_each_rank_has_come_to"),
    "`rand`": (f"{UNIT}/random_test.cpp", "gives_each_rank_libcs_numbers_whatever_others_take"),
    "`strtok`": (f"{UNIT}/texts_test.cpp", "are_cut_into_tokens_where_each_rank_has_come_to"),
    "`localtime`": (f"{UNIT}/time_test.cpp", "is_told_as_libc_tells_it"),
    "`setlocale`": (f"{UNIT}/locales_test.cpp", "is_that_of_its_threads"),
    "`lgamma`": (f"{UNIT}/gamma_test.cpp", "is_libcs_with_a_sign_for_each_rank"),
    "`getpwnam`": (f"{UNIT}/databases_test.cpp", "have_results_of_the_rank"),
    "`getpwent`": (f"{UNIT}/databases_test.cpp", "are_gone_through_by_each_rank"),
    "`hsearch`": (f"{UNIT}/databases_test.cpp", "are_hash_tables_of_the_rank"),
    "`ecvt`": (f"{UNIT}/texts_test.cpp", "are_digits_as_libc_writes_them"),
    "`strerror`": LEFT,
    "the working directory": (f"{UNIT}/process_test.cpp", "has_a_directory_and_an_umask_for_each_rank"),
    "`sigaction`": (f"{UNIT}/signals_test.cpp", "are_ignored_by_one_and_handled_by_another"),
    "`waitpid`": (f"{PROGRAM}/children.c", "CASE(any, PRIVATE)"),
    "`alarm`": (f"{UNIT}/signals_test.cpp", "of_alarms_come_to_the_rank_that_set_one"),
    "functions that are called": (f"{PROGRAM}/threads.c", "CASE(notified_by_timer, PRIVATE)"),
    "`nice`": LEFT,
    "`clock`": (f"{UNIT}/processor_time_test.cpp", "is_that_of_its_threads"),
    "`readlink`": (f"{UNIT}/process_test.cpp", "is_known_by_the_path_of_the_program"),
    "`environ`": (f"{UNIT}/environment_test.cpp", "is_nobody_elses"),
    "`register_printf_specifier`": (f"{UNIT}/formats_test.cpp", "come_and_go_while_other_ranks_print"),
    "`stdin`": (f"{UNIT}/streams_test.cpp", "have_a_buffer_for_each_rank"),
    "descriptor 0": (f"{UNIT}/streams_test.cpp", "descriptor_0_has_nothing_for_other_ranks"),
    "descriptors 1 and 2": (f"{UNIT}/process_test.cpp", "has_streams_that_a_rank_redirects_for_all"),
    "`setrlimit`": (f"{UNIT}/process_test.cpp", "has_one_set_of_limits"),
    "`getpid`": (f"{UNIT}/process_test.cpp", "has_a_number_for_each_rank_that_the_system_knows"),
    "`mmap`": (f"{UNIT}/process_test.cpp", "has_one_space_of_addresses"),
    "other descriptors": LEFT,
    "`getutent`": LEFT,
    "`openlog`": LEFT,
    "`argp_parse`": ("tests/mpi_abi/rank_choice.sh", "argp_parse"),
    "`pthread_key_create`": (THREADS, "forget_values_of_keys_of_programs"),
    "`malloc`": (f"{PROGRAM}/children.c", "CASE(atfork, PRIVATE)"),
}
# Rows of docs/private_globals.md that are about no function.
OTHERWISE = {
    "settings of Pure": ("tests/mpi_abi/rank_choice.sh", "sets variables of Pure"),
    "what others put in": ("tests/mpi_abi/rank_choice.sh", "libpython3.so"),
}


def rows(document, heading):
    """The cells of the first table below the heading, without its head."""
    text = (ROOT / "docs" / document).read_text()
    lines = text[text.index(heading):].splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith("|---"))
    found = []
    for line in lines[begin + 1:]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split(" | ")])
    require(found, f"{document}: no table below {heading}")
    return found


def has_test(row, test):
    if test == LEFT:
        return
    file, name = test
    require(name in (ROOT / file).read_text(), f"{row}: {file} has no {name}")


def of_libc():
    listed = rows("libc_of_ranks.md", "# What a loaded rank has of libc")
    for row in listed:
        its = [key for key in PRIVATE if row[0].startswith(key)]
        require(len(its) == 1, f"docs/libc_of_ranks.md: no test is named for: {row[0]}")
        has_test(row[0], PRIVATE[its[0]])
    require(len(listed) == len(PRIVATE), "a row of docs/libc_of_ranks.md has gone")


def names_in(text):
    found = re.findall(r"`([\w.]+)`", text)
    return [name for each in found for name in (["execv", "execve", "execlp"] if each == "exec..." else [each])]


def decides(name, is_variable, expected):
    source = folder.path / f"calls_{name}.c"
    what = "char" if is_variable else "void"
    use = f"if (n > 99) *(volatile char*)&listed = 1" if is_variable else "if (n > 99) listed()"
    source.write_text(f'#include <mpi.h>\nextern {what} listed{"" if is_variable else "(void)"} __asm__("{name}");\n'
                      f"int main(int n, char** v) {{ MPI_Init(&n, &v); {use}; return MPI_Finalize(); }}\n")
    program = folder.compile(f"calls_{name}", [source])
    run = Run(["purerun", "--dry-run", "-n", 3, program])
    is_processes = "PURE_PROCESSES=3" in run.out
    require(run.status == 0 and is_processes == expected, f"{name}: ranks are {'processes' if is_processes else 'threads'}: {run}")


def of_process():
    for row in rows("private_globals.md", "## What ranks would feel"):
        otherwise = [test for key, test in OTHERWISE.items() if row[0].startswith(key)]
        if otherwise:
            has_test(row[0], otherwise[0])
            continue
        deciding, _, others = re.sub(r"\([^)]*\)", "", row[1]).partition(" Not ")
        require(names_in(deciding), f"no names in {row}")
        is_variable = row[0].startswith("variables")
        for name in names_in(deciding):
            folder.beside(decides, name, is_variable, True)
        for name in names_in(others):
            folder.beside(decides, name, is_variable, False)


folder.beside(of_libc)
folder.beside(of_process)
folder.finish()
