// localtime, ctime, getdate and the variables of the time zone for each rank, held against libc's.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <random>
#include <string>

#include "support/environment.hpp"
#include "support/loaded_rank.hpp"

namespace time_test {

using namespace pure::core;
using test_support::as_rank;
using test_support::new_rank;

template <class Function>
Function* replaced(std::string_view name) {
  return test_support::replaced<Function>(time_replacements(), name);
}

const auto rank_localtime = replaced<std::tm*(const std::time_t*)>("localtime");
const auto rank_gmtime = replaced<std::tm*(const std::time_t*)>("gmtime");
const auto rank_asctime = replaced<char*(const std::tm*)>("asctime");
const auto rank_ctime = replaced<char*(const std::time_t*)>("ctime");
const auto rank_mktime = replaced<std::time_t(std::tm*)>("mktime");
const auto rank_tzset = replaced<void()>("tzset");

std::string shown(const std::tm* date) {
  if (date == nullptr) return "none";
  std::string text;
  for (const int number : {date->tm_sec, date->tm_min, date->tm_hour, date->tm_mday, date->tm_mon, date->tm_year,
                           date->tm_wday, date->tm_yday, date->tm_isdst})
    text += std::to_string(number) + " ";
  return text + std::to_string(date->tm_gmtoff) + " " + (date->tm_zone == nullptr ? "" : date->tm_zone);
}

std::string shown(const char* text) { return text == nullptr ? "none" : text; }

/// A rank whose program names tzname, timezone and daylight.
struct rank_with_zone {
  hidden_state& state = new_rank();
  char* names[2] = {nullptr, nullptr};
  long seconds = 77;
  int daylight = 77;

  rank_with_zone() {
    state.variables.zone_names = names;
    state.variables.zone_seconds = &seconds;
    state.variables.zone_daylight = &daylight;
  }
  std::string zone() const {
    return shown(names[0]) + " " + shown(names[1]) + " " + std::to_string(seconds) + " " + std::to_string(daylight);
  }
};

std::string zone_of_libc() {
  return shown(tzname[0]) + " " + shown(tzname[1]) + " " + std::to_string(timezone) + " " + std::to_string(daylight);
}

std::time_t any_time(std::mt19937_64& random) {
  const auto any = static_cast<std::time_t>(random());
  switch (random() % 4) {
    case 0: return any >> 31;
    case 1: return any >> 20;
    case 2: return any;  // years that are no int
    default: return std::time_t{1'600'000'000} + any % 100'000'000;
  }
}

TEST(rank_time, is_told_as_libc_tells_it) {
  std::mt19937_64 random(7);
  for (const char* zone : {"UTC0", "EST5EDT,M3.2.0,M11.1.0", "XXX-3:30", "Europe/Berlin", "", "No/Such"}) {
    const test_support::environment now({{"TZ", zone}});
    rank_with_zone rank;
    hidden_state& other = new_rank();
    for (int i = 0; i < test_support::repetitions(300); ++i) {
      const std::time_t time = any_time(random);
      const std::time_t another = any_time(random);
      errno = 0;
      const std::string local = shown(localtime(&time));
      const int error = errno;
      const std::string local_zone = zone_of_libc();
      const std::string utc = shown(gmtime(&time));
      const std::string text = shown(ctime(&time));
      const std::string utc_text = shown(gmtime(&time) == nullptr ? nullptr : asctime(gmtime(&time)));
      localtime(&another);  // libc's variables are now those of another time

      const as_rank here(rank.state);
      errno = 0;
      const std::tm* const moment = rank_localtime(&time);
      if (moment == nullptr) {
        ASSERT_EQ(errno, error) << time;
      }
      ASSERT_EQ(rank.zone(), local_zone) << zone << " " << time;
      {
        const as_rank there(other);
        rank_localtime(&another);
        rank_ctime(&another);
      }
      ASSERT_EQ(shown(moment), local) << zone << " " << time;
      ASSERT_EQ(shown(rank_gmtime(&time)), utc);
      ASSERT_EQ(shown(rank_ctime(&time)), text);
      ASSERT_EQ(shown(rank_gmtime(&time) == nullptr ? nullptr : rank_asctime(rank_gmtime(&time))), utc_text);
    }
  }
}

TEST(rank_time, of_ctime_and_localtime_is_one_as_in_libc) {
  const std::time_t first = 1'000'000'000;
  const std::time_t second = 1'500'000'000;
  const as_rank here(new_rank());
  const std::tm* const moment = rank_localtime(&first);
  EXPECT_EQ(rank_gmtime(&first), moment);
  const char* const text = rank_ctime(&second);
  EXPECT_EQ(shown(moment), shown(localtime(&second)));
  EXPECT_EQ(rank_asctime(moment), text);
}

TEST(rank_time, may_be_no_date) {
  const as_rank here(new_rank());
  const auto compare = [](const std::tm* date) {
    errno = 0;
    const std::string expected = shown(asctime(date));
    const int error = errno;
    errno = 0;
    EXPECT_EQ(shown(rank_asctime(date)), expected);
    EXPECT_EQ(errno, error);
  };
  compare(nullptr);
  std::mt19937 random(8);
  for (int i = 0; i < 500; ++i) {
    std::tm date{};
    const auto any = [&] { return static_cast<int>(random() >> (random() % 32)) * (random() % 2 == 0 ? 1 : -1); };
    date.tm_sec = any();
    date.tm_min = any();
    date.tm_hour = any();
    date.tm_mday = any();
    date.tm_mon = any() % 14;
    date.tm_year = any();
    date.tm_wday = any() % 9;
    compare(&date);
  }
  std::tm last{};
  for (const int year : {INT_MAX, INT_MAX - 1900, INT_MAX - 1899, INT_MIN}) {
    last.tm_year = year;
    compare(&last);
  }
}

TEST(rank_time, zone_is_told_after_every_call_that_may_set_it) {
  const std::time_t now = 1'600'000'000;
  std::tm date{};
  date.tm_year = 120;
  date.tm_mday = 1;
  char text[64];
  wchar_t wide[64];
  const std::string east = "EEE FFF -3600 1";
  const auto expect_told = [&](const char* name, auto call) {
    rank_with_zone rank;
    const as_rank here(rank.state);
    {
      const test_support::environment first({{"TZ", "AAA5"}});
      rank_tzset();
      EXPECT_EQ(rank.zone(), "AAA AAA 18000 0");
    }
    const test_support::environment second({{"TZ", "EEE-1FFF"}});
    rank.seconds = 77;
    call();
    EXPECT_EQ(rank.zone(), east) << name;
  };
  expect_told("tzset", [] { rank_tzset(); });
  expect_told("localtime", [&] { rank_localtime(&now); });
  expect_told("ctime", [&] { rank_ctime(&now); });
  expect_told("mktime", [&] { rank_mktime(&date); });
  expect_told("timelocal", [&] { replaced<std::time_t(std::tm*)>("timelocal")(&date); });
  const auto format = replaced<std::size_t(char*, std::size_t, const char*, const std::tm*)>("strftime");
  expect_told("strftime", [&] {
    rank_mktime(&date);
    EXPECT_EQ(format(text, sizeof text, "%s", &date), 10U);
  });
  const auto wide_format = replaced<std::size_t(wchar_t*, std::size_t, const wchar_t*, const std::tm*)>("wcsftime");
  expect_told("wcsftime", [&] { EXPECT_EQ(wide_format(wide, 64, L"%s", &date), 10U); });

  // As localtime_r: it may go by the zone that was.
  const test_support::environment third({{"TZ", "GGG2"}});
  tzset();
  rank_with_zone rank;
  const as_rank here(rank.state);
  std::tm result;
  replaced<std::tm*(const std::time_t*, std::tm*)>("localtime_r")(&now, &result);
  EXPECT_EQ(rank.zone(), "GGG GGG 7200 0");
  EXPECT_EQ(shown(&result), shown(localtime(&now)));
  replaced<char*(const std::time_t*, char*)>("ctime_r")(&now, text);
  EXPECT_EQ(shown(text), shown(ctime(&now)));
}

TEST(rank_time, is_read_by_templates_in_a_file) {
  const std::string file = testing::TempDir() + "pure_datemsk" + std::to_string(getpid());
  std::ofstream(file) << "%Y-%m-%d %H:%M\n%d.%m.%Y\n";
  const auto ours = replaced<std::tm*(const char*)>("getdate");
  hidden_state& one = new_rank();
  hidden_state& other = new_rank();
  const as_rank here(one);
  {
    const test_support::environment now({{"DATEMSK", file}});
    const std::string expected = shown(getdate("2026-11-27 12:34"));
    const std::tm* const date = ours("2026-11-27 12:34");
    {
      const as_rank there(other);
      EXPECT_NE(ours("1.2.1999"), nullptr);
      EXPECT_EQ(*other.variables.getdate_err, 0);
    }
    EXPECT_EQ(shown(date), expected);
    EXPECT_EQ(ours("nonsense"), nullptr);
    EXPECT_EQ(getdate("nonsense"), nullptr);
    EXPECT_EQ(*one.variables.getdate_err, getdate_err);
    EXPECT_EQ(*one.variables.getdate_err, 7);
  }
  EXPECT_EQ(ours("nonsense"), nullptr);
  EXPECT_EQ(*one.variables.getdate_err, 1);  // DATEMSK is not set
  unlink(file.c_str());
}

}  // namespace time_test
