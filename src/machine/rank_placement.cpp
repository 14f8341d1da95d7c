#include "machine/rank_placement.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <sstream>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/printable_text.hpp"
#include "base/small_file.hpp"
#include "base/text.hpp"

namespace pure::core {
namespace {

constexpr std::string_view by_file = "file:", by_order = "order:";

[[noreturn]] void refuse_placement(const std::string& text) { throw Error(errc::argument, text); }

[[noreturn]] void refuse_line(std::string_view name, int line, const std::string& text) {
  refuse_placement(fmt::format("{}:{}: {}", printable_word(name), line, text));
}

void check_counts(int ranks, int processes) {
  if (ranks >= processes && processes > 0) return;
  refuse_placement(
      fmt::format("{} cannot share {}: each has at least one. Ask for more ranks (-n), or fewer processes.",
                  counted(static_cast<std::uint64_t>(std::max(processes, 0)), "process"),
                  counted(static_cast<std::uint64_t>(std::max(ranks, 0)), "rank")));
}

std::vector<int> balanced(int ranks, int processes) {
  check_counts(ranks, processes);
  std::vector<int> counts(static_cast<std::size_t>(processes), ranks / processes);
  for (int i = 0; i < ranks % processes; ++i) ++counts[static_cast<std::size_t>(i)];
  return counts;
}

std::string_view without_comment(std::string_view line) { return trimmed(line.substr(0, line.find('#'))); }

// "7" or "4-7" or "7-4", the first and the last.
std::optional<std::pair<int, int>> parse_range(std::string_view word) {
  const auto number = [](std::string_view text) -> std::optional<int> {
    const auto value = parse_number(text);
    if (!value || *value > 1'000'000'000) return {};
    return static_cast<int>(*value);
  };
  const auto dash = word.find('-');
  const auto first = number(word.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number(word.substr(dash + 1));
  if (!first || !last) return {};
  return std::pair{*first, *last};
}

std::istringstream opened(const std::string& path) {
  std::string content;
  const std::string problem = read_small_file(path, content);
  if (!problem.empty()) refuse_placement(fmt::format("the placement {} {}.", printable_word(path), problem));
  return std::istringstream(content);
}

}  // namespace

rank_placement::rank_placement(std::vector<int> ranks, std::span<const int> counts)
    : ranks_(std::move(ranks)), process_of_(ranks_.size()), index_of_(ranks_.size()) {
  first_.push_back(0);
  for (const int count : counts) first_.push_back(first_.back() + static_cast<std::size_t>(count));
  for (int process = 0; process < processes(); ++process) {
    int index = 0;
    for (const int rank : ranks_of(process)) {
      process_of_[static_cast<std::size_t>(rank)] = process;
      index_of_[static_cast<std::size_t>(rank)] = index++;
    }
  }
}

rank_placement rank_placement::block_of(std::span<const int> ranks_of_processes) {
  int total = 0;
  for (const int count : ranks_of_processes) {
    check_counts(count, 1);
    total += count;
  }
  std::vector<int> ranks(static_cast<std::size_t>(total));
  std::iota(ranks.begin(), ranks.end(), 0);
  return {std::move(ranks), ranks_of_processes};
}

rank_placement rank_placement::block(int ranks, int processes) { return block_of(balanced(ranks, processes)); }

rank_placement rank_placement::round_robin(int ranks, int processes) {
  const std::vector<int> counts = balanced(ranks, processes);
  std::vector<int> grouped;
  grouped.reserve(static_cast<std::size_t>(ranks));
  for (int process = 0; process < processes; ++process) {
    for (int rank = process; rank < ranks; rank += processes) grouped.push_back(rank);
  }
  return {std::move(grouped), counts};
}

rank_placement rank_placement::from_file(int ranks, int processes, std::istream& text, std::string_view name) {
  check_counts(ranks, processes);
  std::vector<int> process_of(static_cast<std::size_t>(ranks), -1);
  std::vector<std::vector<int>> ranks_of(static_cast<std::size_t>(processes));
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    const std::string_view content = without_comment(line);
    if (content.empty()) continue;
    const auto space = content.find_first_of(" \t");
    const auto listed = parse_cpu_list(content.substr(0, space));
    const auto process = parse_number(space == std::string_view::npos ? "" : trimmed(content.substr(space)));
    if (!listed || !process) {
      refuse_line(name, number,
                  fmt::format("'{}' is not of the form RANKS PROCESS, as in '0-3,8 1'.", printable_word(content)));
    }
    if (*process >= static_cast<std::uint64_t>(processes)) {
      refuse_line(name, number,
                  fmt::format("there is no process {}; the job has {}, from 0.", *process,
                              counted(ranks_of.size(), "process")));
    }
    for (const int rank : *listed) {
      if (rank >= ranks) refuse_line(name, number, fmt::format("there is no rank {}; the job has {}.", rank, ranks));
      int& where = process_of[static_cast<std::size_t>(rank)];
      if (where >= 0) refuse_line(name, number, fmt::format("rank {} is in process {} already.", rank, where));
      where = static_cast<int>(*process);
    }
  }
  for (int rank = 0; rank < ranks; ++rank) {
    const int process = process_of[static_cast<std::size_t>(rank)];
    if (process < 0) refuse_placement(fmt::format("{}: no line for rank {}.", printable_word(name), rank));
    ranks_of[static_cast<std::size_t>(process)].push_back(rank);
  }
  std::vector<int> grouped, counts;
  for (const std::vector<int>& each : ranks_of) {
    if (each.empty()) refuse_placement(fmt::format("{}: process {} has no rank.", printable_word(name), counts.size()));
    grouped.insert(grouped.end(), each.begin(), each.end());
    counts.push_back(static_cast<int>(each.size()));
  }
  return {std::move(grouped), counts};
}

rank_placement rank_placement::from_order(int ranks, int processes, std::istream& text, std::string_view name) {
  const std::vector<int> counts = balanced(ranks, processes);
  std::vector<int> order;
  std::vector<bool> is_listed(static_cast<std::size_t>(ranks));
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    std::string content(without_comment(line));
    std::replace_if(
        content.begin(), content.end(), [](char c) { return c == ' ' || c == '\t' || c == '\r'; }, ',');
    for (const std::string_view word : split(content, ',')) {
      if (word.empty()) continue;
      const auto range = parse_range(word);
      if (!range)
        refuse_line(name, number,
                    fmt::format("'{}' is no rank and no range of ranks, such as 7 or 4-7.", printable_word(word)));
      const auto [first, last] = *range;
      if (std::max(first, last) >= ranks) {
        refuse_line(name, number, fmt::format("there is no rank {}; the job has {}.", std::max(first, last), ranks));
      }
      for (int rank = first;; rank += first <= last ? 1 : -1) {
        if (is_listed[static_cast<std::size_t>(rank)]) {
          refuse_line(name, number, fmt::format("rank {} is listed already.", rank));
        }
        is_listed[static_cast<std::size_t>(rank)] = true;
        order.push_back(rank);
        if (rank == last) break;
      }
    }
  }
  const auto missing = std::find(is_listed.begin(), is_listed.end(), false);
  if (missing != is_listed.end()) {
    refuse_placement(fmt::format("{}: rank {} is not listed; the job has {}.", printable_word(name),
                                 missing - is_listed.begin(), counted(is_listed.size(), "rank")));
  }
  return {std::move(order), counts};
}

std::string rank_placement::path_in(std::string_view words) {
  constexpr std::array<std::string_view, 4> known = {"block", "round-robin", by_file, by_order};
  if (words == known[0] || words == known[1]) return {};
  for (const std::string_view prefix : {by_file, by_order}) {
    if (words.starts_with(prefix) && words.size() > prefix.size()) return std::string(words.substr(prefix.size()));
  }
  const std::string_view meant = nearest(words.substr(0, words.find(':')), known);
  refuse_placement(
      fmt::format("ranks cannot be placed by \"{}\"{}: allowed is block, round-robin, file:PATH or order:PATH.",
                  printable_word(words), meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant)));
}

rank_placement rank_placement::of(std::string_view words, int ranks, int processes) {
  const std::string path = path_in(words);
  if (path.empty()) return words == "block" ? block(ranks, processes) : round_robin(ranks, processes);
  std::istringstream file = opened(path);
  return words.starts_with(by_file) ? from_file(ranks, processes, file, path)
                                    : from_order(ranks, processes, file, path);
}

}  // namespace pure::core
