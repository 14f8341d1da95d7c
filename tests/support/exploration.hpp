// Runs a small program of a few threads in every order of its steps, on the lock-free code itself: the code takes its
// atomics as a parameter, and a test gives it those of this file.
//
// A step is one access to an atomic, or one of a parked_thread. Threads are fibers of one thread, which change only at
// steps; explore() goes depth first through all choices: which thread is next, and which of the values that the C++
// memory model allows a load takes (also those of another thread's release that the reader has not acquired, in the
// manner of CDSChecker: Norris and Demsky, OOPSLA 2013). Orders of data that is no atomic are checked by vector clocks:
// `checked` is such data. What bounds the search: switches away from a thread that could go on (`preemptions`:
// Musuvathi and Qadeer, PLDI 2007), and loads that take another value than the last (`stale_loads`).
//
// Modelled: relaxed, acquire, release and acq_rel, release sequences, coherence, compare_exchange_weak that fails for
// no reason (once), a fence that all threads pass (membarrier(2)). Not: seq_cst, other fences, consume. Steps are never
// reordered within a thread beyond what stale loads show.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace test_support::interleavings {

constexpr int most_threads = 4;

struct limits {
  int preemptions = 2;
  int stale_loads = 1;
  std::uint64_t most_executions = 1'000'000;
};

struct verdict {
  std::uint64_t executions = 0;
  std::string failure;      ///< of the first execution that is wrong; empty: none is
  bool is_complete = true;  ///< false: there are more than most_executions
};

/// One execution of the threads. Made anew for each.
class program {
 public:
  program() = default;
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  virtual ~program() = default;
  virtual void run(int thread) = 0;
  /// When all threads have ended.
  virtual void at_end() {}
};

/// When each thread has come how far: entry i counts the stores of thread i.
class vector_clock {
 public:
  [[nodiscard]] std::uint32_t operator[](int thread) const { return of_[static_cast<std::size_t>(thread)]; }
  void tick(int thread) { ++of_[static_cast<std::size_t>(thread)]; }
  void join(const vector_clock& other) {
    for (std::size_t i = 0; i < of_.size(); ++i) of_[i] = std::max(of_[i], other.of_[i]);
  }
  [[nodiscard]] bool covers(const vector_clock& other) const {
    for (std::size_t i = 0; i < of_.size(); ++i) {
      if (of_[i] < other.of_[i]) return false;
    }
    return true;
  }

 private:
  std::array<std::uint32_t, most_threads> of_{};
};

class exploration {
 public:
  using make_program = std::function<std::unique_ptr<program>()>;

  exploration(const limits& its, int threads, make_program make)
      : limits_(its), threads_(static_cast<std::size_t>(threads)), make_(std::move(make)) {
    if (threads < 1 || threads > most_threads) throw std::length_error("1 to 4 threads can be explored");
  }

  verdict run() {
    verdict found;
    do {
      if (found.executions == limits_.most_executions) {
        found.is_complete = false;
        break;
      }
      ++found.executions;
      execute();
      if (failure_.empty()) continue;
      found.failure = failure_ + "\n  in execution " + std::to_string(found.executions) + ", by the steps of threads" +
                      steps_;
      break;
    } while (next_path());
    return found;
  }

  static exploration& now() { return *running; }

  // ---- for threads ----

  [[nodiscard]] int self() const { return static_cast<int>(self_); }
  vector_clock& clock() { return threads_[self_].clock; }

  /// Before an access: others may be first.
  void step() {
    if (is_in_thread_) swapcontext(&threads_[self_].context, &scheduler_);
  }
  /// Until that is true; nothing else runs in the thread meanwhile.
  void wait_until(std::function<bool()> condition) {
    threads_[self_].condition = std::move(condition);
    step();
  }
  /// One of 0 to `count` - 1; each is tried.
  std::size_t choose(std::size_t count) {
    if (count == 1) return 0;
    if (depth_ == path_.size()) path_.push_back({0, count});
    return path_[depth_++].taken;
  }
  /// The same for how far back a load looks. 0 once all stale loads are used up.
  std::size_t choose_age(std::size_t count) {
    if (stale_loads_left_ == 0) return 0;
    const std::size_t age = choose(count);
    if (age > 0) --stale_loads_left_;
    return age;
  }
  [[nodiscard]] bool fails_for_no_reason() {
    if (has_failed_for_no_reason_ || choose(2) == 0) return false;
    return has_failed_for_no_reason_ = true;
  }
  void require(bool is_true, const char* what) {
    if (is_true) return;
    if (failure_.empty()) failure_ = what;
    if (is_in_thread_) {
      step();  // and never again here
      std::abort();
    }
  }

  /// All threads pass a fence, asked for by one: what any of them has stored before, all of them see afterwards.
  void fence_of_all() {
    step();
    for (std::size_t location = 0; location < locations_; ++location) {
      std::size_t newest = 0;
      for (thread& each : threads_) newest = std::max(newest, seen_by(each, location));
      for (thread& each : threads_) seen_by(each, location) = newest;
    }
  }

  /// Atomics of this execution: the number of a new one.
  std::size_t new_location() { return locations_++; }
  /// Up to which store of it the thread has seen it.
  std::size_t& seen(std::size_t location) { return seen_by(threads_[self_], location); }

 private:
  static constexpr std::size_t stack_bytes = std::size_t{64} * 1024;
  static constexpr int most_steps = 2000;

  struct choice {
    std::size_t taken, count;
  };
  struct thread {
    ucontext_t context{};
    std::unique_ptr<std::byte[]> stack = std::make_unique<std::byte[]>(stack_bytes);
    std::function<bool()> condition;
    bool has_ended = false;
    vector_clock clock;
    std::vector<std::size_t> seen;
  };

  static std::size_t& seen_by(thread& whom, std::size_t location) {
    if (whom.seen.size() <= location) whom.seen.resize(location + 1);
    return whom.seen[location];
  }

  static void enter() {
    exploration& its = now();
    its.program_->run(its.self());
    its.threads_[its.self_].has_ended = true;
    its.step();
  }

  void execute() {
    running = this;
    depth_ = 0;
    failure_.clear();
    steps_.clear();
    locations_ = 0;
    stale_loads_left_ = limits_.stale_loads;
    has_failed_for_no_reason_ = false;
    is_in_thread_ = false;
    self_ = 0;
    for (thread& each : threads_) {
      each.condition = nullptr;
      each.has_ended = false;
      each.clock = {};
      each.seen.clear();
    }
    program_ = make_();  // what it initializes, every thread has seen
    for (std::size_t i = threads_.size(); i-- > 0;) {
      thread& each = threads_[i];
      each.clock = threads_[0].clock;
      each.seen = threads_[0].seen;
      getcontext(&each.context);
      each.context.uc_stack.ss_sp = each.stack.get();
      each.context.uc_stack.ss_size = stack_bytes;
      each.context.uc_link = nullptr;
      makecontext(&each.context, &exploration::enter, 0);
    }
    int preemptions_left = limits_.preemptions;
    std::size_t last = threads_.size();  // none
    for (int steps = 0; failure_.empty(); ++steps) {
      std::vector<std::size_t> ready;
      const bool goes_on = last < threads_.size() && is_ready(last);
      if (goes_on) ready.push_back(last);
      for (std::size_t i = 0; i < threads_.size() && (!goes_on || preemptions_left > 0); ++i) {
        if (i != last && is_ready(i)) ready.push_back(i);
      }
      if (ready.empty()) break;
      if (steps == most_steps) {
        failure_ = "the threads go on for ever";
        break;
      }
      const std::size_t next = ready[choose(ready.size())];
      if (goes_on && next != last) --preemptions_left;
      self_ = last = next;
      threads_[next].condition = nullptr;
      steps_ += " " + std::to_string(next);
      is_in_thread_ = true;
      swapcontext(&scheduler_, &threads_[next].context);
      is_in_thread_ = false;
    }
    for (const thread& each : threads_) {
      if (failure_.empty() && !each.has_ended) failure_ = "a thread waits for ever";
    }
    if (failure_.empty()) {
      for (const thread& each : threads_) threads_[0].clock.join(each.clock);
      self_ = 0;
      program_->at_end();
    }
    program_.reset();
  }
  [[nodiscard]] bool is_ready(std::size_t index) {
    const thread& its = threads_[index];
    return !its.has_ended && (!its.condition || its.condition());
  }
  /// The next one, depth first; false if there is none.
  bool next_path() {
    path_.resize(depth_);
    while (!path_.empty() && path_.back().taken + 1 == path_.back().count) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    return true;
  }

  static inline exploration* running = nullptr;

  const limits limits_;
  std::vector<thread> threads_;
  const make_program make_;
  std::unique_ptr<program> program_;
  ucontext_t scheduler_{};
  std::size_t self_ = 0;
  bool is_in_thread_ = false;
  std::vector<choice> path_;
  std::size_t depth_ = 0;
  std::size_t locations_ = 0;
  int stale_loads_left_ = 0;
  bool has_failed_for_no_reason_ = false;
  std::string failure_, steps_;
};

template <class Program>
verdict explore(const limits& its, int threads) {
  return exploration(its, threads, [] { return std::make_unique<Program>(); }).run();
}

inline void require(bool is_true, const char* what) { exploration::now().require(is_true, what); }
/// Something that the code may do or leave: both are tried.
inline bool may() { return exploration::now().choose(2) == 1; }

}  // namespace test_support::interleavings
