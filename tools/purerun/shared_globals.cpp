#include "purerun/shared_globals.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/printable_text.hpp"
#include "base/text.hpp"
#include "pure/globals_list.hpp"

namespace purerun {
namespace {

using pure::core::counted;
using pure::core::printable_word;
using pure::tool::listed_file;
using pure::tool::listed_global;

constexpr std::size_t most_named = 4;
constexpr std::size_t longest_name = 40;

// Without what does not tell one from the other, and cut off where it is long.
std::string short_name(std::string name) {
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  for (auto at = name.find(unnamed); at != std::string::npos; at = name.find(unnamed)) name.erase(at, unnamed.size());
  if (name.size() > longest_name) name = name.substr(0, longest_name - 3) + "...";
  return printable_word(name);
}

// "table, ns::total, counter, calls()::number and 3 more": the largest.
std::string names_of(const std::vector<listed_global>& globals) {
  std::string text;
  const std::size_t named = std::min(globals.size(), most_named);
  for (std::size_t i = 0; i < named; ++i) text += (i == 0 ? "" : ", ") + short_name(globals[i].name);
  return globals.size() > named ? fmt::format("{} and {} more", text, globals.size() - named) : text;
}

// "3 writable global variables: a, b, c (`pure globals ./app`)"; empty: none.
std::string text_of(const listed_file& file) {
  const std::string name = printable_word(file.path);
  std::vector<listed_global> own;
  std::copy_if(file.globals.begin(), file.globals.end(), std::back_inserter(own),
               [](const listed_global& each) { return !each.is_copy; });
  if (own.empty()) return "";
  return fmt::format("{}: {} (`pure globals {}`{})", counted(own.size(), "writable global variable"), names_of(own),
                     name, file.is_complete ? "" : "; it is stripped, and there may be others");
}

}  // namespace

std::string text_of_shared_globals(const std::string& path) {
  try {
    const listed_file file = pure::tool::list_globals(path);
    if (!file.uses_pure) return "";
    const std::string text = text_of(file);
    if (!text.empty()) return "check: the ranks share " + text;
    if (file.is_complete) return "";
    return fmt::format("check: {} is stripped: which writable global variables its ranks share is not known",
                       printable_word(path));
  } catch (const std::runtime_error&) {
    return "";  // a script, say, or it has no symbols at all
  }
}

std::string text_of_globals_between_ranks(const std::string& path) {
  try {
    std::vector<std::string> missing, files = pure::tool::own_libraries(path, missing);
    files.insert(files.begin(), path);
    for (const std::string& each : files) {
      const listed_file file = pure::tool::list_globals(each);
      if (std::string text = text_of(file); !text.empty()) return text;
      if (!file.is_complete) return fmt::format("what nobody knows: {} is stripped", printable_word(each));
    }
    return "";
  } catch (const std::runtime_error& error) {
    return fmt::format("what nobody knows: {}", error.what());
  }
}

}  // namespace purerun
