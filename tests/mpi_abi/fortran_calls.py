#!/usr/bin/env python3
"""Every function of Fortran's side, called from mpif.h, `mpi` and `mpi_f08`: what arrives in C, and what comes back.

    fortran_calls.py SOURCES BUILD COMPILER FOLDER [MODULES]

A library that stands in place of libmpi_abi prints the arguments that it gets, and gives results that tell them apart. Programs
that are written here from the table call each function, also in its form with large counts; what they have to print is known
from MPI 5.0, chapter 19, kind by kind: nothing of the generator of the side is used. Functions of the program and attributes
are in fortran_callbacks.f90, array sections in fortran_sections.f90.
"""
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

SOURCES, BUILD, COMPILER, FOLDER = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3].split(), Path(sys.argv[4])
MODULES = Path(sys.argv[5]) if len(sys.argv) > 5 else FOLDER
sys.path.insert(0, str(SOURCES / "src/api/mpi"))
from fortran_library import BUFFERS, ELEMENTS, FAR, OWN_WORK, QUANTITIES, is_tested, library, result_of  # noqa: E402
from mpi_table import Function, Parameter, read_table  # noqa: E402

INTERFACES = {"mpif.h": "mpif.h and mpi", "mpi": "mpif.h and mpi", "mpi_f08": "mpi_f08"}


# ---- the programs that call ----

@dataclass
class Call:
    """One call: what the program does, and what is printed."""
    declared: list[str] = field(default_factory=list)
    set: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)  # expressions that are printed behind it
    arrives: list[str] = field(default_factory=list)
    returns: list[str] = field(default_factory=list)


class Caller:
    """The call of one function in one interface. `special`: constants that are addresses, where there are some."""

    def __init__(self, of: Function, interface: str, large: bool, special: bool) -> None:
        self.of, self.interface, self.large, self.special = of, interface, large, special
        self.is_f08 = interface == "mpi_f08"
        self.column = INTERFACES[interface] + (", form _c" if large and self.is_f08 else "")
        self.call = Call()
        lengths = {other.length for other in of.parameters} | {f"{name}" for other in of.parameters if other.length
                                                               for name in [other.length.removesuffix("+1")]}
        self.lengths = lengths
        for at, each in enumerate(of.parameters):
            if each.kind.types[self.column] != "none":
                self.parameter(at, each)

    def integer_type(self, each: Parameter) -> str:
        found = each.kind.types[self.column]
        return {"INTEGER": "integer", "LOGICAL": "logical"}.get(found) or f"integer(kind={found[len('INTEGER('):-1]})"

    def parameter(self, at: int, each: Parameter) -> None:
        call, kind, name, of = self.call, each.kind, f"a{at}_{each.name}"[:31], self.of
        call.arguments.append(name)
        is_in, is_out = each.direction in ("in", "inout", "const"), each.direction in ("out", "inout")
        if of.chapter == "removed" and each.is_array():
            is_out = False  # MPI-1 has no const
        found = kind.types[self.column]
        if kind.name in BUFFERS:
            return self.buffer(at, each, name)
        if kind.name == "detached":
            if self.is_f08:
                call.declared.append(f"type(c_ptr) :: {name}")
                call.told.append(f"transfer({name}, 0_8)")
                call.returns.append(str(int(f"0x{at + 1}2345678", 0)))
            else:
                call.declared.append(f"integer :: {name}(4)")
            return None
        if kind.name == "base":
            call.declared.append(f"integer(8) :: {name}" if not self.is_f08 else f"type(c_ptr) :: {name}")
            call.told.append(name if not self.is_f08 else f"transfer({name}, 0_8)")
            call.returns.append(str(int(f"0x{at + 1}2345678", 0)))
            return None
        if kind.name == "status":
            return self.status(at, each, name)
        if kind.name in ("string", "info_string"):
            call.declared.append(f"character(len=20) :: {name}")
            call.set.append(f"{name} = '  a b {at} '")
            call.arrives.append(f"{each.name}=[{f'a b {at}' if kind.name == 'info_string' else f'  a b {at}'}]")
            return None
        if kind.name == "text":
            call.declared.append(f"character(len=12) :: {name}")
            call.set.append(f"{name} = 'xxxxxxxxxxxx'")
            call.told.append(f"'[' // {name} // ']'")
            call.returns.append(f"[{f'text {at}':12}]")
            return None
        if kind.name in ("weights", "error_codes"):
            if self.special:
                constant = {"error_codes": "MPI_ERRCODES_IGNORE", "weights": "MPI_UNWEIGHTED" if at % 2 else "MPI_WEIGHTS_EMPTY"}[kind.name]
                call.arguments[-1] = constant
                call.arrives.append(f"{each.name}=at {({'MPI_UNWEIGHTED': 10, 'MPI_WEIGHTS_EMPTY': 11}).get(constant, 0)}")
                return None
            call.declared.append(f"integer :: {name}(4)")
            call.set.append(f"{name} = {at + 40}")
            call.arrives.append(f"{each.name}={at + 40}")
            if is_out:
                call.told.append(f"{name}(1)")
                call.returns.append(str(result_of(each, at)))
            return None
        if kind.name == "ranges":
            call.declared.append(f"integer :: {name}(3, 3)")
            call.set.append(f"{name} = reshape((/ 1, 2, 3, 4, 5, 6, 7, 8, 9 /), (/ 3, 3 /))")
            call.arrives.append(f"{each.name}=1,6")
            return None
        if kind.name in ("word", "old_word"):
            call.declared.append(f"{self.integer_type(each)} :: {name}")
            call.set.append(f"{name} = -{at + 5}")
            call.arrives.append(f"{each.name}=-{at + 5}")
            return None
        if found.startswith("DOUBLE"):
            raise AssertionError(each)
        return self.number(at, each, name, is_in, is_out)

    def number(self, at: int, each: Parameter, name: str, is_in: bool, is_out: bool) -> None:
        """Numbers, logicals and handles, by themselves and in arrays."""
        call, kind, of = self.call, each.kind, self.of
        is_handle, is_logical = kind.is_handle(), kind.name == "logical"
        field_of = "%MPI_VAL" if is_handle and self.is_f08 else ""
        if is_handle and self.is_f08:
            declared = f"type({kind.types[self.column][5:-1]})"
        elif is_handle:
            declared = "integer"
        else:
            declared = self.integer_type(each)
        size = ELEMENTS + 1
        call.declared.append(f"{declared} :: {name}{f'({size})' if each.is_array() else ''}")
        is_wide = "KIND" in kind.types[self.column] and not is_handle
        is_length = each.name in self.lengths
        if is_in:
            value = (ELEMENTS if is_length else 0x101 if is_handle and self.special else 5000 + at if is_handle
                     else at % 2 if is_logical else -(1 << 40) - at if is_wide else 2147483000 + at if kind.name in ("count", "key")
                     else -20 - at)
            if kind.name == "room":
                value = 11
            elif kind.name in ("number", "int") and not is_wide and value < 0:
                value = 30 + at
            values = [value + (i if not is_logical else 0) for i in range(ELEMENTS)] if each.is_array() else [value]
            if is_logical and each.is_array():
                values = [1, 0, 1]
            for i, one in enumerate(values):
                element = f"{name}({i + 1})" if each.is_array() else name
                text = (".true." if one else ".false.") if is_logical else f"{one}_8" if is_wide else str(one)
                call.set.append(f"{element}{field_of} = {text}")
            in_c = [one + FAR if is_handle and one >= 0x400 else one for one in values]
            if kind.name == "room":
                in_c = [value + 1]
            text = "".join(f"{one}," for one in in_c) if each.is_array() else str(in_c[0])
            call.arrives.append(f"{each.name}={text}")
        if is_out:
            self.result(at, each, name + field_of if not each.is_array() else name, field_of, is_in, is_logical)

    def result(self, at: int, each: Parameter, name: str, field_of: str, is_in: bool, is_logical: bool) -> None:
        call, kind, value = self.call, each.kind, result_of(each, at)
        if kind.is_handle():
            value -= FAR
            if is_in:  # a handle that is not a null handle afterwards keeps its number
                value = (0x101 if self.special else 5000 + at)
        if kind.name == "room":
            value = 8
        elif any(other.filled == each.name for other in self.of.parameters):
            value = 2
        if kind.name == "index":
            value += 1
        if each.is_array():
            count = 2 if each.filled else ELEMENTS
            if not each.filled and each.length not in {other.name for other in self.of.parameters} | set(QUANTITIES):
                count = 0
            for i in range(count):
                element = f"{name}({i + 1}){field_of}"
                one = value + i if not is_logical else (i + 1) % 2
                if kind.is_handle() and is_in:
                    one = value + i
                call.told.append(f"merge(1, 0, {element})" if is_logical else element)
                call.returns.append(str(one))
            return
        call.told.append(f"merge(1, 0, {name})" if is_logical else name)
        call.returns.append(str(value))

    def buffer(self, at: int, each: Parameter, name: str) -> None:
        call, kind, of = self.call, each.kind, self.of
        is_written = kind.name in ("buffer", "receive_buffer") and of.name not in ("Free_mem", "Win_attach", "Win_create")
        if self.special:
            constant, value = {"data": ("MPI_BOTTOM", 0), "buffer": ("MPI_BOTTOM", 0), "send_data": ("MPI_IN_PLACE", 1),
                               "receive_buffer": ("MPI_IN_PLACE", 1), "attached": ("MPI_BUFFER_AUTOMATIC", 2)}[kind.name]
            call.arguments[-1] = constant
            call.arrives.append(f"{each.name}=at {value}")
            return
        call.declared.append(f"integer :: {name}(4)")
        call.set.append(f"{name} = {at + 70}")
        call.arrives.append(f"{each.name}={at + 70}")
        if is_written:
            call.told.append(f"{name}(1)")
            call.returns.append(str(300 + at))

    def status(self, at: int, each: Parameter, name: str) -> None:
        call = self.call
        if self.special and each.direction == "out":
            call.arguments[-1] = "MPI_STATUSES_IGNORE" if each.is_array() else "MPI_STATUS_IGNORE"
            call.arrives.append(f"{each.name}=none")
            return
        several = ", 4" if each.is_array() else ""
        if self.is_f08:
            call.declared.append(f"type(MPI_Status) :: {name}{'(4)' if each.is_array() else ''}")
        else:
            call.declared.append(f"integer :: {name}(MPI_STATUS_SIZE{several})")
        if each.direction in ("in", "const", "inout"):
            call.set.append(f"{name} = MPI_Status(11, 12, 13, (/ 14, 15, 16, 17, 18 /))" if self.is_f08
                            else f"{name} = (/ 11, 12, 13, 14, 15, 16, 17, 18 /)")
            call.arrives.append(f"{each.name}=11,12,13,18")
        else:
            call.arrives.append(f"{each.name}=there")
        if each.direction in ("out", "inout"):
            element, first = (f"{name}(2)", 110) if each.is_array() else (name, 100)
            if self.is_f08:
                parts = [f"{element}%MPI_SOURCE", f"{element}%MPI_TAG", f"{element}%MPI_ERROR", f"{element}%MPI_internal(5)"]
            else:
                where = ", 2" if each.is_array() else ""
                parts = [f"{name}({place}{where})" for place in ("MPI_SOURCE", "MPI_TAG", "MPI_ERROR", "8")]
            call.told += parts
            call.returns += [str(first + k) for k in (0, 1, 2, 7)]

    def subroutine(self, name: str) -> list[str]:
        of, call = self.of, self.call
        lines = [f"subroutine {name}"]
        lines += [f"  {text}" for text in call.declared]
        lines += ["  integer :: ierror"] if not of.returns else []
        lines += [f"  {text}" for text in call.set]
        fortran = f"MPI_{of.overloads or of.name}"
        if of.returns:
            lines.append(f"  print '(a,g0)', ' ', {fortran}({', '.join(call.arguments)})")
        else:
            arguments = ", &\n    ".join([*call.arguments, "ierror"])
            lines += ["  ierror = 99", f"  call {fortran}({arguments})"]
            told = ", ' ', ".join(["ierror", *call.told])
            lines.append("  print '(*(g0))', '  ', " + told.replace(", ' ', ", ", ' ', &\n    "))
        return [*lines, "  flush(6)", f"end subroutine {name}"]

    def expected(self) -> list[str]:
        of, call = self.of, self.call
        if of.returns:
            return [{"Wtime": " 2.5", "Wtick": " 2.5"}.get(of.name, "")]
        return [" ".join([of.c_name(self.large and of.has_large), *call.arrives]), "  " + " ".join(["0", *call.returns])]


def has_special(of: Function) -> bool:
    return any(each.kind.name in BUFFERS | {"weights", "error_codes"} or each.kind.name == "status" and each.direction == "out"
               for each in of.parameters)


def is_large_distinct(of: Function) -> bool:
    return of.has_large and any(("INTEGER" == each.kind.types["mpi_f08"]) != ("INTEGER" == each.kind.types["mpi_f08, form _c"])
                                for each in of.parameters)


def calls_of(functions: list[Function], interface: str) -> list[Caller]:
    calls = []
    for of in functions:
        if not is_tested(of) or of.returns or of.name in OWN_WORK:
            continue
        if interface == "mpi_f08" and of.chapter in ("removed", "16_deprecated") or interface != "mpi_f08" and of.overloads:
            continue
        for large in [False, True] if interface == "mpi_f08" and is_large_distinct(of) else [False]:
            calls += [Caller(of, interface, large, special) for special in ([False, True] if has_special(of) else [False])]
    return calls


def run(*command: str | Path) -> str:
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, timeout=240)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(each) for each in command)} ended with {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def main() -> int:
    functions = list(read_table(SOURCES / "src/api/mpi/table").all_functions())
    (FOLDER / "library.c").write_text(library(functions))
    run("cc", "-shared", "-fPIC", "-w", "-I", BUILD / "mpi/include", FOLDER / "library.c", "-o", FOLDER / "libmpi_abi.so.1", "-Wl,-soname,libmpi_abi.so.1")
    wrong = total = 0
    for interface in INTERFACES:
        calls = calls_of(functions, interface)
        names = [f"call_{at}" for at in range(len(calls))]
        use, include = ([], ["  include 'mpif.h'"]) if interface == "mpif.h" else ([f"  use {interface}"], [])
        text = ["module calls", *use, "  use iso_c_binding", "  implicit none", *include, "contains"]
        text += [line for caller, name in zip(calls, names) for line in caller.subroutine(name)]
        text += ["end module", "program all_calls", "  use calls", *(f"  call {name}" for name in names), "end program"]
        short = interface.replace(".", "_")
        (FOLDER / f"{short}.f90").write_text("\n".join(text) + "\n")
        flags = ["-fallow-argument-mismatch", "-w"] if "gfortran" in COMPILER[0] else ["-w"]
        run(*COMPILER, *flags, "-O0", "-I", BUILD / "mpi/include", "-I", MODULES, *(["-J", FOLDER] if "gfortran" in COMPILER[0] else ["-module-dir", FOLDER]), FOLDER / f"{short}.f90", "-o", FOLDER / short,
            "-L", BUILD / "lib", "-lpure_mpifort", FOLDER / "libmpi_abi.so.1", f"-Wl,-rpath,{FOLDER}")
        printed_lines = run(FOLDER / short).splitlines()
        expected = [line for caller in calls for line in caller.expected()]
        owners = [caller for caller in calls for _ in caller.expected()]
        total += len(calls)
        for is_line, should, caller in zip(printed_lines, expected, owners):
            if is_line.rstrip() != should.rstrip():
                wrong += 1
                print(f"{interface}, {caller.of.name}{' large' if caller.large else ''}{' with constants' if caller.special else ''}:\n"
                      f"  is     {is_line}\n  should {should}")
        if len(printed_lines) != len(expected):
            wrong += 1
            print(f"{interface}: {len(printed_lines)} lines, and not {len(expected)}")
    print(f"{total} calls, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
