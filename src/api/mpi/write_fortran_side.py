"""Fortran's side of the MPI door, from the table: a function for each of mpif.h, of the modules, and of their forms with
descriptors or large counts. They call MPI by the names of the standard ABI; what they share is in api/fortran."""
from dataclasses import dataclass, field

from mpi_table import Function, Parameter, Table

NOTICE = "// Written by src/api/mpi/generate.py from src/api/mpi/table.\n"

# Kinds whose functions are written by hand (api/fortran): functions of the program, attributes, arguments of programs.
BY_HAND = {"attribute", "old_attribute", "argv", "argvs", "main_argv", "own_argv"}

POINTED = {"INTEGER": "integer", "INTEGER(MPI_ADDRESS_KIND)": "MPI_Aint", "INTEGER(MPI_COUNT_KIND)": "MPI_Count",
           "INTEGER(MPI_OFFSET_KIND)": "MPI_Offset", "DOUBLE PRECISION": "double", "LOGICAL": "integer",
           "INTEGER, DIMENSION(3, *)": "integer", "INTEGER, DIMENSION(MPI_STATUS_SIZE)": "MPI_Status", "CHARACTER(*)": "char",
           "TYPE(*), DIMENSION(*)": "void", "TYPE(C_PTR)": "void*"}
CHOICES = {"data", "send_data", "buffer", "receive_buffer", "attached"}  # arguments of any type and shape

# A buffer that is followed by its count and its type can be a section, for which a type stands. Collectives combine, or
# count in blocks of each rank: there only this one.
TYPED_COLLECTIVES = {"Bcast"}
# Buffers that have to lie in a row (MPI 5.0, 12.2.1, 3.6, 9.2), and those of which only the address counts.
IN_A_ROW = {"Win_create", "Win_attach", "Buffer_attach", "Comm_attach_buffer", "Session_attach_buffer", "Psend_init", "Precv_init"}
ADDRESS_ONLY = {"Get_address", "Free_mem", "Win_detach", "Compare_and_swap", "Fetch_and_op", "Address"}


@dataclass
class Written:
    """The pieces of a function's body."""
    parameters: list[str] = field(default_factory=list)
    lengths: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


def is_by_hand(of: Function) -> bool:
    return any(each.kind.name in BY_HAND or each.kind.is_function for each in of.parameters)


def is_there(of: Function) -> bool:
    return "c_only" not in of.attributes


def has_choice(of: Function) -> bool:
    return any(each.kind.name in CHOICES for each in of.parameters)


def is_described(of: Function) -> bool:
    """Whether buffers have descriptors in mpi_f08, so that it is bound to C there, where no LOGICAL is an argument."""
    return has_choice(of) and not any(each.kind.name == "logical" for each in of.parameters)


def gives_c_ptr(of: Function) -> bool:
    """A C_PTR in mpi_f08, and nothing in mpif.h and mpi."""
    return any(each.kind.name == "detached" for each in of.parameters)


def fortran_type(each: Parameter, language: str) -> str:
    found = each.kind.types[language]
    return POINTED["INTEGER"] if found.startswith("TYPE(MPI_") and found != "TYPE(MPI_Status)" else (
        POINTED["INTEGER, DIMENSION(MPI_STATUS_SIZE)"] if found == "TYPE(MPI_Status)" else POINTED[found])


def length_of(of: Function, length: str) -> str:
    """How many elements an array has, as an expression; a text's end counts."""
    names = {each.name: each for each in of.parameters}
    if length in names:
        return f"*{length}"
    if length.endswith("+1"):
        return f"*{length[:-2]} + 1"
    if length.startswith("sum("):
        return length
    quantities = {"size": "ranks_of(c_comm)", "in_degree": "degrees_of(c_comm).in", "out_degree": "degrees_of(c_comm).out",
                  "dimensions": "dimensions_of(c_comm)"}
    return quantities.get(length, length)


class Writer:
    def __init__(self, of: Function, large: bool, described: bool, is_bound_to_c: bool) -> None:
        self.of, self.large, self.described, self.text = of, large, described, Written()
        self.is_bound_to_c = is_bound_to_c  # what has descriptors
        self.language = "mpi_f08, form _c" if large else "mpi_f08" if described else "mpif.h and mpi"
        self.flag = next((each.name for each in of.parameters if each.kind.name == "logical" and each.direction == "out"
                          and not each.is_array()), None)
        self.request = next((each.name for each in of.parameters if each.kind.name == "request" and each.direction == "out"), None)
        self.c_name = of.c_name(large and of.has_large)
        self.completes = of.name.startswith(("Wait", "Test"))  # requests, which may keep something (api/fortran/kept.hpp)
        self.is_collective = of.chapter in ("06_collectives", "08_topologies")

    def function(self, name: str) -> str:
        of, text = self.of, self.text
        for each in of.parameters:
            if each.kind.types[self.language] != "none":
                self.parameter(each)
        c_name = self.c_name
        if of.returns:
            arguments = ", ".join(f"*{each.name}" for each in of.parameters)
            parameters = ", ".join(text.parameters)
            return (f"{of.result} p{name}_({parameters});\n{of.result} p{name}_({parameters}) {{ return {c_name}({arguments}); }}\n")
        parameters = ", ".join([*text.parameters, "integer* ierror", *text.lengths])
        lines = [f"void p{name}_({parameters});", f"void p{name}_({parameters}) {{"]
        lines += [f"  {line}" for line in text.before]
        lines.append("  called_from(__builtin_return_address(0));")
        lines.append(f"  const int code = {c_name}({', '.join(text.arguments)});")
        lines += [f"  {line}" for line in text.after]
        lines += ["  give_error(ierror, code);", "}"]
        return "\n".join(lines) + "\n"

    # ---- parameters, by kind: each adds what is declared, done before, handed over, and done after ----

    def parameter(self, each: Parameter) -> None:
        kind, text = each.kind, self.text
        if self.described and kind.name in CHOICES:
            return self.described_buffer(each)
        pointed = fortran_type(each, self.language)
        constant = "const " if each.direction in ("in", "const") and kind.name not in ("buffer", "receive_buffer", "attached") else ""
        if kind.name != "detached" or self.is_f08():
            text.parameters.append(f"{constant}{pointed}* {each.name}")
        inward, outward = kind.conversions["Fortran"]
        if stands := self.standing_for(each):
            text.arguments.append(stands)
        elif kind.name == "detached":
            self.detached(each)
        elif kind.name in CHOICES or kind.name == "weights":
            text.arguments.append(f"{'weights_of' if kind.name == 'weights' else 'address_of'}({each.name})")
        elif kind.name == "status":
            which = "statuses_of" if each.is_array() else "status_of"
            text.arguments.append(f"{which}({each.name})" if each.direction == "out" else each.name)
        elif kind.name == "error_codes":
            text.arguments.append(f"error_codes_of({each.name})")
        elif kind.name == "base":
            text.arguments.append(each.name)
        elif kind.name in ("string", "info_string"):
            self.given_text(each)
        elif kind.name == "text":
            self.written_text(each)
        elif kind.name == "ranges":
            text.arguments.append(f"reinterpret_cast<int(*)[3]>(const_cast<integer*>({each.name}))")
        elif inward == "handle" or outward == "handle":
            self.handle(each)
        elif "logical" in (inward, outward):
            self.logical(each)
        elif outward == "index":
            self.index(each)
        elif "narrow" in (inward, outward):
            self.narrow(each)
        elif kind.name == "room":
            self.room(each)
        elif each.is_scalar_in() or kind.name == "word" and each.direction == "in":
            text.arguments.append(f"*{each.name}")
        else:
            text.arguments.append(each.name)

    def is_f08(self) -> bool:
        return self.described or self.large

    def detached(self, each: Parameter) -> None:
        """mpif.h and mpi have a choice buffer there, which cannot become an address."""
        text = self.text
        if self.is_f08():
            text.before.append(f"void* c_{each.name} = nullptr;")
            text.after.append(f"if (code == MPI_SUCCESS) *{each.name} = automatic_back(c_{each.name});")
        else:
            text.parameters.append(f"void* {each.name}")
            text.before.append(f"static_cast<void>({each.name});\n  void* c_{each.name} = nullptr;")
        text.arguments.append(f"&c_{each.name}")

    def described_buffer(self, each: Parameter) -> None:
        of, text = self.of, self.text
        text.parameters.append(f"const passed_descriptor* passed_{each.name}")
        text.before.insert(0, f"const read_descriptor {each.name}(passed_{each.name});")
        at = of.parameters.index(each)
        after = of.parameters[at + 1:at + 3]
        reads = "false" if each.kind.name in ("data", "send_data") else "true"
        is_triple = (len(after) == 2 and after[0].kind.name == "count" and after[0].is_scalar_in() and after[1].kind.name == "type"
                     and not after[1].is_array())
        if of.name in ADDRESS_ONLY or of.name.endswith(("_begin", "_end")) and not is_triple:
            text.arguments.append(f"address_of({each.name}->base)")
        elif of.name in IN_A_ROW or of.name.startswith("File_") and not is_triple:
            text.before.append(f'if (is_refused_section({each.name}, "{self.c_name}", ierror)) return;')
            text.arguments.append(f"address_of({each.name}->base)")
        elif is_triple and (not self.is_collective or of.form_of in TYPED_COLLECTIVES):
            count, datatype = after[0].name, after[1].name
            ends = "true" if self.request or of.chapter != "12_one_sided" and not of.name.endswith("_begin") else "false"
            text.before.append(f"typed_section of_{each.name}({each.name}, *{count}, type_of(*{datatype}), {reads}, {ends});")
            text.before.append(f'if (!of_{each.name}.is_right("{self.c_name}", ierror)) return;')
            text.arguments.append(f"of_{each.name}.base()")
            self.ends_with(each)
        else:
            text.before.append(f"copied_section of_{each.name}({each.name}, {reads});")
            text.arguments.append(f"of_{each.name}.base()")
            self.ends_with(each)

    def ends_with(self, buffer: Parameter) -> None:
        if self.request:
            self.text.after.append(f"of_{buffer.name}.keep(code, c_{self.request});")
        else:
            self.text.after.append(f"of_{buffer.name}.give_back();")

    def standing_for(self, each: Parameter) -> str | None:
        """The section whose count or type this one is."""
        if not self.described:
            return None
        at = self.of.parameters.index(each)
        for back in (1, 2):
            if at >= back and (wanted := f"typed_section of_{self.of.parameters[at - back].name}(") and any(
                    line.startswith(wanted) for line in self.text.before):
                section = f"of_{self.of.parameters[at - back].name}"
                if back == 1 and each.kind.name == "count":
                    return f"{section}.count{'' if self.large else '_of_int'}()"
                if back == 2 and each.kind.name == "type":
                    return f"{section}.type()"
        return None

    def given_text(self, each: Parameter) -> None:
        text = self.text
        trimmed = "true" if each.kind.name == "info_string" else "false"
        if self.described and self.is_bound_to_c:  # then a text has a descriptor
            text.parameters[-1] = f"const passed_descriptor* {each.name}"
            of = f"static_cast<const char*>({each.name}->base), {each.name}->element_bytes"
            text.before.append(f"const c_text c_{each.name}({of}, {trimmed});")
        else:
            text.lengths.append(f"std::size_t length_of_{each.name}")
            text.before.append(f"const c_text c_{each.name}({each.name}, length_of_{each.name}, {trimmed});")
        text.arguments.append(f"c_{each.name}.text()")

    def written_text(self, each: Parameter) -> None:
        text = self.text
        text.lengths.append(f"std::size_t length_of_{each.name}")
        length = length_of(self.of, each.length)
        if any(other.name == each.length and other.kind.name == "room" for other in self.of.parameters):
            length = f"c_{each.length}"
        text.before.append(f"c_room c_{each.name}({length});")
        text.arguments.append(f"c_{each.name}.text()")
        condition = "code == MPI_SUCCESS"
        if self.flag:
            condition += f" && c_{self.flag} != 0"
        if any(other.name == each.length and other.kind.name == "room" for other in self.of.parameters):
            condition += f" && *{each.length} > 0"
        text.after.insert(0, f"if ({condition}) c_{each.name}.give({each.name}, length_of_{each.name});")

    def room(self, each: Parameter) -> None:
        """In C the end of the text counts."""
        text = self.text
        text.before.append(f"int c_{each.name} = *{each.name} > 0 ? *{each.name} + 1 : 0;")
        text.arguments.append(f"&c_{each.name}")
        text.after.append(f"if (c_{each.name} > 0) *{each.name} = c_{each.name} - 1;")

    def handle(self, each: Parameter) -> None:
        text, c_type = self.text, each.kind.c_type(False)
        short = {"MPI_Datatype": "type"}.get(c_type, c_type.removeprefix("MPI_").lower())
        if each.is_array():
            self.handles(each, c_type)
        elif each.direction == "in":
            if c_type == "MPI_Comm" and any(other.length in ("size", "in_degree", "out_degree", "dimensions")
                                            for other in self.of.parameters):
                text.before.insert(0, f"const MPI_Comm c_comm = comm_of(*{each.name});")
                text.arguments.append("c_comm")
            else:
                text.arguments.append(f"{short}_of(*{each.name})")
                if self.of.name == "Request_get_status":
                    text.before.append(f"const MPI_Request c_{each.name} = request_of(*{each.name});")
                    text.arguments[-1] = f"c_{each.name}"
                    text.after.append(f"see_kept(&c_{each.name}, 1);")
        elif each.direction == "inout":
            text.before.append(f"{c_type} c_{each.name} = {short}_of(*{each.name});")
            text.arguments.append(f"&c_{each.name}")
            if c_type == "MPI_Request":
                self.one_request(each)
            text.after.append(f"give_ended(c_{each.name}, {each.name});")
        elif c_type != "MPI_Request" and self.request:  # written when the request is complete
            text.before.append(f"late_communicator c_{each.name}({each.name});")
            text.arguments.append(f"c_{each.name}.place()")
            text.after.append(f"c_{each.name}.keep(code, c_{self.request});")
        else:
            text.before.append(f"{c_type} c_{each.name} = none<{c_type}>;")
            text.arguments.append(f"&c_{each.name}")
            text.after.insert(0, f"give(c_{each.name}, {each.name});")
            if c_type == "MPI_Request":
                text.after.insert(0, f"begin_kept(c_{each.name});")

    def one_request(self, each: Parameter) -> None:
        if self.of.name == "Start":
            self.text.before.append(f"start_kept(&c_{each.name}, 1);")
        elif self.of.name == "Request_free":
            self.text.before.append(f"if (is_anything_kept()) forget_kept(c_{each.name});")
        elif self.completes:
            self.text.before.append(f"completing_requests of_{each.name}(&c_{each.name}, 1);")
            self.text.after.append(f"of_{each.name}.look_at(&c_{each.name});")

    def handles(self, each: Parameter, c_type: str) -> None:
        of, text = self.of, self.text
        length = length_of(of, each.length)
        is_kept = each.direction == "in" and self.request and "keeps_arrays" in of.attributes
        of_what = "kept_handles" if is_kept else "handle_array"
        text.before.append(f"{of_what}<{c_type}> c_{each.name}({length}{'' if each.direction == 'out' else f', {each.name}'});")
        text.arguments.append(f"c_{each.name}.handles()")
        if of.name == "Startall":
            text.before.append(f"start_kept(c_{each.name}.handles(), {length});")
        elif of.name.startswith("Request_get_status"):
            text.after.append(f"see_kept(c_{each.name}.handles(), {length});")
        if each.direction == "inout":
            if self.completes:
                text.before.append(f"completing_requests of_{each.name}(c_{each.name}.handles(), {length});")
                text.after.append(f"of_{each.name}.look_at(c_{each.name}.handles());")
            text.after.append(f"c_{each.name}.give_ended({each.name});")
        elif each.direction == "out":
            text.after.append(f"if (code == MPI_SUCCESS) c_{each.name}.give({each.name});")
        elif is_kept:
            text.after.append(f"c_{each.name}.keep(code, c_{self.request});")

    def logical(self, each: Parameter) -> None:
        text, name = self.text, each.name
        if each.is_array() and each.direction == "in":
            text.before.append(f"const logical_array c_{name}({length_of(self.of, each.length)}, {name});")
            text.arguments.append(f"c_{name}.ints()")
        elif each.is_array():
            text.arguments.append(name)
            text.after.append(f"if (code == MPI_SUCCESS) give_logicals({name}, {length_of(self.of, each.length)});")
        elif each.direction == "in":
            text.arguments.append(f"is_true(*{name})")
        else:
            text.before.append(f"int c_{name} = 0;")
            text.arguments.append(f"&c_{name}")
            text.after.append(f"*{name} = logical(c_{name} != 0);")

    def index(self, each: Parameter) -> None:
        text, name = self.text, each.name
        if each.is_array():
            text.arguments.append(name)
            text.after.append(f"give_indices({name}, *{each.filled});")
            text.before.append(f"*{each.filled} = MPI_UNDEFINED;")
        else:
            text.before.append(f"int c_{name} = MPI_UNDEFINED;")
            text.arguments.append(f"&c_{name}")
            text.after.append(f"*{name} = index(c_{name});")

    def narrow(self, each: Parameter) -> None:
        text, name = self.text, each.name
        if each.is_array():
            text.before.append(f"address_array c_{name}({length_of(self.of, each.length)}, {name});")
            text.arguments.append(f"c_{name}.addresses()")
        elif each.direction == "in":
            text.arguments.append(f"*{name}")
        else:
            text.before.append(f"MPI_Aint c_{name} = 0;")
            text.arguments.append(f"&c_{name}")
            text.after.append(f'if (code == MPI_SUCCESS && !fits(c_{name}, "{self.of.c_name(False)}", {name}, ierror)) return;')


def names_of(of: Function) -> str:
    return f"mpi_{of.name.lower()}"


def side_functions(table: Table, has_descriptors: bool) -> list[tuple[Function, bool, bool, str]]:
    """Each with its form: whether its counts are large, whether it has descriptors, and its name."""
    found = []
    for of in table.all_functions():
        if not is_there(of) or is_by_hand(of):
            continue
        overloads = of.overloads is not None
        base = names_of(of)
        if not overloads:
            found.append((of, False, False, base))
        if of.chapter == "removed":
            continue
        if gives_c_ptr(of):
            found += [(of, large, True, f"{base}{'_c' if large else ''}_f08") for large in of.forms()]
        elif is_described(of) and has_descriptors:
            found += [(of, large, True, f"{base}{'_c' if large else ''}_f08ts") for large in of.forms()]
        elif of.has_large and has_descriptors:  # interfaces without are of MPI 3
            found.append((of, True, False, f"{base}_c_f08"))
        elif overloads:
            found.append((of, False, False, f"{base}_f08"))
    return found


def side(table: Table, has_descriptors: bool = True, is_mpich: bool = False) -> dict[str, str]:
    """The texts of the files, by name. `has_descriptors`: mpi_f08 hands over descriptors of buffers, not their addresses;
    `is_mpich`: procedures that have descriptors are not bound to C, and those with large counts are called mpi_NAME_f08ts_large
    besides."""
    opening = [NOTICE, '#include "api/fortran/kept.hpp"\n', "using namespace pure::fortran;\n", 'extern "C" {\n']
    by_chapter: dict[str, list[str]] = {}
    for of, large, described, name in side_functions(table, has_descriptors):
        lines = by_chapter.setdefault(of.chapter, list(opening))
        lines.append(Writer(of, large, described, not is_mpich).function(name))
        is_f08ts = is_described(of) and has_descriptors
        has_f08 = not large and not described and not is_f08ts and not gives_c_ptr(of) and of.chapter != "removed"
        if not described and any(each.kind.name == "base" for each in of.parameters) and not large:
            lines.append(f'PURE_FORTRAN_NAME("p{name}_cptr_", "p{name}_");\n'
                         f'PURE_FORTRAN_NAMES_OF("{name}_cptr", "{name.upper()}_CPTR", "p{name}_");')
        lines.append(f"PURE_FORTRAN_NAMES{'_AND_F08' if has_f08 else ''}({name}, {name.upper()});\n")
        if is_mpich and "_c_f08" in name:
            other = f"{name.replace('_c_f08', '_f08')}_large"
            lines.append(f'PURE_FORTRAN_NAMES_OF("{other}", "{other.upper()}", "p{name}_");\nPURE_FORTRAN_NAME("p{other}_", "p{name}_");\n')
    return {f"api/fortran/side_{chapter}.cpp": "\n".join([*lines, '}  // extern "C"\n']) for chapter, lines in by_chapter.items()}
