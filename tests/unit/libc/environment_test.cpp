// A rank's environment: set and read as libc does it, whatever the program does to its variable `environ`; nobody
// else's; safe while others read it.
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
using test_support::replaced_of_process;

struct functions {
  int (*setenv)(const char*, const char*, int);
  int (*unsetenv)(const char*);
  int (*putenv)(char*);
  int (*clearenv)();
  char* (*getenv)(const char*);
};

const functions libc = {setenv, unsetenv, putenv, clearenv, getenv};
const functions ours = {replaced_of_process<int(const char*, const char*, int)>("setenv"),
                        replaced_of_process<int(const char*)>("unsetenv"), replaced_of_process<int(char*)>("putenv"),
                        replaced_of_process<int()>("clearenv"), replaced_of_process<char*(const char*)>("getenv")};

std::string all(char** environment) {
  std::string text;
  for (; environment != nullptr && *environment != nullptr; ++environment) text.append(" ").append(*environment);
  return text;
}

/// What a program does to the vector itself. `assigned` has room for a few.
void write_directly(char**& here, char** assigned, char* text, int choice) {
  static char first[] = "ASSIGNED=1", other[] = "B=assigned";
  const std::string now = all(here);
  if (choice == 0) {
    assigned[0] = first, assigned[1] = text, assigned[2] = other, assigned[3] = nullptr;
    here = assigned;
  } else if (choice == 1 && here != nullptr && here[0] != nullptr) {
    ++here;
  } else if (choice == 2 && here != nullptr && here[0] != nullptr && here[1] != nullptr) {
    here[1] = nullptr;
  } else if (choice == 3 && here != nullptr && here[0] != nullptr) {
    here[0] = text;
  } else if (choice == 4) {
    here = nullptr;
  }
}

/// What a program sees that does things at random, in a process of its own, which begins with a few variables.
std::string seen(const functions& from, unsigned seed, bool is_rank) {
  const kept_stderr kept;
  EXPECT_EQ(in_a_child([&] {
              clearenv();
              for (const char* const name : {"PATH", "A", "HOME"})
                if (seed % 3 != 0) setenv(name, "there", 1);
              char** const before = environ;
              const std::string process_had = all(environ);
              hidden_state& rank = new_rank();
              char** variable = nullptr;
              rank.variables.environment = &variable;
              char**& here = is_rank ? variable : environ;
              const as_rank now(rank);
              begin_rank(rank);
              if (all(variable) != process_had || variable == before) return 3;
              std::mt19937 random(seed);
              char puts[4][16] = {"A=put", "B=", "C", "NEW=x=y"};
              char* assigned[4];
              for (int i = 0; i < 300; ++i) {
                static constexpr const char* names[] = {"A",    "B",     "C", "NEW", "NE", "",  "A=B",
                                                        "HOME", nullptr, "D", "E",   "F",  "G", "H"};
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
                    if (random() % 4 == 0) write_directly(here, assigned, puts[0], static_cast<int>(random() % 5));
                }
                const char* const got = from.getenv(name == nullptr ? "A" : name);
                const std::string line = std::to_string(result) + " " + std::to_string(errno) + " " +
                                         std::string(got == nullptr ? "none" : got) + all(here) + "\n";
                if (write(2, line.data(), line.size()) < 0) return 1;
              }
              return is_rank && all(environ) != process_had ? 2 : 0;
            }),
            0);
  return kept.text();
}

TEST(rank_environment, is_set_as_libc_sets_it) {
  for (unsigned seed = 1; seed <= static_cast<unsigned>(test_support::repetitions(40)); ++seed)
    ASSERT_EQ(seen(ours, seed, true), seen(libc, seed, false)) << seed;
}

TEST(rank_environment, is_nobody_elses) {
  const test_support::environment there({{"PURETEST_COMMON", "common"}});
  hidden_state& one = new_rank();
  hidden_state& other = new_rank();
  {
    const as_rank here(other);
    begin_rank(other);
  }
  {
    const as_rank here(one);
    begin_rank(one);
    EXPECT_EQ(ours.setenv("PURETEST_OWN", "a", 1), 0);
    EXPECT_EQ(ours.unsetenv("PURETEST_COMMON"), 0);
    EXPECT_STREQ(ours.getenv("PURETEST_OWN"), "a");
    EXPECT_EQ(ours.getenv("PURETEST_COMMON"), nullptr);
  }
  const as_rank here(other);
  EXPECT_EQ(ours.getenv("PURETEST_OWN"), nullptr);
  ASSERT_STREQ(ours.getenv("PURETEST_COMMON"), "common");
  ours.getenv("PURETEST_COMMON")[0] = 'C';  // programs do so, and to the texts that they find in `environ`
  EXPECT_EQ(getenv("PURETEST_OWN"), nullptr);
  EXPECT_STREQ(getenv("PURETEST_COMMON"), "common");
  EXPECT_STREQ(ours.getenv("PURETEST_COMMON"), "Common");
}

TEST(rank_environment, is_read_while_others_of_the_rank_set_it) {
  hidden_state& rank = new_rank();
  const as_rank here(rank);
  begin_rank(rank);
  ours.setenv("PURETEST_STAYS", "here", 1);
  std::atomic<bool> is_over{false};
  std::vector<std::thread> setters;
  for (int number = 0; number < 2; ++number)
    setters.emplace_back([&is_over, number, &rank] {
      const as_rank there(rank);
      const std::string name = "PURETEST_" + std::to_string(number) + "_";
      for (int i = 0; i < test_support::repetitions(2000); ++i)
        ours.setenv((name + std::to_string(i % 40)).c_str(), i % 3 == 0 ? "x" : "y", 1);
      is_over.store(true, std::memory_order_relaxed);
    });
  do {
    ASSERT_STREQ(ours.getenv("PURETEST_STAYS"), "here");
  } while (!is_over.load(std::memory_order_relaxed));
  for (std::thread& setter : setters) setter.join();
  for (int i = 0; i < 80; ++i)
    EXPECT_NE(ours.getenv(("PURETEST_" + std::to_string(i % 2) + "_" + std::to_string(i / 2)).c_str()), nullptr);
}

}  // namespace environment_test
