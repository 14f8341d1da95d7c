#!/usr/bin/env python3
"""Mistakes that a list of a program's objects invites, planted in the code (tests/support/planted_mutations.py)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

CLOSURE = "loader/closure.cpp"
LINKER = "loader/dynamic_linker.cpp"
FILE = "loader/object_file.cpp"
REFUSED = "closure.programs_that_cannot_be_there_twice_are_refused"

TWINS = [
    Twin("", "ALL_ARE_PRIVATE", CLOSURE, "return name.starts_with(each)", "return false && name.starts_with(each)",
         "closure.libraries_come_breadth_first"),
    Twin("", "IN_THE_ORDER_OF_THE_SEARCH", CLOSURE, "    if (root_number_ == none) std::sort(order_.begin(), order_.end());\n",
         "", "closure.the_order_is_the_dynamic_linker_s"),
    Twin("", "PLUG_IN_IN_THE_PROGRAM_S_ORDER", CLOSURE, "if (root_number_ == none) std::sort", "std::sort",
         "closure.a_plug_in_is_found_as_dlopen_finds_it"),
    Twin("", "NO_SONAME", CLOSURE, "sonames.front() == needed", "false", "closure.a_soname_is_a_name"),
    Twin("", "NO_SECOND_NAME", CLOSURE,
         "      if (const auto found = find_file(folder_of(answer_.objects[i].path) + std::string(needed))) return found;\n", "",
         "closure.one_file_of_two_names_is_one_object"),
    Twin("", "THE_LINK_S_FOLDER", CLOSURE, "realpath(path.c_str(), nullptr)", "nullptr", "closure.origin_is_where_the_file_is"),
    Twin("", "AN_ALLOCATOR_FOR_EACH", CLOSURE, "!is_of_libc && is_allocator(file)", "false",
         "closure.an_allocator_is_shared_and_comes_first"),
    Twin("", "AN_ALLOCATOR_COMES_LATER", CLOSURE, "if (its == sharing::comes_first) result_.preloads.push_back(listed_[number].path);",
         "", "closure.an_allocator_is_shared_and_comes_first"),
    Twin("", "GONE_IS_UNKNOWN", CLOSURE, "if (listed_[*number].path.empty())", "if (false)",
         "closure.what_is_missing_is_named_with_who_needs_it"),
    Twin("", "ONLY_ONE_IS_MISSING", LINKER, "!output.is_good && getauxval(AT_SECURE) == 0", "false",
         "closure.what_is_missing_is_named_with_who_needs_it"),
    Twin("", "NO_COMPLAINTS", CLOSURE, "if (text.empty() ||", "if (true || text.empty() ||",
         "closure.a_version_that_is_missing_is_the_dynamic_linker_s_complaint"),
    Twin("", "ANY_MALLOC", CLOSURE, "  if (is_allocator(file)) {\n", "  if (false) {\n", REFUSED),
    Twin("", "ANY_LINKER", CLOSURE, "if (!is_same_file(std::string(file.interpreter()), own_dynamic_linker()))", "if (false)", REFUSED),
    Twin("", "PURE_TWICE", CLOSURE, "!is_of_system(file.path()) && has_pure_inside(file)", "false", REFUSED),
    Twin("", "TEXT_RELOCATIONS", CLOSURE, "file.dynamic(DT_TEXTREL) != nullptr ||", "false &&",
         "closure.text_relocations_are_refused_in_libraries_too"),
    Twin("", "CUT_OFF", FILE, "at<char>(each.p_offset, each.p_filesz).size() != each.p_filesz", "false",
         "closure.damaged_files_are_refused"),
    Twin("", "ONE_SYMBOL_LESS", FILE, "return last + 1;", "return last;", "closure.symbols_are_counted_with_either_hash_table"),
    Twin("", "STATIC_TLS_IS_NONE", CLOSURE, "result_.static_tls_bytes += tls->p_memsz + tls->p_align;", ";",
         "closure.thread_local_variables_are_counted"),
    Twin("", "ASKED_BY_THE_ENVIRONMENT", LINKER, "if (!is_left_out(*environment))", "if (true)",
         "closure.the_environment_s_questions_are_not_answered"),
    Twin("", "A_CHILD_AS_ANY_OTHER", LINKER, "CLONE_VM | CLONE_VFORK, &child)", "CLONE_VM | CLONE_VFORK | SIGCHLD, &child)",
         "closure.nobody_hears_of_the_child"),
]

if __name__ == "__main__":
    sys.exit(run(Room("loader", (), TWINS, {})))
