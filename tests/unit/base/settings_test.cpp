// Settings: every row of the table accepts its range and refuses everything else with a useful text; mistyped names
// are errors, other unknown ones are not; docs/settings.md is what the table says.
#include "base/settings.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <pure/error.hpp>

namespace {

using namespace pure::core;

settings read(std::vector<std::string> environment) {
  std::vector<const char*> pointers;
  for (const std::string& entry : environment) pointers.push_back(entry.c_str());
  pointers.push_back(nullptr);
  return read_settings(pointers.data());
}

// What an environment is refused with; fails the test if it is not refused.
std::string refusal(const std::vector<std::string>& environment) {
  try {
    read(environment);
  } catch (const pure::Error& error) {
    EXPECT_EQ(error.code(), pure::errc::argument);
    return error.what();
  }
  ADD_FAILURE() << environment.front() << " was accepted";
  return {};
}

std::string refusal(const setting_row& row, const std::string& text) {
  try {
    settings values;
    set_from_text(values, row, text);
  } catch (const pure::Error& error) {
    return error.what();
  }
  ADD_FAILURE() << row.name << "=" << text << " was accepted";
  return {};
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

bool is_number(const setting_row& row) { return row.unit != setting_unit::text && row.unit != setting_unit::on_off; }

std::uint64_t number_in(const settings& values, const setting_row& row) {
  return std::visit(
      [&]<typename T>(T settings::*member) -> std::uint64_t {
        if constexpr (std::is_same_v<T, std::string>)
          return 0;
        else
          return static_cast<std::uint64_t>(values.*member);
      },
      row.field);
}

TEST(Settings, AnEmptyEnvironmentGivesTheDefaults) {
  const settings values = read({});
  settings defaults;
#ifndef NDEBUG
  defaults.check = true;
#endif
  for (const setting_row& row : setting_rows()) {
    EXPECT_EQ(setting_text(values, row), setting_text(defaults, row)) << row.name;
    EXPECT_EQ(number_in(values, row), number_in(defaults, row)) << row.name;
  }
}

TEST(Settings, RowsAreWellFormed) {
  std::set<std::string_view> names;
  for (const setting_row& row : setting_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " is there twice";
    EXPECT_TRUE(row.name.starts_with("PURE_")) << row.name;
    EXPECT_FALSE(row.meaning.empty() || row.meaning.ends_with('.')) << row.name << ": the full stop is added";
    EXPECT_FALSE(row.read_by.empty()) << row.name;
    if (is_number(row)) {
      EXPECT_LT(row.lowest, row.highest) << row.name;
      EXPECT_LE(number_in(settings{}, row), row.highest) << row.name;
      // A default that a person could not write says what it stands for.
      EXPECT_TRUE(number_in(settings{}, row) >= row.lowest || !row.otherwise.empty()) << row.name;
    }
  }
}

TEST(Settings, TheEnvironmentSetsEveryMember) {
  const settings values = read({"PURE_RANKS=7", "PURE_MAP_BY= numa ", "PURE_REPORT_BINDINGS=on", "PURE_EAGER_LIMIT=4K",
                                "PURE_RING_BYTES=1M", "PURE_SHARED_COPY_MIN=2 MiB", "PURE_COPY_PIECE=4096",
                                "PURE_SPIN_US=12 us", "PURE_POLL_PAUSES=3", "PURE_STACK_BYTES=1g",
                                "PURE_UNEXPECTED_WARN=5", "PURE_MAX_TASK_CHUNKS=9", "PURE_CHECK=1",
                                "PURE_REPRODUCIBLE_SUMS=on", "PURE_HANG_TIMEOUT=30 s", "PURE_TUNING=here.json",
                                "PURE_LAUNCH_FD=1:2:3:4", "HOME=/"});
  EXPECT_EQ(values.ranks, 7);
  EXPECT_EQ(values.map_by, "numa");
  EXPECT_TRUE(values.report_bindings);
  EXPECT_EQ(values.eager_limit_bytes, 4096U);
  EXPECT_EQ(values.ring_bytes, 1048576U);
  EXPECT_EQ(values.shared_copy_min_bytes, 2097152U);
  EXPECT_EQ(values.copy_piece_bytes, 4096U);
  EXPECT_EQ(values.spin_us, 12);
  EXPECT_EQ(values.poll_pauses, 3);
  EXPECT_EQ(values.stack_bytes, 1073741824U);
  EXPECT_EQ(values.unexpected_warn, 5U);
  EXPECT_EQ(values.max_task_chunks, 9);
  EXPECT_TRUE(values.check);
  EXPECT_TRUE(values.reproducible_sums);
  EXPECT_EQ(values.hang_timeout_s, 30);
  EXPECT_EQ(values.tuning, "here.json");
  EXPECT_EQ(values.launch_fd, "1:2:3:4");
}

TEST(Settings, NumbersKeepToTheirRange) {
  for (const setting_row& row : setting_rows()) {
    if (!is_number(row)) continue;
    settings values;
    set_from_text(values, row, std::to_string(row.lowest));
    EXPECT_EQ(number_in(values, row), row.lowest) << row.name;
    set_from_text(values, row, std::to_string(row.highest));
    EXPECT_EQ(number_in(values, row), row.highest) << row.name;

    std::vector<std::string> bad = {
        std::to_string(row.highest + 1), "-1", "x",   "1x",  "1.5", "0x10",  "1e3", "+1", "1 2", "18446744073709551616",
        "99999999999999999999999",       "K",  "1KK", "1Ki", "1iB", "1 us 2"};
    if (row.lowest > 0) bad.push_back(std::to_string(row.lowest - 1));
    if (row.power_of_two) bad.push_back(std::to_string(row.lowest + 1));
    if (row.unit != setting_unit::bytes) bad.push_back("1K");
    for (const std::string& text : bad) {
      const std::string why = refusal(row, text);
      EXPECT_TRUE(has(why, std::string(row.name) + "=" + text)) << why;
      EXPECT_TRUE(has(why, allowed_text(row))) << why;
      EXPECT_TRUE(has(why, setting_text(settings{}, row))) << why;
    }
  }
}

TEST(Settings, SizesHaveUnits) {
  const setting_row& row = setting_named("PURE_STACK_BYTES");
  const std::vector<std::pair<const char*, std::size_t>> cases = {
      {"65536", 65536},   {"65536B", 65536},   {"64k", 65536},    {"64K", 65536},       {"64KB", 65536},
      {"64kb", 65536},    {"64KiB", 65536},    {"64 KiB", 65536}, {" 64  kib ", 65536}, {"3M", 3UL << 20},
      {"3MB", 3UL << 20}, {"3MiB", 3UL << 20}, {"2G", 2UL << 30}, {"2GB", 2UL << 30},   {"2gib", 2UL << 30},
  };
  for (const auto& [text, bytes] : cases) {
    settings values;
    set_from_text(values, row, text);
    EXPECT_EQ(values.stack_bytes, bytes) << text;
  }
}

TEST(Settings, SwitchesHaveWords) {
  const setting_row& row = setting_named("PURE_REPORT_BINDINGS");
  for (const char* text : {"on", "ON", "1", "true", "Yes", " on "}) {
    settings values;
    set_from_text(values, row, text);
    EXPECT_TRUE(values.report_bindings) << text;
  }
  for (const char* text : {"off", "OFF", "0", "False", "no"}) {
    settings values;
    values.report_bindings = true;
    set_from_text(values, row, text);
    EXPECT_FALSE(values.report_bindings) << text;
  }
  for (const char* text : {"2", "o", "onn", "enabled", "-1"}) {
    EXPECT_TRUE(has(refusal(row, text), "on or off")) << text;
  }
}

TEST(Settings, TextIsNotEmpty) { EXPECT_TRUE(has(refusal({"PURE_MAP_BY=  "}), "PURE_MAP_BY")); }

TEST(Settings, AnEmptyValueCountsAsUnset) {
  EXPECT_EQ(read({"PURE_RANKS=", "PURE_RING_BYTES=", "PURE_MAP_BY="}).ranks, 0);
}

TEST(Settings, TheTextOfAValueCanBeRead) {
  for (const setting_row& row : setting_rows()) {
    if (!is_number(row)) continue;
    for (std::uint64_t number = row.lowest; number <= row.highest; number = number * 3 + 1) {
      if (row.power_of_two) number = std::bit_ceil(number);
      if (number > row.highest) break;
      settings values;
      set_from_text(values, row, std::to_string(number));
      if (!row.otherwise.empty() && number == number_in(settings{}, row)) continue;  // shown as words
      settings again;
      set_from_text(again, row, setting_text(values, row));
      EXPECT_EQ(number_in(again, row), number) << row.name << "=" << setting_text(values, row);
    }
  }
}

TEST(Settings, OtherVariablesAreNotOurs) {
  EXPECT_EQ(
      read({"PURE=1", "PURER_RANKS=2", "XPURE_RANKS=3", "pure_ranks=4", "PURETEST_BUILD_DIR=x", "PURE_RANK", ""}).ranks,
      0);
}

TEST(Settings, NamesMayBeShort) {
  for (const char* name : {"PURE_SPIN_US", "spin_us", "Spin_Us", "pure_spin_us"}) {
    EXPECT_EQ(setting_named(name).name, "PURE_SPIN_US") << name;
  }
  EXPECT_THROW(setting_named("spinus"), pure::Error);
  EXPECT_THROW(setting_named(""), pure::Error);
}

TEST(Settings, TheSmallestRingHoldsFourMessages) {
  for (const std::size_t limit : {64UL, 65UL, 100UL, 960UL, 961UL, 4032UL, 8192UL, 16320UL, 16321UL, 1UL << 24}) {
    std::size_t expected = 1;
    while (expected / 4 < limit + 64) expected *= 2;
    EXPECT_EQ(smallest_ring_bytes(limit), expected) << limit;
  }
}

TEST(Settings, ARingTooSmallForTheEagerLimitIsExplained) {
  EXPECT_NO_THROW(read({"PURE_EAGER_LIMIT=16320", "PURE_RING_BYTES=64K"}));
  const std::string why = refusal({"PURE_EAGER_LIMIT=16321", "PURE_RING_BYTES=64K"});
  EXPECT_TRUE(has(why, "PURE_RING_BYTES=64 KiB")) << why;
  EXPECT_TRUE(has(why, "PURE_EAGER_LIMIT=16321 B")) << why;
  EXPECT_TRUE(has(why, "PURE_RING_BYTES to 128 KiB or more")) << why;
  EXPECT_TRUE(has(why, "PURE_EAGER_LIMIT to 16320 B or less")) << why;
  // One of the two alone is checked against the other's default; so are the defaults themselves.
  EXPECT_TRUE(has(refusal({"PURE_RING_BYTES=4K"}), "PURE_EAGER_LIMIT to 960 B or less"));
  EXPECT_NO_THROW(check_together(settings{}));
}

TEST(Settings, TheDocumentIsUpToDate) {
  namespace fs = std::filesystem;
  const fs::path document = fs::path(__FILE__).parent_path() / "../../../docs/settings.md";
  std::ifstream file(document);
  std::stringstream text;
  text << file.rdbuf();
  if (text.str() == settings_document()) return;
  const fs::path written = fs::absolute("settings.md");
  std::ofstream(written) << settings_document();
  FAIL() << "docs/settings.md is not what the table in src/base/settings_table.cpp says; the right text is in "
         << written << ": copy it to " << fs::weakly_canonical(document);
}

}  // namespace
