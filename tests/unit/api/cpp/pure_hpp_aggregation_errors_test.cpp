// pure::aggregation: wrong calls are errors that name what happened, where, and what to do.
#include <pure/aggregation.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pure/pure.hpp>

namespace {

/// Checks that `call` throws pure::Error with that code, all of `words`, and this file as the place of the call.
template <class Call>
void expect_error_of(Call call, pure::errc code, const std::vector<std::string>& words) {
  try {
    call();
  } catch (const pure::Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.code(), code) << text;
    for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << "\nin " << text;
    EXPECT_NE(text.find("pure_hpp_aggregation_errors_test.cpp:"), std::string::npos) << text;
    return;
  }
  ADD_FAILURE() << "no error; expected " << words.front();
}

/// What pure::run throws when the job has failed.
template <class Body>
std::string text_of_failed_run(int ranks, Body body) {
  try {
    pure::run(ranks, body);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

TEST(pure_hpp_aggregation_errors, options_that_cannot_be_are_errors_of_all_ranks) {
  pure::run(3, [](pure::comm world) {
    const auto made_with = [&](const pure::aggregation_options& options) {
      return [&world, options] { pure::aggregation items(world, options); };
    };
    expect_error_of(made_with({.buffer_bytes = 17345}), pure::errc::argument, {"17345", "at most 17344"});
    expect_error_of(made_with({.memory_cap = 20'000}), pure::errc::argument, {"20000", "for two buffers"});
    expect_error_of(made_with({.memory_cap = world.rank() == 1 ? std::size_t{0} : std::size_t{1} << 20}),
                    pure::errc::argument, {"rank 1 asks for a memory cap of 0 bytes"});
    expect_error_of(made_with({.latency = std::chrono::nanoseconds(-1)}), pure::errc::argument, {"negative"});
    expect_error_of(made_with({.buffer_bytes = world.rank() == 2 ? std::size_t{64} : std::size_t{128}}),
                    pure::errc::mismatch, {"ranks 0 and 2 pass different options"});
    expect_error_of(made_with({.over = world.rank() == 1 ? pure::hops::grid : pure::hops::direct}),
                    pure::errc::mismatch, {"ranks 0 and 1 pass different options"});
    expect_error_of(made_with({.over = static_cast<pure::hops>(9)}), pure::errc::argument, {"hops 9"});
    pure::aggregation fits(world, {.memory_cap = 36'000});
  });
}

TEST(pure_hpp_aggregation_errors, channels_in_another_order_name_both_ranks) {
  static std::atomic<bool> is_made;
  is_made = false;
  pure::run(2, [](pure::comm world) {
    pure::aggregation items(world, {.name = "edges"});
    if (world.rank() == 0) {
      static_cast<void>(items.on<std::uint64_t>([](std::uint64_t) {}));
      is_made = true;
      world.barrier();
    } else {
      while (!is_made) std::this_thread::yield();
      expect_error_of([&] { static_cast<void>(items.on<float>([](float) {})); }, pure::errc::mismatch,
                      {"rank 1 of aggregation \"edges\"", "channel 0 is of float (4 bytes)",
                       "that of rank 0 is of unsigned long", "same order"});
      world.barrier();
      expect_error_of([&] { items.finish(); }, pure::errc::mismatch, {"it has made 0 of the 1 channel", "of rank 0"});
      static_cast<void>(items.on<std::uint64_t>([](std::uint64_t) {}));
    }
    items.finish();
  });
}

TEST(pure_hpp_aggregation_errors, ranks_out_of_range) {
  pure::run(2, [](pure::comm world) {
    pure::aggregation items(world);
    const auto channel = items.on<int>([](int) {});
    for (const int dest : {-1, 2, 1 << 30}) {
      expect_error_of([&] { channel.send(1, dest); }, pure::errc::rank, {"there is no rank " + std::to_string(dest)});
      expect_error_of([&] { channel.send(1, dest, pure::urgent); }, pure::errc::rank, {"they are 0 to 1"});
      expect_error_of([&] { items.flush(dest); }, pure::errc::rank, {"they are 0 to 1"});
    }
    items.finish();
  });
}

TEST(pure_hpp_aggregation_errors, what_handlers_may_not_do) {
  pure::run(2, [](pure::comm world) {
    pure::aggregation items(world);
    int handled = 0;
    const auto channel = items.on<int>([&](int) {
      ++handled;
      expect_error_of([&] { items.finish(); }, pure::errc::state, {"finish in a handler"});
      expect_error_of([&] { static_cast<void>(items.on<char>([](char) {})); }, pure::errc::state, {"in a handler"});
      expect_error_of([&] { world.send(1, 0); }, pure::errc::state, {"inside a handler of an aggregation"});
      expect_error_of([&] { world.barrier(); }, pure::errc::state, {"inside a handler of an aggregation"});
      EXPECT_FALSE(items.progress());
      items.flush();
      EXPECT_GT(items.stats().received + 1, 0U);
    });
    channel.send(1, 1 - world.rank());
    items.finish();
    EXPECT_EQ(handled, 1);
    world.barrier();  // outside it works
  });
}

TEST(pure_hpp_aggregation_errors, tasks_and_other_threads_send_nothing) {
  pure::run(2, [](pure::comm world) {
    pure::aggregation items(world);
    const auto channel = items.on<int>([](int) {});
    const auto try_to_send = [&](std::size_t) {
      expect_error_of([&] { channel.send(1, 0); }, pure::errc::state, {"inside a chunk of a task"});
      expect_error_of([&] { items.flush(); }, pure::errc::state, {"inside a chunk of a task"});
    };
    pure::parallel_for(2, try_to_send, pure::chunking().size(1));
    std::thread([&] {
      expect_error_of([&] { channel.send(1, 0); }, pure::errc::state, {"a thread that is no rank"});
      expect_error_of([&] { items.finish(); }, pure::errc::state, {"its rank's own thread"});
    }).join();
    items.finish();
    EXPECT_EQ(items.stats().sent, 0U) << "what was refused has not been sent";
  });
}

TEST(pure_hpp_aggregation_errors, a_handler_that_throws_ends_the_job_with_its_cause) {
  const std::string text = text_of_failed_run(3, [](pure::comm world) {
    pure::aggregation items(world);
    const auto channel = items.on<int>([](int item) {
      if (item == 7) throw std::runtime_error("the seventh item is wrong");
    });
    for (int i = 0; i < 10; ++i) channel.send(i, (world.rank() + 1) % 3);
    items.finish();
  });
  EXPECT_EQ(text, "the seventh item is wrong");
}

TEST(pure_hpp_aggregation_errors, work_that_throws_ends_the_job_with_its_cause) {
  const std::string text = text_of_failed_run(3, [](pure::comm world) {
    pure::aggregation items(world);
    items.finish_with([&]() -> bool {
      if (world.rank() == 1) throw std::runtime_error("no work like this");
      return false;
    });
  });
  EXPECT_EQ(text, "no work like this");
}

TEST(pure_hpp_aggregation_errors, finish_in_its_own_work) {
  pure::run(2, [](pure::comm world) {
    pure::aggregation items(world);
    bool has_tried = false;
    items.finish_with([&] {
      if (has_tried) return false;
      has_tried = true;
      expect_error_of([&] { items.finish(); }, pure::errc::state, {"inside finish, by its work"});
      return true;
    });
    EXPECT_TRUE(has_tried);
  });
}

TEST(pure_hpp_aggregation_errors, an_aggregation_that_ends_unfinished_ends_the_job) {
  const std::string text = text_of_failed_run(2, [](pure::comm world) {
    {
      pure::aggregation items(world, {.name = "halo"});
      const auto channel = items.on<int>([](int) {});
      items.finish();
      if (world.rank() == 0) channel.send(1, 1);
      world.barrier();
    }
    world.barrier();
    world.barrier();
  });
  EXPECT_NE(text.find("aggregation \"halo\": it ends without finish"), std::string::npos) << text;
  EXPECT_NE(text.find("Every rank calls finish"), std::string::npos) << text;
}

TEST(pure_hpp_aggregation_errors, a_rank_that_has_left_is_named) {
  pure::run(2, [](pure::comm world) {
    std::optional<pure::aggregation> items(std::in_place, world);
    const auto channel = items->on<int>([](int) {});
    items->finish();
    if (world.rank() == 1) items.reset();
    world.barrier();
    if (world.rank() == 0) {
      channel.send(1, 1);
      expect_error_of([&] { items->flush(); }, pure::errc::state, {"1 item for rank 1, which has ended its part"});
      expect_error_of([&] { items->finish(); }, pure::errc::state, {"rank 1 has ended its part"});
    }
  });
}

TEST(pure_hpp_aggregation_errors, a_channel_that_has_ended_is_an_error) {
  pure::run(2, [](pure::comm world) {
    std::optional<pure::channel<int>> kept;
    std::optional<pure::query<int>> asked;
    {
      pure::aggregation items(world, {.name = "halo"});
      kept = items.on<int>([](int) {});
      asked = items.on_query<int>([](int) { return 1; }, [](int, std::uint64_t) {});
      kept->send(1, 1 - world.rank());
      items.finish();
    }
    for (const int dest : {0, 1, 2}) {
      expect_error_of([&] { kept->send(1, dest); }, pure::errc::state,
                      {"channel 0 of aggregation \"halo\" is used after the end"});
      expect_error_of([&] { kept->send(1, dest, pure::urgent); }, pure::errc::state, {"channel 0", "after the end"});
    }
    expect_error_of([&] { asked->ask(1, 0); }, pure::errc::state, {"channel 2", "after the end"});
    pure::aggregation later(world, {.name = "later"});
    int handled = 0;
    const auto channel = later.on<int>([&](int) { ++handled; });
    expect_error_of([&] { kept->send(1, 0); }, pure::errc::state, {"after the end"});
    channel.send(1, 1 - world.rank());
    later.finish();
    EXPECT_EQ(handled, 1);
  });
}

TEST(pure_hpp_aggregation_errors, the_smallest_cap_holds_two_buffers) {
  pure::run(1, [](pure::comm world) {
    pure::aggregation fits(world, {.buffer_bytes = 17344, .memory_cap = 2 * (17344 + 64)});
    expect_error_of([&] { pure::aggregation items(world, {.memory_cap = 2 * (17344 + 64) - 1}); }, pure::errc::argument,
                    {"for two buffers"});
    expect_error_of([&] { pure::aggregation items(world, {.buffer_bytes = 17345}); }, pure::errc::argument, {"17345"});
  });
}

}  // namespace
