// The sequences of rand, random and drand48 for each rank: libc's numbers, bit for bit, whatever other ranks take.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/environment.hpp"
#include "support/loaded_rank.hpp"

namespace random_test {

using namespace pure::core;
using test_support::as_rank;
using test_support::new_rank;

template <class Function>
Function* replaced(std::string_view name) {
  return test_support::replaced<Function>(random_replacements(), name);
}

struct generators {
  int (*rand)();
  void (*srand)(unsigned);
  long (*random)();
  void (*srandom)(unsigned);
  char* (*initstate)(unsigned, char*, std::size_t);
  char* (*setstate)(char*);
  double (*drand48)();
  double (*erand48)(unsigned short*);
  long (*lrand48)();
  long (*nrand48)(unsigned short*);
  long (*mrand48)();
  long (*jrand48)(unsigned short*);
  void (*srand48)(long);
  unsigned short* (*seed48)(unsigned short*);
  void (*lcong48)(unsigned short*);
};

const generators libc = {std::rand, std::srand, random,  srandom, initstate, setstate, drand48, erand48,
                         lrand48,   nrand48,    mrand48, jrand48, srand48,   seed48,   lcong48};
const generators ours = {replaced<int()>("rand"),
                         replaced<void(unsigned)>("srand"),
                         replaced<long()>("random"),
                         replaced<void(unsigned)>("srandom"),
                         replaced<char*(unsigned, char*, std::size_t)>("initstate"),
                         replaced<char*(char*)>("setstate"),
                         replaced<double()>("drand48"),
                         replaced<double(unsigned short*)>("erand48"),
                         replaced<long()>("lrand48"),
                         replaced<long(unsigned short*)>("nrand48"),
                         replaced<long()>("mrand48"),
                         replaced<long(unsigned short*)>("jrand48"),
                         replaced<void(long)>("srand48"),
                         replaced<unsigned short*(unsigned short*)>("seed48"),
                         replaced<void(unsigned short*)>("lcong48")};

/// The first numbers of a process that has set no seed.
std::vector<std::uint64_t> first_numbers(const generators& from) {
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < 100; ++i) {
    numbers.push_back(static_cast<std::uint64_t>(from.rand()));
    numbers.push_back(static_cast<std::uint64_t>(from.random()));
    numbers.push_back(std::bit_cast<std::uint64_t>(from.drand48()));
    numbers.push_back(static_cast<std::uint64_t>(from.lrand48()));
  }
  return numbers;
}

// Before any test could take one.
const std::vector<std::uint64_t> first_of_libc = first_numbers(libc);

/// One that calls everything, at random; a step is one call.
class program {
 public:
  program(const generators& from, unsigned seed) : from_(from), choices_(seed) {}

  std::uint64_t step() {
    const auto seed = static_cast<unsigned>(choices_());
    switch (choices_() % 18) {
      case 0: return from_.srand(seed), 0;
      case 1: return from_.srandom(seed), 0;
      case 2: return begun_table(seed);
      case 3: return other_table();
      case 4: return from_.srand48(static_cast<long>(seed) << 3), 0;
      case 5: return from_.lcong48(words()), 0;
      case 6: return all_of(from_.seed48(words()));
      case 7: return bits(from_.erand48(own_)) ^ all_of(own_);
      case 8: return bits(from_.nrand48(own_)) ^ all_of(own_);
      case 9: return bits(from_.jrand48(own_)) ^ all_of(own_);
      case 10: return bits(from_.drand48());
      case 11: return bits(from_.lrand48());
      case 12: return bits(from_.mrand48());
      case 13:
      case 14: return bits(from_.random());
      default: return static_cast<std::uint64_t>(from_.rand());
    }
  }

 private:
  static std::uint64_t bits(double number) { return std::bit_cast<std::uint64_t>(number); }
  static std::uint64_t bits(long number) { return static_cast<std::uint64_t>(number); }
  static std::uint64_t all_of(const unsigned short* words) {
    return words[0] + (std::uint64_t{words[1]} << 16) + (std::uint64_t{words[2]} << 32);
  }
  unsigned short* words() {
    for (unsigned short& word : words_) word = static_cast<unsigned short>(choices_());
    return words_;
  }
  std::uint64_t begun_table(unsigned seed) {
    static constexpr std::size_t sizes[] = {7, 8, 31, 32, 64, 128, 256};
    const std::size_t which = choices_() % std::size(sizes);
    char* const table = reinterpret_cast<char*>(tables_[which]);
    const std::uint64_t before = number_of(from_.initstate(seed, table, sizes[which]));
    if (before != 99) begun_.push_back(table);
    return before;
  }
  std::uint64_t other_table() {
    if (begun_.empty()) return 0;
    return number_of(from_.setstate(begun_[choices_() % begun_.size()]));
  }
  /// 98: the one that a process begins with; 99: none.
  std::uint64_t number_of(const char* table) const {
    for (std::size_t i = 0; i < std::size(tables_); ++i)
      if (table == reinterpret_cast<const char*>(tables_[i])) return i;
    return table == nullptr ? 99 : 98;
  }

  const generators& from_;
  std::mt19937 choices_;
  std::int32_t tables_[7][64]{};
  std::vector<char*> begun_;
  unsigned short own_[3] = {1, 2, 3};
  unsigned short words_[7]{};
};

/// What a process gets that does nothing else.
std::vector<std::uint64_t> alone(unsigned seed, int steps) {
  static std::int32_t table[32];
  const auto one = std::make_unique<program>(libc, seed);
  char* const before = initstate(1, reinterpret_cast<char*>(table), sizeof table);  // as in a new process
  unsigned short zero[3] = {};
  seed48(zero);
  seed48(zero);  // the one before is zero, too
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < steps; ++i) numbers.push_back(one->step());
  setstate(before);  // the program's tables go
  return numbers;
}

TEST(rank_random, begins_as_in_a_process_without_a_seed) {
  hidden_state& one = new_rank();
  hidden_state& other = new_rank();
  for (hidden_state* rank : {&one, &other}) {
    const as_rank here(*rank);
    EXPECT_EQ(first_numbers(ours), first_of_libc);
  }
}

TEST(rank_random, gives_each_rank_libcs_numbers_whatever_others_take) {
  constexpr int steps = 500;
  for (unsigned seed = 1; seed <= static_cast<unsigned>(test_support::repetitions(40)); seed += 2) {
    hidden_state* ranks[] = {&new_rank(), &new_rank()};
    const auto first = std::make_unique<program>(ours, seed);
    const auto second = std::make_unique<program>(ours, seed + 1);
    std::vector<std::uint64_t> numbers[2];
    for (int i = 0; i < steps; ++i) {
      for (int rank : {0, 1}) {
        const as_rank here(*ranks[rank]);
        numbers[rank].push_back((rank == 0 ? first : second)->step());
      }
    }
    ASSERT_EQ(numbers[0], alone(seed, steps));
    ASSERT_EQ(numbers[1], alone(seed + 1, steps));
  }
}

TEST(rank_random, gives_each_thread_of_a_rank_other_numbers) {
  constexpr int threads = 4;
  constexpr int each = 5000;
  hidden_state& rank = new_rank();
  std::vector<int> numbers(threads * each);
  std::vector<std::thread> all;
  for (int thread = 0; thread < threads; ++thread)
    all.emplace_back([&, thread] {
      const as_rank here(rank);
      for (int i = 0; i < each; ++i) numbers[static_cast<std::size_t>(thread * each + i)] = ours.rand();
    });
  for (std::thread& thread : all) thread.join();

  hidden_state& alone = new_rank();
  const as_rank here(alone);
  std::vector<int> in_turn(numbers.size());
  for (int& number : in_turn) number = ours.rand();
  std::sort(numbers.begin(), numbers.end());
  std::sort(in_turn.begin(), in_turn.end());
  EXPECT_EQ(numbers, in_turn);
}

TEST(rank_random, waits_for_the_rank_s_lock) {
  hidden_state& rank = new_rank();
  char table[64];
  const auto is_held_up = [&rank](auto call) {
    std::unique_lock held(rank.random.lock);
    std::atomic<int> steps{0};
    std::thread other([&] {
      const as_rank here(rank);
      steps.store(1, std::memory_order_relaxed);
      call();
      steps.store(2, std::memory_order_relaxed);
    });
    while (steps.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const bool waits = steps.load(std::memory_order_relaxed) == 1;
    held.unlock();
    other.join();
    return waits;
  };
  EXPECT_TRUE(is_held_up([] { ours.rand(); }));
  EXPECT_TRUE(is_held_up([] { ours.random(); }));
  EXPECT_TRUE(is_held_up([] { ours.srand(2); }));
  EXPECT_TRUE(is_held_up([&] { ours.initstate(2, table, sizeof table); }));
  EXPECT_TRUE(is_held_up([&] { ours.setstate(table); }));
}

}  // namespace random_test
