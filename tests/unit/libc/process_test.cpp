// What the ranks of a process share: done as libc does it, and said once, when two ranks want different things. The
// program's path in place of the launcher's. In children: the process would be changed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "libc/shared_things.hpp"
#include "support/in_a_child.hpp"
#include "support/kept_stderr.hpp"
#include "support/loaded_rank.hpp"

namespace process_test {

using namespace pure::core;
using test_support::as_rank;
using test_support::in_a_child;
using test_support::kept_stderr;
using test_support::new_rank;
using test_support::replaced_of_process;

const auto rank_chdir = replaced_of_process<int(const char*)>("chdir");
const auto rank_umask = replaced_of_process<mode_t(mode_t)>("umask");

/// What two ranks write to stderr that do that, one after the other; check(first, second) returns 0 if all is well.
template <class Check>
std::string said_by_two(Check check) {
  const kept_stderr kept;
  EXPECT_EQ(in_a_child([&] { return check(new_rank(0), new_rank(1)); }), 0);
  return kept.text();
}

std::string warning(const std::string& what) {
  return "pure: warning: ranks 0 and 1 set " + what +
         " differently,\n"
         "  and share it: each gets what was set last. `purerun --ranks-as processes`\n"
         "  gives each rank its own.\n";
}

std::string warning_for_all(const std::string& what, int rank = 1) {
  return "pure: warning: rank " + std::to_string(rank) + " " + what +
         ",\n"
         "  which all ranks of its process share. `purerun --ranks-as processes` gives each\n"
         "  rank its own.\n";
}

std::string folder() {
  char path[PATH_MAX];
  return getcwd(path, sizeof path) == nullptr ? "none" : path;
}

TEST(rank_process, has_a_directory_and_an_umask_for_each_rank_where_the_kernel_lets_it) {
  if (in_a_child([] { return unshare(CLONE_FS); }) != 0) GTEST_SKIP() << "unshare is forbidden here";
  const std::string said = said_by_two([](hidden_state& first, hidden_state& second) {
    const std::string before = folder();
    std::string seen[3];
    mode_t masks[2] = {};
    umask(022);
    std::thread([&] {
      begin_rank(first);
      if (rank_chdir("/") != 0) return;
      rank_umask(077);
      seen[0] = folder();
      std::thread([&] {  // of the same rank
        set_hidden_state_here(&first);
        seen[1] = folder();
      })
          .join();
    }).join();
    std::thread([&] {
      begin_rank(second);
      masks[0] = rank_umask(027);
      if (rank_chdir("/usr") != 0) return;
      seen[2] = folder();
    }).join();
    masks[1] = umask(022);
    const bool is_right = seen[0] == "/" && seen[1] == "/" && seen[2] == "/usr" && folder() == before &&
                          masks[0] == 022 && masks[1] == 022;
    return is_right ? 0 : 1;
  });
  EXPECT_EQ(said, "");
}

TEST(rank_process, has_one_directory_and_umask_otherwise) {
  EXPECT_EQ(said_by_two([](hidden_state& first, hidden_state& second) {
              const as_rank here(first);
              if (rank_chdir("/usr") != 0 || rank_chdir("/no/such") != -1 || errno != ENOENT) return 1;
              const as_rank there(second);
              if (rank_chdir("/usr/.") != 0) return 2;  // the same
              const int root = open("/", O_RDONLY | O_DIRECTORY);
              if (replaced_of_process<int(int)>("fchdir")(root) != 0) return 3;
              return rank_chdir("/usr") == 0 ? 0 : 4;
            }),
            warning("the working directory"));
  EXPECT_EQ(said_by_two([](hidden_state& first, hidden_state& second) {
              umask(022);
              const as_rank here(first);
              if (rank_umask(027) != 022) return 1;
              const as_rank there(second);
              if (rank_umask(027) != 027) return 2;
              return rank_umask(077) == 027 ? 0 : 3;
            }),
            warning("the mask of file modes (umask)"));
}

TEST(rank_process, has_one_set_of_limits) {
  const std::string said = said_by_two([](hidden_state& first, hidden_state& second) {
    const auto set = replaced_of_process<int(int, const rlimit*)>("setrlimit");
    rlimit limit = {100, 200};
    const as_rank here(first);
    if (set(RLIMIT_NOFILE, &limit) != 0) return 1;
    const as_rank there(second);
    if (set(RLIMIT_NOFILE, &limit) != 0) return 2;
    limit.rlim_cur = 90;
    if (replaced_of_process<int(pid_t, int, const rlimit*, rlimit*)>("prlimit")(0, RLIMIT_NOFILE, &limit, nullptr) != 0)
      return 3;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == 90 ? 0 : 4;
  });
  EXPECT_EQ(said, warning("a limit (setrlimit " + std::to_string(RLIMIT_NOFILE) + ")"));
}

TEST(rank_process, is_warned_of_once_if_two_ranks_differ) {
  const kept_stderr kept;
  EXPECT_EQ(in_a_child([] {
              hidden_state& one = new_rank(3);
              hidden_state& other = new_rank(14);
              const auto set = [](hidden_state& rank, const char* name, const char* value) {
                const as_rank here(rank);
                note_setting(shared_thing::timer, name, value);
              };
              set(one, "SAME", "0");
              set(one, "SAME", "1");
              set(other, "SAME", "1");
              set(other, "SAME", "1");
              set(one, "MINE", "1");
              set(one, "MINE", "2");
              if (fork() == 0) {  // a child of a rank is nobody's business
                set(other, "MINE", "4");
                _exit(0);
              }
              set(other, "MINE", "3");
              set(one, "OTHER", "1");
              set(other, "OTHER", "2");
              return 0;
            }),
            0);
  EXPECT_EQ(kept.text(),
            "pure: warning: ranks 3 and 14 set the timer MINE differently,\n"
            "  and share it: each gets what was set last. `purerun --ranks-as processes`\n"
            "  gives each rank its own.\n");
}

/// Others may not have begun when one closes a stream. In a program that has no rank yet: this one, executed again.
TEST(rank_process, knows_of_ranks_that_are_to_come) {
  constexpr const char* is_executed = "PURETEST_IS_EXECUTED";
  if (getenv(is_executed) != nullptr) {
    const as_rank alone(new_rank());
    if (has_other_ranks()) _exit(1);
    expect_ranks(2);
    if (!has_other_ranks() || replaced_of_process<int(int)>("close")(1) != 0) _exit(2);
    _exit(fcntl(1, F_GETFD) < 0 ? 3 : 0);
  }
  EXPECT_EQ(in_a_child([&] {
              setenv(is_executed, "1", 1);
              return execl("/proc/self/exe", "again", "--gtest_filter=rank_process.knows_of_ranks_that_are_to_come",
                           nullptr);
            }),
            0);
}

TEST(rank_process, has_a_number_for_each_rank_that_the_system_knows) {
  const auto number_of_thread = [](hidden_state& rank) {
    const as_rank here(rank);
    rank.signals.main_thread.store(gettid(), std::memory_order_relaxed);
    const pid_t number = replaced_of_process<pid_t()>("getpid")();
    EXPECT_EQ(number, gettid());
    EXPECT_EQ(replaced_of_process<int(pid_t, int)>("kill")(number, 0), 0);
    EXPECT_EQ(access(("/proc/" + std::to_string(number)).c_str(), F_OK), 0);
    EXPECT_EQ(in_a_child([] { return replaced_of_process<pid_t()>("getpid")() == getpid() ? 0 : 1; }), 0);
    return number;
  };
  pid_t first = 0;
  const pid_t second = number_of_thread(new_rank(1));
  std::thread([&] { first = number_of_thread(new_rank(0)); }).join();
  EXPECT_NE(first, second);
}

TEST(rank_process, has_one_space_of_addresses) {
  const kept_stderr kept;
  EXPECT_EQ(in_a_child([] {
              const auto map = replaced_of_process<void*(void*, std::size_t, int, int, int, off_t)>("mmap");
              const auto unmap = replaced_of_process<int(void*, std::size_t)>("munmap");
              auto* const place = reinterpret_cast<void*>(0x100000000000);
              const auto map_there = [&](int how) {
                return map(place, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | how, -1, 0);
              };
              hidden_state& first = new_rank(0);
              hidden_state& second = new_rank(1);
              {
                const as_rank here(first);
                if (map_there(MAP_FIXED) != place || map_there(MAP_FIXED) != place) return 10;
                if (unmap(place, 1 << 16) != 0) return 11;
              }
              {
                const as_rank here(second);
                if (map_there(MAP_FIXED_NOREPLACE) != place) return 12;
              }
              const as_rank here(first);
              if (map_there(MAP_FIXED_NOREPLACE) != MAP_FAILED || errno != EEXIST) return 13;
              map_there(MAP_FIXED);
              return 14;
            }),
            1);
  EXPECT_NE(kept.text().find("rank 0 maps memory at 0x100000000000 (MAP_FIXED), where rank 1 has its own"),
            std::string::npos)
      << kept.text();
}

TEST(rank_process, has_streams_that_a_rank_does_not_close_for_the_others) {
  EXPECT_EQ(
      said_by_two([](hidden_state& first, hidden_state& second) {
        const as_rank here(first);
        std::fputs("first", stderr);
        static char buffer[1000];
        replaced_of_process<int(FILE*, char*, int, std::size_t)>("setvbuf")(stdout, buffer, _IOFBF, sizeof buffer);
        if (replaced_of_process<int(FILE*)>("fclose")(stdout) != 0 || replaced_of_process<int(int)>("close")(2) != 0)
          return 1;
        if (fcntl(1, F_GETFD) < 0 || fcntl(2, F_GETFD) < 0) return 2;
        const as_rank there(second);
        std::fputs(" second", stderr);
        FILE* const own = std::fopen("/dev/null", "w");
        const int descriptor = fileno(own);
        if (replaced_of_process<int(FILE*)>("fclose")(own) != 0 || fcntl(descriptor, F_GETFD) != -1) return 3;
        if (replaced_of_process<int(int)>("close")(descriptor) != -1 || errno != EBADF) return 4;
        const pid_t child = fork();  // which may close all it has
        if (child == 0)
          _exit(replaced_of_process<int(int)>("close")(0) == 0 && fcntl(0, F_GETFD) == -1 &&
                        replaced_of_process<int(int, int)>("dup2")(1, 0) == 0
                    ? 0
                    : 1);
        int status = 0;
        return waitpid(child, &status, 0) == child && status == 0 ? 0 : 5;
      }),
      "first" + warning_for_all("closes descriptor 2", 0) + " second");
}

TEST(rank_process, has_streams_that_a_rank_redirects_for_all) {
  EXPECT_EQ(said_by_two([](hidden_state& /*first*/, hidden_state& second) {
              const as_rank here(second);
              const auto reopen = replaced_of_process<FILE*(const char*, const char*, FILE*)>("freopen");
              if (reopen("/dev/null", "w", stdout) != stdout) return 1;
              return replaced_of_process<int(int, int)>("dup2")(1, 0) == 0 ? 0 : 2;  // said once
            }),
            warning_for_all("redirects stdout"));
  EXPECT_EQ(said_by_two([](hidden_state& /*first*/, hidden_state& second) {
              const as_rank here(second);
              const int file = open("/dev/null", O_RDWR);
              if (replaced_of_process<int(int, int)>("dup2")(file, 100) != 100) return 1;
              return replaced_of_process<int(int, int, int)>("dup3")(file, 0, O_CLOEXEC) == 0 ? 0 : 2;
            }),
            warning_for_all("redirects stdin"));
}

TEST(rank_process, is_known_by_the_path_of_the_program) {
  hidden_state& rank = new_rank();
  rank.program_path = "/usr/bin/env";
  const as_rank here(rank);
  char text[PATH_MAX] = {};
  const auto link = replaced_of_process<ssize_t(const char*, char*, std::size_t)>("readlink");
  const auto link_at = replaced_of_process<ssize_t(int, const char*, char*, std::size_t)>("readlinkat");
  const auto real = replaced_of_process<char*(const char*, char*)>("realpath");
  for (const std::string& path : {std::string("/proc/self/exe"), std::string("/proc/thread-self/exe"),
                                  "/proc/" + std::to_string(getpid()) + "/exe"}) {
    EXPECT_EQ(link(path.c_str(), text, sizeof text), 12) << path;
    EXPECT_STREQ(text, "/usr/bin/env");
    EXPECT_EQ(link(path.c_str(), text, 4), 4);
    EXPECT_EQ(link_at(AT_FDCWD, path.c_str(), text, sizeof text), 12);
    char* const found = real(path.c_str(), nullptr);
    ASSERT_NE(found, nullptr);
    char* const expected = realpath("/usr/bin/env", nullptr);
    EXPECT_STREQ(found, expected);
    std::free(found);
    std::free(expected);
  }
  errno = 0;
  EXPECT_EQ(link("/proc/self/exe", text, 0), -1);
  EXPECT_EQ(errno, EINVAL);
  for (const char* path :
       {"/proc/1/exe", "/proc/self/cwd", "/usr/bin/env", "/no/such", "/proc//exe", "/proc/0self/exe"}) {
    char expected[PATH_MAX] = {};
    char got[PATH_MAX] = {};
    errno = 0;
    const ssize_t size = readlink(path, expected, sizeof expected);
    const int error = errno;
    errno = 0;
    EXPECT_EQ(link(path, got, sizeof got), size) << path;
    EXPECT_EQ(errno, error);
    EXPECT_STREQ(got, expected);
  }
  // The file itself, by whatever function.
  struct stat expected {
  }, got{};
  ASSERT_EQ(stat("/usr/bin/env", &expected), 0);
  const auto is_program = [&] { return got.st_dev == expected.st_dev && got.st_ino == expected.st_ino; };
  const std::string own = "/proc/" + std::to_string(getpid()) + "/exe";
  EXPECT_EQ(replaced_of_process<int(const char*, struct stat*)>("stat")(own.c_str(), &got), 0);
  EXPECT_TRUE(is_program());
  for (const char* const name : {"open", "__open_2"}) {
    const int file = replaced_of_process<int(const char*, int)>(name)(own.c_str(), O_RDONLY);
    got = {};
    EXPECT_EQ(fstat(file, &got), 0) << name;
    EXPECT_TRUE(is_program()) << name;
    close(file);
  }
  FILE* const stream = replaced_of_process<FILE*(const char*, const char*)>("fopen")(own.c_str(), "r");
  ASSERT_NE(stream, nullptr);
  EXPECT_EQ(fstat(fileno(stream), &got), 0);
  EXPECT_TRUE(is_program());
  std::fclose(stream);
  EXPECT_EQ(replaced_of_process<int(const char*, int)>("access")(own.c_str(), W_OK), access("/usr/bin/env", W_OK));
  rank.program_path = nullptr;
  EXPECT_EQ(link("/proc/self/exe", text, sizeof text), readlink("/proc/self/exe", text, sizeof text));
}

}  // namespace process_test
