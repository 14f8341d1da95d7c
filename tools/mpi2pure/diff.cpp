// A unified diff of edits whose places are known: nothing has to be searched for.
#include <algorithm>

#include "mpi2pure/changes.hpp"

namespace mpi2pure {
namespace {

constexpr std::size_t context = 3;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

// Lines first, ..., last - 1 of the old text become `lines`.
struct change_of_lines {
  std::size_t first, last;
  std::vector<std::string> lines;
};

std::vector<change_of_lines> changed_lines(const std::string& text, const std::vector<std::string>& old,
                                           std::vector<edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const edit& a, const edit& b) { return a.offset < b.offset; });
  std::vector<std::size_t> starts{0};
  for (const std::string& line : old) starts.push_back(starts.back() + line.size());
  const auto line_of = [&](std::size_t offset) {
    return static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), offset) - starts.begin()) - 1;
  };
  std::vector<change_of_lines> result;
  for (std::size_t at = 0; at < edits.size();) {
    const std::size_t first = std::min(line_of(edits[at].offset), old.size());
    std::size_t last = first;
    std::vector<edit> together;  // What shares lines.
    for (; at < edits.size() && (together.empty() || line_of(edits[at].offset) <= last); ++at) {
      together.push_back(edits[at]);
      last = std::max(last, std::min(line_of(edits[at].offset + edits[at].length), old.size() - 1));
    }
    const std::size_t end = std::min(last + 1, old.size());
    for (edit& e : together) e.offset -= starts[first];
    change_of_lines change{first, end,
                           lines_of(with_edits(text.substr(starts[first], starts[end] - starts[first]), together))};
    while (change.first < change.last && !change.lines.empty() && old[change.first] == change.lines.front()) {
      change.lines.erase(change.lines.begin());
      ++change.first;
    }
    while (change.first < change.last && !change.lines.empty() && old[change.last - 1] == change.lines.back()) {
      change.lines.pop_back();
      --change.last;
    }
    if (change.first < change.last || !change.lines.empty()) result.push_back(std::move(change));
  }
  return result;
}

void put(std::string& out, char mark, const std::string& line) {
  out += mark + line;
  if (line.back() != '\n') out += "\n\\ No newline at end of file\n";
}

std::string range(std::size_t first, std::size_t count) {
  return std::to_string(count == 0 ? first : first + 1) + (count == 1 ? "" : "," + std::to_string(count));
}

}  // namespace

std::string unified_diff(const std::string& path, const std::string& text, const std::vector<edit>& edits) {
  const std::vector<std::string> old = lines_of(text);
  const std::vector<change_of_lines> changed = changed_lines(text, old, edits);
  if (changed.empty()) return "";
  std::string result = "--- a/" + path + "\n+++ b/" + path + "\n";
  std::ptrdiff_t shift = 0;  // How many lines the new text has more, before the hunk.
  for (std::size_t at = 0; at < changed.size();) {
    std::size_t end = at + 1;
    while (end < changed.size() && changed[end].first - changed[end - 1].last <= 2 * context) ++end;
    const std::size_t first = changed[at].first - std::min(context, changed[at].first);
    const std::size_t last = std::min(changed[end - 1].last + context, old.size());
    std::string hunk;
    std::size_t line = first, added = 0, removed = 0;
    for (; at < end; ++at) {
      for (; line < changed[at].first; ++line) put(hunk, ' ', old[line]);
      for (; line < changed[at].last; ++line, ++removed) put(hunk, '-', old[line]);
      for (const std::string& new_line : changed[at].lines) put(hunk, '+', new_line);
      added += changed[at].lines.size();
    }
    for (; line < last; ++line) put(hunk, ' ', old[line]);
    const std::size_t new_first = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(first) + shift);
    result += "@@ -" + range(first, last - first) + " +" + range(new_first, last - first - removed + added) + " @@\n";
    result += hunk;
    shift += static_cast<std::ptrdiff_t>(added) - static_cast<std::ptrdiff_t>(removed);
  }
  return result;
}

}  // namespace mpi2pure
