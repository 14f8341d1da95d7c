"""A library that stands in place of libmpi_abi for fortran_calls.py: it prints the arguments that it gets, and gives results
that tell them apart."""
from mpi_table import Function, Parameter

ELSEWHERE = {"attribute", "old_attribute", "argv", "argvs", "main_argv", "own_argv"}  # kinds of other tests
BUFFERS = {"data", "send_data", "buffer", "receive_buffer", "attached"}
FAR = 1 << 20  # between a handle of the library and its number
ELEMENTS = 3
# The lengths of a communicator that no argument has.
QUANTITIES = {"size": 3, "in_degree": 3, "out_degree": 3, "dimensions": 3}
OWN_WORK = {"Comm_size", "Comm_remote_size", "Comm_test_inter", "Topo_test", "Cartdim_get", "Dist_graph_neighbors_count"}


def is_tested(of: Function) -> bool:
    return "c_only" not in of.attributes and not any(
        each.kind.name in ELSEWHERE or each.kind.is_function for each in of.parameters)


def printed(each: Parameter, large: bool, length: str) -> str:
    """Statements that print an argument that comes in."""
    kind, name, c_type = each.kind, each.name, each.kind.c_type(large)
    if kind.name in BUFFERS:
        return f'print_address("{name}", {name});'
    if kind.name == "status":
        return f'print_status("{name}", {name});' if each.direction != "out" else f'print_whether("{name}", {name});'
    if kind.name in ("string", "info_string"):
        return f'printf(" {name}=[%s]", {name});'
    if kind.name in ("weights", "error_codes"):
        return f'print_address("{name}", {name});'
    if kind.name == "ranges":
        return f'printf(" {name}=%d,%d", {name}[0][0], {name}[1][2]);'
    if kind.name in ("text", "base", "detached"):
        return ""
    if kind.name in ("word", "old_word"):
        return f'printf(" {name}=%lld", (long long)(intptr_t){name});'
    if each.direction == "out" or c_type.endswith("**"):
        return ""
    number = "(long long)(intptr_t)" if kind.is_handle() else "(long long)"
    if each.is_array():
        return f'printf(" {name}="); for (int i = 0; i < {length}; ++i) printf("%lld,", {number}{name}[i]);'
    return f'printf(" {name}=%lld", {number}{"*" if each.direction in ("inout", "const") else ""}{name});'


def result_of(each: Parameter, at: int) -> int:
    """The number that the library gives: handles are far from their numbers."""
    return 6000 + at + FAR if each.kind.is_handle() else 1 if each.kind.name == "logical" else 200 + at


def given(of: Function, each: Parameter, at: int, large: bool, length: str) -> str:
    """Statements that write a result."""
    kind, name, c_type = each.kind, each.name, each.kind.c_type(large)
    if kind.name in ("buffer", "receive_buffer") and of.name not in ("Free_mem", "Win_attach", "Win_create"):
        return f"if ((uintptr_t){name} > 4096) *(int*){name} = {300 + at};"
    if each.direction not in ("out", "inout"):
        return ""
    if kind.name == "status":
        count = length if each.is_array() else "1"
        return f"for (int i = 0; {name} && i < {count}; ++i) for (int k = 0; k < 8; ++k) ((int*)({name} + i))[k] = 100 + 10 * i + k;"
    if kind.name == "text":
        return f'strcpy({name}, "text {at}");'
    if kind.name in ("base", "detached"):
        return f"*(void**){name} = (void*)0x{at + 1}2345678;"
    if kind.name in ("weights", "error_codes"):
        return f"if ((uintptr_t){name} > 4096) {name}[0] = {result_of(each, at)};"
    value = result_of(each, at)
    cast = f"({c_type})" if kind.is_handle() else ""
    if each.is_array():
        element = f"{value} + i" if kind.name != "logical" else "(i + 1) % 2"
        return f"for (int i = 0; i < {each.filled and '2' or length}; ++i) {name}[i] = {cast}(intptr_t)({element});" if cast else (
            f"for (int i = 0; i < {each.filled and '2' or length}; ++i) {name}[i] = {element};")
    if any(other.filled == name for other in of.parameters):
        value = 2
    if kind.name == "room":
        return f"*{name} = 9;"
    return f"*{name} = {cast}(intptr_t){value};" if cast else f"*{name} = {value};"


def library(functions: list[Function]) -> str:
    lines = ["#include <mpi.h>", "#include <stdint.h>", "#include <stdio.h>", "#include <string.h>",
             "static void print_address(const char* name, const void* at) {",
             '  if ((uintptr_t)at < 4096) printf(" %s=at %d", name, (int)(uintptr_t)at); else printf(" %s=%d", name, *(const int*)at); }',
             'static void print_whether(const char* name, const void* at) { printf(" %s=%s", name, at ? "there" : "none"); }',
             "static void print_status(const char* name, const MPI_Status* at) {",
             '  printf(" %s=%d,%d,%d,%d", name, at->MPI_SOURCE, at->MPI_TAG, at->MPI_ERROR, at->MPI_internal[4]); }']
    for handle in ("Comm", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Type", "Win"):
        of = "MPI_Datatype" if handle == "Type" else f"MPI_{handle}"
        lines += [f"int MPI_{handle}_toint({of} handle) {{ return (int)((intptr_t)handle - {FAR}); }}",
                  f"{of} MPI_{handle}_fromint(int number) {{ return ({of})(intptr_t)(number + {FAR}); }}"]
    for name, value in (("Comm_size", 3), ("Comm_remote_size", 3), ("Comm_test_inter", 0), ("Topo_test", "MPI_CART"), ("Cartdim_get", 3)):
        lines.append(f"int MPI_{name}(MPI_Comm comm, int* to) {{ (void)comm; *to = {value}; return MPI_SUCCESS; }}")
    for of in functions:
        for large in of.forms():
            if of.chapter == "19_languages":
                continue
            name, parameters = of.c_name(large), of.declared_parameters(large)
            if of.name in OWN_WORK and of.name != "Dist_graph_neighbors_count":
                continue
            if of.returns:
                value = "2.5" if of.result == "double" else "base - disp" if of.name == "Aint_add" else "addr1 + addr2"
                lines.append(f"{of.result} {name}({parameters}) {{ return {value}; }}")
                continue
            if not is_tested(of) and "c_only" not in of.attributes:
                # A side that is linked whole needs the name.
                lines.append(f'int {name}({parameters}) {{ printf("{name}\\n"); return MPI_SUCCESS; }}')
                continue
            if not is_tested(of):
                continue
            body = [f'  printf("{name}");']
            for at, each in enumerate(of.parameters):
                length = length_in_c(of, each)
                if text := printed(each, large, length):
                    body.append(f"  {text}")
            body.append('  printf("\\n"); fflush(stdout);')
            body += [f"  {text}" for at, each in enumerate(of.parameters) if (text := given(of, each, at, large, length_in_c(of, each)))]
            lines += [f"int {name}({parameters}) {{", *body, f"  return 0;", "}"]
    for name in ("Pcontrol",):
        lines.append(f'int MPI_{name}(const int level, ...) {{ printf("MPI_{name} level=%d\\n", level); return MPI_SUCCESS; }}')
    return "\n".join(lines) + "\n"


def length_in_c(of: Function, each: Parameter) -> str:
    if each.length is None:
        return "0"
    if each.length in QUANTITIES or each.length.startswith(("sum(", "last(")):
        return str(ELEMENTS)
    return each.length if each.length in {other.name for other in of.parameters} else "0"
