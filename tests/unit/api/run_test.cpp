// pure::run: values, exceptions, and any number of jobs, one after the other and at once.
#include <pure.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pure/pure.hpp>

#include "support/environment.hpp"

namespace {

using test_support::environment;

TEST(run, every_rank_runs_once) {
  for (const int ranks : {1, 2, 3, 9, 40}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(ranks));
    const int status = pure::run(ranks, [&](pure::comm world) {
      EXPECT_EQ(world.size(), ranks);
      ++calls[static_cast<std::size_t>(world.rank())];
    });
    EXPECT_EQ(status, 0);
    for (const auto& each : calls) EXPECT_EQ(each, 1);
  }
}

TEST(run, functions_with_and_without_comm_and_value) {
  EXPECT_EQ(pure::run(2, [] {}), 0);
  EXPECT_EQ(pure::run(2, [](pure::comm) {}), 0);
  EXPECT_EQ(pure::run(2, [] { return 0; }), 0);
  EXPECT_EQ(pure::run(4, [](pure::comm world) { return world.rank() < 2 ? 0 : world.rank(); }), 2)
      << "the first that is not zero, by rank";
  const auto constant = [](pure::comm world) { return world.size(); };
  EXPECT_EQ(pure::run(3, constant), 3);
  int (*const pointer)(pure::comm) = [](pure::comm world) { return world.size() + 1; };
  EXPECT_EQ(pure::run(3, pointer), 4);
}

TEST(run, the_function_is_one_object_for_all_ranks) {
  struct counter {
    std::atomic<int> calls{0};
    void operator()() { ++calls; }
  } function;
  pure::run(3, function);
  EXPECT_EQ(function.calls, 3);
}

TEST(run, the_number_of_ranks_comes_from_the_settings) {
  const environment ranks{{"PURE_RANKS", "3"}};
  std::atomic<int> calls{0};
  const auto count = [&](pure::comm world) {
    EXPECT_EQ(world.size(), 3);
    ++calls;
  };
  EXPECT_EQ(pure::run(count), 0);
  EXPECT_EQ(calls, 3);
  char name[] = "program";
  char* argv[] = {name, nullptr};
  EXPECT_EQ(pure::run(1, argv, count), 0);
  EXPECT_EQ(calls, 6);
}

struct own_error {
  int value;
};

TEST(run, exceptions_keep_their_type) {
  try {
    pure::run(3, [](pure::comm world) {
      if (world.rank() == 1) throw own_error{42};
      (void)world.recv<int>(pure::any_source);
    });
    FAIL() << "nothing was thrown";
  } catch (const own_error& error) {
    EXPECT_EQ(error.value, 42);
  }
  EXPECT_THROW(pure::run(1, [] { throw std::out_of_range("mine"); }), std::out_of_range);
}

TEST(run, an_exception_ends_every_kind_of_wait) {
  for (const bool parks : {false, true}) {
    const environment spin{{"PURE_SPIN_US", parks ? "0" : "10000000"}};
    EXPECT_THROW(pure::run(6,
                           [](pure::comm world) {
                             std::vector<char> large(100'000), other(100'000);
                             switch (world.rank()) {
                               case 0: (void)world.recv<int>(1); break;
                               case 1: world.send(large, 0, 7); break;  // nobody receives it
                               case 2: world.sendrecv(large, 0, other, 0, 8); break;
                               case 3: {
                                 std::vector<pure::request> all;
                                 all.push_back(world.irecv_into(large, 0));
                                 all.push_back(world.irecv_into(other, 1));
                                 pure::wait_any(all);
                                 break;
                               }
                               case 4:
                                 for (;;) (void)world.irecv_into(large, 0).test();
                               default:
                                 std::this_thread::sleep_for(std::chrono::milliseconds(20));
                                 throw std::domain_error("mine");
                             }
                           }),
                 std::domain_error);
  }
}

TEST(run, stacks_unwind_in_every_rank) {
  struct counted {
    std::atomic<int>& alive;
    explicit counted(std::atomic<int>& in) : alive(in) { ++alive; }
    ~counted() { --alive; }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
  };
  std::atomic<int> alive{0};
  EXPECT_THROW(pure::run(5,
                         [&](pure::comm world) {
                           const counted here(alive);
                           if (world.rank() == 0) throw std::runtime_error("mine");
                           (void)world.recv<int>();
                         }),
               std::runtime_error);
  EXPECT_EQ(alive, 0);
}

TEST(run, an_exception_is_not_hidden_by_what_it_unwinds) {
  // The request of a large message is destroyed while the exception passes: nobody will ever receive it.
  for (const int receivers : {0, 1}) {
    EXPECT_THROW(pure::run(2,
                           [&](pure::comm world) {
                             const std::vector<char> large(1'000'000);
                             if (world.rank() == 0) {
                               const pure::request sending = world.isend(large, 1);
                               throw std::domain_error("mine");
                             }
                             if (receivers > 0) (void)world.recv<int>(0, 5);
                           }),
                 std::domain_error);
  }
}

TEST(run, buffers_live_until_nobody_reads_them) {
  // A rank that has not noticed the failure yet receives from one whose request was destroyed after it.
  for (int i = 0; i < 5; ++i) {
    std::atomic<int> step{0};
    const auto wait_for = [&](int value) {
      while (step < value) std::this_thread::yield();
    };
    EXPECT_THROW(pure::run(3,
                           [&](pure::comm world) {
                             if (world.rank() == 2) {
                               wait_for(1);
                               throw std::domain_error("mine");
                             }
                             if (world.rank() == 0) {
                               std::vector<char> large(10'000'000, 'a');
                               {
                                 const pure::request sending = world.isend(large, 1);
                                 step = 1;
                                 std::this_thread::sleep_for(std::chrono::milliseconds(20));  // rank 2 has failed
                                 step = 2;
                               }
                               std::fill(large.begin(), large.end(), 'b');
                               step = 3;
                             }
                             if (world.rank() == 1) {
                               wait_for(2);
                               std::this_thread::sleep_for(std::chrono::milliseconds(5));
                               std::vector<char> in(10'000'000);
                               world.recv_into(in, 0);
                               EXPECT_EQ(std::memchr(in.data(), 'b', in.size()), nullptr)
                                   << "the request ended too early";
                             }
                           }),
                 std::domain_error);
  }
}

TEST(run, a_deadlock_is_an_error) {
  for (const char* const spin : {"0", "1000"}) {
    const environment setting{{"PURE_SPIN_US", spin}};
    for (int i = 0; i < test_support::repetitions(60); ++i) {
      try {
        pure::run(2, [](pure::comm world) { (void)world.recv<int>(1 - world.rank(), 17); });
        FAIL() << "nothing was thrown";
      } catch (const pure::Error& error) {
        const std::string text = error.what();
        for (const char* const word : {"deadlock", "rank 0", "rank 1", "recv", "tag 17", "run_test.cpp:"}) {
          ASSERT_NE(text.find(word), std::string::npos) << text;
        }
      }
    }
  }
}

TEST(run, a_job_after_a_failed_one_is_well) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_ANY_THROW(pure::run(3, [](pure::comm world) {
      world.send(std::vector<int>(100), (world.rank() + 1) % 3, 4);  // left in a ring
      if (world.rank() == 2) throw 1;
      (void)world.recv<int>(2);
    }));
    std::atomic<int> sum{0};
    pure::run(3, [&](pure::comm world) {
      world.send(world.rank(), (world.rank() + 1) % 3);
      sum += world.recv<int>((world.rank() + 2) % 3);
    });
    EXPECT_EQ(sum, 3);
  }
}

TEST(run, jobs_at_once_do_not_meet) {
  std::vector<std::future<int>> jobs;
  for (int job = 0; job < 4; ++job) {
    jobs.push_back(std::async(std::launch::async, [job] {
      int last = 0;
      for (int i = 0; i < 10; ++i) {
        last = pure::run(3, [&](pure::comm world) {
          const int next = (world.rank() + 1) % 3, before = (world.rank() + 2) % 3;
          world.send(job * 10 + world.rank(), next);
          return world.recv<int>(before) - before;
        });
      }
      return last;
    }));
  }
  for (int job = 0; job < 4; ++job) EXPECT_EQ(jobs[static_cast<std::size_t>(job)].get(), job * 10);
}

TEST(run, a_rank_cannot_start_ranks) {
  try {
    pure::run(2, [] { pure::run(2, [] {}); });
    FAIL() << "nothing was thrown";
  } catch (const pure::Error& error) {
    EXPECT_EQ(error.code(), pure::errc::state);
    EXPECT_NE(std::string(error.what()).find("a rank cannot start ranks"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("PURE_MAIN_RUNS_ONCE"), std::string::npos) << error.what();
  }
}

TEST(run, impossible_jobs_are_errors) {
  const auto nothing = [] { ADD_FAILURE() << "a rank has started"; };
  for (const int wrong : {0, -1, -1000}) {
    try {
      pure::run(wrong, nothing);
      FAIL() << "nothing was thrown";
    } catch (const pure::Error& error) {
      EXPECT_EQ(error.code(), pure::errc::argument);
      EXPECT_NE(std::string(error.what()).find(std::to_string(wrong) + " ranks"), std::string::npos) << error.what();
    }
  }
  const auto refused = [&](const char* name, const char* value, const char* word) {
    const environment setting{{name, value}};
    try {
      pure::run(2, nothing);
      ADD_FAILURE() << name << "=" << value << " was accepted";
    } catch (const pure::Error& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refused("PURE_RNAKS", "2", "did you mean PURE_RANKS?");
  refused("PURE_RANKS", "0", "PURE_RANKS=0");
  refused("PURE_RANKS", "many", "PURE_RANKS=many");
  refused("PURE_MAP_BY", "moon", "moon");
  refused("PURE_MAP_BY", "file:/no/such/file", "/no/such/file");
  refused("PURE_RING_BYTES", "4K", "PURE_EAGER_LIMIT");
  refused("PURE_EAGER_LIMIT", "-1", "PURE_EAGER_LIMIT=-1");
}

TEST(run, the_main_form_prints_and_returns) {
  const environment ranks{{"PURE_RANKS", "2"}};
  char name[] = "program";
  char* argv[] = {name, nullptr};
  testing::internal::CaptureStderr();
  const int status = pure::run(1, argv, [](pure::comm world) {
    if (world.rank() == 1) throw std::runtime_error("my cause");
    (void)world.recv<int>(1);
  });
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(status, 1);
  EXPECT_NE(said.find("rank 1"), std::string::npos) << said;
  EXPECT_NE(said.find("my cause"), std::string::npos) << said;
  EXPECT_EQ(said.find("my cause"), said.rfind("my cause")) << "printed once";
}

TEST(run, calls_outside_a_rank_are_errors) {
  EXPECT_THROW((void)pure_rank(), pure::Error);
  EXPECT_THROW((void)pure_size(), pure::Error);
}

}  // namespace
