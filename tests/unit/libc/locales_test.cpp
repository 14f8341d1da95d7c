// A locale for each rank: setlocale says what libc's says, and what libc does goes by the locale of the thread's rank.
#include <gtest/gtest.h>
#include <langinfo.h>

#include <cctype>
#include <clocale>
#include <cstdlib>
#include <cwctype>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/environment.hpp"
#include "support/in_a_child.hpp"
#include "support/loaded_rank.hpp"

namespace locales_test {

using namespace pure::core;
using test_support::as_rank;
using test_support::in_a_child;
using test_support::new_rank;

template <class Function>
Function* replaced(std::string_view name) {
  return test_support::replaced<Function>(locale_replacements(), name);
}

using set_function = char*(int, const char*);
using conventions_function = lconv*();
const auto rank_setlocale = replaced<set_function>("setlocale");
const auto rank_localeconv = replaced<conventions_function>("localeconv");
const auto rank_uselocale = replaced<locale_t(locale_t)>("uselocale");
const auto rank_duplocale = replaced<locale_t(locale_t)>("duplocale");

std::string shown(const char* text) { return text == nullptr ? "none" : text; }

/// One that sets locales at random, and tells what it sees; a step is one call.
class program {
 public:
  program(set_function* set, conventions_function* conventions, unsigned seed)
      : set_(set), conventions_(conventions), random_(seed) {}

  std::string step() {
    // de_DE.UTF-8 is seldom there; LOCPATH may name a folder where it is.
    static constexpr const char* names[] = {
        nullptr,
        nullptr,
        "C",
        "POSIX",
        "C.UTF-8",
        "C.utf8",
        "",
        "no_SUCH",
        "de_DE.UTF-8",
        "de_DE.UTF-8",
        ";",
        "LC_CTYPE=C",
        "LC_CTYPE=C.UTF-8;LC_NUMERIC=C;LC_TIME=C;LC_COLLATE=C;LC_MONETARY=C;LC_MESSAGES=C;LC_PAPER=C;LC_NAME=C;"
        "LC_ADDRESS=C;LC_TELEPHONE=C;LC_MEASUREMENT=C;LC_IDENTIFICATION=C",
        "LC_TIME=C;LC_CTYPE=POSIX;LC_NUMERIC=C.utf8;LC_COLLATE=C;LC_MONETARY=C;LC_MESSAGES=C.utf8;LC_PAPER=C;LC_NAME=C;"
        "LC_ADDRESS=C;LC_TELEPHONE=C;LC_MEASUREMENT=C;LC_IDENTIFICATION=C",
        "LC_CTYPE=C.UTF-8;LC_NUMERIC=C",
        "LC_CTYPE=C.UTF-8;LC_NUMBER=C"};
    const char* name = names[random_() % std::size(names)];
    const int category = random_() % 3 == 0 ? LC_ALL : static_cast<int>(random_() % 16) - 1;
    std::string before;
    if (random_() % 8 == 0) name = (before = shown(set_(LC_ALL, nullptr))).c_str();  // as programs restore it
    std::string text = std::to_string(category) + " " + shown(name) + " gives " + shown(set_(category, name)) + "; ";
    text += shown(set_(LC_ALL, nullptr)) + "; " + shown(set_(LC_CTYPE, nullptr)) + " " + shown(nl_langinfo(CODESET));
    const lconv& conventions = *conventions_();
    text += std::string(" ") + conventions.decimal_point + conventions.thousands_sep + conventions.int_curr_symbol;
    char number[32];
    std::snprintf(number, sizeof number, "%.2f", 1.5);
    return text + " " + number + " " + std::to_string(MB_CUR_MAX) + (std::iswalpha(0xe9) != 0 ? " é" : "") +
           (std::isalpha(0xe9) != 0 ? " e" : "") + std::to_string(std::strtod("1,5", nullptr)) +
           shown(nl_langinfo(DAY_1));
  }

 private:
  set_function* set_;
  conventions_function* conventions_;
  std::mt19937 random_;
};

TEST(rank_locale, is_set_as_libc_sets_it) {
  constexpr int steps = 200;
  const std::vector<test_support::environment::variable> variables[] = {
      {{"LC_ALL", ""}, {"LANG", ""}},
      {{"LC_ALL", ""}, {"LANG", "C.UTF-8"}},
      {{"LC_ALL", ""}, {"LANG", "C"}, {"LC_CTYPE", "C.utf8"}, {"LC_NUMERIC", "no_SUCH"}},
      {{"LC_ALL", ""}, {"LANG", "C"}, {"LC_CTYPE", "C.utf8"}, {"LC_TIME", "POSIX"}},
      {{"LC_ALL", "C.UTF-8"}, {"LANG", "no_SUCH"}},
      {{"LC_ALL", "no_SUCH"}},
  };
  unsigned seed = 1;
  for (int i = 0; i < test_support::repetitions(3); ++i)
    for (const auto& some : variables) {
      const test_support::environment now(some);
      hidden_state* ranks[] = {&new_rank(), &new_rank()};
      seed += 2;
      program programs[] = {{rank_setlocale, rank_localeconv, seed}, {rank_setlocale, rank_localeconv, seed + 1}};
      std::vector<std::string> told[2];
      for (int step = 0; step < steps; ++step)
        for (const int rank : {0, 1}) {
          const as_rank here(*ranks[rank]);
          told[rank].push_back(programs[rank].step());
        }
      EXPECT_STREQ(setlocale(LC_ALL, nullptr), "C");  // libc's own stays
      for (const unsigned rank : {0U, 1U})
        ASSERT_EQ(in_a_child([&] {
                    program alone(setlocale, localeconv, seed + rank);
                    for (const std::string& step : told[rank]) {
                      const std::string expected = alone.step();
                      EXPECT_EQ(step, expected);
                      if (step != expected) return 1;
                    }
                    return 0;
                  }),
                  0);
    }
}

TEST(rank_locale, is_that_of_its_threads) {
  hidden_state& one = new_rank();
  hidden_state& other = new_rank();
  {
    const as_rank here(one);
    EXPECT_STREQ(rank_setlocale(LC_ALL, "C.UTF-8"), "C.UTF-8");
    EXPECT_EQ(MB_CUR_MAX, 6U);
  }
  EXPECT_EQ(MB_CUR_MAX, 1U);
  std::thread([&] {
    EXPECT_EQ(MB_CUR_MAX, 1U);
    const as_rank here(one);
    EXPECT_EQ(MB_CUR_MAX, 6U);
    const as_rank there(other);
    EXPECT_EQ(MB_CUR_MAX, 1U);
  }).join();

  const as_rank here(one);
  std::thread([&] {  // a thread that is there already
    const as_rank same(one);
    EXPECT_EQ(MB_CUR_MAX, 6U);
    std::thread([&] {
      const as_rank too(one);
      rank_setlocale(LC_ALL, "C");
    }).join();
    EXPECT_EQ(MB_CUR_MAX, 1U);
  })
      .join();
}

TEST(rank_locale, is_what_the_program_calls_global) {
  hidden_state& rank = new_rank();
  const as_rank here(rank);
  EXPECT_EQ(rank_uselocale(nullptr), LC_GLOBAL_LOCALE);
  const locale_t own = newlocale(LC_ALL_MASK, "C", nullptr);
  EXPECT_EQ(rank_uselocale(own), LC_GLOBAL_LOCALE);
  EXPECT_EQ(rank_uselocale(nullptr), own);
  EXPECT_STREQ(rank_setlocale(LC_ALL, "C.UTF-8"), "C.UTF-8");
  EXPECT_EQ(MB_CUR_MAX, 1U);  // the thread has its own
  const locale_t copy = rank_duplocale(LC_GLOBAL_LOCALE);
  EXPECT_EQ(rank_uselocale(copy), own);
  EXPECT_EQ(MB_CUR_MAX, 6U);
  EXPECT_EQ(rank_uselocale(LC_GLOBAL_LOCALE), copy);
  EXPECT_EQ(MB_CUR_MAX, 6U);
  EXPECT_STREQ(rank_setlocale(LC_ALL, "C"), "C");
  EXPECT_EQ(MB_CUR_MAX, 1U);
  EXPECT_EQ(rank_uselocale(copy), LC_GLOBAL_LOCALE);
  EXPECT_EQ(MB_CUR_MAX, 6U);
  rank_uselocale(LC_GLOBAL_LOCALE);
  freelocale(copy);
  const locale_t other_copy = rank_duplocale(own);
  freelocale(other_copy);
}

TEST(rank_locale, has_conventions_of_its_own) {
  const as_rank here(new_rank());
  const lconv* const conventions = rank_localeconv();
  const as_rank there(new_rank());
  EXPECT_NE(rank_localeconv(), conventions);
  EXPECT_NE(localeconv(), conventions);
  EXPECT_STREQ(conventions->decimal_point, ".");
}

}  // namespace locales_test
