#include "start/thread_starter.hpp"

#include <fmt/core.h>
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

thread_starter::thread_starter(job& running, std::size_t stack, const topology& machine)
    : running_(running), machine_(machine), stack_(stack) {
  pthread_attr_init(&attributes_);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (pthread_attr_setstacksize(&attributes_, (stack + page - 1) / page * page) != 0) {
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
  bind_next_to(place.cpus);
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
        fmt::format("{}, one of {}, could not be started: {}; lower the number of ranks, or PURE_STACK_BYTES",
                    running_.name_of(*thread.self), counted(static_cast<std::uint64_t>(running_.workers()), "thread"),
                    std::generic_category().message(error)));
  }
  thread.is_started = true;
}

}  // namespace pure::core
