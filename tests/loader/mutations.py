#!/usr/bin/env python3
"""Mistakes that a list of a program's objects, its model, and libraries that it opens invite, planted in the code
(tests/support/planted_mutations.py)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

CLOSURE = "loader/closure.cpp"
LINKER = "loader/dynamic_linker.cpp"
FILE = "loader/object_file.cpp"
OBJECT = "loader/loadable_object.cpp"
MODEL = "loader/program_model.cpp"
BINDER = "loader/model_binder.cpp"
IMAGES = "loader/rank_images.cpp"
OPEN = "loader/open_libraries.cpp"
CONSTRUCTED = "loader/constructed_objects.cpp"
VERSIONS = "loader/symbol_versions.cpp"
DAMAGE = "loadable_object.damage_is_found_where_it_is"
REFUSED = "closure.programs_that_cannot_be_there_twice_are_refused"

TWINS = [
    Twin("", "ALL_ARE_PRIVATE", CLOSURE, "return name.starts_with(each)", "return false && name.starts_with(each)",
         "closure.libraries_come_breadth_first"),
    Twin("", "IN_THE_ORDER_OF_THE_SEARCH", CLOSURE, "    if (root_number_ == none) std::sort(order_.begin(), order_.end());\n",
         "", "closure.the_order_is_the_dynamic_linker_s"),
    Twin("", "PLUG_IN_IN_THE_PROGRAM_S_ORDER", CLOSURE, "if (root_number_ == none) std::sort", "std::sort",
         "plug_in_closure.a_plug_in_is_found_as_dlopen_finds_it"),
    Twin("", "NO_SONAME", CLOSURE, "sonames.front() == needed", "false", "closure.a_soname_is_a_name"),
    Twin("", "NO_SECOND_NAME", CLOSURE,
         "      if (const auto found = find_file(folder_of(answer_.objects[i].path) + std::string(needed))) return found;\n", "",
         "closure.one_file_of_two_names_is_one_object"),
    Twin("", "THE_LINK_S_FOLDER", CLOSURE, "realpath(path.c_str(), nullptr)", "nullptr", "closure.origin_is_where_the_file_is"),
    Twin("", "AN_ALLOCATOR_FOR_EACH", CLOSURE, "!is_of_libc && is_allocator(file)", "false",
         "closure.an_allocator_is_shared_and_comes_first"),
    Twin("", "AN_ALLOCATOR_COMES_LATER", CLOSURE, "      result_.preloads.push_back(listed_[number].path);\n",
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
    Twin("", "TEXT_RELOCATIONS", CLOSURE, "file.value(DT_TEXTREL).has_value() ||", "false &&",
         "closure.text_relocations_are_refused_in_libraries_too"),
    Twin("", "CUT_OFF", FILE, "at<char>(each.p_offset, each.p_filesz).size() == each.p_filesz &&", "true ||",
         "closure.a_file_that_is_cut_off_in_its_thread_local_data_is_refused"),
    Twin("", "ONE_SYMBOL_LESS", FILE, "return last + 1;", "return last;", "closure.symbols_are_counted_with_either_hash_table"),
    Twin("", "STATIC_TLS_IS_NONE", CLOSURE, "result_.static_tls_bytes += tls->p_memsz + tls->p_align;", ";",
         "closure.thread_local_variables_are_counted"),
    Twin("", "ASKED_BY_THE_ENVIRONMENT", LINKER, "if (!is_left_out(*environment))", "if (true)",
         "closure.the_environment_s_questions_are_not_answered"),
    Twin("", "A_CHILD_AS_ANY_OTHER", LINKER, "CLONE_VM | CLONE_VFORK, &child)", "CLONE_VM | CLONE_VFORK | SIGCHLD, &child)",
         "closure.nobody_hears_of_the_child"),
    Twin("", "RELOCATED_ANYWHERE", OBJECT, "if (!has(each.r_offset, bytes, PF_W)) refuse", "if (false) refuse", DAMAGE),
    Twin("", "ANY_SYMBOL", OBJECT, "if (symbol != 0 && symbol >= symbols().size())", "if (false)", DAMAGE),
    Twin("", "CONSTRUCTED_ANYWHERE", OBJECT, "if (function && !has(*function, 1, PF_X))", "if (false)", DAMAGE),
    Twin("", "COPIES_OF_NOTHING", IMAGES, "    for (const image_copy& copy : each->copies)", "    for (const image_copy& copy : std::vector<image_copy>{})",
         "program_model_test.a_copied_variable_is_one_for_a_rank"),
    Twin("", "NOTHING_IS_REPLACED", BINDER, "function != nullptr && address != 0)", "false)",
         "program_model_test.functions_of_libc_are_replaced_for_private_objects"),
    Twin("", "LIBC_COMES_FIRST", BINDER, "if (static_cast<std::size_t>(position - scope.begin()) > own.position)", "if (false)",
         "program_model_test.the_program_comes_before_what_is_shared"),
    Twin("", "ADDRESSES_OF_THE_MODEL", IMAGES, "  if (object.thread_words.empty()) return;", "  return;",
         "program_model_test.each_thread_has_a_library_s_thread_local_variables_of_its_rank"),
    Twin("", "CONSTRUCTED_TWICE", CONSTRUCTED, "!= order_.end()) return;", "!= order_.end() && false) return;",
         "program_model_test.constructors_run_what_is_needed_first_and_destructors_the_other_way"),
    Twin("", "NEEDED_LATER", MODEL, "if (other != no_object && !seen[static_cast<std::size_t>(other)]) visit(other);", ";",
         "program_model_test.constructors_run_what_is_needed_first_and_destructors_the_other_way"),
    Twin("", "REFUSED_AND_THERE", MODEL, "objects_[static_cast<std::size_t>(number)].reset();",
         "(void)objects_[static_cast<std::size_t>(number)].release();",
         "program_model_test.a_plug_in_that_is_refused_leaves_nothing_behind"),
    Twin("", "BOUND_AS_THE_FIRST", MODEL, "each : by.global)\n    put_object(", "each : std::vector<scope_object>{})\n    put_object(",
         "open_libraries_test.are_bound_to_those_that_their_rank_has"),
    Twin("", "THE_OLD_FILE", MODEL, "    if (stat(closure.objects[i].path.c_str(), &file) != 0) continue;", "    continue;",
         "open_libraries_test.are_read_anew_when_the_file_is_another"),
    Twin("", "A_MODEL_FOR_EACH", MODEL, "return each->key == key && ", "return each == nullptr && ",
         "open_libraries_test.are_shared_by_ranks_that_bind_them_alike"),
    Twin("", "OLD_THREAD_LOCALS", MODEL, "(*its)->left.insert(rank);", ";", "open_libraries_test.have_new_thread_locals_each_time"),
    Twin("", "FOUND_STAYS", OPEN, "  std::erase_if(found_, [&](const found_name& each) { return each.by == object || each.in == object; });\n",
         "", "open_libraries_test.are_kept_by_what_has_found_something_in_them_and_by_nothing_else"),
    Twin("", "NAMES_STAY", OPEN, "  std::erase_if(names_, [&](const opened_name& each) { return each.number == object; });\n",
         "", "open_libraries_test.are_not_known_by_names_of_those_that_are_closed"),
    Twin("", "THE_FIRST_IS_NOT_THE_OLDEST", VERSIONS, "(numbers_[symbol] & number_bits) <= first_number",
         "(numbers_[symbol] & number_bits) < first_number",
         "loadable_object.who_asks_for_no_version_gets_the_oldest_and_dlsym_the_newest"),
    Twin("", "LATE_CALLS_GET_THE_NEWEST", OPEN, "without_version::oldest);", "without_version::newest);",
         "open_libraries_test.give_the_oldest_version_to_a_late_call_that_asks_for_none"),
    Twin("", "ALIKE_BY_NUMBER", MODEL, "objects[static_cast<std::size_t>(number)]->serial", "static_cast<std::uint64_t>(number)",
         "open_libraries_test.are_bound_anew_beside_another_that_has_the_number_of_one_that_is_closed"),
    Twin("", "OPEN_WHEN_CONSTRUCTED", OPEN, "  library.times_open += 1;\n",
         "  const std::shared_ptr<void> constructed(nullptr, [&](void*) { library.times_open += 1; });\n",
         "open_libraries_test.are_open_before_their_constructors_run"),
    Twin("", "NEVER_CLOSED", IMAGES, "  dlclose(its.handle);\n", "", "open_libraries_test.leave_nothing_behind_when_they_are_closed"),
]

if __name__ == "__main__":
    sys.exit(run(Room("loader", (), TWINS, {})))
