// Makes the threads of a job's ranks and helpers, each bound to its place, and has their stacks.
//
// One thread. The stacks are there as long as it lives.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "machine/huge_pages.hpp"
#include "machine/mapping.hpp"
#include "machine/topology.hpp"
#include "runtime/job.hpp"
#include "start/rank_thread.hpp"

namespace pure::core {

/// Of the stack of each thread: PURE_STACK_BYTES, or what the main thread may have.
std::size_t stack_bytes_of(const settings& values);

class thread_starter {
 public:
  /// Throws pure::Error: there can be no such stack.
  thread_starter(job& running, std::size_t stack, const topology& machine);
  thread_starter(const thread_starter&) = delete;
  thread_starter& operator=(const thread_starter&) = delete;
  ~thread_starter() { pthread_attr_destroy(&attributes_); }

  /// `body`: a rank's; it and the place outlive the thread. Throws pure::Error, std::bad_alloc.
  void start(rank_thread& thread, rank_context& worker, const std::function<int(rank_context&)>& body,
             const rank_place& place);

 private:
  void bind_next_to(const std::vector<int>& cpus);

  job& running_;
  const topology& machine_;
  const std::size_t stack_;
  pthread_attr_t attributes_{};
  std::vector<mapped_block> stacks_;
  bool has_said_unbound_ = false;
};

}  // namespace pure::core
