// Where variables are defined, by their addresses, from the debug information (DWARF) of a program or library.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace pure::tool {

struct variable_place {
  std::string file;
  int line = 0;
  bool is_constant = false;  ///< declared const, although it lies where the program can write
};

struct variable_places {
  bool is_there = false;  ///< debug information, at all
  std::map<std::uint64_t, variable_place> by_address;
};

/// False: `pure` has been built without libdw, and finds none.
bool can_read_debug_information() noexcept;

/// Of the ELF file behind that descriptor. What is damaged is as if it were not there.
variable_places places_of_variables(int descriptor);

}  // namespace pure::tool
