// What Pure says goes out whole where it can, and does nothing else where it cannot.
#include "base/output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "base/printable_text.hpp"
#include "base/say.hpp"

namespace {

using pure::core::show;
using pure::core::write_all;

class one_pipe {
 public:
  explicit one_pipe(int flags = 0) { EXPECT_EQ(pipe2(ends_, flags | O_CLOEXEC), 0); }
  one_pipe(const one_pipe&) = delete;
  one_pipe& operator=(const one_pipe&) = delete;
  ~one_pipe() {
    close_reader();
    close(ends_[1]);
  }
  [[nodiscard]] int writer() const { return ends_[1]; }
  void close_reader() {
    if (ends_[0] >= 0) close(std::exchange(ends_[0], -1));
  }
  /// As many bytes, or all until the writer is closed.
  std::string read_bytes(std::size_t most) {
    std::string text(most, '\0');
    std::size_t got = 0;
    while (got < most) {
      const ssize_t part = read(ends_[0], text.data() + got, most - got);
      if (part <= 0) break;
      got += static_cast<std::size_t>(part);
    }
    text.resize(got);
    return text;
  }

 private:
  int ends_[2] = {-1, -1};
};

bool is_pending(int number) {
  sigset_t waiting;
  sigpending(&waiting);
  return sigismember(&waiting, number) == 1;
}

TEST(Output, PartsGoOutAsOneText) {
  one_pipe out;
  EXPECT_TRUE(show(out.writer(), {"pure: ", "", "a cause", "\n"}));
  EXPECT_EQ(out.read_bytes(14), "pure: a cause\n");
}

TEST(Output, WhatATerminalWouldObeyIsShown) {
  one_pipe out;
  EXPECT_TRUE(show(out.writer(), {"\x1b[2Ja\tb\n", "c\xff\n"}));
  EXPECT_EQ(out.read_bytes(18), "\\x1b[2Ja\\tb\nc\\xff\n");
  // As many bytes as its first escape has.
  EXPECT_TRUE(show(out.writer(), {"\xc2\x9b"
                                  "31m\n"}));
  EXPECT_EQ(out.read_bytes(10), "\\u{9b}31m\n");
}

TEST(Output, LongTextsArriveWhole) {
  for (const char* const line_end : {"\n", "\t\n", ""}) {
    one_pipe out;
    std::string text;
    for (int i = 0; i < 30'000; ++i) text += std::to_string(i) + line_end;
    const std::string expected = pure::core::printable(text);
    std::thread writer([&] { EXPECT_TRUE(show(out.writer(), {text})); });
    EXPECT_EQ(out.read_bytes(expected.size()), expected);
    writer.join();
  }
}

TEST(Output, APipeWithoutReaderRaisesNothing) {
  one_pipe out;
  out.close_reader();
  errno = 77;
  EXPECT_FALSE(write_all(out.writer(), "text"));  // the signal would end the test
  EXPECT_EQ(errno, 77);
  EXPECT_FALSE(is_pending(SIGPIPE));
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGPIPE), 0);
}

TEST(Output, ASignalThatWaitedAlreadyStays) {
  sigset_t pipe_signal;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, nullptr);
  raise(SIGPIPE);
  one_pipe out;
  out.close_reader();
  EXPECT_FALSE(write_all(out.writer(), "text"));
  EXPECT_TRUE(is_pending(SIGPIPE));
  constexpr timespec at_once{};
  EXPECT_EQ(sigtimedwait(&pipe_signal, nullptr, &at_once), SIGPIPE);
  EXPECT_FALSE(is_pending(SIGPIPE));
  pthread_sigmask(SIG_UNBLOCK, &pipe_signal, nullptr);
}

TEST(Output, FullAndClosedAreErrors) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  if (full >= 0) {
    EXPECT_FALSE(show(full, {"text\n"}));
    EXPECT_FALSE(show(full, {std::string(10'000, '\t')}));
    close(full);
  }
  EXPECT_FALSE(show(1'000'000, {"text\n"}));
}

TEST(Output, ADescriptorThatDoesNotBlockIsGivenTime) {
  one_pipe out(O_NONBLOCK);
  const std::string text(200'000, 'x');  // more than a pipe holds
  std::string got;
  std::thread reader([&] {
    while (got.size() < text.size()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      got += out.read_bytes(text.size() - got.size());
    }
  });
  EXPECT_TRUE(write_all(out.writer(), text));
  reader.join();
  EXPECT_EQ(got, text);
}

TEST(Output, ButNotForEver) {
  one_pipe out(O_NONBLOCK);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(write_all(out.writer(), std::string(200'000, 'x')));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

void ignore(int) {}

TEST(Output, InterruptedIsNotFailed) {
  struct sigaction before {
  }, action{};
  action.sa_handler = ignore;  // without SA_RESTART
  sigaction(SIGUSR2, &action, &before);
  one_pipe out;
  const std::string text(1'000'000, 'x');
  std::atomic<bool> is_done{false};
  std::thread writer([&] {
    EXPECT_TRUE(write_all(out.writer(), text));
    is_done = true;
  });
  std::string got;
  while (got.size() < text.size()) {
    pthread_kill(writer.native_handle(), SIGUSR2);
    got += out.read_bytes(50'000);
  }
  writer.join();
  EXPECT_EQ(got.size(), text.size());
  sigaction(SIGUSR2, &before, nullptr);
}

TEST(Output, ATextThatCannotBeMadeChangesNothing) {
  testing::internal::CaptureStderr();
  pure::core::say([]() -> std::string { throw std::bad_alloc(); });
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "pure: there is not enough memory for a message that should be here\n");
  testing::internal::CaptureStderr();
  pure::core::say("pure: {} of {}\n", 1, "two");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "pure: 1 of two\n");
}

TEST(Output, ClosedStreamsKeepTheirNumbers) {
  const auto in_a_child = [] {
    for (const int number : {0, 1, 2}) close(number);
    pure::core::keep_numbers_of_closed_streams();
    const int opened = open("/dev/null", O_RDWR);
    if (opened < 3) _exit(1);
    char byte = 'x';
    if (write(1, &byte, 1) >= 0 || write(2, &byte, 1) >= 0 || read(0, &byte, 1) >= 0) _exit(2);
    for (const int number : {0, 1, 2}) {
      if ((fcntl(number, F_GETFD) & FD_CLOEXEC) == 0) _exit(3);
    }
    pure::core::keep_numbers_of_closed_streams();  // nothing is left to do
    _exit(open("/dev/null", O_RDWR) > 2 ? 0 : 4);
  };
  EXPECT_EXIT(in_a_child(), testing::ExitedWithCode(0), "");
}

}  // namespace
