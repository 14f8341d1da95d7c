// Numbers on the command line of `pure`.
#pragma once

#include <cstdint>
#include <string>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "base/text.hpp"

namespace pure::tool {

/// For CLI::Option::transform, not check: what is left is plain decimal, for CLI11 itself would take 010 for an octal
/// number. CLI11's own ranges would print the largest double in full, 309 digits, and take 1e9, 0x10 and " 5".
inline CLI::Validator whole_number(const std::string& noun, std::uint64_t lowest, std::uint64_t highest) {
  const auto normalize = [=](std::string& text) -> std::string {
    const auto number = core::parse_number(text);
    if (!number || *number < lowest || *number > highest) {
      return fmt::format("'{}' is no {}, a whole number from {} to {}", text, noun, lowest, highest);
    }
    text = std::to_string(*number);
    return "";
  };
  return CLI::Validator(normalize, "");
}

}  // namespace pure::tool
