// PHOLD, the usual load of discrete-event simulators, on two processes of two ranks, by the schemes of an aggregation;
// the time of an event (Chandrasekar and Kale, section IV).
//
// bench: systems=pure, mpi; unit=ns; better=lower; ranks=4; ranks-may-be=even; processes=2; networks=shm
// bench: cases=WW, WPs, WsP, PP, automatic, by all-to-all
//
// 200 objects of a rank with 16 events each at the start; an event makes the next one for a random object of any rank,
// after 0.1 and an exponential time with mean 1, until time 5. By aggregation: a rank executes the earliest events that
// it knows. By all-to-all: rounds of 0.1, in which nobody can make an event for another one; an MPI has that in all
// rows. Checked: as many events are executed as were made. Out of order events: examples/aggregation/phold.
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
    made_ = executed_ = 0;
    random_.seed(bench::mix(static_cast<std::uint64_t>(bench::rank())));
    for (std::uint64_t i = 0; i < events_of_object * objects; ++i) {
      known_.push({delay_(random_), i % objects});
      ++made_;
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
    const double next = each.time + lookahead + delay_(random_);
    if (next >= end_of_time) return true;
    ++made_;
    send(event{next, random_() % objects}, static_cast<int>(random_() % static_cast<unsigned>(bench::size())));
    return true;
  }
  double made() const { return made_; }
  double executed() const { return executed_; }

 private:
  std::priority_queue<event, std::vector<event>, later> known_;
  std::mt19937_64 random_;
  std::exponential_distribution<double> delay_{1.0};
  double made_ = 0, executed_ = 0;
};

template <class Way>
struct simulations {
  simulator& of;
  Way way;
  double events = 0;  // of all ranks, in the last simulation

  void operator()(long n) {
    for (long i = 0; i < n; ++i) {
      of.start();
      bench::barrier();
      way.simulate();
      while (of.execute(1e9, [](const event&, int) {})) {  // what is at the end of time or later
      }
    }
  }
  void end() {
    const double made = bench::sum(of.made());
    events = bench::sum(of.executed());
    bench::check(made == events, "events", 0, static_cast<long>(made), static_cast<long>(events));
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
