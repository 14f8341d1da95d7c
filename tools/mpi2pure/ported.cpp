#include "mpi2pure/ported.hpp"

#include <algorithm>

namespace mpi2pure {

void ported::replace(const place& at, std::size_t length, const std::string& text, bool is_name) {
  const auto [found, is_new] = wishes_.try_emplace({at, length != 0}, wish{length, text});
  if (is_new) {
    if (is_name) ++names_;
    return;
  }
  wish& known = found->second;
  if (known.is_refused || (known.length == length && known.text == text)) return;
  known.is_refused = true;
  leave(at, "two of the files that include it see it differently: write it out");
}

// Variables that threads of a rank name would be others in each thread.
void ported::spread_threads() {
  std::vector<std::string> open;
  for (const auto& [key, function] : functions_) {
    if (!function.threads.empty()) open.push_back(key);
  }
  while (!open.empty()) {
    const known_function from = functions_[open.back()];
    open.pop_back();
    for (const std::string& called : from.calls) {
      known_function& next = functions_[called];
      if (!next.threads.empty()) continue;
      next.threads = from.threads;
      open.push_back(called);
    }
  }
  for (const auto& [key, function] : functions_) {
    if (function.threads.empty()) continue;
    for (const std::string& name : function.variables) {
      global_variable& variable = variables_[name];
      if (variable.is_wanted && variable.reason.empty())
        variable.reason = variable.name + " is used by " + function.threads;
    }
  }
}

// What is declared together with a variable that changes, or begins with the address of one, changes too.
void ported::want_what_goes_along() {
  std::map<place, std::set<std::string>> together;
  for (const auto& [key, variable] : variables_) {
    for (const auto& [name, at] : variable.unmarked) together[at].insert(key);
  }
  for (bool is_over = false; !is_over;) {
    is_over = true;
    const auto want = [&](const std::string& key) {
      if (variables_[key].is_wanted) return;
      variables_[key].is_wanted = true;
      is_over = false;
    };
    for (const auto& [key, variable] : std::map<std::string, global_variable>(variables_)) {
      if (!variable.is_wanted) continue;
      for (const std::string& other : variable.follow) want(other);
      for (const auto& [name, at] : variable.unmarked) {
        for (const std::string& other : together[at]) want(other);
      }
    }
  }
}

void ported::refuse_together() {
  std::map<place, std::set<std::string>> together;
  for (auto& [key, variable] : variables_) {
    for (const auto& [name, at] : variable.unmarked) {
      together[at].insert(key);
      if (variable.is_wanted && variable.reason.empty() && macro_wanted_.count(at) != 0 && macro_other_.count(at) != 0)
        variable.reason = "the macro that declares " + variable.name +
                          " also declares what is not global: write this one out";
    }
    if (variable.is_wanted && variable.reason.empty() && !variable.is_defined)
      variable.reason = variable.name +
                        " is defined in none of the files: give all files of the program, or, if it is a library's, a "
                        "lock around its use";
  }
  for (bool is_over = false; !is_over;) {
    is_over = true;
    for (const auto& [at, keys] : together) {
      const auto wrong = std::find_if(keys.begin(), keys.end(), [&](const std::string& key) {
        return variables_[key].is_wanted && !variables_[key].reason.empty();
      });
      if (wrong == keys.end()) continue;
      for (const std::string& key : keys) {
        if (!variables_[key].reason.empty()) continue;
        variables_[key].reason = variables_[key].name + " is declared together with " + variables_[*wrong].name +
                                 ", which stays as it is: declare it by itself";
        is_over = false;
      }
    }
  }
}

void ported::settle() {
  want_what_goes_along();
  spread_threads();
  refuse_together();
  for (const auto& [key, variable] : variables_) {
    if (!variable.is_wanted || variable.declarations.empty() || (!variable.is_defined && !variable.is_used)) continue;
    if (!variable.reason.empty()) {
      leave(variable.blamed.file.empty() ? *variable.declarations.begin() : variable.blamed, variable.reason);
      continue;
    }
    for (const auto& [name, at] : variable.unmarked) replace(at, 0, std::string(rank_local) + " ", false);
    if (!variable.unmarked.empty()) ++variables_changed_;
  }
}

std::map<std::string, std::vector<edit>> ported::edits() const {
  std::map<std::string, std::vector<edit>> result;
  std::set<std::string> with_word;
  std::string file;
  std::size_t end = 0;  // Of what is replaced.
  for (const auto& [at, wanted] : wishes_) {
    if (wanted.is_refused) continue;
    if (at.first.file != file) end = 0;
    file = at.first.file;
    if (at.first.offset < end) continue;  // In what is taken away.
    end = at.first.offset + wanted.length;
    result[file].push_back({at.first.offset, wanted.length, wanted.text});
    if (wanted.text == std::string(rank_local) + " ") with_word.insert(file);
  }
  for (const std::string& one : with_word) {
    const edit& include = includes_.at(one);
    if (!include.text.empty()) result[one].insert(result[one].begin(), include);
  }
  return result;
}

unsigned ported::original_line(const std::string& file, unsigned line) const {
  const auto found = includes_.find(file);
  if (found == includes_.end() || found->second.text.empty()) return line;
  const std::string& text = texts_.at(file);
  const auto behind = text.begin() + static_cast<std::ptrdiff_t>(found->second.offset);
  bool is_there = false;  // The include, with the first of the words.
  for (auto at = wishes_.lower_bound({place{file}, false}); at != wishes_.end() && at->first.first.file == file; ++at) {
    is_there = !at->second.is_refused && at->second.text == std::string(rank_local) + " ";
    if (is_there) break;
  }
  return is_there && line > 1 + std::count(text.begin(), behind, '\n') ? line - 1 : line;
}

}  // namespace mpi2pure
