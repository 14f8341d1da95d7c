// What --check says before the start: which writable global variables the program has, for all ranks share them.
#pragma once

#include <string>

namespace purerun {

/// One line without its end, for people; empty if there are none, or the file is no program that is built with Pure.
std::string text_of_shared_globals(const std::string& path);

}  // namespace purerun
