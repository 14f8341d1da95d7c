// Exceptions of the program that come through the library: the object that was thrown is the one that is caught.
#include <pure.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <pure/pure.hpp>

namespace {

/// Cannot be copied, and knows where it is.
class thrown_object {
 public:
  explicit thrown_object(int value) noexcept : value_(value), here_(this) { ++alive; }
  thrown_object(const thrown_object&) = delete;
  thrown_object& operator=(const thrown_object&) = delete;
  ~thrown_object() { --alive; }

  [[nodiscard]] int value() const noexcept { return here_ == this ? value_ : -1; }

  static inline std::atomic<int> alive{0};

 private:
  int value_;
  const thrown_object* here_;
};

/// Checks that `call` throws such an object, that nothing of it is left, and that no exception counts as on its way.
template <class Call>
void expect_thrown_object(int value, Call call) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const thrown_object& thrown) {
    EXPECT_EQ(thrown.value(), value);
    EXPECT_EQ(std::uncaught_exceptions(), 0);
  }
  EXPECT_EQ(thrown_object::alive, 0);
  EXPECT_EQ(std::uncaught_exceptions(), 0);
}

TEST(exceptions_of_programs, leave_run) {
  for (const int ranks : {1, 2, 3}) {
    expect_thrown_object(7, [&] {
      pure::run(ranks, [&](pure::comm world) {
        if (world.rank() == ranks - 1) throw thrown_object(7);
        (void)world.recv<int>();
      });
    });
  }
  expect_thrown_object(8, [] { pure::run(4, []() -> int { throw thrown_object(8); }); });
}

TEST(exceptions_of_programs, last_as_long_as_somebody_keeps_them) {
  std::exception_ptr kept;
  try {
    pure::run(2, [] { throw thrown_object(9); });
  } catch (...) {
    kept = std::current_exception();
  }
  pure::run(2, [](pure::comm world) { world.barrier(); });
  EXPECT_EQ(thrown_object::alive, 1);
  expect_thrown_object(9, [&] { std::rethrow_exception(std::exchange(kept, nullptr)); });
}

TEST(exceptions_of_programs, leave_loops_and_tasks) {
  for (const int ranks : {1, 3}) {
    pure::run(ranks, [](pure::comm world) {
      if (world.rank() == 0) {
        expect_thrown_object(3, [] {
          pure::parallel_for(1000, [](int i) {
            if (i == 500) throw thrown_object(3);
          });
        });
        expect_thrown_object(4, [] {
          (void)pure::parallel_reduce(
              0, 100, 0, [](int i) { return i == 50 ? throw thrown_object(4) : i; }, std::plus{});
        });
        PureTask task = [](chunk_id_t first, chunk_id_t) {
          if (first == 0) throw thrown_object(5);
        };
        expect_thrown_object(5, [&] { task.execute(); });
        expect_thrown_object(6, [] {  // a loop in a loop
          pure::parallel_for(2, [](int) { pure::parallel_for(2, [](int i) { i == 0 ? throw thrown_object(6) : 0; }); });
        });
      }
      world.barrier();
    });
  }
}

TEST(exceptions_of_programs, of_another_rank_reach_the_caller) {
  pure::run(2, [](pure::comm world) {
    if (world.rank() == 0) {
      const auto caller = std::this_thread::get_id();
      std::atomic<bool> has_thrown{false};
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      expect_thrown_object(11, [&] {
        pure::parallel_for(
            64,
            [&](int) {
              if (std::this_thread::get_id() != caller) {
                has_thrown = true;
                throw thrown_object(11);
              }
              while (!has_thrown && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
            },
            pure::chunk_size(1));
      });
      EXPECT_TRUE(has_thrown);
    }
    world.barrier();
  });
}

TEST(exceptions_of_programs, of_operators) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{100'000}}) {
    expect_thrown_object(12, [&] {
      pure::run(3, [&](pure::comm world) {
        const std::vector<double> data(count, 1);
        (void)world.all_reduce(data, [](double, double) -> double { throw thrown_object(12); });
      });
    });
  }
  try {  // of an operation that proceeds in waits, the wait tells
    pure::run(2, [](pure::comm world) {
      const int mine = world.rank();
      int sum = 0;
      const auto refuse = [](int, int) -> int { throw std::runtime_error("no sum"); };
      world.iall_reduce_into(mine, sum, refuse).wait();
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const pure::Error& error) {
    EXPECT_NE(std::string(error.what()).find("no sum"), std::string::npos) << error.what();
  }
  EXPECT_EQ(std::uncaught_exceptions(), 0);
}

TEST(exceptions_of_programs, of_operators_that_throw_nothing_are_called_straight) {
  pure::run(3, [](pure::comm world) {
    EXPECT_EQ(world.all_reduce(world.rank(), [](int a, int b) noexcept { return 10 * a + b; }), 12);
  });
}

TEST(exceptions_of_programs, of_aggregations) {
  expect_thrown_object(13, [] {
    pure::run(2, [](pure::comm world) {
      pure::aggregation items(world);
      const auto channel = items.on<int>([](int) { throw thrown_object(13); });
      channel.send(1, 1 - world.rank());
      items.finish();
    });
  });
  expect_thrown_object(14, [] {
    pure::run(2, [](pure::comm world) {
      pure::aggregation items(world);
      (void)items.on<int>([](int) {});
      items.finish_with([]() -> bool { throw thrown_object(14); });
    });
  });
  expect_thrown_object(15, [] {
    pure::run(1, [](pure::comm world) {
      pure::aggregation items(world);
      const auto channel = items.on<int>([](int) {}, [](int&, int) -> bool { throw thrown_object(15); });
      for (int i = 0; i < 100'000; ++i) channel.send(i, 0);
      items.finish();
    });
  });
}

/// A vector that never has room.
struct full_vector : std::vector<int> {
  void resize(std::size_t) { throw thrown_object(16); }
};

TEST(exceptions_of_programs, of_containers) {
  expect_thrown_object(16, [] {
    pure::run(2, [](pure::comm world) {
      if (world.rank() == 0) {
        world.send(std::vector<int>(10), 1);
      } else {
        (void)world.recv<full_vector>(0);
      }
    });
  });
}

TEST(exceptions_of_programs, keep_their_kind) {
  struct own_bad_alloc : std::bad_alloc {};
  struct own_error : pure::Error {
    own_error() : Error(pure::errc::dims, "mine", pure_call_site("own.cpp", 5)) {}
  };
  const auto thrown_in_loop = [](auto make) {
    pure::run(2, [&](pure::comm world) {
      if (world.rank() == 0) pure::parallel_for(4, [&](int) { throw make(); });
    });
  };
  EXPECT_THROW(thrown_in_loop([] { return own_bad_alloc(); }), own_bad_alloc);
  EXPECT_THROW(thrown_in_loop([] { return std::length_error("mine"); }), std::length_error);
  EXPECT_THROW(thrown_in_loop([] { return std::out_of_range("mine"); }), std::out_of_range);
  EXPECT_THROW(thrown_in_loop([] { return std::string("mine"); }), std::string);
  try {
    thrown_in_loop([] { return own_error(); });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const own_error& error) {
    EXPECT_EQ(error.code(), pure::errc::dims);
    EXPECT_STREQ(error.what(), "mine");
    EXPECT_EQ(error.site().line, 5U);
  }
  EXPECT_EQ(std::uncaught_exceptions(), 0);
}

TEST(exceptions_of_the_library, are_thrown_in_the_program) {
  pure::run(2, [](pure::comm world) {
    const auto expect = [](pure::errc code, auto call) {
      try {
        call();
        ADD_FAILURE() << "nothing was thrown";
      } catch (const pure::Error& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        EXPECT_NE(std::string(error.what()).find("exceptions_test.cpp:"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.site().file).find("exceptions_test.cpp"), std::string::npos);
        EXPECT_NE(error.site().line, 0U);
        EXPECT_EQ(std::uncaught_exceptions(), 0);
      }
      EXPECT_EQ(std::uncaught_exceptions(), 0);
    };
    expect(pure::errc::rank, [&] { world.send(1, 2); });
    expect(pure::errc::tag, [&] { (void)world.recv<int>(0, -7); });
    expect(pure::errc::argument, [&] { (void)world.split(-3); });
    expect(pure::errc::rank, [&] { (void)world.group().incl({0, 5}); });
    expect(pure::errc::argument, [&] { (void)pure::layout<int>::contiguous(4).of(std::vector<int>(3)); });
    std::vector<int> three(3);
    expect(pure::errc::count, [&] { (void)world.scatter(three, 0); });
    auto window = pure::window<int>::allocate(world, 1);
    expect(pure::errc::rma_range, [&] { window.put(1, {0, 1}); });
    world.barrier();
    expect(pure::errc::state, [&] { pure::parallel_for(1, [&](int) { world.send(1, 0); }); });
  });
}

TEST(exceptions_of_the_library, end_the_waits_of_a_job_that_fails) {
  std::atomic<int> left{0};
  EXPECT_THROW(pure::run(3,
                         [&](pure::comm world) {
                           struct counter {
                             std::atomic<int>& left;
                             ~counter() {
                               if (std::uncaught_exceptions() == 1) ++left;
                             }
                           } const here{left};
                           if (world.rank() == 0) throw std::domain_error("mine");
                           try {
                             (void)world.recv<int>(0);
                           } catch (const std::exception&) {  // these do not stop it
                             left = -100;
                           }
                         }),
               std::domain_error);
  EXPECT_EQ(left, 3);
  EXPECT_EQ(std::uncaught_exceptions(), 0);
}

}  // namespace
