// Tasks of a loaded program of pure.h: a helper that runs chunks of a rank has the first values of thread-local
// variables, and exceptions that cross from the program to libpure and back are counted once.
//
// Until the helper has taken some chunks; prints "right", or what is not so.
#include <pure.h>
#include <pure/environment.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

thread_local int first_value = 9;
thread_local int of_bss;
#ifdef HAS_ADDRESSES
int global = 4;
thread_local int* address = &global;
#endif
int own = 3;

const char* wrong = nullptr;
std::atomic<int> by_helper{0};

void helpers() {
  const auto rank = std::this_thread::get_id();
  const int expected = own += 1 + pure_rank();
  PureTask task = [&](chunk_id_t, chunk_id_t, std::optional<void*>) {
    if (std::this_thread::get_id() != rank) ++by_helper;
    if (first_value != 9 || of_bss != 0) wrong = "a thread-local variable has another value at first";
    if (own != expected) wrong = "the chunk sees another rank's variable";
#ifdef HAS_ADDRESSES
    if (*address != 4) wrong = "the address is another one";
#endif
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
    while (std::chrono::steady_clock::now() < end) {
    }
  };
  for (int i = 0; i < 20000 && by_helper < 20; ++i) task.execute();
  if (by_helper == 0) wrong = "no helper has taken a chunk";
}

void exceptions() {
  PureTask task = [](chunk_id_t, chunk_id_t, std::optional<void*>) { throw std::runtime_error("of a chunk"); };
  for (int i = 0; i < 5; ++i) {
    try {
      task.execute();
      wrong = "the exception of a chunk is lost";
    } catch (const std::exception& error) {
      if (std::string(error.what()) != "of a chunk") wrong = "another exception came";
    }
    if (std::uncaught_exceptions() != 0) wrong = "an exception that was caught counts as uncaught";
  }
}

void errors_of_pure() {
  for (int i = 0; i < 5; ++i) {
    try {
      const pure::environment again;
      wrong = "a rank has begun twice";
    } catch (const std::exception&) {
    }
    if (std::uncaught_exceptions() != 0) wrong = "an error of Pure that was caught counts as uncaught";
  }
}

}  // namespace

int main() {
  helpers();
  errors_of_pure();
  exceptions();
  std::puts(wrong == nullptr ? "right" : wrong);
  return wrong == nullptr ? 0 : 1;
}
