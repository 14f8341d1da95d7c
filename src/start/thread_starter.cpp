#include "start/thread_starter.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <limits.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <span>
#include <system_error>
#include <utility>

#include <pure/error.hpp>

#include "base/say.hpp"
#include "base/text.hpp"
#include "start/thread_binding.hpp"

namespace pure::core {

std::size_t stack_bytes_of(const settings& values) {
  if (values.stack_bytes != 0) return values.stack_bytes;
  constexpr std::size_t unlimited = 256U << 20;  // what "unlimited" gets: threads must reserve something
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  return std::max<std::size_t>(limit.rlim_cur, 256 * 1024);
}

namespace {

/// What the thread-local variables of a program, and of libraries that want theirs beside these, take of each stack.
std::size_t thread_local_bytes() noexcept {
  using function = std::size_t (*)(const pthread_attr_t*);
  const auto least = reinterpret_cast<function>(dlsym(RTLD_DEFAULT, "__pthread_get_minstack"));  // glibc's, since 2.15
  if (least == nullptr) return 0;
  pthread_attr_t usual;
  pthread_attr_init(&usual);
  const std::size_t all = least(&usual), of_libc = static_cast<std::size_t>(PTHREAD_STACK_MIN);
  pthread_attr_destroy(&usual);
  return all > of_libc ? all - of_libc : 0;
}

}  // namespace

thread_starter::thread_starter(job& running, std::size_t stack, const topology& machine)
    : running_(running), machine_(machine), stack_(stack + thread_local_bytes()) {
  pthread_attr_init(&attributes_);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const bool is_enough = stack >= static_cast<std::size_t>(PTHREAD_STACK_MIN);
  if (!is_enough || pthread_attr_setstacksize(&attributes_, (stack_ + page - 1) / page * page) != 0) {
    pthread_attr_destroy(&attributes_);
    throw Error(errc::argument, fmt::format("a rank's stack cannot have {} bytes (PURE_STACK_BYTES)", stack));
  }
}

/// No cpus means wherever the process may run.
void thread_starter::bind_next_to(const std::vector<int>& cpus) {
  const std::span<const int> chosen = cpus.empty() ? machine_.allowed_cpus() : std::span<const int>(cpus);
  const cpu_mask mask(chosen);
  pthread_attr_setaffinity_np(&attributes_, mask.bytes(), static_cast<const cpu_set_t*>(mask.data()));
}

void thread_starter::start(rank_thread& thread, rank_context& worker, const std::function<int(rank_context&)>& body,
                           const rank_place& place) {
  thread.self = &worker;
  thread.body = &body;
  // Who cannot give a rank's new threads its share gives it to all of its threads.
  const bool is_bound_to_own = are_new_threads_seen() || place.share.empty();
  bind_next_to(is_bound_to_own ? place.cpus : place.share);
  thread.place = is_bound_to_own ? &place : nullptr;
  if (running_.pages() != nullptr) {
    const mapped_block& memory = stacks_.emplace_back(running_.pages()->map(stack_, "a stack"));
    pthread_attr_setstack(&attributes_, memory.data(), memory.bytes());
  }
  const auto main = running_.is_helper(*thread.self) ? helper_main : rank_main;
  int error = pthread_create(&thread.handle, &attributes_, main, &thread);
  if (error != 0 && error != EAGAIN && error != ENOMEM) {  // the system binds no threads, in a sandbox for instance
    const cpu_set_t none{};
    pthread_attr_setaffinity_np(&attributes_, 0, &none);  // of 0 bytes: wherever
    const int unbound = pthread_create(&thread.handle, &attributes_, main, &thread);
    if (unbound == 0 && !std::exchange(has_said_unbound_, true)) {
      say("pure: warning: ranks are bound to no cores, since the system refuses it (sched_setaffinity: {})\n",
          std::generic_category().message(error));
    }
    error = unbound;
  }
  if (error != 0) {
    throw Error(
        errc::other,
        fmt::format("{}, one of {}, could not be started: {}{}; lower the number of ranks, or PURE_STACK_BYTES",
                    running_.name_of(*thread.self), counted(static_cast<std::uint64_t>(running_.workers()), "thread"),
                    std::generic_category().message(error),
                    error == EAGAIN ? " (threads: ulimit -u; or memory for its stack: ulimit -v)" : ""));
  }
  thread.is_started = true;
}

}  // namespace pure::core
