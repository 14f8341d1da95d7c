#include "pure/output_file.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <fmt/core.h>

namespace pure::tool {
namespace {

[[noreturn]] void refuse(std::string_view option, const std::string& path) {
  const std::error_code why(errno, std::generic_category());
  throw std::runtime_error(fmt::format("{} {}: it cannot be written: {}", option, path, why.message()));
}

}  // namespace

void expect_writable(std::string_view option, const std::string& path) {
  std::error_code ignored;
  const bool was_there = std::filesystem::exists(path, ignored);
  errno = 0;
  if (!std::ofstream(path, std::ios::app)) refuse(option, path);
  if (!was_there) std::filesystem::remove(path, ignored);
}

void write_file(std::string_view option, const std::string& path, std::string_view content) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << content;
  if (!file.flush()) refuse(option, path);
}

}  // namespace pure::tool
