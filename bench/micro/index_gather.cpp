// Index-gather: each rank asks for random entries of a table that is spread over all ranks; the time of a question with
// its answer. And of one question alone, from asking to the answer.
//
// bench: systems=pure, mpi; unit=ns; better=lower; distance=yes; ranks=2; ranks-may-be=any
// bench: cases=8 B, 8 B of 64, 8 B by all-to-all, one question p50, one question p90, one question p99
//
// 131,072 questions of a rank in a repetition, 10,000 entries of 8 bytes a rank, of which each says where it is: every
// answer is checked. An MPI asks by two all-to-alls, which it repeats. "one question": rank 0 asks, flushes, and calls
// progress until the answer is there, while the other waits in finish; with an MPI by a message each way.
#include "histogram.hpp"

namespace {

constexpr std::size_t questions = std::size_t{1} << 17, entries = 10'000;

/// Number `index` of a rank's table.
std::uint64_t entry(int rank, std::uint64_t index) { return static_cast<std::uint64_t>(rank) * entries + index + 1; }

/// What a rank asks for, and what it gets.
class asked {
 public:
  asked() : index_(questions), dest_(questions), got_(questions), table_(entries) {
    for (std::size_t i = 0; i < questions; ++i) {
      const std::uint64_t random = bench::mix(static_cast<std::uint64_t>(bench::rank()) << 32 | i);
      index_[i] = static_cast<std::uint32_t>(random % entries);
      dest_[i] = static_cast<int>((random >> 40) % static_cast<std::uint64_t>(bench::size()));
    }
    for (std::size_t i = 0; i < entries; ++i) table_[i] = entry(bench::rank(), i);
  }

  std::uint32_t index(std::size_t i) const { return index_[i]; }
  int dest(std::size_t i) const { return dest_[i]; }
  std::uint64_t at(std::size_t index) const { return table_[index]; }
  void take(std::size_t i, std::uint64_t value) {
    got_[i] = value;
    ++answers_;
  }

  void clear() {
    std::fill(got_.begin(), got_.end(), 0);
    answers_ = 0;
  }
  void verify(long repetitions) const {
    const long expected = repetitions * static_cast<long>(questions);
    bench::check(answers_ == expected, "the number of answers", 8, expected, answers_);
    for (std::size_t i = 0; i < questions; ++i) {
      const std::uint64_t right = entry(dest_[i], index_[i]);
      bench::check(got_[i] == right, "an answer", 8, static_cast<long>(right), static_cast<long>(got_[i]));
    }
  }

 private:
  std::vector<std::uint32_t> index_;
  std::vector<int> dest_;
  std::vector<std::uint64_t> got_, table_;
  long answers_ = 0;
};

template <class Way>
struct repeated {
  asked& all;
  Way way;
  long repetitions = 0;

  void begin() {
    all.clear();
    bench::barrier();
  }
  void operator()(long n) {
    for (long i = 0; i < n; ++i) way.ask_all();
    repetitions = n;
  }
  void end() const { all.verify(repetitions); }
};

template <class Way>
void measure(bench::session& on, const char* name, asked& all, Way way) {
  if (!on.wants(name)) return;
  repeated<Way> body{all, std::move(way)};
  on.measure(name, 8, body, [](double seconds, long n) {
    return 1e9 * seconds / static_cast<double>(n) / static_cast<double>(questions);
  });
}

struct by_all_to_all {
  asked& all;
  bench::exchange<std::uint64_t> asking = {}, answers = {};
  std::vector<std::vector<std::size_t>> order = {};  // by rank, of the questions

  void ask_all() {
    order.assign(static_cast<std::size_t>(bench::size()), {});
    for (std::size_t i = 0; i < questions; ++i) {
      order[static_cast<std::size_t>(all.dest(i))].push_back(i);
      asking.add(all.index(i), all.dest(i));
    }
    const std::vector<std::uint64_t>& theirs = asking.run();
    std::size_t next = 0;
    for (int from = 0; from < bench::size(); ++from) {
      for (std::size_t k = asking.from(from); k > 0; --k) answers.add(all.at(theirs[next++]), from);
    }
    const std::vector<std::uint64_t>& values = answers.run();
    next = 0;
    for (const std::vector<std::size_t>& of_rank : order) {
      for (const std::size_t i : of_rank) all.take(i, values[next++]);
    }
  }
};

#if defined(BENCH_PURE)
class by_aggregation {
 public:
  by_aggregation(asked& all, pure::comm& world, std::size_t buffer)
      : all_(all),
        items_(std::make_unique<pure::aggregation>(world, pure::aggregation_options{.buffer_bytes = buffer})) {
    look_ = items_->on_query<std::uint32_t>(
        [of = &all](std::uint32_t index) { return of->at(index); },
        [into = &all](std::uint64_t value, std::uint64_t token) { into->take(token, value); });
  }
  void ask_all() {
    for (std::size_t i = 0; i < questions; ++i) look_->ask(all_.index(i), all_.dest(i), i);
    items_->finish();
  }

 private:
  asked& all_;
  std::unique_ptr<pure::aggregation> items_;
  std::optional<pure::query<std::uint32_t>> look_;
};

#endif

/// Prints a sample of each percentile. Rank 0 asks one of the second half; the others wait.
void ask_one_by_one(bench::session& session, const bench::job& job) {
  constexpr int count = 2000;
  const int dest = bench::size() / 2, tag = 12;
  std::uint64_t got = 0;
#if defined(BENCH_PURE)
  pure::aggregation items(job.world, {.buffer_bytes = 8192});
  const auto look = items.on_query<std::uint32_t>(
      [me = bench::rank()](std::uint32_t index) { return entry(me, index); },
      [&](std::uint64_t value, std::uint64_t) { got = value; });
  const auto ask = [&](std::uint32_t index) {
    look.ask(index, dest);
    items.flush();
    while (got == 0) items.progress();
  };
  const auto answer_all = [&] { items.finish(); };
  static_cast<void>(tag);
#else
  static_cast<void>(job);
  const auto ask = [&](std::uint32_t index) {
    bench::send(&index, sizeof index, dest, tag);
    bench::recv(&got, sizeof got, dest, tag);
  };
  const auto answer_all = [&] {
    for (int i = 0; bench::rank() == dest && i < count; ++i) {
      std::uint32_t index = 0;
      bench::recv(&index, sizeof index, 0, tag);
      const std::uint64_t value = entry(dest, index);
      bench::send(&value, sizeof value, 0, tag);
    }
    bench::barrier();
  };
#endif
  std::vector<double> ns;
  for (std::uint32_t i = 0; bench::rank() == 0 && i < count; ++i) {
    got = 0;
    const double start = bench::now();
    ask(i);
    ns.push_back(1e9 * (bench::now() - start));
    const std::uint64_t right = entry(dest, i);
    bench::check(got == right, "an answer", 8, static_cast<long>(right), static_cast<long>(got));
  }
  answer_all();
  if (bench::rank() != 0) return;
  std::sort(ns.begin(), ns.end());
  for (const int percent : {50, 90, 99})
    session.report("one question p" + std::to_string(percent), 0, ns[static_cast<std::size_t>(count * percent / 100)]);
}

void run(bench::session& session, const bench::job& job) {
  asked all;
  session.in_turn([&] {
#if defined(BENCH_PURE)
    measure(session, "8 B", all, by_aggregation(all, job.world, 0));
    measure(session, "8 B of 64", all, by_aggregation(all, job.world, 64 * 16));
    measure(session, "8 B by all-to-all", all, by_all_to_all{all});
#else
    for (const char* const name : {"8 B", "8 B of 64", "8 B by all-to-all"})
      measure(session, name, all, by_all_to_all{all});
#endif
    ask_one_by_one(session, job);
  });
}

}  // namespace

int main(int argc, char** argv) { return bench::run_items(argc, argv, run); }
