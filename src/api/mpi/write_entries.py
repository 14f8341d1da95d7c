"""The functions of the MPI door, from the table: entries that check and call their bodies, and the ones that refuse."""
from mpi_table import KINDS, POINTERS, Function, Parameter, Table

NOTICE = "// Written by src/api/mpi/generate.py from src/api/mpi/table.\n"

# What a body gets in place of a handle, and from what.
OBJECTS = {
    "comm": ("communicator&", "communicator_of(by, {})"),
    "group": ("const group&", "group_of(by, {})"),
    "win": ("window&", "window_of(by, {})"),
    "info": ("info_object*", "info_or_null(by, {})"),
}
# Functions that have use for any handle.
AS_THEY_ARE = {"Abort", "Comm_get_name", "Errhandler_get", "Win_get_name"}


# Parameters that the body checks.
MAY_BE_NULL = {("Info_get_string", "value"), ("Free_mem", "base")}


def object_of(of: Function, each: Parameter) -> str:
    if each.kind == "info" and of.chapter == "10_info":
        return f"&info_of(by, {each.name})"
    return OBJECTS[each.kind][1].format(each.name)


def is_for_all(of: Function) -> bool:
    """Ranks call it together: the body finds what is wrong, so that the others get to know it, or can go on."""
    kinds = {each.kind for each in of.parameters if each.direction == "out" and not each.is_array()}
    has_comm = any(each.kind == "comm" and each.is_scalar_in() for each in of.parameters)
    return has_comm and (of.chapter == "06_collectives" or "Neighbor" in of.name or "neighbor_" in of.name or
                         bool(kinds & {"comm", "win"}))


def is_value(of: Function) -> bool:
    """The function returns no error."""
    return of.result != "int" or of.name.endswith("_toint")


def as_object(of: Function, each: Parameter) -> bool:
    if not each.is_scalar_in() or each.kind not in OBJECTS or of.name in AS_THEY_ARE or is_value(of):
        return False
    return each.kind in ("comm", "win") or not is_for_all(of)


def is_wider(each: Parameter) -> bool:
    """Whether the two forms differ in it."""
    return each.kind in KINDS and KINDS[each.kind][0] != KINDS[each.kind][1]


def is_two_width_array(of: Function, each: Parameter) -> bool:
    return of.has_large and is_wider(each) and each.is_array() and each.direction == "in"


def knows_form(of: Function) -> bool:
    """Constructors of datatypes: a program can ask which form has made a type (MPI 5.0, 5.1.13)."""
    return of.has_large and any(each.name == "newtype" for each in of.parameters)


def body_prototype(of: Function, large_callbacks: set[str]) -> str:
    large = of.has_large
    parameters = [] if is_value(of) else ["const call& by"]
    for each in of.parameters:
        if each.kind == "varargs":
            continue
        if as_object(of, each):
            parameters.append(f"{OBJECTS[each.kind][0]} {each.name}")
        elif is_two_width_array(of, each):
            parameters.append(f"number_array {each.name}")
        elif large and each.kind in large_callbacks:
            parameters.append(f"program_function {each.name}")
        else:
            parameters.append(each.declared(large, large_callbacks))
    if knows_form(of):
        parameters.append("call_form form")
    result = of.result if is_value(of) else "void"
    return f"{result} {of.name}({', '.join(parameters)});"


def check(of: Function, each: Parameter) -> str | None:
    if is_for_all(of) or (of.name, each.name) in MAY_BE_NULL:
        return None
    if each.kind in ("count", "number") and each.is_scalar_in() and each.name != "stride":
        return f'check_count(by, {each.name}, "{each.name}");'
    if each.kind in POINTERS:
        if each.kind in ("string", "text") or each.direction == "out":
            return f'check_pointer(by, {each.name}, MPI_ERR_ARG, "{each.name}");'
        return None
    if each.kind not in KINDS or each.direction == "in" and not each.is_array():
        return None
    if each.kind == "status" and each.direction == "out":  # may be MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE
        return None
    error_class = "MPI_ERR_REQUEST" if each.kind == "request" and each.direction == "inout" else "MPI_ERR_ARG"
    if each.is_array():
        if each.length in ("", "size", "neighbors"):
            return None  # the body's
        return f'if ({each.length} > 0) check_pointer(by, {each.name}, {error_class}, "{each.name}");'
    return f'check_pointer(by, {each.name}, {error_class}, "{each.name}");'


def whose_errors(of: Function) -> str:
    """The object that gets the errors; a function that frees one gets its address."""
    if of.chapter == "14_files" or any(each.kind == "file" for each in of.parameters):
        return "MPI_FILE_NULL"  # whose handler is that of what opens files; and there are no others yet
    for each in of.parameters:
        if each.kind in ("comm", "win") and each.is_scalar_in():
            return each.name
        if each.kind in ("comm", "win") and each.direction == "inout":
            return f"object_at({each.name})"
    return "MPI_COMM_NULL"


def there(of: Function, large: bool, large_callbacks: set[str]) -> list[str]:
    arguments, before, after, checks = ["by"], [], [], []
    for each in of.parameters:
        if each.kind == "varargs":
            continue
        if each.name != "argc" and (line := check(of, each)) is not None:  # argc may be null
            checks.append(f"    {line}")
        if as_object(of, each):
            arguments.append(object_of(of, each))
        elif of.has_large and not large and is_wider(each) and not each.is_scalar_in() and not each.is_array():
            wide = f"wide_{each.name}"
            before.append(f"    {KINDS[each.kind][1]} {wide} = {f'*{each.name}' if each.direction == 'inout' else '0'};")
            after.append(f"    give({each.name}, {wide});")
            arguments.append(f"&{wide}")
        else:
            arguments.append(each.name)
    if knows_form(of):
        arguments.append(f"call_form::{'large' if large else 'small'}")
    if is_for_all(of) and of.name.endswith("_init") and any(each.kind == "info" for each in of.parameters):
        checks.append("    check_info(by, comm, info);")
    call = f"bodies::{of.name}({', '.join(arguments)});"
    return [f'  return mpi_call("{of.c_name(large)}", {whose_errors(of)}, __builtin_return_address(0), '
            "[&]([[maybe_unused]] const call& by) {", *checks, *before, f"    {call}", *after, "  });"]


def entry(of: Function, large: bool, large_callbacks: set[str]) -> str:
    name, space = of.c_name(large), "" if of.result.endswith("*") else " "
    declared = of.declared_parameters(large, large_callbacks)
    prototype = f"{of.result}{space}P{name}({declared})"
    if of.state == "there" and is_value(of):
        lines = [f"  return bodies::{of.name}({', '.join(each.name for each in of.parameters)});"]
    elif of.state == "there":
        lines = there(of, large, large_callbacks)
    else:
        refused = f'refuse("{name}", {whose_errors(of)}, __builtin_return_address(0));'
        lines = [f"  {refused}", "  return {};"] if is_value(of) else [f"  return {refused}"]
    alias = f'{of.result}{space}{name}({declared}) __attribute__((weak, alias("P{name}")));'
    return "\n".join([f"{prototype} {{", *lines, "}", alias, ""])


def datatypes(table: Table) -> str:
    lines = [NOTICE]
    for section in table.sections:
        if section.c_type == "MPI_Datatype":
            lines += [f'PURE_MPI_DATATYPE({each.value}, "{each.name}", PURE_{each.base or "DATATYPE_NULL"})'
                      for each in section.constants if each.value[0].isdigit() and each.name != "MPI_DATATYPE_NULL"]
    return "\n".join(lines) + "\n"


def entries(table: Table) -> dict[str, str]:
    """The texts of the files, by name."""
    large_callbacks = table.large_callbacks()
    functions = table.all_functions()
    files = {"datatypes.inc": datatypes(table)}
    bodies = [NOTICE + "#pragma once\n", '#include "api/mpi/door.hpp"\n', "namespace pure::core::mpi::bodies {\n"]
    bodies += [body_prototype(each, large_callbacks) for each in functions if each.state == "there"]
    files["bodies.hpp"] = "\n".join([*bodies, "\n}  // namespace pure::core::mpi::bodies\n"])
    for chapter in dict.fromkeys(each.chapter for each in functions):
        text = [NOTICE, '#include "api/mpi/door.hpp"\n#include "api/mpi/bodies.hpp"\n', "using namespace pure::core;",
                "using namespace pure::core::mpi;\n", 'extern "C" {\n',
                "#pragma GCC diagnostic push", '#pragma GCC diagnostic ignored "-Wunused-parameter"\n']
        text += [entry(each, large, large_callbacks) for each in functions if each.chapter == chapter
                 for large in each.forms()]
        text += ["#pragma GCC diagnostic pop\n", '}  // extern "C"\n']
        files[f"entries_{chapter}.cpp"] = "\n".join(text)
    return files
