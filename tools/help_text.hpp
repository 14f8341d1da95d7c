// The texts of --help of all tools: lines of at most 80 columns, in sections that begin with "Usage:" or "Options:",
// say, at the start of a line. People read them, and so do cmake/man_page.awk and tools/completion.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "base/text.hpp"

namespace help_text {

inline constexpr std::size_t columns = 80;

/// "  NAME    text": the text in a column of its own, which begins `column` characters from the left, or in the next
/// line where the name leaves no room.
inline std::string entry(const std::string& name, std::size_t column, const std::string& text) {
  std::string lines = pure::core::wrapped(text, column, columns);
  if (name.size() + 4 > column) return fmt::format("  {}\n{}", name, lines);
  const std::string start = fmt::format("  {:<{}}", name, column - 2);
  return lines.empty() ? "  " + name + "\n" : lines.replace(0, column, start);
}

/// For CLI::App::formatter. A footer's lines are as they are written.
class formatter : public CLI::Formatter {
 public:
  explicit formatter(std::string usage = {}) : usage_(std::move(usage)) {}

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode /*mode*/) const override {
    std::string text = pure::core::wrapped(app->get_description(), 0, columns);
    text += usage_of(*app, name) + section("Arguments", app->get_options(is_argument));
    for (const std::string& group : app->get_groups()) {
      text += section(group, app->get_options([&](const CLI::Option* each) {
        return each->get_group() == group && each->nonpositional();
      }));
    }
    const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
    if (!commands.empty()) text += "\nSubcommands:\n";
    for (const CLI::App* command : commands) {
      text += entry(command->get_name(), command_column, command->get_description());
    }
    const std::string footer = app->get_footer();
    return footer.empty() ? text : text + "\n" + footer;
  }

 private:
  static constexpr std::size_t command_column = 14;
  static constexpr std::size_t widest_name = 24;

  static bool is_argument(const CLI::Option* option) { return option->get_positional(); }

  // "-n,--ranks N", "FILE"
  static std::string name_of(const CLI::Option& option) {
    const std::string& value = option.get_option_text();
    if (option.get_positional()) return value.empty() ? option.get_name() : value;
    std::string name;
    for (const std::string& each : option.get_snames()) name += (name.empty() ? "-" : ",-") + each;
    for (const std::string& each : option.get_lnames()) name += (name.empty() ? "--" : ",--") + each;
    return value.empty() ? name : name + " " + value;
  }

  static std::string section(const std::string& title, const std::vector<const CLI::Option*>& options) {
    if (options.empty()) return "";
    std::size_t width = 0;
    for (const CLI::Option* each : options) {
      if (const std::size_t its = name_of(*each).size(); its <= widest_name) width = std::max(width, its);
    }
    std::string text = fmt::format("\n{}:\n", title);
    for (const CLI::Option* each : options) text += entry(name_of(*each), width + 4, each->get_description());
    return text;
  }

  // With the options that have to be there.
  [[nodiscard]] std::string usage_of(const CLI::App& app, const std::string& name) const {
    if (!usage_.empty()) return fmt::format("Usage: {}\n", usage_);
    std::string text = fmt::format("Usage: {} [OPTIONS]", name);
    for (const CLI::Option* each : app.get_options()) {
      if (each->get_required()) text += " " + name_of(*each);
    }
    if (!app.get_subcommands([](const CLI::App*) { return true; }).empty()) text += " SUBCOMMAND";
    return text + "\n";
  }

  std::string usage_;
};

}  // namespace help_text
