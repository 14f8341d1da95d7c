// PHOLD, the usual load of discrete-event simulators, and the ways to do it (phold.cpp, phold_late.cpp). Checked: the
// events that are executed are those that were made, by number and by what is in them; and rounds are in order.
#pragma once

#include <queue>
#include <random>

#include "items.hpp"

namespace bench::phold {

inline constexpr std::uint64_t objects = 200, events_of_object = 16;
inline constexpr double end_of_time = 5, lookahead = 0.1;

struct event {
  double time;
  std::uint64_t object;
};
struct later {
  bool operator()(const event& a, const event& b) const { return a.time > b.time; }
};

class simulator {
 public:
  void start() {
    known_ = {};
    made_ = executed_ = late_ = marks_made_ = marks_executed_ = 0;
    std::fill(time_of_.begin(), time_of_.end(), 0);
    random_.seed(mix(static_cast<std::uint64_t>(rank())));
    for (std::uint64_t i = 0; i < events_of_object * objects; ++i) {
      const event first{delay_(random_), i % objects};
      known_.push(first);
      ++made_;
      marks_made_ += mark(first, me_);
    }
  }
  void schedule(const event& each) { known_.push(each); }
  /// The earliest event before `limit`; `send(event, rank)` for the one that it makes. False: there is none.
  template <class Send>
  bool execute(double limit, Send send) {
    if (known_.empty() || known_.top().time >= limit) return false;
    const event each = known_.top();
    known_.pop();
    ++executed_;
    double& time = time_of_[each.object];
    if (each.time < time) ++late_;
    time = std::max(time, each.time);
    marks_executed_ += mark(each, me_);
    const double next = each.time + lookahead + delay_(random_);
    if (next >= end_of_time) return true;
    ++made_;
    const event made{next, random_() % objects};
    const auto dest = static_cast<int>(random_() % static_cast<unsigned>(size()));
    marks_made_ += mark(made, dest);
    send(made, dest);
    return true;
  }
  double made() const { return made_; }
  double executed() const { return executed_; }
  /// Events before which their object has executed a later one.
  double late() const { return late_; }
  /// Sums of small numbers that each event has got from its time, object and rank: whole, so that they are exact.
  double marks_made() const { return marks_made_; }
  double marks_executed() const { return marks_executed_; }

 private:
  std::priority_queue<event, std::vector<event>, later> known_;
  std::mt19937_64 random_;
  std::exponential_distribution<double> delay_{1.0};
  static double mark(const event& of, int rank) {
    std::uint64_t bits;
    std::memcpy(&bits, &of.time, sizeof bits);
    return static_cast<double>(mix(bits ^ mix(of.object << 8 | static_cast<std::uint64_t>(rank))) >> 44);
  }

  const int me_ = rank();
  std::vector<double> time_of_ = std::vector<double>(objects);  // of the last event of each object
  double made_ = 0, executed_ = 0, late_ = 0, marks_made_ = 0, marks_executed_ = 0;
};

template <class Way>
struct simulations {
  simulator& of;
  Way way;
  double events = 0, late = 0;  // of all ranks, in the last batch

  /// The time is that of the simulations alone.
  double operator()(long n) {
    double seconds = events = late = 0;
    for (long i = 0; i < n; ++i) {
      of.start();
      barrier();
      const double start = now();
      way.simulate();
      seconds += now() - start;
      while (of.execute(1e9, [](const event&, int) {})) {  // what is at the end of time or later
      }
      verify();
    }
    return seconds;
  }

 private:
  void verify() {
    const double made = sum(of.made()), marks = sum(of.marks_made());
    const double done = sum(of.marks_executed());
    const double executed = sum(of.executed()), out_of_order = sum(of.late());
    check(made == executed, "events", 0, static_cast<long>(made), static_cast<long>(executed));
    check(marks == done, "what is in events", 0, static_cast<long>(marks), static_cast<long>(done));
    if (Way::is_in_order) check(out_of_order == 0, "events out of order", 0, 0, static_cast<long>(out_of_order));
    events += executed;
    late += out_of_order;
  }
};

struct by_all_to_all {
  static constexpr bool is_in_order = true;

  simulator& of;
  exchange<event> items = {};

  void simulate() {
    for (int round = 1; (round - 1) * lookahead < end_of_time; ++round) {
      while (of.execute(round * lookahead, [this](const event& each, int dest) { items.add(each, dest); })) {
      }
      for (const event& each : items.run()) of.schedule(each);
    }
  }
};

#if defined(BENCH_PURE)
class by_aggregation {
 public:
  static constexpr bool is_in_order = false;

  by_aggregation(simulator& of, pure::comm& world, pure::scheme how)
      : of_(of), items_(std::make_unique<pure::aggregation>(world, pure::aggregation_options{.how = how})) {
    schedule_ = items_->on<event>([all = &of](const event& each) { all->schedule(each); });
  }
  void simulate() {
    items_->finish_with([this] {
      for (int i = 0; i < 32; ++i) {
        if (!of_.execute(end_of_time, [this](const event& each, int dest) { schedule_->send(each, dest); }))
          return i > 0;
      }
      return true;
    });
  }

 private:
  simulator& of_;
  std::unique_ptr<pure::aggregation> items_;
  std::optional<pure::channel<event>> schedule_;
};
#endif

/// Each way in turn. `value(seconds, simulations)`: of a batch.
template <class Value>
void measure_all(session& on, const job& job, Value value) {
  simulator of;
  const auto measure = [&](const char* name, auto way) {
    simulations<decltype(way)> body{of, std::move(way)};
    on.measure(name, 0, body, [&](double seconds, long) { return value(seconds, body); });
  };
  on.in_turn([&] {
#if defined(BENCH_PURE)
    for (const named_scheme& each : all_schemes) measure(each.name, by_aggregation(of, job.world, each.how));
#else
    static_cast<void>(job);
    for (const char* const name : {"WW", "WPs", "WsP", "PP", "automatic"}) measure(name, by_all_to_all{of});
#endif
    measure("by all-to-all", by_all_to_all{of});
  });
}

}  // namespace bench::phold
