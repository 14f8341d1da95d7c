// A process that purerun has started for a program whose ranks shall have their globals for themselves: it executes the
// launcher (loader/launcher.c), which every rank runs as its main, and which loads the program for the rank.
#pragma once

#include <string>

namespace pure::core {

/// The path of the program that this process loads; empty: it is the program itself.
const std::string& loaded_program_path() noexcept;

}  // namespace pure::core

extern "C" {

/// For the launcher, before its main: takes the program's path from the environment, and begins the process anew if the
/// program needs it. Ends the process if there is no such program.
void pure_take_program(char** arguments);

/// By each rank: runs the program, and returns what its main has returned.
int pure_run_program(int argc, char** argv);
}
