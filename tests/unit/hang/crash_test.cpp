// Whose handler a crash comes to: Pure's, over one of a library that Pure has opened; but never over the program's own.
#include "hang/crash.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include <pure/pure.hpp>

#include "base/libc.hpp"
#include "base/output.hpp"

namespace {

using pure::core::library_crash_handlers;

void handler_of_library(int) { pure::core::say_plain({"the library's handler\n"}); }
void handler_with_info_of_library(int, siginfo_t* info, void*) {
  pure::core::say_plain(
      {info->si_addr == reinterpret_cast<void*>(16) ? "the library's handler, at 16\n" : "elsewhere\n"});
}
void handler_of_program(int) {
  pure::core::say_plain({"the program's handler\n"});
  pure::core::libc::exit_now(42);
}

void install(void (*handler)(int)) { std::signal(SIGSEGV, handler); }

/// A sanitizer that looks at the address first would crash elsewhere.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] void write_to_16() {
  *reinterpret_cast<volatile int*>(16) = 1;  // NOLINT(performance-no-int-to-ptr)
}

void crash_in_rank() {
  pure::run(2, [](pure::comm world) {
    if (world.rank() == 1) write_to_16();
    world.barrier();
  });
}

TEST(CrashReports, ComeBeforeTheLibrarysHandler) {
  const auto program = [] {
    install(SIG_DFL);
    {
      const library_crash_handlers opening;
      install(handler_of_library);
    }
    crash_in_rank();
  };
  EXPECT_EXIT(program(), testing::KilledBySignal(SIGSEGV), "rank 1 crashed: SIGSEGV(.|\n)*the library's handler");
}

TEST(CrashReports, TheLibrarysHandlerHearsWhere) {
  const auto program = [] {
    install(SIG_DFL);
    {
      const library_crash_handlers opening;
      struct sigaction action {};
      action.sa_sigaction = handler_with_info_of_library;
      action.sa_flags = SA_SIGINFO;
      sigaction(SIGSEGV, &action, nullptr);
    }
    crash_in_rank();
  };
  EXPECT_EXIT(program(), testing::KilledBySignal(SIGSEGV),
              "rank 1 crashed: SIGSEGV(.|\n)*the library's handler, at 16");
}

TEST(CrashReports, WaitNotForEverForTheLibrary) {
  const auto program = [] {
    install(SIG_DFL);
    {
      const library_crash_handlers opening;
      install([](int) {
        for (;;) pause();
      });
    }
    crash_in_rank();
  };
  EXPECT_EXIT(program(), testing::KilledBySignal(SIGSEGV), "rank 1 crashed: SIGSEGV");
}

TEST(CrashReports, LeaveTheProgramsHandlerAlone) {
  const auto before_the_library = [] {
    install(handler_of_program);
    {
      const library_crash_handlers opening;
      install(handler_of_library);
    }
    crash_in_rank();
  };
  EXPECT_EXIT(before_the_library(), testing::ExitedWithCode(42), "^the program's handler\n$");
  const auto after_the_library = [] {
    install(SIG_DFL);
    {
      const library_crash_handlers opening;
      install(handler_of_library);
    }
    install(handler_of_program);
    crash_in_rank();
  };
  EXPECT_EXIT(after_the_library(), testing::ExitedWithCode(42), "^the program's handler\n$");
  const auto while_ranks_run = [] {
    install(SIG_DFL);
    pure::run(2, [](pure::comm world) {
      if (world.rank() == 0) install(handler_of_program);
      world.barrier();
    });
    raise(SIGSEGV);  // it has stayed
  };
  EXPECT_EXIT(while_ranks_run(), testing::ExitedWithCode(42), "^the program's handler\n$");
}

TEST(CrashReports, GiveTheLibraryItsHandlerBack) {
  const auto program = [] {
    install(SIG_DFL);
    {
      const library_crash_handlers opening;
      install(handler_of_library);
    }
    pure::run(2, [](pure::comm world) { world.barrier(); });
    struct sigaction now {};
    sigaction(SIGSEGV, nullptr, &now);
    if (now.sa_handler != handler_of_library) _exit(1);
    crash_in_rank();
  };
  EXPECT_EXIT(program(), testing::KilledBySignal(SIGSEGV), "rank 1 crashed: SIGSEGV(.|\n)*the library's handler");
}

}  // namespace
