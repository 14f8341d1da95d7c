#include "base/text.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>

#include <fmt/core.h>

namespace pure::core {
namespace {

constexpr int cpu_limit = 1 << 20;

// The C library's toupper depends on the locale of the program that we are a guest of.
constexpr char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::optional<int> parse_cpu(std::string_view text) noexcept {
  const auto number = parse_number(trimmed(text));
  if (!number || *number >= cpu_limit) return std::nullopt;
  return static_cast<int>(*number);
}

}  // namespace

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view white = " \t\r\n\v\f";
  const auto first = text.find_first_not_of(white);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string in_upper_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), upper);
  return result;
}

std::optional<std::uint64_t> parse_number(std::string_view text) noexcept {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) noexcept {
  text = trimmed(text);
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_number(text.substr(0, digits));
  if (!number) return std::nullopt;

  std::string_view unit = trimmed(text.substr(digits));
  int shift = 0;
  if (!unit.empty() && upper(unit.front()) != 'B') {
    switch (upper(unit.front())) {
      case 'K': shift = 10; break;
      case 'M': shift = 20; break;
      case 'G': shift = 30; break;
      case 'T': shift = 40; break;
      default: return std::nullopt;
    }
    unit.remove_prefix(1);
    if (unit.size() == 2 && upper(unit.front()) == 'I') unit.remove_prefix(1);  // "iB"; a lone "i" is no unit
  }
  if (!unit.empty() && !(unit.size() == 1 && upper(unit.front()) == 'B')) return std::nullopt;
  if (*number > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
  return *number << shift;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < std::size(units)) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", bytes, units[unit]);
}

std::optional<bool> parse_on_off(std::string_view text) {
  const std::string word = in_upper_case(trimmed(text));
  if (word == "ON" || word == "1" || word == "TRUE" || word == "YES") return true;
  if (word == "OFF" || word == "0" || word == "FALSE" || word == "NO") return false;
  return std::nullopt;
}

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  for (const std::string_view part : split(text, ',')) {
    const auto dash = part.find('-');
    const auto first = parse_cpu(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_cpu(part.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    const auto old_size = cpus.size();
    cpus.resize(old_size + static_cast<std::size_t>(*last - *first) + 1);
    std::iota(cpus.begin() + static_cast<std::ptrdiff_t>(old_size), cpus.end(), *first);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string cpu_list_text(std::span<const int> cpus) {
  if (cpus.empty()) return "none";
  std::string result;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (i != 0) result += ',';
    result += last == i ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[last]);
    i = last + 1;
  }
  return result;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: a swap looks two rows back.
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string wanted = in_upper_case(word);
  std::string_view best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  for (const std::string_view candidate : candidates) {
    const std::string offered = in_upper_case(candidate);
    std::size_t distance = edit_distance(wanted, offered);
    // A part of the word, or the word with something around it, is as good as one mistake: SPIN, NUM_RANKS.
    const std::string& shorter = wanted.size() < offered.size() ? wanted : offered;
    const std::string& longer = wanted.size() < offered.size() ? offered : wanted;
    if (shorter.size() >= 3 && longer.find(shorter) != std::string::npos) distance = std::min(distance, std::size_t{1});
    const std::size_t tolerated = std::max(std::size_t{1}, offered.size() / 3);
    if (distance <= tolerated && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string result, line;
  const auto end_line = [&] {
    if (!line.empty()) result += std::string(indent, ' ') + line + '\n';
    line.clear();
  };
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    if (indent + line.size() + 1 + word.size() > width) end_line();
    if (!line.empty()) line += ' ';
    line += word;
  }
  end_line();
  return result;
}

std::string type_name(const char* name) {
  int failed = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable(abi::__cxa_demangle(name, nullptr, nullptr, &failed),
                                                             &std::free);
  return failed == 0 ? readable.get() : name;
}

std::string rounded_bytes(std::uint64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : noun.ends_with('s') ? "es" : "s");
}

}  // namespace pure::core
