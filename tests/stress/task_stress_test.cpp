// Random programs of tasks, messages and collectives: every index is computed exactly once, with the arguments of its
// execution, while the ranks that wait are in whatever wait; and messages and collectives in flight are not disturbed.
//
// Job i of a test has the seed PURETEST_SEED + i; a failure prints it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pure/paper_task.hpp>
#include <pure/parallel.hpp>
#include <pure/pure.hpp>

#include "support/encounter.hpp"
#include "support/environment.hpp"
#include "support/oracle/dice.hpp"

namespace {

using oracle::dice;
using oracle::mix;
using test_support::environment;

/// One of 64 different ways to be late, mostly none.
void delay(std::uint64_t random) {
  if (random % 64 > 3) return;
  if (random % 64 == 0) return std::this_thread::yield();
  if (random % 64 == 1 && random % 1024 < 64) {
    return std::this_thread::sleep_for(std::chrono::microseconds(random / 1024 % 100));
  }
  for (auto left = random / 64 % 4096; left > 0; --left) std::atomic_signal_fence(std::memory_order_seq_cst);
}

struct failed_chunk : std::runtime_error {
  failed_chunk() : std::runtime_error("a chunk that fails") {}
};

/// The arguments of one execution, and what it leaves. No atomics: ThreadSanitizer sees chunks that overlap, and chunks
/// that run before execute() is called or after it has returned.
struct execution {
  static constexpr chunk_id_t none = 0xffffffff;

  std::uint64_t seed = 0;
  bool is_aligned = false;
  bool nests = false;
  chunk_id_t failing = none;
  std::vector<std::uint64_t> in, out;
  std::vector<unsigned char> times;

  [[nodiscard]] std::uint64_t expected(std::size_t i) const { return mix(in[i] + seed); }

  void compute(pure_index_t first, pure_index_t last) {
    for (auto i = static_cast<std::size_t>(first); static_cast<pure_index_t>(i) <= last; ++i) {
      out[i] = mix(in[i] + seed);
      ++times[i];
    }
  }
};

/// A task that is executed many times, always with new arguments.
class worker {
 public:
  void execute(dice& random) {
    auto now = std::make_unique<execution>();
    now->seed = random.next();
    now->is_aligned = random.chance(50);
    now->nests = pure::detail::task_chunks() <= 64 && random.chance(3);  // 64 x 64 chunks
    const std::size_t size = random.below<std::size_t>(random.chance(80) ? 100 : 5000);
    for (std::size_t i = 0; i < size; ++i) now->in.push_back(random.next());
    now->out.assign(size, 0);
    now->times.assign(size, 0);
    if (random.chance(3)) now->failing = random.below<chunk_id_t>(pure::detail::task_chunks());
    bool has_failed = false;
    try {
      task_.execute(now.get());
    } catch (const failed_chunk&) {
      has_failed = true;
    }
    ASSERT_EQ(has_failed, now->failing != execution::none);
    for (std::size_t i = 0; i < size; ++i) {
      if (has_failed) {
        ASSERT_LE(now->times[i], 1) << "index " << i << " of " << size;
      } else {
        ASSERT_EQ(now->times[i], 1) << "index " << i << " of " << size;
        ASSERT_EQ(now->out[i], now->expected(i)) << "index " << i << " of " << size;
      }
    }
    now->times.assign(size, 100);  // a chunk that is still at work is seen
  }

  void execute_some(dice& random) {
    for (int i = random.below(4); i > 0; --i) execute(random);
  }

 private:
  static void chunks(chunk_id_t start, chunk_id_t end, execution& of) {
    const std::size_t size = of.in.size();
    const auto range = of.is_aligned ? pure_aligned_idx_range<std::uint64_t>(size, start, end)
                                     : pure_unaligned_idx_range<std::uint64_t>(size, start, end);
    delay(mix(of.seed + start));
    if (start <= of.failing && of.failing <= end) throw failed_chunk();
    of.compute(range.first, range.second);
  }

  PureTask task_ = [](chunk_id_t start, chunk_id_t end, std::optional<void*> per_exe_args) {
    auto& of = *static_cast<execution*>(per_exe_args.value());
    if (of.nests) {
      int times = 0;
      PureTask inner = [&times](chunk_id_t) { ++times; };
      inner.execute();
      if (times != static_cast<int>(pure::detail::task_chunks())) throw std::logic_error("a nested task is incomplete");
    }
    chunks(start, end, of);
  };
};

/// One rank of a random program. `common` has the same seed on all ranks, `own` another on each.
class random_rank {
 public:
  random_rank(pure::comm world, std::uint64_t seed)
      : world_(world), common_(seed), own_(mix(seed) + static_cast<std::uint64_t>(world.rank())) {}

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      worker_.execute_some(own_);
      step();
    }
  }

 private:
  void step() {
    switch (common_.below(9)) {
      case 0: return ring(1 + common_.below<std::size_t>(200));
      case 1: return ring(common_.below<std::size_t>(40'000));  // by rendezvous
      case 2: return blocking_ring();
      case 3: return world_.barrier();
      case 4: return all_reduce();
      case 5: return broadcast();
      case 6: return all_reduce_in_flight();
      case 7: return barrier_in_flight();
      default: return one_works();
    }
  }

  [[nodiscard]] int right() const { return (world_.rank() + 1) % world_.size(); }
  [[nodiscard]] int left() const { return (world_.rank() + world_.size() - 1) % world_.size(); }
  [[nodiscard]] static std::vector<std::uint64_t> data_of(int rank, std::uint64_t seed, std::size_t size) {
    std::vector<std::uint64_t> made(size);
    for (std::size_t i = 0; i < size; ++i) made[i] = mix(seed + i) + static_cast<std::uint64_t>(rank);
    return made;
  }
  [[nodiscard]] std::uint64_t sum_of_all(std::uint64_t seed) const {
    std::uint64_t sum = 0;
    for (int rank = 0; rank < world_.size(); ++rank) sum += mix(seed + static_cast<std::uint64_t>(rank));
    return sum;
  }

  void ring(std::size_t size) {
    const std::uint64_t seed = common_.next();
    const auto mine = data_of(world_.rank(), seed, size);
    std::vector<std::uint64_t> from_left(size);
    std::vector<pure::request> both;
    both.push_back(world_.irecv_into(from_left, left(), 3));
    worker_.execute_some(own_);
    both.push_back(world_.isend(mine, right(), 3));
    worker_.execute_some(own_);
    pure::wait_all(both);
    EXPECT_EQ(from_left, data_of(left(), seed, size));
  }

  void blocking_ring() {
    const auto mine = static_cast<std::uint64_t>(world_.rank()), seed = common_.next();
    std::uint64_t got = 0;
    if (world_.rank() == 0) {
      if (world_.size() > 1) {
        world_.send(seed + mine, right());
        world_.recv_into(got, left());
        EXPECT_EQ(got, seed + static_cast<std::uint64_t>(left()));
      }
    } else {
      world_.recv_into(got, left());
      EXPECT_EQ(got, seed + static_cast<std::uint64_t>(left()));
      worker_.execute(own_);
      world_.send(seed + mine, right());
    }
  }

  void all_reduce() {
    const std::uint64_t seed = common_.next();
    EXPECT_EQ(world_.all_reduce(mix(seed + static_cast<std::uint64_t>(world_.rank())), std::plus{}), sum_of_all(seed));
  }

  void broadcast() {
    const int root = common_.below(world_.size());
    const std::uint64_t seed = common_.next();
    const std::size_t size = common_.below<std::size_t>(20'000);
    const auto expected = data_of(root, seed, size);
    std::vector<std::uint64_t> data(size);
    if (world_.rank() == root) {
      worker_.execute(own_);
      data = expected;
    }
    world_.bcast(data, root);
    EXPECT_EQ(data, expected);
  }

  void all_reduce_in_flight() {
    const std::uint64_t seed = common_.next(), mine = mix(seed + static_cast<std::uint64_t>(world_.rank()));
    std::uint64_t sum = 0;
    pure::request reduction = world_.iall_reduce_into(mine, sum, std::plus{});
    worker_.execute_some(own_);
    reduction.wait();
    EXPECT_EQ(sum, sum_of_all(seed));
  }

  void barrier_in_flight() {
    pure::request barrier = world_.ibarrier();
    worker_.execute(own_);
    barrier.wait();
  }

  void one_works() {  // and all others wait for it
    if (world_.rank() == common_.below(world_.size())) {
      for (int i = 0; i < 10; ++i) worker_.execute(own_);
    }
    world_.barrier();
  }

  pure::comm world_;
  dice common_, own_;
  worker worker_;
};

TEST(task_stress, random_programs) {
  const int jobs = test_support::repetitions(300);
  for (int job = 0; job < jobs && !testing::Test::HasFailure(); ++job) {
    const std::uint64_t seed = test_support::first_seed() + static_cast<std::uint64_t>(job);
    dice random(seed);
    const int ranks = random.between(1, 8);
    const std::string chunks = random.pick<std::string>({"1", "2", "3", "17", "64", "64", "300", "4096"});
    const std::string guided = random.chance(50) ? "on" : "off";
    const std::string spin = random.pick<std::string>({"0", "20", "50000"});
    const std::string from = random.pick<std::string>({"sticky", "random", "near"});
    const std::string shared = random.pick<std::string>({"4K", "64K", "64K", "64K"});  // copied by several ranks
    SCOPED_TRACE(testing::Message() << "PURETEST_SEED=" << seed << ": " << ranks << " ranks, " << chunks
                                    << " chunks, guided " << guided << ", from " << from << ", PURE_SPIN_US=" << spin
                                    << ", PURE_SHARED_COPY_MIN=" << shared);
    const environment settings{{"PURE_MAX_TASK_CHUNKS", chunks}, {"PURE_GUIDED_STEALING", guided},
                               {"PURE_SPIN_US", spin},           {"PURE_STEAL_FROM", from},
                               {"PURE_SHARED_COPY_MIN", shared}, {"PURE_COPY_PIECE", "1K"}};
    pure::run(ranks, [&](pure::comm world) { random_rank(world, seed).run(20); });
  }
}

/// Threads that are no ranks, and compute on all cpus as long as it lives.
class strangers {
 public:
  explicit strangers(int count) {
    for (; count > 0; --count) {
      threads_.emplace_back([this] {
        while (!is_over_.load(std::memory_order_relaxed)) std::atomic_signal_fence(std::memory_order_seq_cst);
      });
    }
  }
  strangers(const strangers&) = delete;
  strangers& operator=(const strangers&) = delete;
  ~strangers() {
    is_over_.store(true, std::memory_order_relaxed);
    for (std::thread& each : threads_) each.join();
  }

 private:
  std::atomic<bool> is_over_{false};
  std::vector<std::thread> threads_;
};

TEST(task_stress, loops_beside_strangers_whose_thieves_rest) {  // two ranks, of which each has its own core
  const int loops = test_support::repetitions(60);
  for (const int neighbours : {1, 2, 3}) {
    const strangers beside(neighbours);
    pure::run(2, [&](pure::comm world) {
      dice random(test_support::first_seed() + static_cast<std::uint64_t>(world.rank() + 2 * neighbours));
      for (int i = 0; i < loops; ++i) {
        const std::size_t size = 1 + random.below<std::size_t>(2000);
        const std::uint64_t seed = random.next();
        std::vector<std::uint64_t> out(size, 0);
        pure::parallel_for(size, [&](std::size_t at) {
          delay(mix(seed + at));
          out[at] += mix(seed ^ at);
        });
        for (std::size_t at = 0; at < size; ++at) ASSERT_EQ(out[at], mix(seed ^ at)) << "PURETEST_SEED, loop " << i;
        if (i % 4 == 0) world.barrier();  // the one with less to do takes of the other's
      }
    });
  }
}

TEST(task_stress, thousands_of_short_tasks) {  // of several owners at once, with waits in between
  const environment chunks{{"PURE_MAX_TASK_CHUNKS", "8"}};
  for (const int ranks : {2, 3, 8}) {
    pure::run(ranks, [](pure::comm world) {
      const int tasks = test_support::repetitions(300'000) / world.size();
      dice random(test_support::first_seed() + static_cast<std::uint64_t>(world.rank()));
      std::vector<int> times(8, 0);
      PureTask task = [&](chunk_id_t chunk) { ++times[chunk]; };
      for (int i = 1; i <= tasks; ++i) {
        task.execute();
        ASSERT_EQ(times, std::vector<int>(8, i)) << "rank " << world.rank();
        if (i % 50 == 0) {
          delay(random.next());
          world.barrier();
        }
      }
    });
  }
}

TEST(task_stress, no_open_task_is_overlooked) {  // each comes at another time after the hint was set or cleared
  const environment never_parks{{"PURE_SPIN_US", "10000000"}};
  for (const int ranks : {2, 3}) {
    test_support::while_others_wait(ranks, [](pure::comm) {
      dice random(test_support::first_seed());
      const int tasks = test_support::repetitions(10'000);
      for (int i = 0; i < tasks; ++i) {
        for (auto pause = random.below(250'000); pause > 0; --pause)
          std::atomic_signal_fence(std::memory_order_seq_cst);
        test_support::encounter place;
        PureTask task = [&](chunk_id_t chunk) {
          if (chunk < 40) place.meet();  // so the owner waits here for ever for a thief that does not come
        };
        task.execute();
      }
    });
  }
}

}  // namespace
