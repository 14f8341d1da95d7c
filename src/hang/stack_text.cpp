#include "hang/stack_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "hang/symbol_names.hpp"

namespace pure::core {

namespace {

/// Of the runtime, or of libc below it: says nothing about the program.
bool is_inside(const code_place& place) {
  static constexpr std::string_view of_libc[] = {"syscall", "start_thread", "clone", "clone3", "__clone3"};
  if (place.function.empty()) return place.is_own_library || place.file.find("/libc.so") != std::string::npos;
  const bool is_of_runtime = place.function.find("pure::core::") != std::string::npos ||
                             place.function.starts_with("_ZN4pure4core");  // some lambdas have no other name
  return is_of_runtime || std::find(std::begin(of_libc), std::end(of_libc), place.function) != std::end(of_libc);
}

std::string shortened(std::string_view name) {
  constexpr std::size_t most = 100;
  if (name.empty()) return "?";
  return name.size() <= most ? std::string(name) : fmt::format("{}...", name.substr(0, most - 3));
}

std::string text_of(const stack_trace& frames, symbol_names& names) {
  std::vector<code_place> places;
  places.reserve(frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    // A return address is that of the next instruction, which may be in the next function.
    const auto* const at = static_cast<const char*>(frames[i]) - (i == 0 ? 0 : 1);
    places.push_back(names.of(at));
  }
  auto first = std::find_if_not(places.begin(), places.end(), is_inside);
  auto last = std::find_if_not(places.rbegin(), places.rend(), is_inside).base();
  if (first == places.end()) {  // the runtime alone: better than nothing
    first = places.begin();
    last = places.end();
  }
  std::string text;
  for (; first < last; ++first) {
    text += fmt::format("    {:<28} {}+{:#x}\n", shortened(first->function),
                        shortened(std::string_view(first->file).substr(first->file.rfind('/') + 1)), first->offset);
  }
  return text;
}

std::string names_of(const std::vector<const stack_lines*>& group) {
  if (group.size() == 1) return group.front()->who;
  std::vector<int> ranks;
  ranks.reserve(group.size());
  for (const stack_lines* const each : group) ranks.push_back(each->rank);
  return "ranks " + cpu_list_text(ranks);
}

}  // namespace

std::vector<stack_lines> lines_of(std::span<const stack_of> all) {
  symbol_names names;
  std::vector<stack_lines> lines;
  lines.reserve(all.size());
  for (const stack_of& each : all) {
    lines.push_back({each.who, each.rank, each.frames.empty() ? "" : text_of(each.frames, names)});
  }
  return lines;
}

std::string stacks_text(std::span<const stack_lines> all) {
  std::vector<std::vector<const stack_lines*>> groups;
  for (const stack_lines& each : all) {
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const auto& group) { return group.front()->lines == each.lines; });
    if (same == groups.end()) {
      groups.push_back({&each});
    } else {
      same->push_back(&each);
    }
  }
  std::string text;
  for (const auto& group : groups) {
    const std::string& lines = group.front()->lines;
    text += lines.empty() ? fmt::format("  stack of {}: unknown (its thread did not answer)\n", names_of(group))
                          : fmt::format("  stack of {}:\n{}", names_of(group), lines);
  }
  return text;
}

}  // namespace pure::core
