#include "hang/crash.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <string>
#include <string_view>

#include "base/output.hpp"
#include "base/signal_safe_text.hpp"
#include "hang/globals_hint.hpp"
#include "hang/interrupted_at.hpp"
#include "hang/program_file.hpp"
#include "hang/stack_text.hpp"
#include "machine/memory_pages.hpp"
#include "runtime/forked_child.hpp"
#include "runtime/job.hpp"
#include "runtime/launcher_link.hpp"

namespace pure::core {

namespace {

struct fatal_signal {
  int number;
  const char* name;
  const char* meaning;
};
constexpr std::array fatal_signals{
    fatal_signal{SIGSEGV, "SIGSEGV", "an invalid memory access"},
    fatal_signal{SIGBUS, "SIGBUS", "an access to memory that is not there"},
    fatal_signal{SIGFPE, "SIGFPE", "an integer division by zero, or a trapped floating-point exception"},
    fatal_signal{SIGILL, "SIGILL", "an illegal instruction"},
    fatal_signal{SIGABRT, "SIGABRT", "abort() was called, or an assertion failed"},
};

std::atomic_flag reported = ATOMIC_FLAG_INIT;
std::atomic<const rank_context*> reporting{nullptr};  // relaxed: matters to the thread that has written it only

void describe(signal_safe_text& text, const fatal_signal& signal, const siginfo_t& info) {
  if (signal.number != SIGABRT && info.si_code <= 0) {  // SI_USER, SI_QUEUE, SI_TKILL: nothing is wrong with memory
    text << " got " << signal.name << ", which ";
    if (info.si_pid == getpid())
      text << "its own process has sent";
    else
      text << "process " << info.si_pid << " has sent";
    return;
  }
  text << " crashed: " << signal.name << ", " << signal.meaning;
  if (signal.number == SIGABRT) return;
  text << ", at address " << signal_safe_text::hexadecimal{reinterpret_cast<std::uintptr_t>(info.si_addr)};
}

// ---- what may come to no end ---------------------------------------------------------------------------------------

std::atomic<int> passed_on{0};  // the signal; relaxed: matters to who has written it

void unblock(int number) noexcept {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

/// A library's handler that allocates may wait for ever for a lock that the crashed rank holds, and this one for the
/// dynamic linker's, if that is held by a thread which does.
void end_if_stuck(int) {
  const int number = passed_on.load(std::memory_order_relaxed);
  std::signal(number, SIG_DFL);
  unblock(number);
  raise(number);
}

void limit_time(int number) noexcept {
  constexpr unsigned limit_s = 5;
  passed_on.store(number, std::memory_order_relaxed);
  std::signal(SIGALRM, end_if_stuck);
  unblock(SIGALRM);
  alarm(limit_s);
}

// ---- the stack -----------------------------------------------------------------------------------------------------

// Names and lines take memory and locks, which a handler may not take: the thread that waits for the ranks makes them,
// while the crashed one waits for it. That one may not come, for the crash may be inside of the allocator: then the
// handler prints what it can. It may also take long, for the programs' debug information is large, and others may have
// the cores: so its processor time tells whether it is stuck, and no clock.

enum class stage : int { none, asked, told, given_up };
std::atomic<stage> stack_stage{stage::none};
std::array<void*, 64> crash_frames{};
std::size_t crash_depth = 0;
int told_event = -1;

constexpr clockid_t no_clock = 0;
/// Of the thread that makes them, its processor time. Relaxed: a number, no more.
std::atomic<clockid_t> clock_of_teller{no_clock};

/// -1: it has not begun.
std::int64_t time_of_teller_ns() noexcept {
  timespec used{};
  const clockid_t clock = clock_of_teller.load(std::memory_order_relaxed);
  if (clock == no_clock || clock_gettime(clock, &used) != 0) return -1;
  return used.tv_sec * std::int64_t{1'000'000'000} + used.tv_nsec;
}

/// Gives up when the teller has done nothing for 5 s, or more than enough. Other signals, as that of stack_traces.cpp,
/// do not end it.
void wait_until_told() noexcept {
  constexpr timespec between_looks{.tv_sec = 1, .tv_nsec = 0};
  constexpr int most_looks_in_vain = 5, most_looks = 120;
  constexpr std::int64_t enough_ns = 20'000'000'000;
  pollfd told{told_event, POLLIN, 0};
  sigset_t all;
  sigfillset(&all);
  std::int64_t first_ns = -1, last_ns = -1;
  for (int looks = 0, in_vain = 0; looks < most_looks && in_vain < most_looks_in_vain; ++looks) {
    if (ppoll(&told, 1, &between_looks, &all) > 0) return;
    const std::int64_t now_ns = time_of_teller_ns();
    in_vain = now_ns > last_ns ? 0 : in_vain + 1;
    if (first_ns < 0) first_ns = now_ns;
    if (now_ns - first_ns > enough_ns) return;
    last_ns = now_ns;
  }
}

void print_stack(const rank_context& self, int signal, void* context) {
  const int depth = backtrace(crash_frames.data(), static_cast<int>(crash_frames.size()));
  void** const end = crash_frames.data() + std::max(depth, 0);
  void** first = std::find(crash_frames.data(), end, interrupted_at(context));
  if (first == end) first = crash_frames.data();  // a sanitizer's, which called this handler later
  crash_depth = static_cast<std::size_t>(std::copy(first, end, crash_frames.data()) - crash_frames.data());
  if (told_event >= 0 && !self.owner().ending()) {
    stack_stage.store(stage::asked, std::memory_order_release);  // release: the frames; pairs with explain_crash()
    self.owner().worker_has_crashed();
    wait_until_told();
    stage expected = stage::asked;
    if (!stack_stage.compare_exchange_strong(expected, stage::given_up, std::memory_order_relaxed)) {
      wait_until_told();  // it is being said at this moment
      return;
    }
  }
  limit_time(signal);
  backtrace_symbols_fd(crash_frames.data(), static_cast<int>(crash_depth), STDERR_FILENO);
}

/// A large array ends far below the stack, where nothing is. (Programs may have other stacks, which are there.)
bool is_out_of_stack(const rank_context& self, void* context) noexcept {
  const std::uintptr_t top = interrupted_stack(context);
  if (top == 0 || top >= self.thread().stack_low) return false;
  unsigned char is_resident = 0;
  const std::uintptr_t page = page_bytes();
  return mincore(reinterpret_cast<void*>(top / page * page), 1, &is_resident) != 0 && errno == ENOMEM;
}

void report(const rank_context& self, const fatal_signal& signal, const siginfo_t& info, void* context) {
  signal_safe_text text;
  const bool is_helper = self.owner().is_helper(self);
  text << (is_helper ? "pure: helper " : "pure: rank ") << self.number() - (is_helper ? self.owner().size() : 0);
  if (is_guest()) text << ", in another thread of the program,";
  describe(text, signal, info);
  if (signal.number != SIGABRT && info.si_code > 0) {
    const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
    const std::uintptr_t guard = self.thread().stack_low;
    constexpr std::uintptr_t near = 64 * 1024;
    const bool is_at_guard = address + near > guard && address < guard + near;
    if (signal.number == SIGSEGV && (is_at_guard || is_out_of_stack(self, context))) {
      text << "\n  its stack of " << self.thread().stack_bytes
           << " bytes is full: raise PURE_STACK_BYTES (or ulimit -s)";
    }
  }
  if (const char* const path = signal.number == SIGABRT ? nullptr : changed_program_file(); path != nullptr) {
    text << "\n  " << path << " has been written to since the program began, and its code is that of the file:\n"
         << "  start it again, and put a new file in the place of the old one (mv) while it runs";
  }
  text << "\n";
  text.say();
  const no_output_signals quiet;
  print_stack(self, signal.number, context);
  if (signal.number != SIGABRT && info.si_code <= 0) return;
  hint_at_globals(
      self, signal.number == SIGSEGV || signal.number == SIGBUS ? reinterpret_cast<std::uintptr_t>(info.si_addr) : 0,
      STDERR_FILENO);
}

/// A forked child is none of the job's processes, and the job goes on.
void report_child(const forking_worker& parent, const fatal_signal& signal, const siginfo_t& info) {
  signal_safe_text text;
  text << "pure: process " << getpid() << ", a forked child of " << (parent.is_helper ? "helper " : "rank ")
       << parent.number << ",";
  describe(text, signal, info);
  text << "\n";
  text.say();
}

struct sigaction action_for(int number) noexcept {
  struct sigaction there {};
  sigaction(number, nullptr, &there);
  return there;
}

bool has_handler(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

bool are_same(const struct sigaction& a, const struct sigaction& b) noexcept {
  return (a.sa_flags & SA_SIGINFO) == (b.sa_flags & SA_SIGINFO) && a.sa_handler == b.sa_handler;
}

bool is_default(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}

/// The handlers of a library that Pure has opened, by place in fatal_signals; all zero: none. Written before ours is
/// there.
std::array<struct sigaction, fatal_signals.size()> of_library{};

/// UCX's, which it installs when it is loaded: with the program, where that is linked with MPICH.
bool is_of_ucx(const struct sigaction& action) noexcept {
  Dl_info from{};
  if (!has_handler(action) || dladdr(reinterpret_cast<void*>(action.sa_sigaction), &from) == 0) return false;
  const std::string_view file = from.dli_fname != nullptr ? from.dli_fname : "";
  return file.substr(file.rfind('/') + 1).starts_with("libucs.so");
}

void pass_on_to_library(int number, siginfo_t* info, void* context) {
  for (std::size_t i = 0; i < fatal_signals.size(); ++i) {
    if (fatal_signals[i].number != number) continue;
    const struct sigaction its = of_library[i];
    if (!has_handler(its)) return;
    limit_time(number);
    if ((its.sa_flags & SA_SIGINFO) != 0)
      its.sa_sigaction(number, info, context);
    else
      its.sa_handler(number);
  }
}

bool (*is_left_over)() = nullptr;  // written before there are ranks

void on_fatal_signal(int number, siginfo_t* info, void* context) {
  if (is_left_over != nullptr && is_left_over()) {
    for (;;) pause();
  }
  const rank_context* const rank = rank_of_thread();
  if (is_forked_child()) {
    const forking_worker parent = who_has_forked();
    for (const fatal_signal& each : fatal_signals) {
      if (each.number == number && parent.is_known) report_child(parent, each, *info);
    }
  } else if (rank != nullptr) {
    const bool is_first = !reported.test_and_set(std::memory_order_relaxed);
    if (!is_first && reporting.load(std::memory_order_relaxed) != rank) {
      for (;;) pause();  // another rank crashed first: its report is the cause, and the process ends with it
    }
    reporting.store(rank, std::memory_order_relaxed);
    // Else the report itself has crashed, or another process has failed before, and said why.
    const bool is_said = is_first && tell_launcher_failed(rank->owner().values());
    for (const fatal_signal& each : fatal_signals) {
      if (is_said && each.number == number) report(*rank, each, *info, context);
    }
  }
  pass_on_to_library(number, info, context);
  std::signal(number, SIG_DFL);
  raise(number);  // delivered when this handler returns; the process dies as without us
}

std::mutex installing;
int users = 0;
std::array<bool, fatal_signals.size()> ours{};

}  // namespace

void explain_crash() noexcept {
  // acquire: the frames; pairs with the release in print_stack()
  if (stack_stage.load(std::memory_order_acquire) != stage::asked) return;
  clockid_t own = no_clock;
  if (pthread_getcpuclockid(pthread_self(), &own) == 0) clock_of_teller.store(own, std::memory_order_relaxed);
  std::string lines;
  try {
    lines = lines_of_crash({crash_frames.data(), crash_depth});
  } catch (...) {  // no memory
    eventfd_write(told_event, 1);
    return;
  }
  stage expected = stage::asked;
  if (!stack_stage.compare_exchange_strong(expected, stage::told, std::memory_order_relaxed)) return;
  say_plain({lines});
  eventfd_write(told_event, 1);
}

void left_over_threads_are_known_by(bool (*is_one)()) noexcept { is_left_over = is_one; }

crash_reports::crash_reports() {
  const std::lock_guard lock(installing);
  if (users++ > 0) return;
  if (told_event < 0) told_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  void* warm_up = nullptr;
  backtrace(&warm_up, 1);  // loads libgcc now: not in a handler
  for (std::size_t i = 0; i < fatal_signals.size(); ++i) {
    const struct sigaction there = action_for(fatal_signals[i].number);
    if (is_of_ucx(there)) of_library[i] = there;
    ours[i] = is_default(there) || (has_handler(of_library[i]) && are_same(there, of_library[i]));
    if (!ours[i]) continue;
    struct sigaction action {};
    action.sa_sigaction = on_fatal_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(fatal_signals[i].number, &action, nullptr);
  }
}

crash_reports::~crash_reports() {
  const std::lock_guard lock(installing);
  if (--users > 0) return;
  for (std::size_t i = 0; i < fatal_signals.size(); ++i) {
    const int number = fatal_signals[i].number;
    // Unless the program has put a handler of its own in its place meanwhile.
    if (ours[i] && action_for(number).sa_sigaction == on_fatal_signal) sigaction(number, &of_library[i], nullptr);
  }
}

library_crash_handlers::library_crash_handlers() noexcept {
  static_assert(signals == fatal_signals.size());
  for (std::size_t i = 0; i < before_.size(); ++i) before_[i] = action_for(fatal_signals[i].number);
}

library_crash_handlers::~library_crash_handlers() {
  const std::lock_guard lock(installing);
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const int number = fatal_signals[i].number;
    const struct sigaction now = action_for(number);
    if (!has_handler(now) || are_same(now, before_[i])) continue;
    if (is_default(before_[i]))
      of_library[i] = now;
    else
      sigaction(number, &before_[i], nullptr);  // the program's own, or a sanitizer's, is not the library's to replace
  }
}

crash_stack::crash_stack(rank_context& self)
    : memory_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {
  if (memory_ == MAP_FAILED) memory_ = nullptr;  // a stack overflow then dies without a word; all else is reported
  if (memory_ != nullptr) {
    stack_t stack{};
    stack.ss_sp = memory_;
    stack.ss_size = bytes;
    sigaltstack(&stack, &before_);
  }
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* low = nullptr;
    pthread_attr_getstack(&attributes, &low, &self.thread().stack_bytes);
    self.thread().stack_low = reinterpret_cast<std::uintptr_t>(low);
    pthread_attr_destroy(&attributes);
  }
}

crash_stack::~crash_stack() {
  if (memory_ == nullptr) return;
  sigaltstack(&before_, nullptr);
  munmap(memory_, bytes);
}

}  // namespace pure::core
