#include "loader/loader_refusal.hpp"

#include <utility>

#include <fmt/core.h>

#include "base/printable_text.hpp"

namespace pure::core {

loader_refusal::loader_refusal(const std::string& text, std::string reason, std::string remedy, bool is_for_all)
    : std::runtime_error(text), reason_(std::move(reason)), remedy_(std::move(remedy)), is_for_all_(is_for_all) {}

loader_refusal::loader_refusal(const std::string& path, std::string reason, std::string remedy)
    : loader_refusal(
          fmt::format("{} cannot be loaded for each rank, since {}.\n  {}--ranks-as processes, which runs it as it is.",
                      printable_word(path), reason, remedy.empty() ? "Take " : remedy + ";\n  or take "),
          reason, remedy, false) {}

loader_refusal loader_refusal::for_all(const std::string& path, std::string reason) {
  const std::string text = fmt::format("{} cannot be started: {}.", printable_word(path), reason);
  return {text, std::move(reason), "", true};
}

}  // namespace pure::core
