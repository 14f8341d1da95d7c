#include "runtime/cut_off_job.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/core.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <typeinfo>
#include <vector>

#include "base/libc.hpp"
#include "base/signal_safe_text.hpp"
#include "runtime/forked_child.hpp"
#include "runtime/job.hpp"
#include "runtime/launcher_link.hpp"

namespace pure::core {

namespace {

std::mutex registering;  // guards the list; who ends a job keeps it, and with it the job
std::vector<job*>& jobs_running = *new std::vector<job*>;  // never destroyed: looked at by at_last()

// For signal handlers. relaxed, all: a handler that misses ranks which are just starting, or ending, calls libc's
// _exit.
std::atomic<int> jobs_count{0};
std::atomic<const settings*> settings_of_last{nullptr};

std::atomic<const char*> end_of_ranks{nullptr};

std::atomic_flag is_ending = ATOMIC_FLAG_INIT;
thread_local bool is_by_order = false;

/// Of may_end_at_exit(); never destroyed with the process. By the thread that is the rank.
const std::string* text_of_leaving = nullptr;
bool is_last_awaited = false;  // exit() runs handlers that are older than the ranks, and may bring their end

/// Ends the job of the caller, whose lock on `registering` keeps it.
[[noreturn]] void end_running_job(const std::string& text, int status) {
  job& cut_off = *jobs_running.front();
  if (cut_off.action() == failure_action::end_process) cut_off.fail(text, status);
  end_process(text, nonzero_status(status));
}

/// After the handlers that came later than the ranks: by libc's own exit, where libpure does not stand in front of it,
/// or where those might have brought the end of the rank, and older ones still may.
void at_exit(int status, void*) {
  if (!would_cut_off_ranks()) return;
  is_last_awaited = text_of_leaving != nullptr;
  if (is_last_awaited) return;
  end_cut_off_job(fmt::format("{} called exit({})", name_of_this_thread(), status), status);
}

/// After all handlers of the program, and the destructors of its static objects.
__attribute__((destructor)) void at_last() {
  if (!is_last_awaited || !would_cut_off_ranks()) return;
  const std::lock_guard lock(registering);
  if (!jobs_running.empty()) end_running_job(*text_of_leaving, 0);
}

// The library may have a runtime of C++ of its own beside the program's (src/own_runtimes): each ends the process for
// what nobody may catch there.
struct cxx_runtime {
  decltype(std::set_terminate)* set_terminate;
  decltype(abi::__cxa_current_exception_type)* type_of_current;
  std::terminate_handler others_handler;
};
cxx_runtime own_runtime{std::set_terminate, abi::__cxa_current_exception_type, nullptr};
cxx_runtime runtime_of_program{std::set_terminate, abi::__cxa_current_exception_type,
                               nullptr};  // by hear_of_terminate()

/// An exception that nobody may catch: where it is for lack of memory, what has happened is known.
[[noreturn]] void terminate_in(const cxx_runtime& where) {
  if (const std::type_info* const type = where.type_of_current(); type != nullptr && would_cut_off_ranks()) {
    if (*type == typeid(std::bad_alloc) || *type == typeid(std::bad_array_new_length))
      end_cut_off_job(name_of_this_thread() + ": out of memory (std::bad_alloc), where nothing may be thrown,", 1);
  }
  where.others_handler();
  std::abort();
}
[[noreturn]] void on_terminate() { terminate_in(runtime_of_program); }
[[noreturn]] void on_terminate_here() { terminate_in(own_runtime); }

void hear_of_terminate() noexcept {
  void* const set = dlsym(RTLD_DEFAULT, "_ZSt13set_terminatePFvvE");
  void* const type = dlsym(RTLD_DEFAULT, "__cxa_current_exception_type");
  if (set != nullptr && type != nullptr) {
    runtime_of_program.set_terminate = reinterpret_cast<decltype(std::set_terminate)*>(set);
    runtime_of_program.type_of_current = reinterpret_cast<decltype(abi::__cxa_current_exception_type)*>(type);
  }
  own_runtime.others_handler = std::set_terminate(on_terminate_here);
  const std::terminate_handler before = runtime_of_program.set_terminate(on_terminate);
  runtime_of_program.others_handler = before == on_terminate_here ? own_runtime.others_handler : before;
}

void sleep_ms(long ms) noexcept {
  const timespec time{.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1'000'000};
  nanosleep(&time, nullptr);
}

}  // namespace

/// A thread of a child has the memory of its parent, but no ranks beside it.
bool would_cut_off_ranks() noexcept {
  return jobs_count.load(std::memory_order_relaxed) > 0 && !is_forked_child() && !is_by_order;
}

std::string name_of_this_thread() {
  const rank_context* const rank = is_guest() ? nullptr : rank_of_thread();
  return rank != nullptr ? rank->owner().name_of(*rank) : "a thread that is no rank";
}

void ranks_end_by(const char* what) noexcept { end_of_ranks.store(what, std::memory_order_relaxed); }

const char* missing_end(int status) noexcept {
  const char* const what = end_of_ranks.load(std::memory_order_relaxed);
  return what != nullptr && status == 0 ? what : "";
}

bool may_end_at_exit(const std::string& text, int status) {
  if (*missing_end(status) == '\0' || rank_of_thread() == nullptr || rank_in_chunk() != nullptr) return false;
  text_of_leaving = new std::string(text + missing_end(status));
  return true;
}

bool is_in_handlers_of_exit() noexcept { return is_last_awaited; }

ranks_running::ranks_running(job& of) : of_(of) {
  const std::lock_guard lock(registering);
  static const bool is_heard_of = [] {
    hear_of_terminate();
    return on_exit(at_exit, nullptr) == 0;
  }();
  (void)is_heard_of;
  jobs_running.push_back(&of);
  settings_of_last.store(&of.values(), std::memory_order_relaxed);
  jobs_count.fetch_add(1, std::memory_order_relaxed);
}

ranks_running::~ranks_running() {
  const std::lock_guard lock(registering);
  jobs_count.fetch_sub(1, std::memory_order_relaxed);
  std::erase(jobs_running, &of_);
  settings_of_last.store(jobs_running.empty() ? nullptr : &jobs_running.back()->values(), std::memory_order_relaxed);
}

void jobs_were_left_behind() noexcept {
  new (&registering) std::mutex;          // whoever has it is not there
  new (&jobs_running) std::vector<job*>;  // who was changing it, neither; the old one's memory stays
  settings_of_last.store(nullptr, std::memory_order_relaxed);  // relaxed: there is no other thread
  jobs_count.store(0, std::memory_order_relaxed);
  end_of_ranks.store(nullptr, std::memory_order_relaxed);
  is_ending.clear(std::memory_order_relaxed);
}

void end_cut_off_job(const std::string& cause, int status) {
  if (!would_cut_off_ranks()) return;
  const std::lock_guard lock(registering);
  if (jobs_running.empty()) return;
  end_running_job(cause + " while ranks were running" + missing_end(status), status);
}

void end_cut_off_job_at_once(const char* function, int status) noexcept {
  if (!would_cut_off_ranks()) return;
  constexpr long longest_end_ms = 3000;
  if (is_first_to_end_process()) {
    signal_safe_text text;
    const rank_context* const rank = is_guest() ? nullptr : rank_of_thread();
    const bool is_helper = rank != nullptr && rank->owner().is_helper(*rank);
    if (rank == nullptr) {
      text << "pure: a thread that is no rank";
    } else {
      text << (is_helper ? "pure: helper " : "pure: rank ") << rank->number() - (is_helper ? rank->owner().size() : 0);
    }
    text << " called " << function << "(" << status << ")";
    if (rank_in_chunk() != nullptr && !rank_in_chunk()->is_outside) text << " inside a chunk of a task";
    if (rank == nullptr) text << " while ranks were running";
    text << missing_end(status) << "\n";
    const settings* const values = settings_of_last.load(std::memory_order_relaxed);
    // Ranks that are processes often leave together, by the same line: the first one's cause is the job's.
    if (values == nullptr || tell_launcher_failed(*values)) text.say();
    // The launcher ends the other processes when it hears of this one's status; until then it has to read the text.
    if (values != nullptr) tell_launcher_aborted(*values, nonzero_status(status));
    sleep_ms(100);
  } else {
    sleep_ms(longest_end_ms);  // the process ends meanwhile, for the cause that has been printed
  }
  libc::exit_now(nonzero_status(status));
}

// relaxed: no other memory depends on it
bool is_first_to_end_process() noexcept { return !is_ending.test_and_set(std::memory_order_relaxed); }

bool ends_process_by_order() noexcept { return is_by_order; }
void end_process_by_order() noexcept { is_by_order = true; }

}  // namespace pure::core
