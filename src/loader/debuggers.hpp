// What a debugger is given to see of images, if one has this process when they are made.
//
// gdb reads the list of the dynamic linker's objects when that changes: their names, which lead to files with symbols,
// and where they lie. Two things it has to be helped with. It takes a variable that other files may use from the first
// object with such a symbol, so that it would show each rank's as those of one: in the file that it is given these
// symbols are local ones, and then it takes the variable of the object in which its frame is. And it has looked at an
// image when the dynamic linker had just loaded a copy of nothing (object_copy.hpp): it has to look again.
#pragma once

#include "loader/object_copy.hpp"

namespace pure::core {

/// Whether a debugger would take something from it: it has a symbol table of its own.
bool has_symbols_for_debuggers(const loadable_object& original);

/// The whole file, but for that.
void write_for_debuggers(object_copy& copy, const loadable_object& original);

/// Has the dynamic linker load and unload something, `any`, so that debuggers read its list anew.
void let_debuggers_look(const loadable_object& any);

}  // namespace pure::core
