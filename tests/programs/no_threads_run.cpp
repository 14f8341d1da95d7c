// For tests/errors/no_threads.sh: the same as no_threads.cpp for pure::run, which throws, and works again when there
// are threads. no_threads_run N: the Nth thread cannot be had, once.
#include <pure/pure.hpp>

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

std::atomic<int> until_refused{0};

constexpr auto job = [](pure::comm world) {
  for (int round = 0; round < 1000; ++round) world.barrier();
};

}  // namespace

extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                                     const pthread_attr_t* attributes,
                                                                     void* (*start)(void*), void* argument) {
  using create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real = reinterpret_cast<create>(dlsym(RTLD_NEXT, "pthread_create"));
  return --until_refused == 0 ? EAGAIN : real(thread, attributes, start, argument);
}

// A thread that was never started is nobody to wait for, though libc may let it pass.
extern "C" __attribute__((visibility("default"))) int pthread_join(pthread_t thread, void** result) {
  using join = int (*)(pthread_t, void**);
  static const auto real = reinterpret_cast<join>(dlsym(RTLD_NEXT, "pthread_join"));
  if (thread == pthread_t{}) {
    std::puts("joined: a thread that was never started");
    std::abort();
  }
  return real(thread, result);
}

int main(int argc, char** argv) {
  until_refused = argc > 1 ? std::atoi(argv[1]) : 0;
  bool has_thrown = false;
  try {
    pure::run(3, job);
  } catch (const pure::Error& error) {
    has_thrown = std::string_view(error.what()).find("could not be started") != std::string_view::npos;
    std::puts(error.what());
  }
  pure::run(3, job);  // as if nothing had been
  return has_thrown ? 0 : 1;
}
