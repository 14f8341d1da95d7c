// Texts for JSON files that are written line by line.
#pragma once

#include <string>
#include <string_view>

namespace pure::core {

/// `text` as a JSON string, with its quotes. What is no UTF-8 is replaced.
std::string json_text(std::string_view text);

}  // namespace pure::core
