#include "start/rank_thread.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

#include <pure/error.hpp>

#include "base/environment.hpp"
#include "runtime/forked_child.hpp"
#include "runtime/job.hpp"
#include "runtime/thrown.hpp"
#include "start/stack_room.hpp"
#include "start/thread_binding.hpp"
#include "start/worker_on_this_thread.hpp"

namespace pure::core {

namespace {

std::string what_was_thrown(const std::exception_ptr& thrown) {
  const thrown_text what = text_of(thrown);
  switch (what.kind) {
    case thrown_kind::error: return what.text;  // names its call, and mostly its rank
    case thrown_kind::no_memory:
      return "out of memory (std::bad_alloc): the process may have no more, by ulimit -v, a cgroup, or the machine";
    case thrown_kind::standard: return "ended by an exception: " + what.text;
    case thrown_kind::unknown: break;
  }
  return "ended by " + what.text;
}

/// Most errors of Pure do: "send: rank 2 of world: ...", "pure_wait: rank 2: ...". Of what a program says nobody knows.
bool names_rank(const std::string& text, int rank) {
  if (text.starts_with("ended by ")) return false;
  const std::string start = fmt::format(": rank {}", rank);
  return text.find(start + " of ") != std::string::npos || text.find(start + ": ") != std::string::npos;
}

/// As any main would: what is not Pure's is the language's.
[[noreturn]] void end_child_by(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    end_forked_child(error.what(), 1);
  } catch (...) {
    std::terminate();
  }
}

/// Between a thread's first frames and its main; of a small stack, less.
constexpr std::size_t room_bytes = 64 * 1024;

void (*begin_of_helpers)() = nullptr;  // written before there are helpers

/// OpenMP has counted the cpus when it was loaded: all that the process may use. A rank has as many threads as cpus in
/// its share, unless the user says how many. (Where each rank has an OpenMP of its own, that has counted the share.)
void tell_openmp_of(const rank_place& place) noexcept {
  if (place.share.empty() || environment_variable("OMP_NUM_THREADS") != nullptr) return;
  const auto set_threads = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (set_threads != nullptr) set_threads(static_cast<int>(place.share.size()));
}

void run_main(rank_thread& thread) {
  rank_context& self = *thread.self;
  const std::size_t room = std::min(room_bytes, self.thread().stack_bytes / 32);
  try {
    call_below(room, [&] { thread.status = (*thread.body)(self); });
    if (is_forked_child()) std::exit(thread.status);  // as the end of any main
  } catch (const job_ended&) {                        // another rank's failure; it has been reported
  } catch (const abi::__forced_unwind&) {
    if (is_forked_child()) throw;  // pthread_exit by the only thread: the child ends as without us
    // exit.cpp knows those who ask for this by name, but not who gets round it: a cancellation before all have started.
    end_process(fmt::format("rank {}: its thread was ended (pthread_cancel, pthread_exit)", self.number()), 1);
  } catch (...) {
    const std::exception_ptr thrown = std::current_exception();
    if (is_forked_child()) end_child_by(thrown);
    const std::string text = what_was_thrown(thrown);
    self.owner().fail(names_rank(text, self.number()) ? text : fmt::format("rank {}: {}", self.number(), text), 1,
                      thrown);
  }
}

}  // namespace

void* rank_main(void* argument) {
  rank_thread& thread = *static_cast<rank_thread*>(argument);
  rank_context& self = *thread.self;
  std::optional<share_of_rank> share;
  if (thread.place != nullptr) {
    share.emplace(thread.place->cpus, thread.place->share);
    tell_openmp_of(*thread.place);
  }
  rank_on_this_thread here(self, thread_name::of_rank);
  thread.here = &here;
  self.thread().exit_target = &thread;
  if (setjmp(thread.exit_target) == 0) {
    run_main(thread);
    here.end_main(frames_of_main::gone);
  }
  return nullptr;
}

void return_from_rank(rank_context& self, int status) {
  auto& thread = *static_cast<rank_thread*>(self.thread().exit_target);
  thread.status = status;
  thread.here->end_main(frames_of_main::kept);
  std::longjmp(thread.exit_target, 1);
}

// ---- a helper -------------------------------------------------------------------------------------------------------

void helpers_begin_by(void (*begin)()) noexcept { begin_of_helpers = begin; }

void* helper_main(void* argument) {
  if (begin_of_helpers != nullptr) begin_of_helpers();
  rank_context& self = *static_cast<rank_thread*>(argument)->self;
  const worker_on_this_thread here(self, thread_name::of_rank);
  self.owner().help_until_end(self);
  return nullptr;
}

}  // namespace pure::core
