// A file without a name, handed down from a process to those that it starts, and to what these start: by the number of
// its descriptor, which is inherited, or, where a script between the two has closed that, through the giver's entry in
// /proc. A descriptor of that number is used only if it is that very file: another program may have a file of its own
// under the number.
#pragma once

#include <fcntl.h>

#include <string>

#include "base/owned_descriptor.hpp"

namespace pure::core {

/// The same file under a high number, which is inherited: shell scripts use the low ones for files of their own.
owned_descriptor to_be_passed(owned_descriptor file) noexcept;

/// For an environment variable: "PID:DESCRIPTOR:DEVICE:INODE". Empty if the file cannot be looked at.
std::string text_of_passed(const owned_descriptor& file);

/// A descriptor of its own, closed on exec; none if the text is wrong, or the file cannot be reached. `access`: of
/// open(2), where it has to be opened once more. From then on the inherited one is closed on exec, too.
owned_descriptor open_passed(const char* text, int access = O_RDWR) noexcept;

}  // namespace pure::core
