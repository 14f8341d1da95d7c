// getopt, getopt_long and getopt_long_only for each rank: libc's have one place in one argv, for the process.
//
// All that can be seen is as in glibc (getopt(3); 2.36): which element is next, how argv is permuted, optarg, optind
// and optopt after every call, and the text on stderr, in the language of the thread's locale. Held against libc's by
// tests/unit/libc/arguments_test.cpp. One thread of a rank at a time, as ever.
#include <getopt.h>
#include <libintl.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <optional>
#include <string_view>
#include <vector>

#include "libc/hidden_state.hpp"
#include "libc/replacements.hpp"

namespace pure::core {

namespace {

/// The rank's stderr, as its program has it; the process's, before the rank begins.
FILE* errors_stream() noexcept {
  FILE* const its = *hidden_state_here().variables.errors;
  return its == nullptr ? stderr : its;
}

const char* translated(const char* message) noexcept {
  const borrowed_environment now;  // with LANGUAGE
  return dgettext("libc", message);
}

/// As libc says it: a program may have given stderr a buffer, or wide characters. Of the messages that are libc's own,
/// it has the translation.
__attribute__((format(printf, 1, 2))) void say_as_libc(const char* message, ...) noexcept {
  char* text = nullptr;
  va_list arguments;
  va_start(arguments, message);
  const int length = vasprintf(&text, translated(message), arguments);
  va_end(arguments);
  if (length < 0) return;
  if (std::fwide(errors_stream(), 0) > 0)
    std::fwprintf(errors_stream(), L"%s", text);
  else
    std::fputs(text, errors_stream());
  std::free(text);
}

/// One call of a function of getopt's family.
class option_search {
 public:
  option_search(hidden_state& rank, int count, char* const* values, const char* short_options)
      : state_(rank.arguments),
        optind_(*rank.variables.optind),
        says_errors_(*rank.variables.opterr != 0),
        count_(count),
        values_(const_cast<char**>(values)),  // POSIX's type; they are permuted all the same
        short_options_(short_options) {}

  void know_long_options(const option* options, int* index, bool with_one_dash) noexcept {
    long_options_ = options;
    long_index_ = index;
    one_dash_is_enough_ = with_one_dash;
  }

  int next(bool first_stops);

 private:
  using order = argument_state::order;
  static constexpr int end = -1;

  struct long_match {
    const option* found = nullptr;
    std::vector<const option*> others;  // that it may mean as well
  };

  void begin(bool first_stops);
  void move_skipped_behind() noexcept;
  std::optional<int> look_at_next_element();
  std::optional<int> long_option(char* text, const char* dashes, bool may_be_short);
  long_match match(std::string_view name, bool all_are_different) const;
  int refuse_ambiguous(const long_match& match, const char* text, const char* dashes);
  int accept(const option& found, char* value, const char* dashes);
  int short_option();
  int option_by_word(char name);
  int with_argument(char name, bool is_optional);
  int without_argument(char name);

  static bool is_option(const char* element) noexcept { return element[0] == '-' && element[1] != '\0'; }
  int code_of_missing_argument() const noexcept { return short_options_[0] == ':' ? ':' : '?'; }
  const char* program() const noexcept { return values_[0]; }

  argument_state& state_;
  int& optind_;
  bool says_errors_;
  int count_;
  char** values_;
  const char* short_options_;  // behind '-' or '+'
  const option* long_options_ = nullptr;
  int* long_index_ = nullptr;
  bool one_dash_is_enough_ = false;
};

int option_search::next(bool first_stops) {
  if (count_ < 1) return end;
  state_.argument = nullptr;
  if (optind_ == 0 || !state_.is_begun) begin(first_stops);
  if (short_options_[0] == '-' || short_options_[0] == '+') ++short_options_;
  if (short_options_[0] == ':') says_errors_ = false;
  if (state_.rest == nullptr || *state_.rest == '\0') {
    if (const std::optional<int> code = look_at_next_element()) return *code;
  }
  return short_option();
}

void option_search::begin(bool first_stops) {
  if (optind_ == 0) optind_ = 1;
  state_.skipped_from = state_.skipped_to = optind_;
  state_.rest = nullptr;
  if (short_options_[0] == '-')
    state_.way = order::all_in_turn;
  else if (short_options_[0] == '+' || first_stops || own_variable("POSIXLY_CORRECT") != nullptr)
    state_.way = order::first_stops;
  else
    state_.way = order::permuted;
  state_.is_begun = true;
}

/// Options that came behind elements that are none change places with these.
void option_search::move_skipped_behind() noexcept {
  std::rotate(values_ + state_.skipped_from, values_ + state_.skipped_to, values_ + optind_);
  state_.skipped_from += optind_ - state_.skipped_to;
  state_.skipped_to = optind_;
}

/// Nothing: it has short options, and `rest` is the first.
std::optional<int> option_search::look_at_next_element() {
  // The program may have moved optind back.
  state_.skipped_to = std::min(state_.skipped_to, optind_);
  state_.skipped_from = std::min(state_.skipped_from, optind_);

  if (state_.way == order::permuted) {
    if (state_.skipped_to != optind_) {
      if (state_.skipped_from != state_.skipped_to)
        move_skipped_behind();
      else
        state_.skipped_from = optind_;
    }
    while (optind_ < count_ && !is_option(values_[optind_])) ++optind_;
    state_.skipped_to = optind_;
  }

  if (optind_ != count_ && std::string_view(values_[optind_]) == "--") {  // all that follows is no option
    ++optind_;
    if (state_.skipped_from == state_.skipped_to)
      state_.skipped_from = optind_;
    else if (state_.skipped_to != optind_)
      move_skipped_behind();
    state_.skipped_to = count_;
    optind_ = count_;
  }
  if (optind_ == count_) {
    if (state_.skipped_from != state_.skipped_to) optind_ = state_.skipped_from;
    return end;
  }

  char* const element = values_[optind_];
  if (!is_option(element)) {
    if (state_.way == order::first_stops) return end;
    state_.argument = element;
    ++optind_;
    return 1;
  }
  if (long_options_ != nullptr) {
    if (element[1] == '-') return long_option(element + 2, "--", false);
    // "-f" is the short option f, if there is one; "-fu" may be the beginning of a long one.
    if (one_dash_is_enough_ && (element[2] != '\0' || std::strchr(short_options_, element[1]) == nullptr)) {
      const bool may_be_short = std::strchr(short_options_, element[1]) != nullptr;
      if (const std::optional<int> code = long_option(element + 1, "-", may_be_short)) return code;
    }
  }
  state_.rest = element + 1;
  return std::nullopt;
}

/// `text` is behind the dashes: NAME or NAME=VALUE. Nothing: there is no such long option, and it may be a short one.
std::optional<int> option_search::long_option(char* text, const char* dashes, bool may_be_short) {
  const std::string_view name(text, std::strcspn(text, "="));
  const bool is_word = dashes[1] == 'W';
  const long_match match = this->match(name, one_dash_is_enough_ && !is_word);
  state_.rest = nullptr;
  if (!match.others.empty()) return refuse_ambiguous(match, text, dashes);
  if (match.found != nullptr) return accept(*match.found, text + name.size(), dashes);
  if (may_be_short) return std::nullopt;
  if (says_errors_) say_as_libc("%s: unrecognized option '%s%s'\n", program(), dashes, text);
  ++optind_;
  state_.option = 0;
  return '?';
}

/// The option of that name; else the first whose name begins so, and those that would do something else: all others
/// that begin so, if `all_are_different`.
option_search::long_match option_search::match(std::string_view name, bool all_are_different) const {
  for (const option* one = long_options_; one->name != nullptr; ++one)
    if (one->name == name) return {one, {}};
  long_match match;
  for (const option* one = long_options_; one->name != nullptr; ++one) {
    if (!std::string_view(one->name).starts_with(name)) continue;
    if (match.found == nullptr)
      match.found = one;
    else if (all_are_different || one->has_arg != match.found->has_arg || one->flag != match.found->flag ||
             one->val != match.found->val)
      match.others.push_back(one);
  }
  return match;
}

int option_search::refuse_ambiguous(const long_match& match, const char* text, const char* dashes) {
  if (says_errors_) {
    flockfile(errors_stream());
    say_as_libc("%s: option '%s%s' is ambiguous; possibilities:", program(), dashes, text);
    say_as_libc(" '%s%s'", dashes, match.found->name);
    for (const option* other : match.others) say_as_libc(" '%s%s'", dashes, other->name);
    say_as_libc("\n");
    funlockfile(errors_stream());
  }
  ++optind_;
  state_.option = 0;
  return '?';
}

/// `value` is at the end of the name: "" or "=VALUE".
int option_search::accept(const option& found, char* value, const char* dashes) {
  ++optind_;
  if (*value != '\0') {
    if (found.has_arg == no_argument) {
      if (says_errors_) say_as_libc("%s: option '%s%s' doesn't allow an argument\n", program(), dashes, found.name);
      state_.option = found.val;
      return '?';
    }
    state_.argument = value + 1;
  } else if (found.has_arg == required_argument) {
    if (optind_ >= count_) {
      if (says_errors_) say_as_libc("%s: option '%s%s' requires an argument\n", program(), dashes, found.name);
      state_.option = found.val;
      return code_of_missing_argument();
    }
    state_.argument = values_[optind_++];
  }
  if (long_index_ != nullptr) *long_index_ = static_cast<int>(&found - long_options_);
  if (found.flag == nullptr) return found.val;
  *found.flag = found.val;
  return 0;
}

int option_search::short_option() {
  const char name = *state_.rest++;
  const char* const known = std::strchr(short_options_, name);
  if (*state_.rest == '\0') ++optind_;
  if (known == nullptr || name == ':' || name == ';') {
    if (says_errors_) say_as_libc("%s: invalid option -- '%c'\n", program(), name);
    state_.option = name;
    return '?';
  }
  if (known[0] == 'W' && known[1] == ';' && long_options_ != nullptr) return option_by_word(name);
  if (known[1] == ':') return with_argument(name, known[2] == ':');
  return name;
}

/// POSIX: "-W foo" is "--foo".
int option_search::option_by_word(char name) {
  char* text = state_.rest;
  if (*text == '\0') {
    if (optind_ == count_) return without_argument(name);
    text = values_[optind_];
  }
  return *long_option(text, "-W ", false);
}

int option_search::with_argument(char name, bool is_optional) {
  if (*state_.rest != '\0') {
    state_.argument = state_.rest;
    ++optind_;
  } else if (!is_optional) {
    if (optind_ == count_) {
      state_.rest = nullptr;
      return without_argument(name);
    }
    state_.argument = values_[optind_++];
  }
  state_.rest = nullptr;
  return name;
}

int option_search::without_argument(char name) {
  if (says_errors_) say_as_libc("%s: option requires an argument -- '%c'\n", program(), name);
  state_.option = name;
  return code_of_missing_argument();
}

/// As libc does it: the variables are written after every call, whether or not there was anything to say.
int result_of(hidden_state& rank, option_search search, bool first_stops) noexcept {
  const int code = search.next(first_stops);
  *rank.variables.optarg = rank.arguments.argument;
  *rank.variables.optopt = rank.arguments.option;
  return code;
}

int rank_getopt(int count, char* const* values, const char* options) {
  hidden_state& rank = hidden_state_here();
  return result_of(rank, option_search(rank, count, values, options), false);
}

/// getopt in a program that asks for POSIX and no more.
int rank_posix_getopt(int count, char* const* values, const char* options) {
  hidden_state& rank = hidden_state_here();
  return result_of(rank, option_search(rank, count, values, options), true);
}

int search_long(int count, char* const* values, const char* options, const option* long_options, int* index,
                bool with_one_dash) {
  hidden_state& rank = hidden_state_here();
  option_search search(rank, count, values, options);
  search.know_long_options(long_options, index, with_one_dash);
  return result_of(rank, search, false);
}

int rank_getopt_long(int count, char* const* values, const char* options, const option* long_options, int* index) {
  return search_long(count, values, options, long_options, index, false);
}

int rank_getopt_long_only(int count, char* const* values, const char* options, const option* long_options, int* index) {
  return search_long(count, values, options, long_options, index, true);
}

}  // namespace

std::span<const replacement> argument_replacements() noexcept {
  static const replacement table[] = {
      replaced_by("getopt", rank_getopt),
      replaced_by("__posix_getopt", rank_posix_getopt),
      replaced_by("getopt_long", rank_getopt_long),
      replaced_by("getopt_long_only", rank_getopt_long_only),
  };
  return table;
}

}  // namespace pure::core
