// PURE_* variables that are no settings: mistyped names are errors that suggest the right one, words of somebody's own
// are warned of and count for nothing.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include <pure/error.hpp>

#include "base/settings.hpp"

namespace {

using namespace pure::core;

std::vector<const char*> pointers_to(const std::vector<std::string>& environment) {
  std::vector<const char*> pointers;
  for (const std::string& entry : environment) pointers.push_back(entry.c_str());
  pointers.push_back(nullptr);
  return pointers;
}

// What an environment is refused with; empty: it is read.
std::string refusal_of(const std::vector<std::string>& environment) {
  try {
    read_settings(pointers_to(environment).data());
  } catch (const pure::Error& error) {
    EXPECT_EQ(error.code(), pure::errc::argument);
    return error.what();
  }
  return {};
}

std::string warning_of(const std::vector<std::string>& environment) {
  return text_of_foreign_settings(pointers_to(environment).data());
}

bool says(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(SettingNames, MistypedOnesAreErrorsThatSuggest) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"PURE_RANK", "PURE_RANKS"},
      {"PURE_RANSK", "PURE_RANKS"},
      {"PURE_RANKSS", "PURE_RANKS"},
      {"PURE_RRANKS", "PURE_RANKS"},
      {"PURE_ranks", "PURE_RANKS"},
      {"PURE_Ranks", "PURE_RANKS"},
      {"PURE_STAT", "PURE_STATS"},
      {"PURE_TRACES", "PURE_TRACE"},
      {"PURE_CHECKS", "PURE_CHECK"},
      {"PURE_CHEKC", "PURE_CHECK"},
      {"PURE_PROCESS", "PURE_PROCESSES"},
      {"PURE_SPINUS", "PURE_SPIN_US"},
      {"PURE_SPIN_MS", "PURE_SPIN_US"},
      {"PURE_EAGER_LIMTI", "PURE_EAGER_LIMIT"},
      {"PURE_EAGERLIMIT", "PURE_EAGER_LIMIT"},
      {"PURE_MAPBY", "PURE_MAP_BY"},
      {"PURE_HELPER", "PURE_HELPERS"},
      {"PURE_PLACMENT", "PURE_PLACEMENT"},
      {"PURE_REPORT_BINDNGS", "PURE_REPORT_BINDINGS"},
      {"PURE_MAX_TASK_CHUNK", "PURE_MAX_TASK_CHUNKS"},
      {"PURE_UNEXPCTED_WRAN", "PURE_UNEXPECTED_WARN"},
  };
  for (const auto& [wrong, right] : cases) {
    for (const char* const value : {"1", "", "two words"}) {
      const std::string why = refusal_of({"HOME=/", std::string(wrong) + "=" + value});
      EXPECT_TRUE(says(why, wrong)) << wrong << ": " << why;
      EXPECT_TRUE(says(why, std::string("did you mean ") + right + "?")) << wrong << ": " << why;
      EXPECT_TRUE(says(why, "pure info")) << why;
    }
    EXPECT_EQ(warning_of({std::string(wrong) + "=1"}), "") << wrong;
  }
}

TEST(SettingNames, WordsOfSomebodysOwnAreWarnedOf) {
  for (const char* const word :
       {"HOME",  "ROOT",  "DIR",    "PATH",   "PREFIX",  "VERSION", "LIB",   "LIBS",    "LIBDIR",        "INCLUDE",
        "DATA",  "USER",  "CONFIG", "DEBUG",  "LOG",     "LOGS",    "CACHE", "TMP",     "TMPDIR",        "BIN",
        "SRC",   "BUILD", "STATE",  "STATUS", "START",   "STARTS",  "TRACK", "TRACKS",  "GRACE",         "RACE",
        "BANKS", "TANKS", "RANGE",  "RANGES", "MODE",    "LICENSE", "FTPD",  "PYTHON",  "CHECKOUT",      "CHICK",
        "TEST",  "TESTS", "HOST",   "HOSTS",  "PORT",    "NAME",    "MAP",   "MAPS",    "TIMING",        "RUNS",
        "RING",  "RINGS", "STACK",  "PLUGIN", "PLUGINS", "TOKEN",   "URL",   "API_KEY", "STORAGE_ARRAY", "FB",
        "ID",    "X",     "_",      "",       "1",       "XYZZY"}) {
    const std::string name = std::string("PURE_") + word;
    EXPECT_FALSE(is_mistyped_setting(name)) << name;
    EXPECT_EQ(refusal_of({name + "=1"}), "") << name;
    const std::string text = warning_of({name + "=1"});
    EXPECT_TRUE(text.starts_with(name)) << text;
    EXPECT_TRUE(says(text, "is not a setting of Pure")) << text;
  }
}

TEST(SettingNames, ThoseOfTheCompilersAreKnown) {
  EXPECT_EQ(warning_of({"PURE_CXX=clang++", "PURE_CC=clang", "PURE_FC=flang", "PURE_FORTRAN_MODULES=/var/tmp"}), "");
  EXPECT_EQ(refusal_of({"PURE_CXX=clang++", "PURE_CC=clang", "PURE_FC=flang", "PURE_FORTRAN_MODULES=/var/tmp"}), "");
  EXPECT_TRUE(says(warning_of({"PURE_CXXFLAGS=-O3"}), "PURE_CXXFLAGS is not a setting"));
}

TEST(SettingNames, WarningsSuggestToo) {
  EXPECT_TRUE(says(warning_of({"PURE_NUM_RANKS=4"}), "did you mean PURE_RANKS?"));
  EXPECT_TRUE(says(warning_of({"PURE_SPIN=4"}), "did you mean PURE_SPIN_US?"));
  EXPECT_TRUE(says(warning_of({"PURE_EAGER=4"}), "did you mean PURE_EAGER_LIMIT?"));
  EXPECT_TRUE(says(warning_of({"PURE_BINDINGS=4"}), "did you mean PURE_REPORT_BINDINGS?"));
  EXPECT_FALSE(says(warning_of({"PURE_HOME=4"}), "did you mean"));
  EXPECT_FALSE(says(warning_of({"PURE_XYZZY=4"}), "did you mean"));
}

TEST(SettingNames, OneWarningNamesThemAll) {
  EXPECT_EQ(
      warning_of({"PURE_RANKS=1", "PURE_HOME=a", "HOME=b", "PURE_XYZZY=c", "PURE_Q="}),
      "PURE_HOME, PURE_XYZZY and PURE_Q are not settings of Pure, and count for nothing; `pure info` lists them all.");
  EXPECT_EQ(warning_of({"PURE_RANKS=1", "PURE_LAUNCH_FD=x", "HOME=b", "PURE=c", "PURER=d", "PURE_RANK"}), "");
  EXPECT_TRUE(says(warning_of({"PURE_\x1b[2J=1"}), "PURE_\\x1b[2J"));
}

TEST(SettingNames, EveryTypingMistakeInALongNameIsAnError) {
  constexpr std::size_t long_enough = 6;
  for (const setting_row& row : setting_rows()) {
    if (row.internal) continue;
    std::string letters;
    for (const char c : row.name.substr(5)) letters += c == '_' ? "" : std::string(1, c);
    if (letters.size() < long_enough) continue;
    const std::string name(row.name);
    for (std::size_t at = 5; at < name.size(); ++at) {
      std::vector<std::string> wrong(4, name);
      wrong[0].erase(at, 1);
      wrong[1].insert(at, "Q");
      wrong[2][at] = 'Q';
      if (at + 1 < name.size()) std::swap(wrong[3][at], wrong[3][at + 1]);
      for (const std::string& each : wrong) {
        if (each == name) continue;
        EXPECT_TRUE(is_mistyped_setting(each)) << each;
        EXPECT_NE(refusal_of({each + "=1"}), "") << each;
      }
    }
  }
}

TEST(SettingNames, NamesThemselvesAreNoMistakes) {
  for (const setting_row& row : setting_rows()) {
    EXPECT_FALSE(is_mistyped_setting(row.name)) << row.name;
    EXPECT_EQ(warning_of({std::string(row.name) + "=?"}), "") << row.name;
  }
}

TEST(SettingNames, AnInternalNameIsNeverSuggested) {
  EXPECT_FALSE(is_mistyped_setting("PURE_LAUNCH_FDD"));
  EXPECT_FALSE(says(warning_of({"PURE_LAUNCH_FDD=1"}), "LAUNCH_FD?"));
}

TEST(SettingNames, OnTheCommandLineEveryUnknownOneIsAnError) {  // purerun --set
  for (const char* const name : {"PURE_HOME", "home", "spinus", "PURE_", ""}) {
    EXPECT_THROW(setting_named(name), pure::Error) << name;
  }
}

}  // namespace
