// Aggregations whose ranks are in several processes: aggregations FIRST_SEED ROUNDS
//
// A round makes an aggregation with some scheme, sizes and cap, and has some phases. In a phase each rank sends items
// to random ranks, some of them urgent, which their handlers send on, as often as the item says. Behind each phase the
// sums of all ranks agree: as many items have been handled as sent, and none twice; and those of one sender, receiver
// and channel came in the order of sending. Messages and collectives go on between.
#include <pure.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "net/pairs.hpp"

namespace {

using namespace net_pairs;

void require(bool is_right, const std::string& text) {
  if (!is_right) fail(text);
}

struct item {
  std::uint32_t source;
  std::uint32_t number;  // among those of its source, destination, channel and kind
  std::uint16_t phase;
  std::uint8_t left;  // how often it is sent on
  std::uint8_t is_urgent;
  std::uint32_t key;
};

/// Longer by `Padding` bytes.
template <std::size_t Padding>
struct padded_item {
  item what;
  std::array<unsigned char, Padding> filling;
};

constexpr std::size_t channels = 2;

class round_of_items {
 public:
  round_of_items(std::uint64_t seed, pure_comm comm)
      : comm_(comm), both_(mix(seed)), own_(mix(seed + 11)), seed_(seed) {
    pure_comm_rank(comm, &me_);
    pure_comm_size(comm, &size_);
    own_ = dice(mix(seed + 11) ^ static_cast<std::uint64_t>(me_));
  }
  round_of_items(const round_of_items&) = delete;
  round_of_items& operator=(const round_of_items&) = delete;
  ~round_of_items() = default;

  void run() {
    pure_agg_options options;
    options.scheme = both_.pick<pure_agg_scheme>(
        {PURE_AGG_AUTOMATIC, PURE_AGG_WW, PURE_AGG_WPS, PURE_AGG_WSP, PURE_AGG_PP});
    // A grid of three processes has a short row; machines are real ones, so that all processes here are on one.
    options.hops = both_.pick<pure_agg_hops>({PURE_AGG_HOPS_AUTOMATIC, PURE_AGG_HOPS_MACHINE, PURE_AGG_HOPS_GRID});
    options.buffer_bytes = both_.pick<std::int64_t>({0, 64, 500, 4000, 17344});
    options.memory_cap = both_.pick<std::int64_t>({100'000, 1'000'000, 64'000'000});
    if (both_.chance(20)) options.latency_ns = 20'000;
    pure_agg_create(comm_, &options, &agg_);
    for (auto* const all : {&sent_, &received_}) all->resize(static_cast<std::size_t>(size_) * channels * 2);
    pure_agg_on(agg_, sizeof(item), handle<0, item>, this, &channels_[0]);
    pure_agg_on(agg_, sizeof(padded_item<97>), handle<1, padded_item<97>>, this, &channels_[1]);
    const int phases = 1 + both_.below(4);
    const int most = both_.pick<int>({0, 10, 400, 5000});
    for (phase_ = 1; phase_ <= phases;) {
      work_left_ = own_.below(most + 1);
      if (both_.chance(50)) {
        while (work_left_ > 0) send_some();
        something_else();
        pure_agg_finish(agg_);
      } else {
        pure_agg_finish_with(
            agg_, [](void* context) { return static_cast<round_of_items*>(context)->work(); }, this);
      }
      ++phase_;  // those who are ahead may send items of the next one while this rank compares
      compare();
    }
    pure_agg_free(&agg_);
  }

 private:
  template <std::size_t Channel, class Item>
  static void handle(void* context, const void* items, std::size_t count, int source) {
    auto& its = *static_cast<round_of_items*>(context);
    for (std::size_t i = 0; i < count; ++i) {
      Item got;
      std::memcpy(&got, static_cast<const std::byte*>(items) + i * sizeof got, sizeof got);
      its.has_come<Channel>(got, source);
    }
  }
  static const item& what_of(const item& of) { return of; }
  template <std::size_t Padding>
  static const item& what_of(const padded_item<Padding>& of) {
    for (const unsigned char each : of.filling) require(each == of.what.key % 251, "an item is damaged");
    return of.what;
  }

  [[nodiscard]] std::uint32_t& number(std::vector<std::uint32_t>& of, int other, std::size_t channel, bool is_urgent) {
    return of[(static_cast<std::size_t>(other) * channels + channel) * 2 + (is_urgent ? 1 : 0)];
  }

  template <std::size_t Channel, class Item>
  void has_come(const Item& got, int source) {
    const item& what = what_of(got);
    require(what.source == static_cast<std::uint32_t>(source),
            fmt::format("seed {}: source {} of {}", seed_, source, what.source));
    require(what.phase == phase_, fmt::format("seed {}: an item of phase {} in phase {}", seed_, what.phase, phase_));
    std::uint32_t& expected = number(received_, source, Channel, what.is_urgent != 0);
    require(what.number == expected,
            fmt::format("seed {}: item {} of rank {} in place of {}", seed_, what.number, source, expected));
    ++expected;
    ++handled_;
    keys_handled_ += what.key;
    if (what.left > 0) send(what.left - 1, dice(what.key).below(2) == 0);
  }

  void send(int left, bool on_first) {
    const std::size_t channel = on_first ? 0 : 1;
    const int dest = own_.below(size_);
    const bool is_urgent = own_.chance(3);
    item what{static_cast<std::uint32_t>(me_),      number(sent_, dest, channel, is_urgent)++,
              static_cast<std::uint16_t>(phase_),   static_cast<std::uint8_t>(left),
              static_cast<std::uint8_t>(is_urgent), static_cast<std::uint32_t>(own_.next())};
    ++items_sent_;
    keys_sent_ += what.key;
    padded_item<97> longer{};
    longer.what = what;
    longer.filling.fill(static_cast<unsigned char>(what.key % 251));
    const void* const bytes = on_first ? static_cast<const void*>(&what) : &longer;
    if (is_urgent) {
      pure_agg_send_urgent(channels_[channel], bytes, dest);
    } else {
      pure_agg_send(channels_[channel], bytes, dest);
    }
  }

  void send_some() {
    for (int i = 1 + own_.below(50); i > 0 && work_left_ > 0; --i, --work_left_) send(own_.below(4), own_.chance(70));
    if (own_.chance(10)) pure_agg_flush_all(agg_);
    if (own_.chance(10)) pure_agg_progress(agg_, nullptr);
  }
  int work() {
    if (work_left_ == 0) return 0;
    send_some();
    return 1;
  }

  /// Items are handled in waits for it.
  void something_else() {
    if (!both_.chance(50)) return;
    std::int64_t one = 1, sum = 0;
    pure_allreduce(&one, &sum, 1, PURE_INT64_T, PURE_SUM, comm_);
    require(sum == size_, "a sum between is wrong");
  }

  void compare() {
    const std::array<std::uint64_t, 4> mine{items_sent_, handled_, keys_sent_, keys_handled_};
    std::array<std::uint64_t, 4> all{};
    pure_allreduce(mine.data(), all.data(), 4, PURE_UINT64_T, PURE_SUM, comm_);
    require(all[0] == all[1] && all[2] == all[3],
            fmt::format("seed {}: {} items were sent, and {} handled", seed_, all[0], all[1]));
  }

  pure_comm comm_;
  dice both_, own_;
  std::uint64_t seed_;
  int me_ = 0, size_ = 0, phase_ = 0, work_left_ = 0;
  pure_agg agg_ = PURE_AGG_NULL;
  std::array<pure_agg_channel, channels> channels_{};
  std::vector<std::uint32_t> sent_, received_;  // numbers, by rank, channel and kind
  std::uint64_t items_sent_ = 0, handled_ = 0, keys_sent_ = 0, keys_handled_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: aggregations FIRST_SEED ROUNDS\n");
    return 2;
  }
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const int me = pure_rank();
  pure_comm halves = PURE_COMM_NULL;  // of every second rank
  pure_comm_split(PURE_COMM_WORLD, me % 2, me, &halves);
  for (int round = 0; round < std::atoi(argv[2]); ++round) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(round);
    round_of_items(seed, seed % 4 == 0 ? halves : PURE_COMM_WORLD).run();
  }
  if (me == 0) fmt::print("aggregations: right\n");
  return 0;
}
