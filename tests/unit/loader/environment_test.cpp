// The environment that ranks share: set as libc sets it, told to all programs that have a copy of `environ`, safe while
// others read it, and two ranks that want different things are warned.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/environment.hpp"
#include "support/in_a_child.hpp"
#include "support/kept_stderr.hpp"
#include "support/loaded_rank.hpp"

namespace environment_test {

using namespace pure::core;
using test_support::as_rank;
using test_support::in_a_child;
using test_support::kept_stderr;
using test_support::new_rank;

template <class Function>
Function* replaced(std::string_view name) {
  return test_support::replaced<Function>(process_replacements(), name);
}

struct functions {
  int (*setenv)(const char*, const char*, int);
  int (*unsetenv)(const char*);
  int (*putenv)(char*);
  int (*clearenv)();
  char* (*getenv)(const char*);
};

const functions libc = {setenv, unsetenv, putenv, clearenv, getenv};
const functions ours = {replaced<int(const char*, const char*, int)>("setenv"), replaced<int(const char*)>("unsetenv"),
                        replaced<int(char*)>("putenv"), replaced<int()>("clearenv"),
                        replaced<char*(const char*)>("getenv")};

std::string all(char** environment) {
  std::string text;
  for (; environment != nullptr && *environment != nullptr; ++environment) text.append(" ").append(*environment);
  return text;
}

/// What a program sees that does things at random, in a process of its own, which begins with nothing.
std::string seen(const functions& from, unsigned seed, bool is_rank) {
  const kept_stderr kept;
  EXPECT_EQ(in_a_child([&] {
              clearenv();
              hidden_state& rank = new_rank();
              char** copy = environ;
              rank.variables.environment = &copy;
              char**& here = is_rank ? copy : environ;
              const as_rank now(rank);
              begin_rank(rank);
              std::mt19937 random(seed);
              char puts[4][16] = {"A=put", "B=", "C", "NEW=x=y"};
              for (int i = 0; i < 200; ++i) {
                static constexpr const char* names[] = {"A",   "B",     "C", "NEW", "NE", "",
                                                        "A=B", nullptr, "D", "E",   "F",  "G"};
                const char* const name = names[random() % std::size(names)];
                const char* const value = random() % 2 == 0 ? "" : "some value";
                int result = 0;
                errno = 0;
                switch (random() % 6) {
                  case 0:
                  case 1: result = from.setenv(name, value, static_cast<int>(random() % 2)); break;
                  case 2: result = from.unsetenv(name); break;
                  case 3: result = from.putenv(puts[random() % 4]); break;
                  case 4: puts[0][2] = static_cast<char>('a' + random() % 26); break;  // the environment has it itself
                  default:
                    if (random() % 8 == 0) result = from.clearenv();
                    if (random() % 16 == 0) {
                      static char first[] = "ASSIGNED=1";
                      static char* assigned[3];
                      assigned[0] = first;  // libc's unsetenv changes the array itself
                      assigned[1] = puts[0];
                      here = assigned;
                    }
                }
                const std::string line = std::to_string(result) + " " + std::to_string(errno) + " " +
                                         std::string(from.getenv("A") == nullptr ? "none" : from.getenv("A")) +
                                         all(here) + "\n";
                if (write(2, line.data(), line.size()) < 0) return 1;
                if (is_rank && all(copy) != all(environ)) return 2;
              }
              return 0;
            }),
            0);
  return kept.text();
}

TEST(rank_environment, is_set_as_libc_sets_it) {
  for (unsigned seed = 1; seed <= static_cast<unsigned>(test_support::repetitions(40)); ++seed)
    ASSERT_EQ(seen(ours, seed, true), seen(libc, seed, false)) << seed;
}

TEST(rank_environment, is_told_to_all_programs) {
  hidden_state& one = new_rank();
  hidden_state& other = new_rank();
  char **first = nullptr, **second = nullptr;
  one.variables.environment = &first;
  other.variables.environment = &second;
  {
    const as_rank here(one);
    begin_rank(one);
    begin_rank(other);
  }
  EXPECT_EQ(first, environ);
  const as_rank here(one);
  EXPECT_EQ(ours.setenv("PURETEST_TOLD", "a", 1), 0);
  EXPECT_EQ(first, environ);
  EXPECT_EQ(second, environ);
  EXPECT_STREQ(getenv("PURETEST_TOLD"), "a");
  {
    const as_rank there(other);
    EXPECT_STREQ(ours.getenv("PURETEST_TOLD"), "a");
  }
  EXPECT_EQ(ours.unsetenv("PURETEST_TOLD"), 0);
  EXPECT_EQ(first, environ);
  EXPECT_EQ(getenv("PURETEST_TOLD"), nullptr);

  // libc's own setenv, by somebody else: no copy is taken for an assignment.
  setenv("PURETEST_BESIDE", "b", 1);
  EXPECT_STREQ(ours.getenv("PURETEST_BESIDE"), "b");
  EXPECT_EQ(ours.setenv("PURETEST_TOLD", "c", 1), 0);
  EXPECT_STREQ(getenv("PURETEST_BESIDE"), "b");
  unsetenv("PURETEST_BESIDE");
  ours.unsetenv("PURETEST_TOLD");
  one.variables.environment = nullptr;
  other.variables.environment = nullptr;
}

TEST(rank_environment, is_read_while_others_set_it) {
  const test_support::environment there({{"PURETEST_STAYS", "here"}});
  std::atomic<bool> is_over{false};
  std::vector<std::thread> setters;
  for (int number = 0; number < 2; ++number)
    setters.emplace_back([&is_over, number, &rank = new_rank()] {
      const as_rank here(rank);
      const std::string name = "PURETEST_" + std::to_string(number) + "_";
      for (int i = 0; i < test_support::repetitions(2000); ++i) {
        ours.setenv((name + std::to_string(i % 40)).c_str(), "x", 1);
        if (i % 3 == 0) ours.unsetenv((name + std::to_string((i + 20) % 40)).c_str());
      }
      for (int i = 0; i < 40; ++i) ours.unsetenv((name + std::to_string(i)).c_str());
      is_over.store(true, std::memory_order_relaxed);
    });
  const as_rank here(new_rank());
  do {
    ASSERT_STREQ(ours.getenv("PURETEST_STAYS"), "here");
  } while (!is_over.load(std::memory_order_relaxed));
  for (std::thread& setter : setters) setter.join();
}

TEST(rank_environment, is_warned_of_once_if_two_ranks_differ) {
  const kept_stderr kept;
  EXPECT_EQ(in_a_child([] {
              hidden_state& one = new_rank(3);
              hidden_state& other = new_rank(14);
              const auto set = [](hidden_state& rank, const char* name, const char* value) {
                const as_rank here(rank);
                ours.setenv(name, value, 1);
              };
              set(one, "PURETEST_SAME", "0");
              set(one, "PURETEST_SAME", "1");
              set(other, "PURETEST_SAME", "1");
              set(other, "PURETEST_SAME", "1");
              set(one, "PURETEST_MINE", "1");
              set(one, "PURETEST_MINE", "2");
              if (fork() == 0) {  // a child of a rank is nobody's business
                set(other, "PURETEST_MINE", "4");
                _exit(0);
              }
              set(other, "PURETEST_MINE", "3");
              set(one, "PURETEST_OTHER", "1");
              set(other, "PURETEST_OTHER", "2");
              return 0;
            }),
            0);
  EXPECT_EQ(kept.text(),
            "pure: warning: ranks 3 and 14 set the environment variable PURETEST_MINE differently,\n"
            "  and share it: each gets what was set last. `purerun --ranks-as processes`\n"
            "  gives each rank its own.\n");
}

}  // namespace environment_test
