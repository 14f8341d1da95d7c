// The histogram of bale: each rank adds to counters that are spread over all ranks (histogram.cpp, net_histogram.cpp).
#pragma once

#include "items.hpp"

namespace bench::histogram {

/// What a rank adds in a repetition. Verified behind each batch: every counter, against all ranks' updates, serially.
class counters {
 public:
  /// `updates`: of a rank in a repetition. `cells`: counters of a rank.
  counters(std::size_t updates, std::size_t cells) : table_(cells), expected_(cells), index_(updates), dest_(updates) {
    for (int from = 0; from < size(); ++from) {
      for (std::size_t i = 0; i < updates; ++i) {
        const std::uint64_t random = mix(static_cast<std::uint64_t>(from) << 32 | i);
        const auto index = static_cast<std::uint32_t>(random % cells);
        const auto dest = static_cast<int>((random >> 40) % static_cast<std::uint64_t>(size()));
        if (dest == rank()) ++expected_[index];
        if (from != rank()) continue;
        index_[i] = index;
        dest_[i] = dest;
      }
    }
  }

  std::size_t updates() const { return index_.size(); }
  std::uint32_t index(std::size_t i) const { return index_[i]; }
  int dest(std::size_t i) const { return dest_[i]; }
  std::uint64_t& at(std::uint64_t index) { return table_[index]; }

  void clear() { std::fill(table_.begin(), table_.end(), 0); }
  void verify(long repetitions) const {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const std::uint64_t expected = expected_[i] * static_cast<std::uint64_t>(repetitions);
      check(table_[i] == expected, "a counter", sizeof(std::uint64_t), static_cast<long>(expected),
            static_cast<long>(table_[i]));
    }
  }

 private:
  std::vector<std::uint64_t> table_, expected_;
  std::vector<std::uint32_t> index_;
  std::vector<int> dest_;
};

/// A way to send the updates: send_all() on each rank, which returns when all are added.
template <class Way>
struct repeated {
  counters& all;
  Way way;
  long repetitions = 0;

  void begin() {
    all.clear();
    barrier();  // items that come meanwhile would be handled before
  }
  void operator()(long n) {
    for (long i = 0; i < n; ++i) way.send_all();
    repetitions = n;
  }
  void end() const { all.verify(repetitions); }
};

template <class Way>
void measure(session& on, const std::string& name, std::size_t bytes, counters& all, Way way, double cores = 1) {
  if (!on.wants(name)) return;
  const auto items = static_cast<double>(all.updates()) * cores;
  repeated<Way> body{all, std::move(way)};
  on.measure(name, bytes, body, [=](double seconds, long n) { return 1e9 * seconds / static_cast<double>(n) / items; });
}

/// An item of 16 bytes.
struct padded {
  std::uint64_t index;
  std::uint64_t more = 0;
};
inline std::uint64_t index_of(std::uint64_t item) { return item; }
inline std::uint64_t index_of(const padded& item) { return item.index; }

template <class Item>
struct by_all_to_all {
  counters& all;
  exchange<Item> items = {};

  void send_all() {
    for (std::size_t i = 0; i < all.updates(); ++i) items.add({all.index(i)}, all.dest(i));
    for (const Item& each : items.run()) ++all.at(index_of(each));
  }
};

struct by_messages {
  counters& all;
  message_each<std::uint64_t> items = message_each<std::uint64_t>(~std::uint64_t{0});

  void send_all() {
    const auto add = [this](std::uint64_t index) { ++all.at(index); };
    for (std::size_t i = 0; i < all.updates(); ++i) {
      items.add(all.index(i), all.dest(i), add);
      if ((i + 1) % message_each<std::uint64_t>::block == 0) items.end_block(add);
    }
    items.end_block(add);
  }
};

#if defined(BENCH_PURE)

template <class Item>
class by_aggregation {
 public:
  by_aggregation(counters& all, pure::comm& world, const pure::aggregation_options& options, bool is_prefetched = false)
      : all_(all), items_(std::make_unique<pure::aggregation>(world, options)) {
    const auto add = [counts = &all](const Item& each) { ++counts->at(index_of(each)); };
    const auto place = [counts = &all](const Item& each) { return &counts->at(index_of(each)); };
    add_ = is_prefetched ? items_->on<Item>(pure::prefetched(place, add)) : items_->on<Item>(add);
  }
  void send_all() {
    for (std::size_t i = 0; i < all_.updates(); ++i) add_->send({all_.index(i)}, all_.dest(i));
    items_->finish();
  }

 private:
  counters& all_;
  std::unique_ptr<pure::aggregation> items_;
  std::optional<pure::channel<Item>> add_;
};

#endif

}  // namespace bench::histogram
