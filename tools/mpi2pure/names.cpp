#include "mpi2pure/names.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "mpi2pure/text.hpp"

namespace mpi2pure {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

std::vector<std::string> columns_of(const std::string& line) {
  std::vector<std::string> columns(1);
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '|' && (at == 0 || line[at - 1] != '\\'))
      columns.emplace_back();
    else
      columns.back() += line[at];
  }
  for (std::string& column : columns) column = trimmed(column);
  return columns;
}

// With `small` or `large` in place of MPI_, as the name is.
std::string with_prefix(const std::string& mpi, const std::string& small, const std::string& large) {
  std::string rest = mpi.substr(4);
  if (std::none_of(rest.begin(), rest.end(), [](unsigned char c) { return std::islower(c) != 0; })) return large + rest;
  std::transform(rest.begin(), rest.end(), rest.begin(), [](unsigned char c) { return std::tolower(c); });
  return small + rest;
}

// Whether pure/mpi_names.h has a word of its own.
bool has_word(const std::string& word) {
  static const std::string header = text_of_header;
  const auto is_part = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = header.find(word); at != std::string::npos; at = header.find(word, at + 1)) {
    if (!is_part(header[at - 1]) && !is_part(header[at + word.size()])) return true;
  }
  return false;
}

}  // namespace

names::names() {
  std::istringstream lines(text_of_table);
  for (std::string line; std::getline(lines, line) && line != "=== What MPI does not have";) {
    if (!line.empty() && line[0] != '#' && line[0] != '=') add_row(line);
  }
}

void names::add_row(const std::string& line) {
  const std::vector<std::string> columns = columns_of(line);
  if (columns.size() != 4) return;
  std::vector<std::string> mpi, pure;
  std::istringstream words(columns[0]);
  for (std::string word; words >> word;) mpi.push_back(word);
  std::istringstream twins(columns[1]);
  for (std::string word; std::getline(twins, word, ',');) pure.push_back(trimmed(word));
  for (std::size_t at = 0; at < mpi.size(); ++at) {
    twin found{"", columns[3]};
    if (mpi[at].back() == '*') {
      stars_.emplace_back(mpi[at].substr(0, mpi[at].size() - 1), found.remark);
      continue;
    }
    if (columns[1] == "=")
      found.name = with_prefix(mpi[at], "pure_", "PURE_");
    else if (pure.size() == mpi.size())
      found.name = pure[at];
    else if (pure.size() == 1)
      found.name = pure[0];
    if (found.name == "-" || begins_with(found.remark, "other arguments:")) found.name.clear();
    twins_[mpi[at]] = found;
  }
}

twin names::of(const std::string& mpi) const {
  if (begins_with(mpi, "PMPI_"))
    return {"", "Pure has no PMPI_ names: `purerun --stats` and `--trace` tell where time goes"};
  if (!begins_with(mpi, "MPI_")) return {"", "it belongs to one MPI only"};
  const std::string with_arguments = with_prefix(mpi, "pure_mpi_", "PURE_MPI_");
  if (has_word(with_arguments)) return {with_arguments, ""};
  const auto found = twins_.find(mpi);
  if (found != twins_.end()) return found->second;
  if (mpi.size() > 6 && mpi.compare(mpi.size() - 2, 2, "_c") == 0 && knows(mpi.substr(0, mpi.size() - 2))) {
    const twin plain = of(mpi.substr(0, mpi.size() - 2));
    return {"", plain.name.empty() ? plain.remark
                                   : "write " + plain.name +
                                         ", whose counts have 64 bits with Pure, or "
                                         "the name without _c"};
  }
  for (const auto& [prefix, remark] : stars_) {
    if (begins_with(mpi, prefix)) return {"", remark};
  }
  return {"", "docs/from_mpi.txt does not have it"};
}

}  // namespace mpi2pure
