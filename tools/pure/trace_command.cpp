#include "pure/trace_command.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "base/printable_text.hpp"
#include "base/text.hpp"
#include "pure/output_file.hpp"
#include "pure/trace_draw.hpp"
#include "pure/trace_layout.hpp"
#include "pure/trace_read.hpp"
#include "pure/trace_time.hpp"
#include "pure/trace_zoom.hpp"
#include "pure/whole_number.hpp"
#include "standard_output.hpp"

namespace pure::tool {
namespace {

constexpr const char* trace_footer =
    "Examples:\n"
    "  purerun -n 4 --trace run.json ./program\n"
    "      writes the timeline of a run\n"
    "  pure trace run.json --png run.png\n"
    "      draws all of it\n"
    "  pure trace run.json --png run.png --zoom auto\n"
    "      some microseconds in which ranks share a task\n"
    "  pure trace run.json --png run.png --from 1.2ms --to 1.5ms --ranks 0-3\n"
    "      a part of the time, and of the ranks\n"
    "\n"
    "docs/trace.md says how to read the picture. The file opens in Perfetto, too\n"
    "(https://ui.perfetto.dev).\n"
    "\n"
    "Exit status: 0; 1 if it could not read, draw or write; 2 for wrong use.\n";

CLI::Validator times() {
  const auto check = [](const std::string& text) -> std::string {
    if (parse_time(text)) return "";
    return fmt::format("{} is no time with a unit (ns, us, ms or s), as 1.5ms", text);
  };
  return CLI::Validator(check, "");
}

CLI::Validator lists_of_ranks() {
  const auto check = [](const std::string& text) -> std::string {
    if (core::parse_cpu_list(text)) return "";
    return fmt::format("{} is no list of ranks, as 0-3,7", text);
  };
  return CLI::Validator(check, "");
}

std::vector<std::uint32_t> chosen_rows(const timeline& all, const trace_command& command) {
  std::vector<std::uint32_t> rows;
  if (command.ranks.empty()) {
    rows.resize(all.rows.size());
    std::iota(rows.begin(), rows.end(), 0U);
    return rows;
  }
  const std::vector<int> ranks = core::parse_cpu_list(command.ranks).value();
  for (const int rank : ranks) {
    if (static_cast<std::uint32_t>(rank) >= all.ranks) {
      throw std::runtime_error(fmt::format("--ranks {}: {} has {}, so there is no rank {}", command.ranks, command.file,
                                           core::counted(all.ranks, "rank"), rank));
    }
    rows.push_back(static_cast<std::uint32_t>(rank));
  }
  return rows;
}

time_span chosen_window(const timeline& all, const trace_command& command) {
  if (all.end <= 0) throw std::runtime_error(command.file + ": the timeline is empty");
  if (!command.zoom.empty()) {
    if (const auto window = window_of_sharing(all)) return *window;
    if (const auto window = window_of_items(all)) return *window;
    throw std::runtime_error(
        fmt::format("--zoom {}: no chunk of {} was stolen, and no items of an aggregation were "
                    "handled; --from and --to choose a window",
                    command.zoom, command.file));
  }
  const nanoseconds from = command.from.empty() ? begin_of_interest(all) : parse_time(command.from).value();
  const nanoseconds to = command.to.empty() ? all.end : parse_time(command.to).value();
  if (from >= all.end) {
    throw std::runtime_error(
        fmt::format("--from {}: nothing is left to show, the run ends after {}", command.from, time_text(all.end)));
  }
  if (from >= to) {
    throw std::runtime_error(
        fmt::format("the window is empty: it ends ({}) before it begins ({})", time_text(to), time_text(from)));
  }
  return {from, std::min(to, all.end)};
}

}  // namespace

CLI::App* add_trace_command(CLI::App& app, trace_command& command) {
  CLI::App* const trace = app.add_subcommand("trace", "draws a timeline that purerun --trace has written");
  trace->footer(trace_footer);
  trace->add_option("file", command.file, "the timeline")->option_text("FILE")->required();
  trace->add_option("--png", command.png, "draw it into this file")->option_text("FILE")->required();
  CLI::Option* const from = trace->add_option("--from", command.from,
                                              "begin here: a time with a unit, as 1.5ms; 0 is the start of the job");
  CLI::Option* const to = trace->add_option("--to", command.to, "end here");
  for (CLI::Option* const option : {from, to}) option->option_text("TIME")->check(times());
  trace->add_option("--zoom", command.zoom, "auto: a short window in which ranks share a task, or handle items")
      ->option_text("auto")
      ->check(CLI::IsMember({"auto"}))
      ->excludes(from)
      ->excludes(to);
  trace->add_option("--ranks", command.ranks, "these ranks only, and no helpers, as 0-3,7")
      ->option_text("LIST")
      ->check(lists_of_ranks());
  trace->add_option("--width", command.width, "pixels, 400 to 20000; 1600 if not given")
      ->option_text("PIXELS")
      ->transform(whole_number("width", 400, 20000));
  return trace;
}

int run_trace(const trace_command& command) {
  if (!can_draw()) draw_png({});  // says why
  expect_writable("--png", command.png);
  const timeline all = read_timeline_file(command.file);
  const time_span window = chosen_window(all, command);
  const bool start_left_out = command.from.empty() && command.zoom.empty() && window.begin > 0;
  const layout_options options{window, chosen_rows(all, command), command.width, start_left_out};
  const picture drawn = lay_out(all, options, width_of_text);
  write_file("--png", command.png, draw_png(drawn));
  standard_output::print("{}: {} to {} of {}, {}, {} x {} pixels\n", core::printable_word(command.png),
                         time_text(options.window.begin, std::max<nanoseconds>(options.window.length() / 100, 1)),
                         time_text(options.window.end, std::max<nanoseconds>(options.window.length() / 100, 1)),
                         core::printable_word(all.program.empty() ? command.file : all.program),
                         core::counted(options.rows.size(), "row"), drawn.width, drawn.height);
  return 0;
}

}  // namespace pure::tool
