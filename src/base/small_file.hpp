// Files that a setting or an option names: read whole, and never for ever.
#pragma once

#include <cstddef>
#include <string>

namespace pure::core {

/// More than any table of ranks has.
constexpr std::size_t most_bytes_of_small_file = std::size_t{16} << 20;

/// Puts the content of a file, or of a pipe, into `content`, and returns what is wrong with it, to follow its name: "is
/// a directory, not a file", "cannot be read: No such file or directory". Empty: nothing. Blocks while a pipe is
/// written.
std::string read_small_file(const std::string& path, std::string& content);

}  // namespace pure::core
