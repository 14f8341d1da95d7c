#include "hang/stack_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/call_site.hpp"
#include "base/text.hpp"
#include "hang/symbol_names.hpp"

namespace pure::core {

namespace {

/// By which pure::run calls a function of the program, which may be inlined there.
constexpr std::string_view call_by_pure_run = "pure::detail::call_on_rank";
/// The names of functions begin so that are called by the headers of the typed interface.
constexpr std::string_view behind_headers = "pure_cxx_";

bool is_of_a_library(const code_place& place) noexcept { return !place.is_program && !place.is_own_library; }

/// Of the runtime: says nothing about the program. Not of a library.
bool is_of_runtime(const code_place& place) {
  if (!place.is_program) return true;
  if (place.function.empty()) return place.is_own_library;
  const std::string_view name = own_name(place.function);
  if (name == "_start") return true;
  if (name == call_by_pure_run) return false;
  if (name.starts_with(behind_headers)) return true;
  if (name.starts_with("pure::") || name.starts_with("_ZN4pure")) return true;  // some have no other name
  // Of a program that is linked with libpure.a: what templates of the standard library have called there.
  return place.is_own_library && name.starts_with("std::") && place.function.find("pure::core::") != std::string::npos;
}

/// What a program calls, and not what is inside of that.
bool is_call_of_pure(const code_place& place) {
  const std::string_view name = own_name(place.function);
  if (name.find('{') != std::string_view::npos || name.starts_with(behind_headers)) return false;
  if (name.starts_with("pure_")) return place.is_own_library && name.find(':') == std::string_view::npos;
  return name.starts_with("pure::") && !name.starts_with("pure::core::") && !name.starts_with("pure::detail::");
}

/// For each place whether it is inside of the runtime. What it calls of libraries is, too, and so is what has called
/// it.
std::vector<bool> are_inside(const std::vector<code_place>& places) {
  std::vector<bool> inside(places.size());
  bool is_caller_inside = true;
  for (std::size_t i = places.size(); i-- > 0;) {
    if (!is_of_a_library(places[i])) is_caller_inside = is_of_runtime(places[i]);
    inside[i] = is_caller_inside;
  }
  return inside;
}

/// A call by pure::run has the name of the program's function.
std::string_view name_for_people(const code_place& place) {
  const std::string_view whole = place.function;
  if (own_name(whole) != call_by_pure_run) return whole;
  const std::size_t begin = whole.find(call_by_pure_run) + call_by_pure_run.size() + 1, end = whole.rfind(">(");
  return begin < end && end != std::string_view::npos ? whole.substr(begin, end - begin) : whole;
}

std::string shortened(std::string_view name) {
  constexpr std::size_t most = 100;
  if (name.empty()) return "?";
  return name.size() <= most ? std::string(name) : fmt::format("{}...", name.substr(0, most - 3));
}

/// "halo.cpp:12", or "solver+0x1234".
std::string where_is(const code_place& place) {
  if (!place.source.empty()) return place.source;
  const std::string_view file = std::string_view(place.file).substr(place.file.rfind('/') + 1);
  return fmt::format("{}+{:#x}", shortened(file), place.offset);
}

std::string line_of(const code_place& place) {
  return fmt::format("    {:<28} {}\n", shortened(name_for_people(place)), where_is(place));
}

/// A return address is that of the next instruction, which may be in the next function.
const void* call_before(const void* return_address) noexcept { return static_cast<const char*>(return_address) - 1; }

std::string_view file_of(const code_place& place) noexcept {
  const std::string_view source = place.source;
  return source.substr(0, source.rfind(':'));
}

/// Where the program's function is inlined, the call by pure::run, and what of its own is inlined there, say nothing
/// more but the function's name, if it is a lambda.
std::vector<code_place> without_call_by_pure_run(std::vector<code_place> here) {
  const code_place last = here.back();
  if (own_name(last.function) != call_by_pure_run || last.source.empty()) return here;
  const auto end = std::find_if(here.rbegin(), here.rend(), [&](const code_place& each) {
                     return file_of(each) != file_of(last);
                   }).base();
  if (end == here.begin()) return here;
  here.erase(end, here.end());
  if (here.back().function == "operator()") here.back().function = name_for_people(last);
  return here;
}

std::vector<code_place> places_of(std::span<void* const> frames, symbol_names& names) {
  std::vector<code_place> places;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::vector<code_place>& here = names.of(i == 0 ? frames[i] : call_before(frames[i]));
    const std::vector<code_place> those = without_call_by_pure_run(here);
    places.insert(places.end(), those.begin(), those.end());
  }
  return places;
}

std::string text_of(const stack_trace& frames, symbol_names& names) {
  const std::vector<code_place> places = places_of(frames, names);
  const std::vector<bool> inside = are_inside(places);
  const bool has_program = std::find(inside.begin(), inside.end(), false) != inside.end();
  std::string text;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool is_call = is_call_of_pure(places[i]) && i + 1 < places.size() && !inside[i + 1];
    if (!has_program || is_call || !inside[i]) text += line_of(places[i]);  // the runtime alone: all there is
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

const address_resolver before = set_address_resolver(text_of_return_address);  // before main

}  // namespace

std::string_view own_name(std::string_view function) noexcept {
  static constexpr std::string_view no_parameters[] = {"(anonymous namespace)", "(auto)", "operator()"};
  std::size_t begin = 0, name_end = std::string_view::npos;
  int depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    const char c = function[i];
    const std::string_view rest = function.substr(i);
    if (const auto* const passed = std::find_if(std::begin(no_parameters), std::end(no_parameters),
                                                [&](std::string_view each) { return rest.starts_with(each); });
        passed != std::end(no_parameters)) {
      i += passed->size() - 1;
    } else if (c == '<' || c == '{' || (c == '(' && depth > 0)) {
      if (depth++ == 0 && c == '<' && name_end == std::string_view::npos) name_end = i;
    } else if (c == '>' || c == '}' || c == ')') {
      --depth;
    } else if (depth == 0 && c == ' ') {
      begin = i + 1;
      name_end = std::string_view::npos;
    } else if (depth == 0 && c == '(') {
      return function.substr(begin, std::min(name_end, i) - begin);
    }
  }
  return function.substr(begin, std::min(name_end, function.size()) - begin);
}

std::string text_of_return_address(const void* address) {
  symbol_names names;
  const std::vector<code_place>& here = names.of(call_before(address));
  if (here.empty() || here.front().file.empty()) return {};
  const std::string_view name = own_name(here.front().function);
  return name.empty() ? where_is(here.front()) : fmt::format("{} ({})", where_is(here.front()), shortened(name));
}

std::string lines_of_crash(std::span<void* const> frames) {
  symbol_names names;
  const std::vector<code_place> places = places_of(frames, names);
  const std::vector<bool> inside = are_inside(places);
  const auto last = std::find(inside.rbegin(), inside.rend(), false);
  const auto shown = last != inside.rend() ? static_cast<std::size_t>(inside.rend() - last) : places.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += line_of(places[i]);
  return text;
}

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
