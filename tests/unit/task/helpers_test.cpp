// Helper threads at work: all ranks on one core, a helper on another.
#include <pure.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pure/parallel.hpp>
#include <pure/pure.hpp>

#include "machine/topology.hpp"
#include "runtime/job.hpp"
#include "runtime/rank.hpp"
#include "support/encounter.hpp"
#include "support/environment.hpp"
#include "task/task_service.hpp"

namespace {

using test_support::encounter;
using test_support::environment;
using test_support::execute_with_slow_thieves;

/// Jobs whose ranks all run on the first cpu, with one helper.
class helpers : public testing::Test {
 protected:
  void SetUp() override {
    if (machine().allowed_cores() < 2) GTEST_SKIP() << "this machine has one core: there is no place for a helper";
  }
  void TearDown() override { unlink(map_.c_str()); }

  template <class Body>
  void run(int ranks, const Body& body) {
    std::ofstream file(map_);
    for (int rank = 0; rank < ranks; ++rank) file << rank << ' ' << machine().allowed_cpus()[0] << '\n';
    file.close();
    pure::run(ranks, body);
  }
  /// The error that ends the job.
  template <class Body>
  std::string failure_of(int ranks, const Body& body) {
    try {
      run(ranks, body);
      return "(nothing was thrown)";
    } catch (const std::exception& error) {
      return error.what();
    }
  }

 private:
  static const pure::core::topology& machine() { return pure::core::topology::of_this_machine(); }

  const std::string map_ = testing::TempDir() + "pure_helpers_" + std::to_string(getpid());
  const environment settings_{{"PURE_HELPERS", "1"}, {"PURE_MAP_BY", "file:" + map_}};
};

/// Threads of the test that compute, on the cpus of the job.
class computing_threads {
 public:
  explicit computing_threads(int count) {
    for (; count > 0; --count) {
      threads_.emplace_back([this] {
        while (!is_over_.load(std::memory_order_relaxed)) std::atomic_signal_fence(std::memory_order_seq_cst);
      });
    }
  }
  computing_threads(const computing_threads&) = delete;
  computing_threads& operator=(const computing_threads&) = delete;
  ~computing_threads() {
    is_over_.store(true, std::memory_order_relaxed);
    for (std::thread& each : threads_) each.join();
  }

 private:
  std::atomic<bool> is_over_{false};
  std::vector<std::thread> threads_;
};

TEST_F(helpers, rest_where_strangers_have_their_core) {
  if (access("/proc/thread-self/schedstat", R_OK) != 0) GTEST_SKIP() << "this kernel does not count what others have";
  const computing_threads beside(4 * static_cast<int>(std::thread::hardware_concurrency()));
  bool has_rested = false;
  run(1, [&](pure::comm) {
    const auto& tasks = pure::core::task_service::of(pure::core::self()->owner().worker(1));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::vector<double> out(1000);
    while (!has_rested && std::chrono::steady_clock::now() < end) {
      pure::parallel_for(out.size(), [&](std::size_t i) {
        for (int step = 0; step < 1000; ++step) out[i] = out[i] * 0.5 + 1;
      });
      has_rested = tasks.rests_until_ns() != 0;
    }
  });
  EXPECT_TRUE(has_rested);
}

struct helper_failure : std::runtime_error {
  helper_failure() : std::runtime_error("of a helper") {}
};

/// Executes a task until a chunk has run on another thread.
void execute_until_helped() {
  std::atomic<bool> was_helped{false};
  const std::thread::id owner = std::this_thread::get_id();
  PureTask task = [&](chunk_id_t) {
    if (std::this_thread::get_id() != owner) was_helped = true;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  };
  while (!was_helped) task.execute();  // else the watchdog
}

TEST_F(helpers, execute_chunks) {
  run(1, [](pure::comm) {
    for (int i = 0; i < 100; ++i) {
      encounter place;
      std::vector<int> times(64, 0);
      PureTask task = [&](chunk_id_t chunk) {
        place.meet();
        ++times[chunk];
      };
      task.execute();
      ASSERT_EQ(times, std::vector<int>(64, 1));
    }
    std::vector<int> doubled(100'000, 0);
    for (int i = 0; i < 20; ++i) pure::parallel_for(doubled, [](int& x) { ++x; });
    EXPECT_EQ(doubled, std::vector<int>(100'000, 20));
  });
}

TEST_F(helpers, serve_several_ranks) {
  run(4, [](pure::comm world) {
    std::vector<int> times(64, 0);
    PureTask task = [&](chunk_id_t chunk) { ++times[chunk]; };
    for (int i = 1; i <= 300; ++i) {
      task.execute();
      ASSERT_EQ(times, std::vector<int>(64, i));
      if (i % 10 != 0) continue;
      EXPECT_EQ(world.all_reduce(i, std::plus{}), 4 * i);
    }
  });
}

TEST_F(helpers, who_sleep_are_woken_for_a_task) {
  const environment impatient{{"PURE_SPIN_US", "0"}};
  run(1, [](pure::comm) {
    for (int i = 0; i < 10; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      execute_until_helped();
    }
  });
}

TEST_F(helpers, exceptions_reach_the_owner) {
  run(1, [](pure::comm) {
    for (int i = 0; i < 20; ++i) {
      encounter place;
      PureTask task = [&](chunk_id_t) {
        place.meet();
        if (!place.is_owner()) throw helper_failure();
      };
      EXPECT_THROW(task.execute(), helper_failure);
    }
  });
}

TEST_F(helpers, cannot_communicate_either) {
  run(1, [](pure::comm world) {
    for (const bool typed : {true, false}) {
      encounter place;
      PureTask task = [&](chunk_id_t) {
        place.meet();
        if (place.is_owner()) return;
        if (typed) return world.send(1, 0);
        pure_barrier(PURE_COMM_WORLD);
      };
      try {
        task.execute();
        ADD_FAILURE() << "nothing was thrown";
      } catch (const pure::Error& error) {
        EXPECT_EQ(error.code(), pure::errc::state);
        EXPECT_NE(std::string(error.what()).find("called inside a chunk of a task"), std::string::npos) << error.what();
      }
    }
  });
}

TEST_F(helpers, are_no_hope_in_a_deadlock) {
  for (const char* const spin : {"0", "1000", "50000"}) {
    const environment wait_policy{{"PURE_SPIN_US", spin}};
    const std::string text = failure_of(3, [](pure::comm world) {
      if (world.rank() == 0) execute_until_helped();
      if (world.rank() < 2) (void)world.recv<int>(1 - world.rank(), 17);
    });
    EXPECT_NE(text.find("deadlock"), std::string::npos) << text;
    EXPECT_NE(text.find("rank 0 waits in recv for a message from rank 1"), std::string::npos) << text;
    EXPECT_NE(text.find("rank 1 waits in recv"), std::string::npos) << text;
    EXPECT_NE(text.find("1 of 3 ranks had returned"), std::string::npos) << text;
    EXPECT_EQ(text.find("helper 0"), std::string::npos) << text;
    EXPECT_EQ(text.find("helper thread"), std::string::npos) << text;
    EXPECT_EQ(text.find("rank 3"), std::string::npos) << text;
  }
}

TEST_F(helpers, do_not_delay_the_end_of_a_job_that_fails) {
  for (const char* const spin : {"0", "10000000"}) {  // asleep, and awake
    const environment wait_policy{{"PURE_SPIN_US", spin}};
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(failure_of(2,
                         [](pure::comm world) {
                           if (world.rank() == 1) return (void)world.recv<int>(0);
                           execute_until_helped();
                           std::this_thread::sleep_for(std::chrono::milliseconds(5));
                           throw helper_failure();
                         }),
              "of a helper");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1)) << "there are 2 s of grace";
  }
}

TEST_F(helpers, finish_their_chunk_when_a_job_fails) {  // AddressSanitizer sees the task's end otherwise
  EXPECT_EQ(failure_of(2,
                       [](pure::comm world) {
                         static std::atomic<bool> is_stolen;
                         if (world.rank() == 0) is_stolen = false;
                         world.barrier();
                         if (world.rank() == 1) {
                           while (!is_stolen) std::this_thread::yield();
                           throw helper_failure();
                         }
                         execute_with_slow_thieves(is_stolen);
                         (void)world.recv<int>(1);
                       }),
            "of a helper");
}

TEST_F(helpers, come_and_go_with_their_jobs) {
  for (const char* const spin : {"0", "50000"}) {
    const environment wait_policy{{"PURE_SPIN_US", spin}};
    for (int job = 0; job < test_support::repetitions(150); ++job) {
      run(1 + job % 3, [&](pure::comm world) {
        std::vector<int> times(64, 0);
        PureTask task = [&](chunk_id_t chunk) { ++times[chunk]; };
        for (int i = 0; i < job % 4; ++i) task.execute();
        EXPECT_EQ(times, std::vector<int>(64, job % 4));
        if (job % 5 == 0) world.barrier();
      });
    }
  }
}

TEST_F(helpers, too_many_are_refused) {
  const environment many{{"PURE_HELPERS", "1000"}};
  EXPECT_NE(failure_of(1, [](pure::comm) {}).find("each helper needs a core without a rank"), std::string::npos);
  const environment word{{"PURE_HELPERS", "some"}};
  EXPECT_NE(failure_of(1, [](pure::comm) {}).find("PURE_HELPERS=some is not possible"), std::string::npos);
}

}  // namespace
