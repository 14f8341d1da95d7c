"""The functions of the MPI door, from the table: entries that check and call their bodies, and the ones that refuse. The core
has them as pure_MPI_NAME; by the names of MPI they are jumps of the door (api/doors)."""
from mpi_table import QUANTITIES, Function, Parameter, Table

NOTICE = "// Written by src/api/mpi/generate.py from src/api/mpi/table.\n"

# What a body gets in place of a handle, and from what.
OBJECTS = {
    "comm": ("communicator&", "communicator_of(by, named({}))"),
    "group": ("const group&", "group_of(by, named({}))"),
    "win": ("window&", "window_of(by, named({}))"),
    "info": ("info_object*", "&info_of(by, named({}))"),
    "hints": ("info_object*", "info_or_null(by, named({}))"),
}

# What a body gets in place of requests and statuses, by direction and whether there are several: the parameter, a line
# before the call, the argument, and a line after it (api/mpi/standard_abi.hpp).
CONVERTED = {
    ("request", "in", False): ("handle {0}", "", "handle_of({0})", ""),
    ("request", "out", False): ("handle* {0}", "made_request of_{0}({0});", "of_{0}.at()", "of_{0}.give();"),
    ("request", "inout", False): ("handle* {0}", "given_request of_{0}({0});", "of_{0}.at()", ""),
    ("request", "in", True): ("std::span<const handle> {0}", "const read_requests of_{0}({1}, {0});", "of_{0}.handles()", ""),
    ("request", "inout", True): ("std::span<handle> {0}", "const given_requests of_{0}({1}, {0});", "of_{0}.handles()", ""),
    **{("status", direction, is_array): (f"{const}message_status* {{0}}", "", "status_at({0})", "")
       for direction, const in (("const", "const "), ("out", ""), ("inout", "")) for is_array in (False, True)},
}


def handle_name(c_type: str) -> str:
    """What bodies call a handle of any kind (api/mpi/object_names.hpp)."""
    return "type_handle" if c_type == "MPI_Datatype" else f"{c_type.removeprefix('MPI_').lower()}_handle"


def constant_name(name: str, c_type: str) -> str:
    """Datatypes are called as C's types, so by a prefix here."""
    short = name.removeprefix("MPI_").lower()
    return f"type_{short}" if c_type == "MPI_Datatype" and short != "datatype_null" else short


def conversion(of: Function, each: Parameter) -> tuple[str, ...] | None:
    found = None if of.returns else CONVERTED.get((each.kind.name, each.direction, each.is_array()))
    if found is None and each.kind.is_handle() and not as_object(of, each):
        return each.declared(of.has_large, handle_name(each.kind.c_type(False))), "", f"named({each.name})", ""
    return found and tuple(text.format(each.name, each.length) for text in found)


def is_in_a_span(of: Function, number: Parameter) -> bool:
    """A number of requests, which their span has."""
    return any(each.length == number.name and each.kind.name == "request" for each in of.parameters)


def is_collective(of: Function) -> bool:
    return "collective" in of.attributes


def as_object(of: Function, each: Parameter) -> bool:
    if not each.is_scalar_in() or each.kind.name not in OBJECTS or "any_handle" in of.attributes or of.returns:
        return False
    return each.kind.name in ("comm", "win") or not is_collective(of)


def is_two_width_array(of: Function, each: Parameter) -> bool:
    return of.has_large and each.kind.is_wider() and each.is_array() and each.direction == "in"


def says_how(of: Function, each: Parameter) -> bool:
    """One of those in whose place a body in three forms is told which one it is."""
    return of.form_of is not None and each.kind.name in ("request", "hints")


def form_of(of: Function) -> str:
    if "persistent" in of.attributes:
        return "collective_form::persistent(of_request.at())"
    return "collective_form::blocking()" if of.name == of.form_of else "collective_form::started(of_request.at())"


def knows_form(of: Function) -> bool:
    """Constructors of datatypes: a program can ask which form has made a type (MPI 5.0, 5.1.13)."""
    return of.has_large and any(each.kind.name == "type" and each.direction == "out" and not each.is_array()
                                for each in of.parameters)


def result_of_body(of: Function) -> str:
    if of.returns is None:
        return "void"
    return handle_name(of.result) if of.returns.is_handle() else of.result


def body_prototype(of: Function) -> str:
    large = of.has_large
    parameters = [] if of.returns else ["const call& by"]
    for each in of.parameters:
        if each.kind.name == "varargs" or is_in_a_span(of, each) or says_how(of, each):
            continue
        if converted := conversion(of, each):
            parameters.append(converted[0])
        elif as_object(of, each):
            parameters.append(f"{OBJECTS[each.kind.name][0]} {each.name}")
        elif is_two_width_array(of, each):
            parameters.append(f"number_array {each.name}")
        elif large and each.kind.is_function:
            parameters.append(f"program_function {each.name}")
        else:
            parameters.append(each.declared(large))
    if knows_form(of):
        parameters.append("call_form form")
    if of.form_of:
        parameters.append("const collective_form& how")
    result = result_of_body(of)
    return f"{result} {of.name}({', '.join(parameters)});"


def check(of: Function, each: Parameter) -> str | None:
    if is_collective(of) or each.name in of.null_ok:
        return None
    kind = each.kind.name
    if kind in ("count", "number") and each.is_scalar_in():
        return f'check_count(by, {each.name}, "{each.name}");'
    if each.kind.is_pointer():
        if kind in ("string", "info_string") or each.direction == "out":
            return f'check_pointer(by, {each.name}, constants::err_arg, "{each.name}");'
        return None
    if each.direction == "in" and not each.is_array() or kind == "status" and each.direction == "out":
        return None  # a status may be MPI_STATUS_IGNORE, or several MPI_STATUSES_IGNORE
    error_class = f"constants::err_{'request' if kind == 'request' and each.direction == 'inout' else 'arg'}"
    checked = f'check_pointer(by, {each.name}, {error_class}, "{each.name}");'
    if not each.is_array():
        return checked
    return None if each.length in QUANTITIES else f"if ({each.length} > 0) {checked}"  # those are the body's


def whose_errors(of: Function) -> str:
    """The object that gets the errors; a function that frees one gets its address."""
    if "of_files" in of.attributes or any(each.kind.name == "file" for each in of.parameters):
        return "constants::file_null"  # whose handler is that of what opens files; and there are no others yet
    for each in of.parameters:
        if each.kind.name in ("comm", "win") and each.is_scalar_in():
            return f"named({each.name})"
        if each.kind.name in ("comm", "win") and each.direction == "inout":
            return f"object_at(named({each.name}))"
    return "constants::comm_null"


def there(of: Function, large: bool) -> list[str]:
    arguments, before, after, checks = ["by"], [], [], []
    for each in of.parameters:
        if each.kind.name == "varargs":
            continue
        if (line := check(of, each)) is not None:
            checks.append(f"    {line}")
        if is_in_a_span(of, each):
            continue
        if converted := conversion(of, each):
            _, line_before, argument, line_after = converted
            before += [f"    {line_before}"] if line_before else []
            arguments += [argument] if not says_how(of, each) else []
            after += [f"    {line_after}"] if line_after else []
        elif as_object(of, each):
            arguments.append(OBJECTS[each.kind.name][1].format(each.name))
        elif of.has_large and not large and each.kind.is_wider() and not each.is_scalar_in() and not each.is_array():
            wide = f"wide_{each.name}"
            before.append(f"    {each.kind.c_type(True)} {wide} = {f'*{each.name}' if each.direction == 'inout' else '0'};")
            after.append(f"    give({each.name}, {wide});")
            arguments.append(f"&{wide}")
        else:
            arguments.append(each.name)
    if knows_form(of):
        arguments.append(f"call_form::{'large' if large else 'small'}")
    if of.form_of:
        arguments.append(form_of(of))
    if is_collective(of) and "persistent" in of.attributes:
        checks.append("    check_info(by, named(comm), named(info));")
    call = f"bodies::{of.form_of or of.name}({', '.join(arguments)});"
    return [f'  return mpi_call("{of.c_name(large)}", {whose_errors(of)}, __builtin_return_address(0), '
            "[&]([[maybe_unused]] const call& by) {", *checks, *before, f"    {call}", *after, "  });"]


def entry(of: Function, large: bool) -> str:
    name, space = of.c_name(large), "" if of.result.endswith("*") else " "
    declared = of.declared_parameters(large)
    prototype = f"{of.result}{space}pure_{name}({declared})"
    if of.state == "there" and of.returns:
        arguments = (f"named({each.name})" if each.kind.is_handle() else each.name for each in of.parameters)
        call = f"bodies::{of.name}({', '.join(arguments)})"
        lines = [f"  return {f'program_name<{of.result}>({call})' if of.returns.is_handle() else call};"]
    elif of.state == "there":
        lines = there(of, large)
    else:
        refused = f'refuse("{name}", {whose_errors(of)}, __builtin_return_address(0));'
        lines = [f"  {refused}", "  return {};"] if of.returns else [f"  return {refused}"]
    return "\n".join([f"PURE_API {prototype};", f"{prototype} {{", *lines, "}", ""])


def datatypes(table: Table) -> str:
    lines = [NOTICE]
    for section in table.sections:
        if section.c_type == "MPI_Datatype":
            lines += [f'PURE_MPI_DATATYPE({each.value}, "{each.name}", PURE_{each.base or "DATATYPE_NULL"})'
                      for each in section.constants if each.value[0].isdigit() and each.name != "MPI_DATATYPE_NULL"]
    return "\n".join(lines) + "\n"


def constants(table: Table) -> str:
    """What bodies call the constants of MPI: the same of each ABI, though the numbers are the standard's, whose entries so
    convert none."""
    lines = [NOTICE + "#pragma once\n", '#include "api/mpi/object_names.hpp"\n', "namespace pure::core::mpi::constants {\n"]
    for section in table.sections:
        of = section.c_type
        for each in section.constants:
            name = constant_name(each.name, of)
            if section.form == "handle":
                value = constant_name(each.value, of) if each.value.startswith("MPI_") else f"{{{each.value}}}"
                lines.append(f"inline constexpr {handle_name(of)} {name} = {value};")
            elif section.form == "enum" or of == "int":
                lines.append(f"inline constexpr int {name} = {each.value};")
            elif of == "MPI_Offset":
                lines.append(f"inline constexpr std::int64_t {name} = {each.value};")
            elif of in ("void *", "int *"):
                lines.append(f"inline {of}const {name} = reinterpret_cast<{of}>({each.value});")
    return "\n".join([*lines, "\n}  // namespace pure::core::mpi::constants\n"])


def jumps(table: Table) -> str:
    """What the door of the standard ABI is."""
    return "\n".join([NOTICE, *(f"PURE_JUMP_OF_MPI({name});" for name in table.names()), ""])


def entries(table: Table) -> dict[str, str]:
    """The texts of the files, by name."""
    functions = table.all_functions()
    files = {"datatypes.inc": datatypes(table), "constants.hpp": constants(table)}
    bodies = [NOTICE + "#pragma once\n", "#include <span>\n", '#include "api/mpi/door.hpp"\n#include "objects/collective_forms.hpp"\n',
              "namespace pure::core::mpi::bodies {\n"]
    bodies += [body_prototype(each) for each in functions if each.state == "there" and each.form_of in (None, each.name)]
    files["bodies.hpp"] = "\n".join([*bodies, "\n}  // namespace pure::core::mpi::bodies\n"])
    for chapter in dict.fromkeys(each.chapter for each in functions):
        text = [NOTICE, '#include <pure/export.hpp>\n', '#include "api/mpi/bodies.hpp"\n#include "api/mpi/standard_abi.hpp"\n', "using namespace pure::core;",
                "using namespace pure::core::mpi;\n", 'extern "C" {\n',
                "#pragma GCC diagnostic push", '#pragma GCC diagnostic ignored "-Wunused-parameter"\n']
        text += [entry(each, large) for each in functions if each.chapter == chapter
                 for large in each.forms()]
        text += ["#pragma GCC diagnostic pop\n", '}  // extern "C"\n']
        files[f"entries_{chapter}.cpp"] = "\n".join(text)
    return files
