// Functions of libc that read the environment: for a rank they read its own. What ranks see that do things in turn is
// what a process sees that does the same alone, with libc's own functions.
#include <gtest/gtest.h>
#include <libintl.h>
#include <locale.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "support/environment.hpp"
#include "support/in_a_child.hpp"
#include "support/kept_stderr.hpp"
#include "support/loaded_rank.hpp"

namespace environment_readers_test {

using namespace pure::core;
using test_support::as_rank;
using test_support::in_a_child;
using test_support::kept_stderr;
using test_support::new_rank;
using test_support::replaced_of_process;

// ---- the time zone -----------------------------------------------------------------------------------------------

struct zone_functions {
  int (*setenv)(const char*, const char*, int);
  int (*unsetenv)(const char*);
  void (*tzset)();
  std::tm* (*localtime)(const std::time_t*);
  std::tm* (*localtime_r)(const std::time_t*, std::tm*);
  std::tm* (*gmtime)(const std::time_t*);
  char* (*ctime)(const std::time_t*);
  std::time_t (*mktime)(std::tm*);
  std::size_t (*strftime)(char*, std::size_t, const char*, const std::tm*);
};

zone_functions zones_of(bool is_rank) {
  if (!is_rank) return {setenv, unsetenv, tzset, localtime, localtime_r, gmtime, ctime, std::mktime, std::strftime};
  return {replaced_of_process<int(const char*, const char*, int)>("setenv"),
          replaced_of_process<int(const char*)>("unsetenv"),
          test_support::replaced<void()>(time_replacements(), "tzset"),
          test_support::replaced<std::tm*(const std::time_t*)>(time_replacements(), "localtime"),
          test_support::replaced<std::tm*(const std::time_t*, std::tm*)>(time_replacements(), "localtime_r"),
          test_support::replaced<std::tm*(const std::time_t*)>(time_replacements(), "gmtime"),
          test_support::replaced<char*(const std::time_t*)>(time_replacements(), "ctime"),
          test_support::replaced<std::time_t(std::tm*)>(time_replacements(), "mktime"),
          test_support::replaced<std::size_t(char*, std::size_t, const char*, const std::tm*)>(time_replacements(),
                                                                                               "strftime")};
}

/// One who does things at random that have to do with the zone.
class zone_user {
 public:
  zone_user(const zone_functions& from, unsigned seed, hidden_state* rank) : from_(from), random_(seed), rank_(rank) {}

  std::string step() {
    static constexpr const char* zones[] = {"UTC0",     "EST5EDT,M3.2.0,M11.1.0", "XXX-3:30",
                                            "",         ":AAA2BBB,J60,J300",      "EET-2EEST,M3.5.0/3,M10.5.0/4",
                                            "nonsense!"};
    const auto now = static_cast<std::time_t>(random_() % 2000000000);
    std::tm date{};
    char text[200] = "";
    switch (random_() % 9) {
      case 0: from_.setenv("TZ", zones[random_() % std::size(zones)], 1); break;
      case 1:
        if (random_() % 3 == 0) from_.unsetenv("TZ");
        break;
      case 2: from_.tzset(); break;
      case 3: show(*from_.localtime(&now), text); break;
      case 4: show(*from_.localtime_r(&now, &date), text); break;
      case 5: show(*from_.gmtime(&now), text); break;
      case 6: std::strcpy(text, from_.ctime(&now)); break;
      case 7:
        date.tm_year = 70 + static_cast<int>(random_() % 60);
        date.tm_mon = static_cast<int>(random_() % 12);
        date.tm_mday = 10, date.tm_hour = 12;
        date.tm_isdst = -1;
        std::snprintf(text, sizeof text, "%ld", static_cast<long>(from_.mktime(&date)));
        break;
      default: from_.strftime(text, sizeof text, "%Y %H:%M %z %Z", from_.localtime_r(&now, &date));
    }
    return std::string(text) + " | " + variables();
  }

 private:
  void show(const std::tm& date, char* text) const {
    std::sprintf(text, "%d %d %d:%d:%d %d %ld %s", date.tm_year, date.tm_yday, date.tm_hour, date.tm_min, date.tm_sec,
                 date.tm_isdst, date.tm_gmtoff, date.tm_zone);
  }

  [[nodiscard]] std::string variables() const {
    char** const names = rank_ == nullptr ? tzname : rank_->variables.zone_names;
    const long seconds = rank_ == nullptr ? timezone : *rank_->variables.zone_seconds;
    const int is_summer_time = rank_ == nullptr ? daylight : *rank_->variables.zone_daylight;
    return std::string(names[0]) + " " + names[1] + " " + std::to_string(seconds) + " " +
           std::to_string(is_summer_time) + "\n";
  }

  zone_functions from_;
  std::mt19937 random_;
  hidden_state* rank_;
};

constexpr int steps_of_zones = 200;

/// With libc's own functions, in a new process: this one may have looked at the zone.
std::string zones_alone(unsigned seed) {
  const kept_stderr kept;
  EXPECT_EQ(in_a_child([&] {
              zone_user alone(zones_of(false), seed, nullptr);
              std::string all;
              for (int i = 0; i < steps_of_zones; ++i) all += alone.step();
              return write(2, all.data(), all.size()) < 0 ? 1 : 0;
            }),
            0);
  return kept.text();
}

TEST(rank_zone, is_as_in_a_process_whatever_other_ranks_have) {
  const test_support::environment there({{"TZ", "EST5EDT,M3.2.0,M11.1.0"}});
  std::vector<std::string> alone;
  for (unsigned seed = 1; seed <= 12; ++seed) alone.push_back(zones_alone(seed));
  constexpr std::size_t together = 3;
  for (std::size_t first = 0; first < alone.size(); first += together) {
    std::vector<hidden_state*> ranks;
    std::vector<zone_user> users;
    std::string seen[together];
    for (std::size_t i = 0; i < together; ++i) {
      ranks.push_back(&new_rank());
      const as_rank now(*ranks.back());
      begin_rank(*ranks.back());
      users.emplace_back(zones_of(true), static_cast<unsigned>(first + i + 1), ranks.back());
    }
    std::mt19937 turns(static_cast<unsigned>(first));
    for (int left = steps_of_zones * static_cast<int>(together), done[together] = {}; left > 0;) {
      const std::size_t next = turns() % together;
      if (done[next] == steps_of_zones) continue;
      const as_rank now(*ranks[next]);
      seen[next] += users[next].step();
      ++done[next], --left;
    }
    for (std::size_t i = 0; i < together; ++i) EXPECT_EQ(seen[i], alone[first + i]) << "seed " << first + i + 1;
  }
}

// ---- others ------------------------------------------------------------------------------------------------------

class environment_readers : public ::testing::Test {
 protected:
  environment_readers() {
    for (hidden_state* const rank : {&one, &other}) {
      const as_rank here(*rank);
      begin_rank(*rank);
    }
  }

  static void set(hidden_state& rank, const char* name, const std::string& value) {
    const as_rank here(rank);
    replaced_of_process<int(const char*, const char*, int)>("setenv")(name, value.c_str(), 1);
  }

  std::string file(const std::string& name, const std::string& text, mode_t mode = 0600) const {
    const std::string path = folder + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    chmod(path.c_str(), mode);
    return path;
  }

  ~environment_readers() override { std::filesystem::remove_all(folder); }

  std::string folder = [] {
    char name[] = "/tmp/puretest.XXXXXX";
    return std::string(mkdtemp(name));
  }();
  hidden_state& one = new_rank();
  hidden_state& other = new_rank();
};

TEST_F(environment_readers, system_and_popen_give_it_to_commands) {
  set(one, "PURETEST_STATUS", "3");
  set(other, "PURETEST_STATUS", "14");
  for (const auto& [rank, expected] : {std::pair(&one, 3), std::pair(&other, 14)}) {
    const as_rank here(*rank);
    const int status = replaced_of_process<int(const char*)>("system")("exit $PURETEST_STATUS");
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), expected);
    FILE* const output = replaced_of_process<FILE*(const char*, const char*)>("popen")("echo $PURETEST_STATUS", "r");
    ASSERT_NE(output, nullptr);
    char line[20] = "";
    EXPECT_NE(std::fgets(line, sizeof line, output), nullptr);
    EXPECT_EQ(pclose(output), 0);
    EXPECT_EQ(std::atoi(line), expected);
  }
  EXPECT_EQ(getenv("PURETEST_STATUS"), nullptr);
}

TEST_F(environment_readers, system_is_as_libcs) {
  const as_rank here(one);
  const auto rank_system = replaced_of_process<int(const char*)>("system");
  for (const char* const command :
       {"exit 0", "exit 200", "kill -9 $$", "puretest_there_is_no_such_command 2>/dev/null"})
    EXPECT_EQ(rank_system(command), std::system(command)) << command;
  EXPECT_EQ(rank_system(nullptr), 1);
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGCHLD), 0);
  struct sigaction now;
  sigaction(SIGINT, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
}

using exec_function = int(const char*, char* const*);
using exec_list_function = int(const char*, const char*, ...);
using spawn_function = int(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                           char* const*, char* const*);

TEST_F(environment_readers, path_is_the_ranks) {
  const std::string script = "#!/bin/sh\nexit ", without_shell = "exit ";
  mkdir((folder + "/a").c_str(), 0700);
  mkdir((folder + "/b").c_str(), 0700);
  file("a/puretest_own", script + "${PURETEST_ADDED:-0}5\n", 0700);
  file("b/puretest_own", without_shell + "${PURETEST_ADDED:-0}6\n", 0700);
  file("a/puretest_forbidden", script + "1\n");
  set(one, "PATH", "/puretest_nowhere:" + folder + "/a:/bin");
  set(other, "PATH", folder + "/b:/bin");
  set(other, "PURETEST_ADDED", "1");
  char name[] = "puretest_own";
  char* const arguments[] = {name, nullptr};
  for (const auto& [rank, expected] : {std::pair(&one, 5), std::pair(&other, 16)}) {
    const as_rank here(*rank);
    EXPECT_EQ(in_a_child([&] { return replaced_of_process<exec_function>("execvp")(name, arguments); }), expected);
    EXPECT_EQ(in_a_child([&] { return replaced_of_process<exec_list_function>("execlp")(name, name, nullptr); }),
              expected);
    EXPECT_EQ(in_a_child([&] {
                replaced_of_process<exec_function>("execvp")("puretest_forbidden", arguments);
                return errno;
              }),
              rank == &one ? EACCES : ENOENT);
    const std::string path = folder + "/a/puretest_own";
    EXPECT_EQ(in_a_child([&] { return replaced_of_process<exec_function>("execv")(path.c_str(), arguments); }),
              rank == &one ? 5 : 15);
    EXPECT_EQ(in_a_child([&] {
                return replaced_of_process<exec_list_function>("execl")(
                    "/bin/sh", "sh", "-c", "exit ${PURETEST_ADDED-9}$#", "0", "1", "2", nullptr);
              }),
              rank == &one ? 92 : 12);
  }
  const as_rank here(one);
  pid_t child = 0;
  ASSERT_EQ(replaced_of_process<spawn_function>("posix_spawnp")(&child, name, nullptr, nullptr, arguments, environ), 0);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 5);
  EXPECT_EQ(replaced_of_process<exec_function>("execvp")("", arguments), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(replaced_of_process<exec_function>("execvp")(std::string(256, 'x').c_str(), arguments), -1);
  EXPECT_EQ(errno, ENAMETOOLONG);
}

TEST_F(environment_readers, wordexp_reads_it_and_may_set_it) {
  using function = int(const char*, wordexp_t*, int);
  set(one, "HOME", "/one");
  set(other, "HOME", "/other");
  set(other, "PURETEST_NEW", "there");
  for (const auto& [rank, expected] : {std::pair(&one, "/one/x made"), std::pair(&other, "/other/x there")}) {
    const as_rank here(*rank);
    wordexp_t words;
    ASSERT_EQ(replaced_of_process<function>("wordexp")("~/x ${PURETEST_NEW:=made}", &words, 0), 0);
    ASSERT_EQ(words.we_wordc, 2U);
    EXPECT_EQ(std::string(words.we_wordv[0]) + " " + words.we_wordv[1], expected);
    wordfree(&words);
    EXPECT_STREQ(replaced_of_process<char*(const char*)>("getenv")("PURETEST_NEW"), std::strrchr(expected, ' ') + 1);
  }
  EXPECT_EQ(getenv("PURETEST_NEW"), nullptr);
}

TEST_F(environment_readers, names_of_folders_are_the_ranks) {
  set(one, "TMPDIR", folder);
  char* const name = [this] {
    const as_rank here(one);
    return replaced_of_process<char*(const char*, const char*)>("tempnam")(nullptr, "x");
  }();
  EXPECT_EQ(std::string(name).substr(0, folder.size() + 1), folder + "/");
  std::free(name);
  char here_by_link[] = "/proc/self/cwd";
  set(other, "PWD", here_by_link);
  const as_rank here(other);
  char* const current = replaced_of_process<char*()>("get_current_dir_name")();
  EXPECT_STREQ(current, here_by_link);
  std::free(current);
}

/// A catalogue (.mo) with one translation.
std::string catalogue(const std::string& from, const std::string& to) {
  const std::uint32_t head[] = {0x950412de,
                                0,
                                1,
                                28,
                                36,
                                0,
                                44,
                                static_cast<std::uint32_t>(from.size()),
                                44,
                                static_cast<std::uint32_t>(to.size()),
                                static_cast<std::uint32_t>(45 + from.size())};
  return std::string(reinterpret_cast<const char*>(head), sizeof head) + from + '\0' + to + '\0';
}

TEST_F(environment_readers, locale_and_language_are_the_ranks) {
  using set_locale = char*(int, const char*);
  const auto rank_setlocale = test_support::replaced<set_locale>(locale_replacements(), "setlocale");
  mkdir((folder + "/xx").c_str(), 0700);
  mkdir((folder + "/xx/LC_MESSAGES").c_str(), 0700);
  file("xx/LC_MESSAGES/puretest_own.mo", catalogue("yes", "ja"));
  bindtextdomain("puretest_own", folder.c_str());
  for (hidden_state* const rank : {&one, &other}) set(*rank, "LC_ALL", "C.UTF-8");
  set(one, "LANGUAGE", "xx");
  set(other, "LANGUAGE", "yy");
  for (const auto& [rank, expected] : {std::pair(&one, "ja"), std::pair(&other, "yes")}) {
    const as_rank here(*rank);
    EXPECT_STREQ(rank_setlocale(LC_ALL, ""), "C.UTF-8");
    EXPECT_STREQ(replaced_of_process<char*(const char*, const char*)>("dgettext")("puretest_own", "yes"), expected);
  }
  const test_support::environment process({{"LC_ALL", "C"}});
  set(other, "LC_ALL", "POSIX");
  const as_rank here(other);
  EXPECT_STREQ(rank_setlocale(LC_ALL, ""), "C");
}

}  // namespace environment_readers_test
