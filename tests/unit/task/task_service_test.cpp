// Tasks on several ranks: who waits takes chunks, and what they throw reaches the owner.
#include <pure.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <pure/pure.hpp>

#include "support/encounter.hpp"
#include "support/environment.hpp"

namespace {

using test_support::encounter;
using test_support::environment;
using test_support::execute_with_slow_thieves;
using test_support::while_others_wait;

class tasks : public testing::TestWithParam<bool> {  // PURE_GUIDED_STEALING
  const environment guided_{{"PURE_GUIDED_STEALING", GetParam() ? "on" : "off"}};
};
INSTANTIATE_TEST_SUITE_P(guided, tasks, testing::Bool(), testing::PrintToStringParamName());

// ---- in every wait -------------------------------------------------------------------------------------------------

struct kind_of_wait {
  const char* name;
  std::function<void(pure::comm)> wait;     // by rank 1
  std::function<void(pure::comm)> release;  // by rank 0
};

std::vector<kind_of_wait> waits() {
  const auto send_one = [](pure::comm world) { world.send(1, 1); };
  const auto receive = [](std::size_t bytes, int messages) {
    return [=](pure::comm world) {
      std::vector<char> data(bytes);
      for (int i = 0; i < messages; ++i) world.recv_into(data, 1);
    };
  };
  const auto barrier = [](pure::comm) { pure_barrier(PURE_COMM_WORLD); };
  const auto allreduce = [](pure::comm) {
    const int one = 1;
    int sum = 0;
    pure_allreduce(&one, &sum, 1, PURE_INT, PURE_SUM, PURE_COMM_WORLD);
    EXPECT_EQ(sum, 2);
  };
  const auto bcast = [](pure::comm world) {
    int x = world.rank() == 0 ? 5 : 0;
    pure_bcast(&x, 1, PURE_INT, 0, PURE_COMM_WORLD);
    EXPECT_EQ(x, 5);
  };
  const auto ibarrier = [](pure::comm) {
    pure_request request;
    pure_ibarrier(PURE_COMM_WORLD, &request);
    pure_wait(&request);
  };
  return {
      {"recv", [](pure::comm world) { (void)world.recv<int>(0); }, send_one},
      {"wait",
       [](pure::comm world) {
         int x = 0;
         world.irecv_into(x, 0).wait();
       },
       send_one},
      {"wait_all",
       [](pure::comm world) {
         int x[2];
         std::vector<pure::request> both;
         both.push_back(world.irecv_into(x[0], 0));
         both.push_back(world.irecv_into(x[1], 0));
         pure::wait_all(both);
       },
       [=](pure::comm world) {
         send_one(world);
         send_one(world);
       }},
      {"wait_any",
       [](pure::comm world) {
         int x = 0;
         std::vector<pure::request> one;
         one.push_back(world.irecv_into(x, 0));
         (void)pure::wait_any(one);
       },
       send_one},
      {"send of a large message",
       [](pure::comm world) { world.send(std::as_const(*std::make_unique<std::vector<char>>(3'000'000)), 0); },
       receive(3'000'000, 1)},
      {"send into a full ring",
       [](pure::comm world) {
         const std::vector<char> data(1000);
         for (int i = 0; i < 5000; ++i) world.send(data, 0);
       },
       receive(1000, 5000)},
      {"barrier", barrier, barrier},
      {"all_reduce", allreduce, allreduce},
      {"broadcast", bcast, bcast},
      {"wait for a non-blocking barrier", ibarrier, ibarrier},
      {"dup", [](pure::comm world) { (void)world.dup(); }, [](pure::comm world) { (void)world.dup(); }},
      {"the end of main", [](pure::comm) {}, [](pure::comm) {}},
  };
}

TEST_P(tasks, are_done_in_every_wait) {
  for (const kind_of_wait& kind : waits()) {
    SCOPED_TRACE(kind.name);
    pure::run(2, [&](pure::comm world) {
      if (world.rank() == 1) return kind.wait(world);
      for (int i = 0; i < 3; ++i) {
        encounter place;
        std::vector<int> times(64, 0);
        PureTask task = [&](chunk_id_t chunk) {
          place.meet();
          ++times[chunk];
        };
        task.execute();
        EXPECT_EQ(times, std::vector<int>(64, 1));
      }
      kind.release(world);
    });
  }
}

TEST(parked_ranks, are_woken_for_a_task) {
  const environment impatient{{"PURE_SPIN_US", "0"}};
  while_others_wait(2, [](pure::comm) {
    std::atomic<int> stolen{0};
    const std::thread::id owner = std::this_thread::get_id();
    PureTask task = [&](chunk_id_t) {
      if (std::this_thread::get_id() != owner) ++stolen;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    };
    while (stolen == 0) task.execute();  // else the watchdog
  });
}

// ---- each task by itself -------------------------------------------------------------------------------------------

TEST_P(tasks, reused_thousands_of_times_with_new_arguments) {
  while_others_wait(3, [](pure::comm) {
    struct arguments {
      int execution;
      std::vector<int> seen;
    };
    PureTask task = [](chunk_id_t start, chunk_id_t end, std::optional<void*> per_exe_args) {
      auto& args = *static_cast<arguments*>(per_exe_args.value());
      for (chunk_id_t chunk = start; chunk <= end; ++chunk) args.seen[chunk] += args.execution;
    };
    PureTask other = [](chunk_id_t start, chunk_id_t end, std::optional<void*> per_exe_args) {
      auto& args = *static_cast<arguments*>(per_exe_args.value());
      for (chunk_id_t chunk = start; chunk <= end; ++chunk) args.seen[chunk] -= args.execution;
    };
    const int executions = test_support::repetitions(10'000);
    for (int i = 1; i <= executions; ++i) {
      const auto args = std::make_unique<arguments>(arguments{i, std::vector<int>(64, 0)});
      (i % 3 == 0 ? other : task).execute(args.get());
      const int expected = i % 3 == 0 ? -i : i;
      ASSERT_EQ(args->seen, std::vector<int>(64, expected));
      args->seen.assign(64, 0);
    }
  });
}

TEST(chunks_of_a_task, are_as_many_as_the_setting_says) {
  for (const unsigned chunks : {1U, 2U, 3U, 100U, 4096U}) {
    const environment setting{{"PURE_MAX_TASK_CHUNKS", std::to_string(chunks)}};
    while_others_wait(2, [&](pure::comm) {
      std::vector<int> times(chunks, 0);
      PureTask task = [&](chunk_id_t start, chunk_id_t end) {
        for (chunk_id_t chunk = start; chunk <= end; ++chunk) ++times.at(chunk);
      };
      task.execute();
      EXPECT_EQ(times, std::vector<int>(chunks, 1));
    });
  }
}

TEST_P(tasks, nested_ones_run_in_place) {
  while_others_wait(3, [](pure::comm) {
    encounter place;
    std::vector<int> times(64 * 64, 0);
    PureTask outer = [&](chunk_id_t outside) {
      place.meet();
      const std::thread::id here = std::this_thread::get_id();
      PureTask inner = [&, here](chunk_id_t start, chunk_id_t end, std::optional<void*> factor) {
        EXPECT_EQ(std::this_thread::get_id(), here);
        for (chunk_id_t chunk = start; chunk <= end; ++chunk)
          times[outside * 64 + chunk] += *static_cast<int*>(*factor);
      };
      int factor = 2;
      inner.execute(&factor);
    };
    outer.execute();
    EXPECT_EQ(times, std::vector<int>(64 * 64, 2));
  });
}

// ---- exceptions ----------------------------------------------------------------------------------------------------

struct failure : std::runtime_error {
  explicit failure(std::string text) : std::runtime_error(std::move(text)) {}
};

enum class who { owner, thief, all };

/// Executes a task that fails in the first chunk of the owner, of a thief, or in all. Checks what reaches execute(),
/// and that no chunk is in progress afterwards.
void fail_in_chunks(who fails) {
  encounter place;
  std::atomic<int> in_progress{0}, begun{0};
  PureTask task = [&](chunk_id_t) {
    ++in_progress;
    ++begun;
    place.meet();
    const bool is_owner = place.is_owner();
    if (fails == who::all || is_owner == (fails == who::owner)) {
      --in_progress;
      throw failure(is_owner ? "of the owner" : "of a thief");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --in_progress;
  };
  try {
    task.execute();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const failure& thrown) {
    if (fails != who::all) {
      EXPECT_STREQ(thrown.what(), fails == who::owner ? "of the owner" : "of a thief");
    }
  }
  EXPECT_EQ(in_progress, 0) << "execute() has returned before the chunks in progress have ended";
  EXPECT_LE(begun, 64);
}

TEST_P(tasks, exceptions_of_all_ranks_reach_the_owner) {
  while_others_wait(3, [](pure::comm) {
    for (int i = 0; i < test_support::repetitions(100); ++i) {
      fail_in_chunks(static_cast<who>(i % 3));
      std::vector<int> times(64, 0);
      PureTask next = [&](chunk_id_t chunk) { ++times[chunk]; };
      next.execute();
      ASSERT_EQ(times, std::vector<int>(64, 1)) << "the slot is as it was";
    }
  });
}

TEST(exceptions_in_chunks, drop_the_chunks_that_nobody_has_begun) {
  while_others_wait(2, [](pure::comm) {
    encounter place;
    std::atomic<int> begun{0};
    std::atomic<bool> has_thrown{false};
    PureTask task = [&](chunk_id_t) {
      ++begun;
      if (!place.is_owner()) {
        place.thief_is_here();
        has_thrown = true;
        throw failure("at once");
      }
      place.wait_for_thief();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // until the rest is dropped
    };
    EXPECT_THROW(task.execute(), failure);
    EXPECT_LE(begun, 40) << "single chunks, and the owner's first share of 64";
  });
}

TEST(exceptions_in_chunks, what_is_no_std_exception) {
  while_others_wait(2, [](pure::comm) {
    encounter place;
    PureTask task = [&](chunk_id_t) {
      place.meet();
      if (!place.is_owner()) throw 42;
    };
    EXPECT_THROW(task.execute(), int);
  });
}

TEST(exceptions_in_chunks, end_the_job_if_nobody_catches_them) {
  EXPECT_THROW(while_others_wait(3,
                                 [](pure::comm) {
                                   encounter place;
                                   PureTask task = [&](chunk_id_t) {
                                     place.meet();
                                     if (!place.is_owner()) throw failure("uncaught");
                                   };
                                   task.execute();
                                 }),
               failure);
}

TEST(a_job_that_fails, waits_for_the_chunks_in_progress) {  // AddressSanitizer sees the task's end otherwise
  EXPECT_THROW(pure::run(3,
                         [](pure::comm world) {
                           static std::atomic<bool> is_stolen;
                           if (world.rank() == 0) is_stolen = false;
                           pure_barrier(PURE_COMM_WORLD);
                           if (world.rank() == 2) {
                             while (!is_stolen) std::this_thread::yield();
                             throw failure("elsewhere");
                           }
                           if (world.rank() == 1) return (void)world.recv<int>(0);
                           execute_with_slow_thieves(is_stolen);
                           (void)world.recv<int>(1);
                         }),
               failure);
}

}  // namespace
