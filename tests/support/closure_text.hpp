// What a program needs, as a text for tests to compare.
#pragma once

#include <filesystem>
#include <string>

#include <fmt/core.h>

#include "loader/closure.hpp"

namespace test_support {

/// "a:private b:shared", by file name.
inline std::string text_of(const pure::core::program_closure& closure) {
  std::string text;
  for (const pure::core::program_object& each : closure.objects) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", std::filesystem::path(each.path).filename().string(),
                        each.is_private ? "private" : "shared");
  }
  return text;
}

}  // namespace test_support
