// What is said before the start of the writable global variables that a program has, for ranks that are threads share
// them.
#pragma once

#include <string>

namespace purerun {

/// One line without its end, for people; empty if there are none, or the file is no program that is built with Pure.
std::string text_of_shared_globals(const std::string& path);

/// What ranks would share as threads, of the program or of a library that it brings along: "3 writable global
/// variables: a, b, c (...)", or why that is not known. Empty: nothing.
std::string text_of_globals_between_ranks(const std::string& path);

}  // namespace purerun
