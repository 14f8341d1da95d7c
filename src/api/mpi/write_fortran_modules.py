"""mpif.h, and the modules mpi and mpi_f08, from the table: constants and interfaces, and nothing that has to be compiled for a
program but the modules themselves (api/fortran has the procedures)."""
from mpi_table import Function, Parameter, Table
from write_fortran_interfaces import Interfaces, folded
from write_fortran_side import CHOICES, is_described, is_there

# Names of the C interface alone, and what Fortran has otherwise.
C_NAMES = ("MPI_T_", "MPI_F_")
ONE_LESS = ("MPI_MAX_",)  # texts have no end there (MPI 5.0, 19.3.9)
HANDLES = ("Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Win")
PROCEDURES = {"MPI_NULL_COPY_FN": "Copy_function", "MPI_DUP_FN": "Copy_function", "MPI_NULL_DELETE_FN": "Delete_function",
              **{f"MPI_{of.upper()}_{what}": f"{of}_{kind}_attr_function" for of in ("Comm", "Type", "Win")
                 for what, kind in (("NULL_COPY_FN", "copy"), ("DUP_FN", "copy"), ("NULL_DELETE_FN", "delete"))},
              "MPI_CONVERSION_FN_NULL": "Datarep_conversion_function", "MPI_CONVERSION_FN_NULL_C": "Datarep_conversion_function_c"}
REMOVED_PROCEDURES = ("MPI_NULL_COPY_FN", "MPI_DUP_FN", "MPI_NULL_DELETE_FN")

KINDS = (("MPI_ADDRESS_KIND", "8"), ("MPI_COUNT_KIND", "8"), ("MPI_OFFSET_KIND", "8"), ("MPI_INTEGER_KIND", "4"))
STATUS = (("MPI_STATUS_SIZE", "8"), ("MPI_SOURCE", "1"), ("MPI_TAG", "2"), ("MPI_ERROR", "3"))

NOTICE = "! Written by src/api/mpi/generate.py from src/api/mpi/table: change these instead.\n"

# An INTEGER of 8 bytes (-fdefault-integer-8, -i8) would be taken for one of 4: the compiler stops at this division.
INTEGERS_HAVE_4_BYTES = "1/(8/KIND(1)/2)"

# The constants that are addresses, in the order of address_constants (api/fortran/side.hpp).
COMMON = """\
{i}INTEGER MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC
{i}INTEGER MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)
{i}INTEGER MPI_ERRCODES_IGNORE(1), PURE_MPI_UNUSED(2)
{i}{status} MPI_STATUS_IGNORE{one}
{i}{status} MPI_STATUSES_IGNORE{several}
{i}COMMON /PUREMPIF/ MPI_BOTTOM, MPI_IN_PLACE
{i}COMMON /PUREMPIF/ MPI_BUFFER_AUTOMATIC, MPI_UNWEIGHTED
{i}COMMON /PUREMPIF/ MPI_WEIGHTS_EMPTY, MPI_ERRCODES_IGNORE
{i}COMMON /PUREMPIF/ PURE_MPI_UNUSED, MPI_STATUS_IGNORE
{i}COMMON /PUREMPIF/ MPI_STATUSES_IGNORE
{i}CHARACTER(LEN=1) MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1,1)
{i}COMMON /PUREMPIC/ MPI_ARGV_NULL, MPI_ARGVS_NULL
"""


def numbers(table: Table) -> dict[str, int]:
    """The constants that are numbers, handles among them, as Fortran has them."""
    found: dict[str, int] = {}
    for section in table.sections:
        if section.form == "define" and section.c_type != "int":
            continue
        for each in section.constants:
            if each.name.startswith(C_NAMES):
                continue
            value = found[each.value] if each.value in found else int(each.value, 0)
            found[each.name] = value - 1 if each.name.startswith(ONE_LESS) else value
    return found


def handle_constants(table: Table) -> list[tuple[str, str, int]]:
    values = numbers(table)
    return [(each.name, section.c_type, values[each.name]) for section in table.sections if section.form == "handle"
            for each in section.constants if each.name in values]


def plain_constants(table: Table) -> list[tuple[str, int]]:
    of_handles = {name for name, _, _ in handle_constants(table)}
    return [(name, value) for name, value in numbers(table).items() if name not in of_handles]


# ---- mpif.h: fixed and free form, so lines from column 7 to 72, and none that goes on ----

def mpif_h(table: Table) -> str:
    i = "      "
    lines = ["! mpif.h of Pure: MPI for Fortran, fixed and free form (MPI 5.0, 19.1.4).", NOTICE.rstrip(), "!",
             "! A division by zero here: the INTEGER of the program has 8 bytes", "! (-fdefault-integer-8), and that of MPI has 4.",
             f"{i}INTEGER PURE_INTEGERS_HAVE_4_BYTES", f"{i}PARAMETER (PURE_INTEGERS_HAVE_4_BYTES= {INTEGERS_HAVE_4_BYTES})"]

    def parameter(name: str, value: str | int, of: str = "INTEGER") -> None:
        lines.extend([f"{i}{of} {name}", f"{i}PARAMETER ({name}={value})"])

    for name, value in (*KINDS, *STATUS, *((name, value) for name, _, value in handle_constants(table)), *plain_constants(table)):
        parameter(name, value)
    for name in ("MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"):
        parameter(name, ".FALSE.", "LOGICAL")
    lines += [f"{i}INTEGER(KIND=MPI_OFFSET_KIND) MPI_DISPLACEMENT_CURRENT", f"{i}PARAMETER (MPI_DISPLACEMENT_CURRENT=-1)"]
    lines.append(COMMON.format(i=i, status="INTEGER", one="(MPI_STATUS_SIZE)", several="(MPI_STATUS_SIZE,1)").rstrip())
    for prefix in ("", "P"):
        # A double precision of C, whatever the options of the program make of Fortran's (-fdefault-real-8).
        lines += [f"{i}REAL(KIND=SELECTED_REAL_KIND(15,307)) {prefix}MPI_{name}" for name in ("WTIME", "WTICK")]
        lines += [f"{i}INTEGER(KIND=MPI_ADDRESS_KIND) {prefix}MPI_{name}" for name in ("AINT_ADD", "AINT_DIFF")]
        lines += [f"{i}EXTERNAL {prefix}MPI_{name}" for name in ("WTIME", "WTICK", "AINT_ADD", "AINT_DIFF")]
    lines += [f"{i}EXTERNAL {name}" for name in PROCEDURES if not name.endswith("_C")]
    long = [line for line in lines for part in line.split("\n") if len(part) > 72 and not part.startswith("!")]
    assert not long, long
    return "\n".join(lines) + "\n"


def callback_interfaces(table: Table) -> list[str]:
    """Abstract interfaces of mpi_f08 for the functions of programs."""
    lines = ["  abstract interface"]
    for of in table.callbacks:
        if of.name.startswith("T_") or of.name in ("Copy_function", "Delete_function"):
            continue
        for large in of.forms():
            names, imported, declared = [], set(), []
            for each in of.parameters:
                if each.kind.name == "varargs":
                    continue
                names.append(each.name)
                found = each.kind.types["mpi_f08, form _c" if large else "mpi_f08"]
                if each.kind.name in CHOICES:
                    imported |= {"c_ptr"}
                    declared.append(f"type(c_ptr), value :: {each.name}")
                elif each.kind.name == "status":
                    imported.add("MPI_Status")
                    declared.append(f"type(MPI_Status) :: {each.name}")
                elif found.startswith("TYPE("):
                    imported.add(found[5:-1])
                    declared.append(f"type({found[5:-1]}) :: {each.name}")
                elif found.startswith("INTEGER("):
                    imported.add(found[8:-1])
                    declared.append(f"integer(kind={found[8:-1]}) :: {each.name}")
                else:
                    declared.append(f"{found.lower()} :: {each.name}")
            if of.result != "void":
                names.append("ierror")
                declared.append("integer :: ierror")
            name = of.c_name(large)
            lines += folded(f"    subroutine {name}({', '.join(names)})")
            if imported:
                lines += folded(f"      import :: {', '.join(sorted(imported))}")
            lines += ["      implicit none", *(f"      {line}" for line in declared), "    end subroutine"]
    return [*lines, "  end interface"]


def procedure_constants(f08: bool) -> list[str]:
    """Predefined functions of attributes: procedures that are compared by their addresses."""
    if not f08:
        return [f"  external :: {name}" for name in PROCEDURES if not name.endswith("_C")]
    lines = []
    for name, of in PROCEDURES.items():
        if name not in REMOVED_PROCEDURES:
            lines.append(f"  procedure(MPI_{of}) :: {name}")
    return lines


# Kinds that not all compilers have.
SIZED = [*((f"integer({kind})", "") for kind in (1, 2, 4, 8)), *((f"{of}({kind})", "") for of in ("real", "complex") for kind in (4, 8)),
         ("character(len=*)", ""), *((f"{of}({kind})", "WIDE") for of in ("real", "complex") for kind in (10, 16)),
         ("integer(16)", "WIDE")]
SIZED_LOGICALS = [*((kind, "") for kind in (1, 2, 4, 8)), (16, "GNU")]


def sizeof() -> list[str]:
    """MPI_Sizeof reads the size of an element from a descriptor: one procedure for all kinds and ranks. A LOGICAL is no argument
    of procedures that are bound to C: there the procedure knows the size."""
    lines = []
    for prefix in ("", "P"):
        lines.append(f"  interface {prefix}MPI_Sizeof")
        bodies = [(f"{prefix}MPI_Sizeof_{number}", f' bind(C, name="pure_f_{prefix.lower()}sizeof_{number}")', of, condition)
                  for number, (of, condition) in enumerate(SIZED)]
        bodies += [(f"{prefix}MPI_Sizeof_logical{kind}", "", f"logical({kind})", condition) for kind, condition in SIZED_LOGICALS]
        for name, bound, of, condition in bodies:
            lines += [f"#ifdef PURE_HAS_{condition}_KINDS"] if condition else []
            lines += [f"    subroutine {name}(x, size, ierror){bound}", f"      {of}, intent(in) :: x(..)", "      integer, intent(out) :: size",
                      "      integer, optional, intent(out) :: ierror", "    end subroutine"]
            lines += ["#endif"] if condition else []
        lines.append("  end interface")
    return lines


HAS_KINDS = """\
#if defined(__GFORTRAN__) || defined(__flang__)
#ifdef __x86_64__
#define PURE_HAS_WIDE_KINDS
#endif
#endif
#ifdef __GFORTRAN__
#define PURE_HAS_GNU_KINDS
#endif
"""


def level_only(suffix: str) -> list[str]:
    """MPI_Pcontrol has no more arguments in Fortran, and no ierror (MPI 5.0, 15.2.4)."""
    lines = []
    for prefix in ("", "P"):
        name = f"{prefix}MPI_Pcontrol"
        lines += [f"  interface {name}", f"    subroutine {name}{suffix}(level)", "      implicit none", "      integer, intent(in) :: level",
                  "    end subroutine", "  end interface"]
    return lines


def buffer_only(suffix: str) -> list[str]:
    """MPI_F_sync_reg: a call that the compiler knows nothing of, with a buffer of any type (MPI 5.0, 19.1.17)."""
    of = ["type(*), dimension(..), asynchronous :: buf"] if suffix else [
        "!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf", "!DIR$ IGNORE_TKR buf", "type(*), dimension(*) :: buf"]
    lines = []
    for prefix in ("", "P"):
        name = f"{prefix}MPI_F_sync_reg"
        lines += [f"  interface {name}", f"    subroutine {name}{suffix}(buf)", "      implicit none", *(f"      {each}" for each in of),
                  "    end subroutine", "  end interface"]
    return lines


def status_conversions() -> list[str]:
    """MPI 5.0, 19.3.5."""
    lines = []
    for prefix in ("", "P"):
        for name, given, made in (("f2f08", "f_status", "f08_status"), ("f082f", "f08_status", "f_status")):
            arguments = {"f_status": "integer, intent({}) :: f_status(MPI_STATUS_SIZE)", "f08_status": "type(MPI_Status), intent({}) :: f08_status"}
            generic = f"{prefix}MPI_Status_{name}"
            lines += [f"  interface {generic}", f"    subroutine {generic}_f08({given}, {made}, ierror)", "      import :: MPI_Status, MPI_STATUS_SIZE",
                      "      implicit none", f"      {arguments[given].format('in')}", f"      {arguments[made].format('out')}",
                      "      integer, optional, intent(out) :: ierror", "    end subroutine", "  end interface"]
    return lines


def all_functions(table: Table) -> list[Function]:
    return [each for each in table.all_functions() if is_there(each)]


def module_mpi(table: Table) -> str:
    lines = [HAS_KINDS + "! The module mpi of Pure (MPI 5.0, 19.1.3).", NOTICE.rstrip(), "module mpi", "  use, intrinsic :: iso_c_binding, only: c_ptr", "  implicit none", "  public"]
    lines += [f"  integer, parameter :: {name} = {value}" for name, value in (*KINDS, *STATUS)]
    lines += [f"  integer, parameter :: {name} = {value}" for name, _, value in handle_constants(table)]
    lines += [f"  integer, parameter :: {name} = {value}" for name, value in plain_constants(table)]
    lines += ["  integer(kind=MPI_OFFSET_KIND), parameter :: MPI_DISPLACEMENT_CURRENT = -1",
              "  logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .false., MPI_ASYNC_PROTECTS_NONBLOCKING = .false."]
    lines.append(COMMON.format(i="  ", status="integer", one="(MPI_STATUS_SIZE)", several="(MPI_STATUS_SIZE, 1)").rstrip())
    lines += procedure_constants(False)
    interfaces = Interfaces("mpif.h and mpi")
    for prefix in ("", "P"):
        for of in all_functions(table):
            if of.overloads:
                continue
            name = f"{prefix}MPI_{of.name}"
            bodies = [(of, False, name, None)]
            if any(each.kind.name == "base" for each in of.parameters):  # an address, or a C_PTR (MPI 5.0, 9.2)
                bodies.append((of, False, f"{name}_cptr", None))
            # Generic only where there are several: a generic name takes no element of an array for the array.
            interfaces.add_all("" if len(bodies) == 1 else name, bodies)
    lines += [*interfaces.lines, *level_only(""), *buffer_only(""), *sizeof(), "end module mpi"]
    return "\n".join(lines) + "\n"


def f08_name(of: Function, large: bool) -> str:
    return f"{of.name}{'_c' if large else ''}_f08{'ts' if is_described(of) else ''}"


def is_distinct(of: Function) -> bool:
    """Compilers tell the two forms apart by their arguments, where not functions alone differ (MPI 5.0, 6.9.5), or kinds that
    are the same here, addresses and counts: then one form is both."""
    def has_default_integer(each: Parameter, large: bool) -> bool:
        return each.kind.types["mpi_f08, form _c" if large else "mpi_f08"] == "INTEGER"

    return of.has_large and not has_function(of) and any(
        has_default_integer(each, False) != has_default_integer(each, True) for each in of.parameters)


def has_function(of: Function) -> bool:
    return any(each.kind.is_function for each in of.parameters)


def module_f08(table: Table) -> str:
    lines = [HAS_KINDS + "! The module mpi_f08 of Pure (MPI 5.0, 19.1.2).", NOTICE.rstrip(), "module mpi_f08",
             "  use, intrinsic :: iso_c_binding, only: c_ptr", "  implicit none", "  public"]
    for handle in HANDLES:
        lines += [f"  type, bind(C) :: MPI_{handle}", "    integer :: MPI_VAL", f"  end type MPI_{handle}"]
    lines += ["  type, bind(C) :: MPI_Status", "    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR", "    integer :: MPI_internal(5)",
              "  end type MPI_Status"]
    lines += [f"  integer, parameter :: {name} = {value}" for name, value in KINDS]
    lines += ["  integer, parameter :: MPI_STATUS_SIZE = 8"]
    lines += [f"  type({c_type}), parameter :: {name} = {c_type}({value})" for name, c_type, value in handle_constants(table)]
    lines += [f"  integer, parameter :: {name} = {value}" for name, value in plain_constants(table)]
    lines += ["  integer(kind=MPI_OFFSET_KIND), parameter :: MPI_DISPLACEMENT_CURRENT = -1",
              "  logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .true., MPI_ASYNC_PROTECTS_NONBLOCKING = .true."]
    lines.append(COMMON.format(i="  ", status="type(MPI_Status)", one="", several="(1)").rstrip())
    lines += callback_interfaces(table)
    lines += procedure_constants(True)
    interfaces = Interfaces("mpi_f08")
    for prefix in ("", "P"):
        overloading = {of.overloads: of for of in all_functions(table) if of.overloads}
        for of in all_functions(table):
            if of.overloads or of.chapter in ("removed", "16_deprecated"):
                continue
            bodies = []
            for large in [False, True] if is_distinct(of) else [False]:
                specific = f08_name(of, large)
                binding = f"{prefix.lower()}mpi_{specific.lower()}_" if is_described(of) else None
                bodies.append((of, large, f"{prefix}MPI_{specific}", binding))
            if other := overloading.get(of.name):
                bodies.append((other, False, f"{prefix}MPI_{other.name}_f08", None))
            interfaces.add_all(f"{prefix}MPI_{of.name}", bodies)
            if of.has_large and has_function(of):
                interfaces.add_all(f"{prefix}MPI_{of.name}_c", [(of, True, f"{prefix}MPI_{f08_name(of, True)}", None)])
    for operator, name in (("==", "eq"), ("/=", "ne")):
        interfaces.add(f"  interface operator({operator})")
        for handle in HANDLES:
            interfaces.lines += [f"    pure function pure_f08_{handle.lower()}_{name}(left, right) result(made)",
                                 f"      import :: MPI_{handle}", f"      type(MPI_{handle}), intent(in) :: left, right", "      logical :: made",
                                 "    end function"]
        interfaces.add("  end interface")
    lines += [*interfaces.lines, *level_only("_f08"), *buffer_only("_f08"), *status_conversions(), *sizeof(), "end module mpi_f08"]
    return "\n".join(lines) + "\n"


def names_of_one() -> str:
    """Procedures of the modules that are one in the side."""
    lines = ["// Written by src/api/mpi/generate.py.\n"]
    lines += [f'PURE_FORTRAN_NAME("pure_f_{prefix}sizeof_{number}", "pure_f_sizeof");' for prefix in ("", "p") for number in range(len(SIZED))]
    for kind, _ in SIZED_LOGICALS:
        lines.append(f'PURE_FORTRAN_NAMES_OF("mpi_sizeof_logical{kind}", "MPI_SIZEOF_LOGICAL{kind}", "pure_f_sizeof_of_{kind}");\n'
                     f'PURE_FORTRAN_NAME("pmpi_sizeof_logical{kind}_", "pure_f_sizeof_of_{kind}");')
    for short, one in (("eq", "equal"), ("ne", "different")):
        for handle in HANDLES:
            name = f"pure_f08_{handle.lower()}_{short}"
            lines += [f'PURE_FORTRAN_NAME("{each}", "pure_f08_are_{one}");' for each in (f"{name}_", f"{name}__", name, name.upper())]
    return "\n".join(lines) + "\n"


def modules(table: Table) -> dict[str, str]:
    """The texts of the files, by name."""
    return {"api/fortran/names_of_one.inc": names_of_one(), "include/mpif.h": mpif_h(table), "fortran/mpi.F90": module_mpi(table), "fortran/mpi_f08.F90": module_f08(table)}
