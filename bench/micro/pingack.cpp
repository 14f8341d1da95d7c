// PingAck between two processes: each rank of one sends 1000 items to its partner in the other, which acknowledges to
// rank 0 when it has got all; the time until rank 0 has all acknowledgements (Chandrasekar and Kale, section IV).
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=4; ranks-may-be=even; processes=2; networks=shm, tcp
// bench: cases=WW, WPs, WsP, PP, automatic, by messages
//
// Items of 8 bytes; partners check that they come in order. An MPI sends a message for each item, in all rows.
#include "items.hpp"

namespace {

constexpr std::uint64_t count = 1000;

int half() { return bench::size() / 2; }
bool is_partner() { return bench::rank() >= half(); }

#if defined(BENCH_PURE)
class by_aggregation {
 public:
  by_aggregation(pure::comm& world, pure::scheme how)
      : items_(std::make_unique<pure::aggregation>(world, pure::aggregation_options{.how = how})),
        state_(std::make_unique<state>()) {
    acknowledge_ = items_->on<std::uint8_t>([s = state_.get(), partners = half()](std::uint8_t) {
      if (++s->acknowledged == partners) s->end = bench::now();
    });
    ping_ = items_->on<std::uint64_t>([s = state_.get(), acknowledge = *acknowledge_](std::uint64_t number) {
      s->is_wrong |= number != s->got;
      if (++s->got < count) return;
      s->got = 0;
      acknowledge.send(1, 0, pure::urgent);
    });
  }

  /// Rank 0's time. It waits for the acknowledgements in finish.
  double operator()(long n) {
    double seconds = 0;
    for (long i = 0; i < n; ++i) {
      state_->acknowledged = 0;
      bench::barrier();
      const double start = bench::now();
      for (std::uint64_t k = 0; !is_partner() && k < count; ++k) ping_->send(k, bench::rank() + half());
      items_->finish();
      if (bench::rank() == 0) seconds += state_->end - start;
    }
    return seconds;
  }
  void end() const {
    bench::check(!state_->is_wrong, "the order of items", 8, 0, 1);
    if (bench::rank() == 0)
      bench::check(state_->acknowledged == half(), "acknowledgements", 8, half(), state_->acknowledged);
  }

 private:
  struct state {
    std::uint64_t got = 0;
    int acknowledged = 0;
    double end = 0;  // when rank 0 had all of them
    bool is_wrong = false;
  };
  std::unique_ptr<pure::aggregation> items_;
  std::unique_ptr<state> state_;
  std::optional<pure::channel<std::uint8_t>> acknowledge_;
  std::optional<pure::channel<std::uint64_t>> ping_;
};
#endif

struct by_messages {
  static constexpr int tag = 13;

  double operator()(long n) const {
    std::vector<std::uint64_t> numbers(count);
    std::vector<bench::request> requests(count);
    double seconds = 0;
    for (long i = 0; i < n; ++i) {
      bench::barrier();
      const double start = bench::now();
      if (is_partner()) {
        for (std::uint64_t k = 0; k < count; ++k) {
          std::uint64_t number = 0;
          bench::recv(&number, sizeof number, bench::rank() - half(), tag);
          bench::check(number == k, "the order of items", 8, static_cast<long>(k), static_cast<long>(number));
        }
        const char done = 1;
        bench::send(&done, 1, 0, tag + 1);
      } else {
        for (std::uint64_t k = 0; k < count; ++k) {
          numbers[k] = k;
          requests[k] = bench::isend(&numbers[k], sizeof numbers[k], bench::rank() + half(), tag);
        }
        bench::waitall(static_cast<int>(count), requests.data());
      }
      for (int r = half(); bench::rank() == 0 && r < bench::size(); ++r) {
        char done = 0;
        bench::recv(&done, 1, r, tag + 1);
      }
      if (bench::rank() == 0) seconds += bench::now() - start;
    }
    return seconds;
  }
};

void run(bench::session& session, const bench::job& job) {
  session.in_turn([&] {
#if defined(BENCH_PURE)
    for (const bench::named_scheme& each : bench::all_schemes)
      session.measure(each.name, 0, by_aggregation(job.world, each.how), bench::us_per());
#else
    static_cast<void>(job);
    for (const char* const name : {"WW", "WPs", "WsP", "PP", "automatic"})
      session.measure(name, 0, by_messages{}, bench::us_per());
#endif
    session.measure("by messages", 0, by_messages{}, bench::us_per());
  });
}

}  // namespace

int main(int argc, char** argv) { return bench::run_items(argc, argv, run); }
