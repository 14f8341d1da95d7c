// PHOLD, the usual load of discrete-event simulators, on two processes of two ranks, by the schemes of an aggregation;
// the time of an event (Chandrasekar and Kale, section IV).
//
// bench: systems=pure, mpi; unit=ns; better=lower; ranks=4; ranks-may-be=even; processes=2; networks=shm
// bench: cases=WW, WPs, WsP, PP, automatic, by all-to-all
//
// 200 objects of a rank with 16 events each at the start; an event makes the next one for a random object of any rank,
// after 0.1 and an exponential time with mean 1, until time 5. By aggregation: a rank executes the earliest events that
// it knows. By all-to-all: rounds of 0.1, in which nobody can make an event for another one; an MPI has that in all
// rows. Checked: the events that are executed are those that were made, by number and by what is in them. Events out of
// order: examples/aggregation/phold.
#include <queue>
#include <random>

#include "items.hpp"

namespace {

constexpr std::uint64_t objects = 200, events_of_object = 16;
constexpr double end_of_time = 5, lookahead = 0.1;

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
    made_ = executed_ = marks_made_ = marks_executed_ = 0;
    random_.seed(bench::mix(static_cast<std::uint64_t>(bench::rank())));
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
    marks_executed_ += mark(each, me_);
    const double next = each.time + lookahead + delay_(random_);
    if (next >= end_of_time) return true;
    ++made_;
    const event made{next, random_() % objects};
    const auto dest = static_cast<int>(random_() % static_cast<unsigned>(bench::size()));
    marks_made_ += mark(made, dest);
    send(made, dest);
    return true;
  }
  double made() const { return made_; }
  double executed() const { return executed_; }
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
    return static_cast<double>(bench::mix(bits ^ bench::mix(of.object << 8 | static_cast<std::uint64_t>(rank))) >> 44);
  }

  const int me_ = bench::rank();
  double made_ = 0, executed_ = 0, marks_made_ = 0, marks_executed_ = 0;
};

template <class Way>
struct simulations {
  simulator& of;
  Way way;
  double events = 0;  // of all ranks, in the last simulation

  /// The time is that of the simulations alone.
  double operator()(long n) {
    double seconds = 0;
    for (long i = 0; i < n; ++i) {
      of.start();
      bench::barrier();
      const double start = bench::now();
      way.simulate();
      seconds += bench::now() - start;
      while (of.execute(1e9, [](const event&, int) {})) {  // what is at the end of time or later
      }
      verify();
    }
    return seconds;
  }

 private:
  void verify() {
    const double made = bench::sum(of.made()), marks = bench::sum(of.marks_made());
    const double done = bench::sum(of.marks_executed());
    events = bench::sum(of.executed());
    bench::check(made == events, "events", 0, static_cast<long>(made), static_cast<long>(events));
    bench::check(marks == done, "what is in events", 0, static_cast<long>(marks), static_cast<long>(done));
  }
};

struct by_all_to_all {
  simulator& of;
  bench::exchange<event> items = {};

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

template <class Way>
void measure(bench::session& on, const char* name, simulator& of, Way way) {
  simulations<Way> body{of, std::move(way)};
  on.measure(name, 0, body,
             [&](double seconds, long n) { return 1e9 * seconds / static_cast<double>(n) / body.events; });
}

void run(bench::session& session, const bench::job& job) {
  simulator of;
#if defined(BENCH_PURE)
  for (const bench::named_scheme& each : bench::all_schemes)
    measure(session, each.name, of, by_aggregation(of, job.world, each.how));
#else
  static_cast<void>(job);
  for (const char* const name : {"WW", "WPs", "WsP", "PP", "automatic"}) measure(session, name, of, by_all_to_all{of});
#endif
  measure(session, "by all-to-all", of, by_all_to_all{of});
}

}  // namespace

int main(int argc, char** argv) { return bench::run_items(argc, argv, run); }
