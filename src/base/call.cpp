#include "base/call.hpp"

#include <fmt/format.h>

namespace pure::core {

std::string to_text(const pure_call_site& site) {
  if (site.file == nullptr || *site.file == '\0') return {};
  if (site.function == nullptr || *site.function == '\0') return fmt::format("{}:{}", site.file, site.line);
  return fmt::format("{}:{} (in {})", site.file, site.line, site.function);
}

}  // namespace pure::core
