#include "mpi2pure/changes.hpp"

#include <algorithm>

namespace mpi2pure {

std::string with_edits(const std::string& text, std::vector<edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const edit& a, const edit& b) { return a.offset < b.offset; });
  std::string result;
  std::size_t at = 0;
  for (const edit& e : edits) {
    result.append(text, at, e.offset - at).append(e.text);
    at = e.offset + e.length;
  }
  return result.append(text, at, std::string::npos);
}

void changes::change(const std::string& file, const std::string& original, std::size_t offset, unsigned line,
                     unsigned loops, std::vector<edit> edits, const edit& include) {
  file_state& state = files_[file];
  state.original = original;
  state.include = include;
  const auto [found, is_new] = state.decisions.try_emplace(offset, decision{line, loops, edits, ""});
  if (!is_new && found->second.reason.empty() && !(found->second.edits == edits))
    found->second.reason = "two of the files that include it see it differently";
}

void changes::leave(const std::string& file, std::size_t offset, unsigned line, const std::string& reason) {
  decision& known = files_[file].decisions[offset];
  known.line = line;
  if (known.reason.empty()) known.reason = reason;
}

void changes::suggest(const std::string& file, unsigned line, const std::string& why) {
  suggestions_.insert({file, line, why});
}

std::map<std::string, std::vector<edit>> changes::edits() const {
  std::map<std::string, std::vector<edit>> result;
  for (const auto& [file, state] : files_) {
    std::vector<edit> all;
    for (const auto& [offset, made] : state.decisions) {
      if (made.reason.empty()) all.insert(all.end(), made.edits.begin(), made.edits.end());
    }
    if (all.empty()) continue;
    if (!state.include.text.empty()) all.insert(all.begin(), state.include);
    result[file] = all;
  }
  return result;
}

std::set<remark> changes::left() const {
  std::set<remark> result;
  for (const auto& [file, state] : files_) {
    for (const auto& [offset, made] : state.decisions) {
      if (!made.reason.empty()) result.insert({file, made.line, made.reason});
    }
  }
  return result;
}

unsigned changes::loops_changed() const {
  unsigned result = 0;
  for (const auto& [file, state] : files_) {
    for (const auto& [offset, made] : state.decisions) result += made.reason.empty() ? made.loops : 0;
  }
  return result;
}

}  // namespace mpi2pure
