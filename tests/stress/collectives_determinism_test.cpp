// Reductions of random floats give the same bits on every run, whatever the timing; and with PURE_REPRODUCIBLE_SUMS the
// exact sum, rounded once. The oracle of exact sums counts in 128-bit integers.
#include <pure.h>

#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <fmt/core.h>

#include <pure/pure.hpp>

#include "support/environment.hpp"
#include "support/oracle/dice.hpp"
#include "support/pauses.hpp"
#include "support/pure_h.hpp"
#include "support/tuning_file.hpp"

namespace {

using test_support::world;

constexpr std::size_t sizes[] = {1, 5, 100, 1000, 100'000};
constexpr int rank_counts[] = {2, 3, 5, 8, 16};

enum reduction { allreduce, reduce, scan, exscan, reduce_scatter, reductions };
constexpr const char* names[] = {"allreduce", "reduce", "scan", "exscan", "reduce_scatter"};

template <class T>
constexpr pure_datatype type_of = std::is_same_v<T, float> ? PURE_FLOAT : PURE_DOUBLE;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Significands of full length, of both signs, with exponents that differ: nearly every addition rounds.
template <class T>
T random_value(std::uint64_t hash) {
  constexpr int digits = std::numeric_limits<T>::digits;
  const auto significand = static_cast<T>(hash >> (64 - digits) | 1);
  const int exponent = static_cast<int>(hash % 41) - 20 - digits;
  return std::ldexp(hash & 64 ? significand : -significand, exponent);
}

__extension__ using wide = __int128;

/// The exact sum of values of random_value, and its rounding.
class wide_sum {
 public:
  template <class T>
  void add(T x) {
    units_ += static_cast<wide>(std::ldexp(x, unit_bits));  // a 53-bit integer times a power of two
  }
  template <class T>
  T rounded() const {
    return std::ldexp(static_cast<T>(units_), -unit_bits);  // the conversion rounds to nearest, the scaling is exact
  }

 private:
  static constexpr int unit_bits = 73;  // 20 for the exponent, 53 for the significand
  wide units_ = 0;
};

template <class T>
using inputs = std::vector<std::vector<T>>;  // of each rank

template <class T>
inputs<T> random_inputs(int ranks, std::size_t size, std::uint64_t seed) {
  inputs<T> all(at(ranks), std::vector<T>(size));
  for (std::size_t r = 0; r < all.size(); ++r) {
    for (std::size_t i = 0; i < size; ++i)
      all[r][i] = random_value<T>(oracle::mix(seed ^ oracle::mix(r * 1'000'003 + i)));
  }
  return all;
}

/// What each rank gets of a reduce_scatter.
std::vector<std::int64_t> shares(int ranks, std::size_t size) {
  std::vector<std::int64_t> counts(at(ranks), static_cast<std::int64_t>(size) / ranks);
  counts[at(ranks / 2)] += static_cast<std::int64_t>(size) % ranks;
  return counts;
}

/// The result of this rank, or nothing where it has none.
template <class T>
std::vector<T> result_of(reduction what, const std::vector<T>& input, bool blocking, std::size_t shift) {
  const int ranks = pure_size(), me = pure_rank();
  const auto counts = shares(ranks, input.size());
  const auto count = static_cast<std::int64_t>(input.size());
  std::vector<T> from(shift), to(input.size() + shift);
  from.insert(from.end(), input.begin(), input.end());
  const T* const send = from.data() + shift;
  T* const recv = to.data() + shift;
  const int root = ranks / 2;
  pure_request request = PURE_REQUEST_NULL;
  switch (what) {
    case allreduce:
      blocking ? pure_allreduce(send, recv, count, type_of<T>, PURE_SUM, world)
               : pure_iallreduce(send, recv, count, type_of<T>, PURE_SUM, world, &request);
      break;
    case reduce:
      blocking ? pure_reduce(send, recv, count, type_of<T>, PURE_SUM, root, world)
               : pure_ireduce(send, recv, count, type_of<T>, PURE_SUM, root, world, &request);
      break;
    case scan:
      blocking ? pure_scan(send, recv, count, type_of<T>, PURE_SUM, world)
               : pure_iscan(send, recv, count, type_of<T>, PURE_SUM, world, &request);
      break;
    case exscan:
      blocking ? pure_exscan(send, recv, count, type_of<T>, PURE_SUM, world)
               : pure_iexscan(send, recv, count, type_of<T>, PURE_SUM, world, &request);
      break;
    default:
      blocking ? pure_reduce_scatter(send, recv, counts.data(), type_of<T>, PURE_SUM, world)
               : pure_ireduce_scatter(send, recv, counts.data(), type_of<T>, PURE_SUM, world, &request);
      break;
  }
  pure_wait(&request);
  to.erase(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(shift));
  if ((what == reduce && me != root) || (what == exscan && me == 0)) to.clear();
  if (what == reduce_scatter) to.resize(static_cast<std::size_t>(counts[at(me)]));
  return to;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

class complaints {
 public:
  void add(const std::string& text) {
    const std::lock_guard lock(adding_);
    if (text_.empty()) text_ = text;
  }
  const std::string& text() const { return text_; }

 private:
  std::mutex adding_;
  std::string text_;
};

/// A few jobs of a few rounds, all with the same input: each reduction has the same result each time.
template <class T>
void expect_the_same_bits(int ranks, std::size_t size) {
  const std::uint64_t seed = test_support::first_seed();
  const inputs<T> input = random_inputs<T>(ranks, size, seed);
  std::vector<std::vector<T>> first[reductions];
  for (auto& each : first) each.resize(at(ranks));
  complaints wrong;
  constexpr int jobs = 4;
  const int rounds = test_support::repetitions(size < 10'000 ? 50 : ranks < 4 ? 10 : 1);
  for (int job = 0; job < jobs; ++job) {
    pure::run(ranks, [&] {
      const int me = pure_rank();
      const auto mine = at(me);
      test_support::pauses pauses(seed + static_cast<std::uint64_t>(job * 100 + me));
      for (int round = 0; round < rounds; ++round) {
        // One late rank, another one each time.
        if (pauses.number() % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(pauses.number() % 200));
        for (int i = 0; i < reductions; ++i) {
          const auto what = static_cast<reduction>((i + round) % reductions);
          pauses.maybe();
          std::vector<T> got = result_of(what, input[mine], round % 2 == 0, pauses.number() % 8);
          if (job == 0 && round == 0) {
            first[what][mine] = std::move(got);
          } else if (!same_bits(got, first[what][mine])) {
            wrong.add(fmt::format("{} of {} elements at rank {} of {}, job {}, round {}", names[what], size, me, ranks,
                                  job, round));
          }
        }
      }
    });
  }
  EXPECT_EQ(wrong.text(), "") << "seed " << seed;
  for (int r = 1; r < ranks; ++r) {
    EXPECT_TRUE(same_bits(first[allreduce][0], first[allreduce][at(r)])) << "allreduce at ranks 0 and " << r;
  }
}

template <class T>
void expect_the_same_bits_for_all_sizes(int ranks) {
  for (const std::size_t size : sizes) expect_the_same_bits<T>(ranks, size);
}

TEST(collectives_determinism, two_ranks) {
  expect_the_same_bits_for_all_sizes<float>(2);
  expect_the_same_bits_for_all_sizes<double>(2);
}
TEST(collectives_determinism, three_ranks) {
  expect_the_same_bits_for_all_sizes<float>(3);
  expect_the_same_bits_for_all_sizes<double>(3);
}
TEST(collectives_determinism, five_ranks) {
  expect_the_same_bits_for_all_sizes<float>(5);
  expect_the_same_bits_for_all_sizes<double>(5);
}
TEST(collectives_determinism, eight_ranks) {
  expect_the_same_bits_for_all_sizes<float>(8);
  expect_the_same_bits_for_all_sizes<double>(8);
}
TEST(collectives_determinism, sixteen_ranks) {
  expect_the_same_bits_for_all_sizes<float>(16);
  expect_the_same_bits_for_all_sizes<double>(16);
}

TEST(collectives_determinism, any_table) {
  for (const int ranks : {3, 6, 9}) {
    const test_support::tuning_file table(test_support::first_seed() + static_cast<std::uint64_t>(ranks));
    const test_support::environment other{{"PURE_TUNING", table.path()}, {"PURE_SHARED_COPY_MIN", "4K"}};
    for (const std::size_t size : std::initializer_list<std::size_t>{7, 300, 5000})
      expect_the_same_bits<double>(ranks, size);
  }
}

// ---- sums that are rounded once ----

/// The sum of element i of the ranks before `end`, rounded once.
template <class T>
T exact(const inputs<T>& input, int end, std::size_t i) {
  wide_sum sum;
  for (int r = 0; r < end; ++r) sum.add(input[at(r)][i]);
  return sum.rounded<T>();
}

template <class T>
std::vector<T> exact_result_of(reduction what, const inputs<T>& input, int me) {
  const int ranks = static_cast<int>(input.size());
  const std::size_t size = input[0].size();
  std::size_t from = 0, to = size;
  if (what == reduce_scatter) {
    const auto counts = shares(ranks, size);
    for (int r = 0; r < me; ++r) from += static_cast<std::size_t>(counts[at(r)]);
    to = from + static_cast<std::size_t>(counts[at(me)]);
  }
  if ((what == reduce && me != ranks / 2) || (what == exscan && me == 0)) return {};
  const int end = what == scan ? me + 1 : what == exscan ? me : ranks;
  std::vector<T> result;
  for (std::size_t i = from; i < to; ++i) result.push_back(exact(input, end, i));
  return result;
}

template <class T>
void expect_exact_sums() {
  const test_support::environment reproducible{{"PURE_REPRODUCIBLE_SUMS", "1"}};
  for (const int ranks : rank_counts) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{5}, std::size_t{1000}, std::size_t{5000}}) {
      const inputs<T> input = random_inputs<T>(ranks, size, test_support::first_seed());
      complaints wrong;
      pure::run(ranks, [&] {
        const int me = pure_rank();
        for (int i = 0; i < 2 * reductions; ++i) {
          const auto what = static_cast<reduction>(i % reductions);
          const std::vector<T> got = result_of(what, input[at(me)], i < reductions, static_cast<std::size_t>(i) % 3);
          if (same_bits(got, exact_result_of(what, input, me))) continue;
          wrong.add(fmt::format("{} of {} elements at rank {} of {}", names[what], size, me, ranks));
        }
      });
      EXPECT_EQ(wrong.text(), "") << "seed " << test_support::first_seed();
    }
  }
}

TEST(collectives_determinism, sums_of_double_are_rounded_once) { expect_exact_sums<double>(); }
TEST(collectives_determinism, sums_of_float_are_rounded_once) { expect_exact_sums<float>(); }

/// The same elements, dealt out to any number of ranks in any way.
template <class T>
void expect_one_reproducible_sum() {
  oracle::dice dice(test_support::first_seed());
  std::vector<T> elements(30'000);
  wide_sum sum;
  for (T& each : elements) {
    each = random_value<T>(dice.next());
    sum.add(each);
  }
  const T expected = sum.rounded<T>();
  for (const int ranks : {1, 2, 3, 5, 8, 16}) {
    dice.shuffle(elements);
    std::vector<std::vector<T>> dealt(at(ranks));
    const int owners = dice.between(1, ranks);  // the others have none
    for (const T each : elements) dealt[at(dice.below(owners))].push_back(each);
    pure::run(ranks, [&] {
      const std::vector<T>& mine = dealt[at(pure_rank())];
      for (int round = 0; round < 3; ++round) {
        T result = 0;
        pure_reproducible_sum(mine.data(), static_cast<std::int64_t>(mine.size()), type_of<T>, &result, world);
        EXPECT_EQ(result, expected) << "rank " << pure_rank() << " of " << ranks;
      }
    });
  }
}

TEST(collectives_determinism, reproducible_sum_of_double) { expect_one_reproducible_sum<double>(); }
TEST(collectives_determinism, reproducible_sum_of_float) { expect_one_reproducible_sum<float>(); }

}  // namespace
