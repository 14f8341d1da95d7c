#include "runtime/call_error.hpp"

#include <fmt/core.h>

#include "runtime/rank.hpp"

namespace pure::core {

std::string text_of_error(const call& by, std::string_view text) {
  const std::string site = to_text(by.site);
  return fmt::format("{}: {}{}{}", by.operation, text, site.empty() ? "" : "\n  at ", site);
}

Error call_error(const call& by, errc code, std::string_view text) {
  return {code, text_of_error(by, text), spelled_out(by.site)};
}

void throw_wrong_call(const call& by, errc code, std::string_view text) {
  if (self() == nullptr) throw call_error(by, code, text);
  throw call_error(by, code, fmt::format("rank {}: {}", self()->number(), text));
}

}  // namespace pure::core
