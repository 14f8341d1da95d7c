// main() of every GoogleTest binary: GoogleTest's own, and a watchdog for each test.
//
// A test that runs longer than its deadline (60 s, or PURETEST_DEADLINE_S seconds) is named on standard error, the
// stack of every thread is printed where gdb is installed, and the process gets SIGABRT. So a hang is a failure that
// says where it hangs, never a stuck build.
//
// The watchdog is a process of its own: the tests see no thread, timer, signal or child that they did not make.
// It hears of the tests through a pipe, and ends when the pipe does. If a test was running then, it says which.
//
// With the name of a source file, `stress ring_stress_test.cpp`, only its tests run: programs of several files have one
// process for each so.
//
// Each test that was skipped gets a line "SKIPPED: name: reason", as tests/support/skipped.py reads them. If nothing
// else has run, the status is 77: what ctest takes for a skipped test.
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <string>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

int deadline_from_environment() {
  const char* text = std::getenv("PURETEST_DEADLINE_S");
  if (text == nullptr) return 60;
  char* end = nullptr;
  const long seconds = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || seconds <= 0 || seconds > 1'000'000) {
    std::fprintf(stderr, "PURETEST_DEADLINE_S=%s is not a number of seconds from 1 to 1000000\n", text);
    std::exit(2);
  }
  return static_cast<int>(seconds);
}

void print_stacks(pid_t tested) {
  const std::string command = "command -v gdb >/dev/null && gdb -p " + std::to_string(tested) +
                              " -batch -ex 'thread apply all backtrace' >&2 2>/dev/null";
  if (std::system(command.c_str()) != 0) std::fputs("(no stacks: gdb is not installed, or may not attach)\n", stderr);
}

// The watchdog process. Each message is the name of the test that starts, or an empty line when one has ended.
[[noreturn]] void watch(int pipe_end, pid_t tested, int deadline_s) {
  std::string running;
  for (;;) {
    pollfd waiting{pipe_end, POLLIN, 0};
    const int ready = poll(&waiting, 1, running.empty() ? -1 : deadline_s * 1000);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      std::fprintf(stderr, "\nwatchdog: %s is still running after %d s (PURETEST_DEADLINE_S)\n", running.c_str(),
                   deadline_s);
      print_stacks(tested);
      kill(tested, SIGABRT);
      _exit(0);
    }
    char message[4096];
    const ssize_t length = read(pipe_end, message, sizeof message);
    if (length <= 0) {  // the tests have ended
      if (!running.empty())
        std::fprintf(stderr, "\nwatchdog: the process ended in the middle of %s\n", running.c_str());
      _exit(0);
    }
    // Only the last message counts: a test that began and ended meanwhile is over.
    std::string text(message, static_cast<std::size_t>(length - 1));
    running = text.substr(text.rfind('\n') + 1);
  }
}

class Watchdog : public testing::EmptyTestEventListener {
 public:
  explicit Watchdog(int deadline_s) {
    int ends[2];
    if (pipe(ends) != 0) fail("pipe");
    const pid_t tested = getpid();
    // Twice, so that the watchdog is nobody's child: a test may wait for all of its own.
    const pid_t between = fork();
    if (between < 0) fail("fork");
    if (between == 0) {
      const pid_t watchdog = fork();
      if (watchdog != 0) _exit(watchdog > 0 ? 0 : 1);
      close(ends[1]);
      watch(ends[0], tested, deadline_s);
    }
    int status = 0;
    if (waitpid(between, &status, 0) != between || status != 0) fail("fork");
    close(ends[0]);
    pipe_ = ends[1];
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);  // gdb will not be a parent of this process
  }

  void OnTestStart(const testing::TestInfo& test) override {
    tell(std::string(test.test_suite_name()) + "." + test.name() + "\n");
  }
  void OnTestEnd(const testing::TestInfo&) override { tell("\n"); }

 private:
  [[noreturn]] static void fail(const char* what) {
    std::perror(what);
    std::exit(2);
  }
  void tell(const std::string& message) const {
    if (write(pipe_, message.data(), message.size()) < 0) fail("the test watchdog is gone");
  }

  int pipe_ = -1;
};

/// Says of each skipped test why.
class SkipReport : public testing::EmptyTestEventListener {
 public:
  void OnTestEnd(const testing::TestInfo& test) override {
    if (!test.result()->Skipped()) return;
    std::string why = "(no reason is given)";
    for (int i = test.result()->total_part_count() - 1; i >= 0; --i) {
      const testing::TestPartResult& part = test.result()->GetTestPartResult(i);
      if (part.skipped() && part.message()[0] != '\0') why = part.message();
    }
    for (char& c : why) {
      if (c == '\n') c = ' ';
    }
    std::printf("SKIPPED: %s.%s: %s\n", test.test_suite_name(), test.name(), why.c_str());
    std::fflush(stdout);
  }
};

/// A filter for the tests of a file.
std::string tests_of(const std::string& file) {
  std::string names;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      const testing::TestInfo& test = *suite.GetTestInfo(k);
      if (!std::string(test.file()).ends_with("/" + file)) continue;
      names += std::string(suite.name()) + "." + test.name() + ":";
    }
  }
  return names;
}

constexpr int all_skipped = 77;

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
/// Where the memory of a library's thread-local variables happens to begin 16 bytes behind a page, LeakSanitizer of GCC
/// 12 takes what lies before it for a header of glibc 2.19, and crashes at the end of a test in which nothing was wrong
/// (with glibc 2.36: unit.start, 25 of 60 runs beside busy loops; none of 40 without these calls of its).
extern "C" const char* __asan_default_options() { return "intercept_tls_get_addr=0"; }
#endif

#if defined(__SANITIZE_THREAD__)
/// A report is of what the test that runs did: GTEST_BRIEF has shown no name before it.
extern "C" __attribute__((no_sanitize("thread"))) void __tsan_on_report(void*) {
  const testing::TestInfo* running = testing::UnitTest::GetInstance()->current_test_info();
  if (running == nullptr) return;
  std::fprintf(stderr, "ThreadSanitizer's report above is of %s.%s\n", running->test_suite_name(), running->name());
}
#endif

int main(int argc, char** argv) {
  setenv("PURE_OTHER_JOBS", "ignore", 0);  // where ranks run is not to depend on tests that run at the same time
  // Debug builds check messages by default: the sanitizers would see other code than users run, and some tests make the
  // errors that are then found. What tests the checks asks for them.
  setenv("PURE_CHECK", "0", 0);
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1) {
    testing::GTEST_FLAG(filter) = tests_of(argv[1]);
    if (argc > 2 || testing::GTEST_FLAG(filter).empty()) {
      std::fprintf(stderr, "%s: there are no tests of a file %s, or there is more than one argument\n", argv[0],
                   argv[1]);
      return 2;
    }
  }
  if (!testing::GTEST_FLAG(list_tests)) {
    testing::UnitTest::GetInstance()->listeners().Append(new Watchdog(deadline_from_environment()));  // takes ownership
  }
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  testing::UnitTest::GetInstance()->listeners().Append(new SkipReport);  // takes ownership
  const int status = RUN_ALL_TESTS();
  const int skipped = tests.skipped_test_count();
  return status == 0 && skipped > 0 && skipped == tests.test_to_run_count() ? all_skipped : status;
}
