// getopt and its relatives for each rank, held against libc's: thousands of random command lines, all that can be seen.
#include <getopt.h>

#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "support/environment.hpp"
#include "support/kept_stderr.hpp"
#include "support/loaded_rank.hpp"

namespace arguments_test {

using namespace pure::core;
using test_support::as_rank;
using test_support::kept_stderr;
using test_support::new_rank;

enum class family { short_only, posix, with_long, with_long_only };

extern "C" int __posix_getopt(int, char* const*, const char*);  // NOLINT: libc's name

using short_function = int(int, char* const*, const char*);
using long_function = int(int, char* const*, const char*, const option*, int*);

struct functions {
  short_function* plain;
  short_function* posix;
  long_function* with_long;
  long_function* with_long_only;
};

const functions libc = {getopt, __posix_getopt, getopt_long, getopt_long_only};
const functions ours = {test_support::replaced<short_function>(argument_replacements(), "getopt"),
                        test_support::replaced<short_function>(argument_replacements(), "__posix_getopt"),
                        test_support::replaced<long_function>(argument_replacements(), "getopt_long"),
                        test_support::replaced<long_function>(argument_replacements(), "getopt_long_only")};

struct variables {
  char*& optarg;
  int& optind;
  int& opterr;
  int& optopt;
};

variables of(hidden_state& rank) {
  return {*rank.variables.optarg, *rank.variables.optind, *rank.variables.opterr, *rank.variables.optopt};
}

struct command_line {
  family way;
  std::vector<std::string> words;
  std::string options;
  std::vector<option> long_options;  // without flags
  bool says_errors;
  int begins_at;     // optind before the first call
  int goes_back_at;  // the call before which optind becomes 1 again; -1: none
};

/// Step by step: what was returned, and what variables and argv say after it.
std::string all_steps(const functions& which, variables seen, const command_line& line) {
  static std::deque<std::vector<std::string>> all_words;  // getopt may look at a word of the line before
  std::vector<std::string>& words = all_words.emplace_back(line.words);
  std::vector<char*> values;
  for (std::string& word : words) values.push_back(word.data());
  values.push_back(nullptr);
  const int count = static_cast<int>(words.size());
  static int flag;
  std::vector<option> long_options = line.long_options;
  for (std::size_t i = 0; i < long_options.size(); i += 2) long_options[i].flag = i % 4 == 0 ? &flag : nullptr;
  long_options.push_back({});
  flag = 0;

  std::string steps;
  const kept_stderr kept;
  seen.optind = line.begins_at;
  seen.opterr = line.says_errors ? 1 : 0;
  for (int call = 0; call < 100; ++call) {
    if (call == line.goes_back_at) seen.optind = 1;
    int index = -7;
    int code = 0;
    switch (line.way) {
      case family::short_only: code = which.plain(count, values.data(), line.options.c_str()); break;
      case family::posix: code = which.posix(count, values.data(), line.options.c_str()); break;
      case family::with_long:
        code = which.with_long(count, values.data(), line.options.c_str(), long_options.data(), &index);
        break;
      case family::with_long_only:
        code = which.with_long_only(count, values.data(), line.options.c_str(), long_options.data(), &index);
        break;
    }
    steps += std::to_string(code) + " index " + std::to_string(index) + " flag " + std::to_string(flag) + " optind " +
             std::to_string(seen.optind) + " optopt " + std::to_string(seen.optopt) + " optarg " +
             (seen.optarg == nullptr ? "none" : seen.optarg) + " argv";
    for (int i = 0; i < count; ++i) steps += std::string(" ") + values[static_cast<std::size_t>(i)];
    steps += '\n';
    if (code == -1 && call > line.goes_back_at) break;
  }
  return steps + kept.text();
}

template <class Choice>
const Choice& any(const std::vector<Choice>& of, std::mt19937& random) {
  return of[random() % of.size()];
}

command_line random_line(std::mt19937& random) {
  static const std::vector<std::string> words = {
      "-a",       "-b",        "-c",     "-abc",    "-bvalue", "-cvalue",  "-",      "--",     "-x",    "file",
      "other",    "",          "-:",     "-;",      "-W",      "-Wall",    "-Wal=3", "all",    "--all", "--al",
      "--a",      "--allow=7", "-d",     "--=",     "--block", "--bl=5",   "--b",    "--none", "-all",  "-allow",
      "-bl",      "-b=2",      "--all=", "-e",      "-e--",    "--cut=x",  "--cut",  "-cut",   "-n",    "--next",
      "--next=1", "-ab",       "-ac",    "--allow", "-\xe9",   "--block=", "-W=",    "--n"};
  static const std::vector<std::string> options = {
      "abc", "ab:c::", "+ab:c::", "-ab:c::", ":ab:c::",  "+:ab:c:", "-:abW;", "ab:W;c", "",    "W;",
      "+",   "-",      ":",       "aW;e:",   "ab:c::d-", "a:",      "::",     "+-a",    "-+a", "abcden",
  };
  static const std::vector<option> long_options = {
      {"all", 0, nullptr, 'a'},    {"allow", 1, nullptr, 256}, {"almost", 0, nullptr, 'a'}, {"block", 2, nullptr, 'b'},
      {"blocks", 2, nullptr, 'b'}, {"cut", 1, nullptr, 0},     {"next", 2, nullptr, 'n'},   {"nexus", 2, nullptr, 'n'},
      {"b", 0, nullptr, 300},      {"", 0, nullptr, 301},
  };
  command_line line;
  line.way = static_cast<family>(random() % 4);
  for (std::size_t count = random() % 8; line.words.size() <= count;)
    line.words.push_back(line.words.empty() ? "program" : any(words, random));
  if (random() % 50 == 0) line.words.clear();
  line.options = any(options, random);
  for (std::size_t count = random() % 6; line.long_options.size() < count;)
    line.long_options.push_back(any(long_options, random));
  line.says_errors = random() % 4 != 0;
  line.begins_at = random() % 3 == 0 ? 1 : 0;
  line.goes_back_at = random() % 4 == 0 ? static_cast<int>(random() % 4) : -1;
  return line;
}

std::string shown(const command_line& line) {
  std::string text = std::to_string(static_cast<int>(line.way)) + " options \"" + line.options + "\" words";
  for (const std::string& word : line.words) text += " '" + word + "'";
  for (const option& one : line.long_options) text += std::string(" --") + one.name;
  return text;
}

void compare_random_lines(unsigned seed, int count) {
  std::mt19937 random(seed);
  hidden_state& one = new_rank();
  hidden_state& other = new_rank();
  const variables libcs = {optarg, optind, opterr, optopt};
  // All begin with a first call: what was before them in this process is forgotten.
  for (int i = 0; i < count; ++i) {
    command_line line = random_line(random);
    if (i == 0) line.begins_at = 0;
    const std::string expected = all_steps(libc, libcs, line);
    for (hidden_state* rank : {&one, &other}) {
      const as_rank here(*rank);
      ASSERT_EQ(all_steps(ours, of(*rank), line), expected) << shown(line) << ", seed " << seed << ", line " << i;
    }
  }
}

TEST(rank_arguments, are_read_as_libc_reads_them) { compare_random_lines(20, test_support::repetitions(4000)); }

TEST(rank_arguments, are_read_in_posix_order_if_the_environment_asks_for_it) {
  const test_support::environment posix({{"POSIXLY_CORRECT", "1"}});
  compare_random_lines(21, test_support::repetitions(500));
}

TEST(rank_arguments, begin_where_each_rank_has_come_to) {
  hidden_state& one = new_rank();
  hidden_state& other = new_rank();
  std::string words[] = {"program", "file", "-a", "-bvalue", "-a"};
  std::vector<char*> values[2];
  std::string copies[2][5];
  for (int rank = 0; rank < 2; ++rank)
    for (int i = 0; i < 5; ++i) {
      copies[rank][i] = words[i];
      values[rank].push_back(copies[rank][i].data());
    }
  const auto next = [&](int rank) {
    const as_rank here(rank == 0 ? one : other);
    return ours.plain(5, values[rank].data(), "ab:");
  };
  EXPECT_EQ(next(0), 'a');
  EXPECT_EQ(next(0), 'b');
  EXPECT_EQ(next(1), 'a');
  EXPECT_STREQ(*one.variables.optarg, "value");
  EXPECT_EQ(*other.variables.optarg, nullptr);
  EXPECT_EQ(next(0), 'a');
  EXPECT_EQ(next(1), 'b');
  EXPECT_EQ(next(0), -1);
  EXPECT_EQ(*one.variables.optind, 4);
  EXPECT_STREQ(values[0][4], "file");
  EXPECT_EQ(next(1), 'a');
  EXPECT_EQ(next(1), -1);
}

TEST(rank_arguments, are_told_in_the_variables_of_the_program) {
  hidden_state& rank = new_rank();
  char* argument = nullptr;
  int index = 3;  // skips the first two
  int errors = 0;
  int unknown = 0;
  rank.variables.optarg = &argument;
  rank.variables.optind = &index;
  rank.variables.opterr = &errors;
  rank.variables.optopt = &unknown;
  std::string words[] = {"program", "-a", "-a", "-bvalue", "-x"};
  std::vector<char*> values;
  for (std::string& word : words) values.push_back(word.data());
  const as_rank here(rank);
  EXPECT_EQ(ours.plain(5, values.data(), "ab:"), 'b');
  EXPECT_STREQ(argument, "value");
  EXPECT_EQ(index, 4);
  const kept_stderr kept;
  EXPECT_EQ(ours.plain(5, values.data(), "ab:"), '?');
  EXPECT_EQ(unknown, 'x');
  EXPECT_EQ(kept.text(), "");
}

}  // namespace arguments_test
