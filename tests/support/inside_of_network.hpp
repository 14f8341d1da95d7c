// Who is inside an end of the loopback network: its users promise that it is one thread at a time.
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace test_support {

/// Ends the test.
[[noreturn]] inline void loopback_is_wrong(const char* what) {
  std::fprintf(stderr, "loopback network: %s\n", what);
  std::abort();
}

/// In a call, or in a poll, whose events make calls. Any threads.
class inside_of_network {
 public:
  class call {
   public:
    explicit call(inside_of_network& of) : of_(of) {
      if (of.calls_.exchange(true)) loopback_is_wrong("two threads are inside");
      const std::thread::id poller = of.poller_.load();
      if (poller != std::thread::id() && poller != std::this_thread::get_id())
        loopback_is_wrong("two threads are inside");
    }
    ~call() { of_.calls_.store(false); }
    call(const call&) = delete;
    call& operator=(const call&) = delete;

   private:
    inside_of_network& of_;
  };
  class poll {
   public:
    explicit poll(inside_of_network& of) : of_(of) {
      if (of.poller_.exchange(std::this_thread::get_id()) != std::thread::id() || of.calls_.load()) {
        loopback_is_wrong("two threads are inside");
      }
    }
    ~poll() { of_.poller_.store(std::thread::id()); }
    poll(const poll&) = delete;
    poll& operator=(const poll&) = delete;

   private:
    inside_of_network& of_;
  };

 private:
  std::atomic<bool> calls_{false};
  std::atomic<std::thread::id> poller_{};
};

}  // namespace test_support
