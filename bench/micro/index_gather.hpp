// The index-gather of bale: each rank asks for random entries of a table that is spread over all ranks
// (index_gather.cpp, net_index_gather.cpp).
#pragma once

#include "items.hpp"

namespace bench::index_gather {

inline constexpr std::size_t entries = 10'000;  // of a rank

/// Number `index` of a rank's table.
inline std::uint64_t entry(int rank, std::uint64_t index) {
  return static_cast<std::uint64_t>(rank) * entries + index + 1;
}

/// What a rank asks for, and what it gets. Verified behind each batch: every answer.
class asked {
 public:
  explicit asked(std::size_t questions) : index_(questions), dest_(questions), got_(questions), table_(entries) {
    for (std::size_t i = 0; i < questions; ++i) {
      const std::uint64_t random = mix(static_cast<std::uint64_t>(rank()) << 32 | i);
      index_[i] = static_cast<std::uint32_t>(random % entries);
      dest_[i] = static_cast<int>((random >> 40) % static_cast<std::uint64_t>(size()));
    }
    for (std::size_t i = 0; i < entries; ++i) table_[i] = entry(rank(), i);
  }

  std::size_t questions() const { return index_.size(); }
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
    const long expected = repetitions * static_cast<long>(questions());
    check(answers_ == expected, "the number of answers", 8, expected, answers_);
    for (std::size_t i = 0; i < questions(); ++i) {
      const std::uint64_t right = entry(dest_[i], index_[i]);
      check(got_[i] == right, "an answer", 8, static_cast<long>(right), static_cast<long>(got_[i]));
    }
  }

 private:
  std::vector<std::uint32_t> index_;
  std::vector<int> dest_;
  std::vector<std::uint64_t> got_, table_;
  long answers_ = 0;
};

/// A way to ask: ask_all() on each rank, which returns when it has all answers.
template <class Way>
struct repeated {
  asked& all;
  Way way;
  long repetitions = 0;

  void begin() {
    all.clear();
    barrier();
  }
  void operator()(long n) {
    for (long i = 0; i < n; ++i) way.ask_all();
    repetitions = n;
  }
  void end() const { all.verify(repetitions); }
};

template <class Way>
void measure(session& on, const std::string& name, asked& all, Way way) {
  if (!on.wants(name)) return;
  const auto questions = static_cast<double>(all.questions());
  repeated<Way> body{all, std::move(way)};
  on.measure(name, 8, body, [=](double seconds, long n) { return 1e9 * seconds / static_cast<double>(n) / questions; });
}

struct by_all_to_all {
  asked& all;
  exchange<std::uint64_t> asking = {}, answers = {};
  std::vector<std::vector<std::size_t>> order = {};  // by rank, of the questions

  void ask_all() {
    order.assign(static_cast<std::size_t>(size()), {});
    for (std::size_t i = 0; i < all.questions(); ++i) {
      order[static_cast<std::size_t>(all.dest(i))].push_back(i);
      asking.add(all.index(i), all.dest(i));
    }
    const std::vector<std::uint64_t>& theirs = asking.run();
    std::size_t next = 0;
    for (int from = 0; from < size(); ++from) {
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
  by_aggregation(asked& all, pure::comm& world, const pure::aggregation_options& options)
      : all_(all), items_(std::make_unique<pure::aggregation>(world, options)) {
    look_ = items_->on_query<std::uint32_t>(
        [of = &all](std::uint32_t index) { return of->at(index); },
        [into = &all](std::uint64_t value, std::uint64_t token) { into->take(token, value); });
  }
  void ask_all() {
    for (std::size_t i = 0; i < all_.questions(); ++i) look_->ask(all_.index(i), all_.dest(i), i);
    items_->finish();
  }

 private:
  asked& all_;
  std::unique_ptr<pure::aggregation> items_;
  std::optional<pure::query<std::uint32_t>> look_;
};

#endif

}  // namespace bench::index_gather
