// Files that a command of `pure` writes, named by one of its options.
#pragma once

#include <string>
#include <string_view>

namespace pure::tool {

/// Throws std::runtime_error if the file cannot be written: before time is spent on what then cannot be kept. Leaves no
/// file, and leaves a file as it is.
void expect_writable(std::string_view option, const std::string& path);

/// Replaces the file. Throws std::runtime_error if it cannot be written.
void write_file(std::string_view option, const std::string& path, std::string_view content);

}  // namespace pure::tool
