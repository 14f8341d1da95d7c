#include "base/call.hpp"

#include <fmt/core.h>

namespace pure::core {

std::string to_text(const pure_call_site& site) {
  if (site.file == nullptr || *site.file == '\0') return {};
  return fmt::format("{}:{}", site.file, site.line);
}

}  // namespace pure::core
