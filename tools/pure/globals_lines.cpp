// libdw of the elfutils reads it: DWARF has five versions, compressed and split sections, and no small reader of our
// own would keep up. addr2line, a program to start, knows the lines of code, not of variables.
#include "pure/globals_lines.hpp"

#ifdef PURE_HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#endif

namespace pure::tool {

#ifndef PURE_HAVE_LIBDW

bool can_read_debug_information() noexcept { return false; }
variable_places places_of_variables(int /*descriptor*/) { return {}; }

#else

namespace {

constexpr int deepest = 200;  // blocks in blocks; hostile files have more

// Through typedefs and arrays: const int table[4] is an array of constants.
bool is_constant(Dwarf_Die variable) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  for (int depth = 0; depth < deepest; ++depth) {
    Dwarf_Attribute* const found = dwarf_attr_integrate(&variable, DW_AT_type, &attribute);
    if (found == nullptr || dwarf_formref_die(found, &type) == nullptr) return false;
    switch (dwarf_tag(&type)) {
      case DW_TAG_const_type: return true;
      case DW_TAG_typedef:
      case DW_TAG_volatile_type:
      case DW_TAG_array_type: variable = type; break;
      default: return false;
    }
  }
  return false;
}

void add_variable(Dwarf_Die& variable, variable_places& places) {
  Dwarf_Attribute attribute;
  Dwarf_Op* expression = nullptr;
  std::size_t length = 0;
  if (dwarf_attr(&variable, DW_AT_location, &attribute) == nullptr) return;
  if (dwarf_getlocation(&attribute, &expression, &length) != 0 || length != 1) return;
  Dwarf_Addr address = 0;
  if (expression[0].atom == DW_OP_addr) {
    address = expression[0].number;
  } else {  // DWARF 5 may keep addresses in a table
    Dwarf_Attribute indirect;
    if (dwarf_getlocation_attr(&attribute, expression, &indirect) != 0 || dwarf_formaddr(&indirect, &address) != 0)
      return;
  }
  variable_place& place = places.by_address[address];
  if (const char* const file = dwarf_decl_file(&variable)) place.file = file;
  if (dwarf_decl_line(&variable, &place.line) != 0) place.line = 0;
  place.is_constant = is_constant(variable);
}

void add_below(Dwarf_Die parent, variable_places& places, int depth) {
  Dwarf_Die child;
  if (depth == deepest || dwarf_child(&parent, &child) != 0) return;
  do {
    switch (dwarf_tag(&child)) {
      case DW_TAG_variable: add_variable(child, places); break;
      case DW_TAG_subprogram:
      case DW_TAG_lexical_block:
      case DW_TAG_try_block:
      case DW_TAG_catch_block:
      case DW_TAG_inlined_subroutine:
      case DW_TAG_namespace:
      case DW_TAG_module:
      case DW_TAG_common_block:
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
      case DW_TAG_union_type: add_below(child, places, depth + 1); break;
      default: break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

}  // namespace

bool can_read_debug_information() noexcept { return true; }

variable_places places_of_variables(int descriptor) {
  variable_places places;
  Dwarf* const debug = dwarf_begin(descriptor, DWARF_C_READ);
  if (debug == nullptr) return places;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die top;
  std::uint8_t kind = 0;
  while (dwarf_get_units(debug, unit, &unit, nullptr, &kind, &top, nullptr) == 0) {
    if (kind != DW_UT_compile && kind != DW_UT_partial) continue;
    places.is_there = true;
    add_below(top, places, 0);
  }
  dwarf_end(debug);
  return places;
}

#endif

}  // namespace pure::tool
