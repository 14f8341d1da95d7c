// What a window tells its observer, over one that only notes it: which calls, in which order, and with which numbers.
#include "window/window_observer.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "coll/collective.hpp"
#include "coll/operators.hpp"
#include "comm/communicator_table.hpp"
#include "start/launch.hpp"
#include "start/services.hpp"
#include "window/create.hpp"
#include "window/operations.hpp"
#include "window/read_request.hpp"
#include "window/window_table.hpp"

namespace pure::core {
namespace {

using notes = std::vector<std::string>;

constexpr int ranks = 2;
constexpr std::size_t unit = 8, part_bytes = 8 * unit;

std::string text_of(const int* target) { return target == nullptr ? "all" : std::to_string(*target); }

class noting_observer final : public window_observer {
 public:
  noting_observer(window_end& end, notes& to, int& living) : end_(end), to_(to), living_(living) { ++living_; }
  ~noting_observer() override { --living_; }

  void access_starts(const call& /*by*/, const access_details& how, const place_in_part& where) override {
    constexpr const char* names[] = {"get", "put", "atomic"};
    note("{} {}+{} of {}{}{}{}", names[static_cast<int>(how.kind)], where.first, where.bytes, where.rank,
         how.kind == access_kind::atomic ? fmt::format(", {} on {}", how.what, how.element_bytes) : "",
         how.request != 0 ? fmt::format(", read {}", how.request) : "", how.is_in_active_epoch ? ", active" : "");
    if (refuses) throw std::runtime_error("refused");
  }
  void access_ends(const call& /*by*/, access_kind kind, const place_in_part& where,
                   const placed_message* what) override {
    EXPECT_EQ(what != nullptr, kind == access_kind::put);
    std::int64_t there = 0;
    std::memcpy(&there, end_.at(where.rank).base + where.first, sizeof there);
    note("done: {}", there);
  }
  std::uint64_t next_read() override { return ++reads_; }
  void read_ends(int rank, std::uint64_t number, const rows_in_part& where) override {
    note("read {} ends, {}+{} of {}", number, where.rows.front().offset, where.bytes, rank);
  }
  void completes(const call& by, const int* target) override { note("{} completes {}", by.operation, text_of(target)); }
  void lets_know() noexcept override { note("lets know"); }
  void all_meet(const call& by) override {
    note("{}: all meet", by.operation);
    collective_arguments what;
    what.kind = detail::collective::barrier;
    run_collective(end_.comm(), by, what);
  }
  void fence_ends(const call& by, bool opens) override { note("{} ends{}", by.operation, opens ? ", opens" : ""); }
  void epoch_begins() override { note("epoch begins"); }
  void epoch_ends(const call& by) override { note("{} ends epoch", by.operation); }

  bool refuses = false;

 private:
  template <class... Args>
  void note(fmt::format_string<Args...> text, Args&&... args) {
    to_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  window_end& end_;
  notes& to_;
  int& living_;
  std::uint64_t reads_ = 0;
};

struct observed_job {
  notes of_rank[ranks];
  int living[ranks] = {};
  bool has_ended = false;  // the observer of the group: behind those of the ranks
};

class noting_group final : public group_observer {
 public:
  explicit noting_group(observed_job& job) : job_(job) {}
  ~noting_group() override {
    EXPECT_EQ(job_.living[0] + job_.living[1], 0);
    job_.has_ended = true;
  }
  std::unique_ptr<window_observer> observer_for(window_end& of, remote_access* way) override {
    EXPECT_EQ(way, nullptr);
    return std::make_unique<noting_observer>(of, job_.of_rank[of.rank()], job_.living[of.rank()]);
  }
  std::optional<std::string> answer_to(window_group& /*of*/, const arrived_rma<rma_question>& /*asked*/) override {
    return std::nullopt;
  }

 private:
  observed_job& job_;
};

call here(const char* operation) { return {operation, {}}; }
const std::vector<int> rank_0{0}, rank_1{1};

/// Runs it on two ranks, with a window that is observed, and is freed when it has returned. The notes of rank 0.
notes noted(const std::function<void(window&)>& program, bool needs_epochs = true) {
  observed_job job;
  alignas(line_bytes) std::byte memory[ranks][part_bytes] = {};
  auto* const shared = new window_group(1, ranks, window_flavor::create, {}, "observed");
  shared->observe_by(std::make_unique<noting_group>(job));
  const auto body = [&](rank_context& self) {
    communicator& world = communicator_table::of(self).world();
    window_group::target& own = shared->at(world.rank());
    own.base = memory[world.rank()];
    own.bytes = part_bytes;
    own.unit = unit;
    own.memory = part_memory::control_for(part_bytes);
    own.control = own.memory.control();
    own.owner = &self;
    window& made = window_table::of(self).add(world, *shared, needs_epochs);
    made.meet(here("make"));
    program(made);
    EXPECT_EQ(free_window(made, here("free")), nullptr);
    return 0;
  };
  EXPECT_EQ(run_ranks({.values = settings(), .ranks = ranks}, attach_services, body).status, 0);
  EXPECT_TRUE(job.has_ended);
  notes all = job.of_rank[0];
  EXPECT_GE(all.size(), 2U);
  EXPECT_EQ(all.front(), "make: all meet");
  EXPECT_EQ(all.back(), "free: all meet");
  return {all.begin() + 1, all.end() - 1};
}

void put_value(window& to, int rank, std::int64_t value, std::int64_t offset = 2, std::size_t bytes = 8) {
  put(to, here("put"), {&value, bytes, {}}, {rank, offset, bytes, nullptr});
}
std::int64_t get_value(window& from, int rank) {
  std::int64_t value = 0;
  get(from, here("get"), {&value, 8, {}}, {rank, 2, 8, nullptr});
  return value;
}

TEST(window_observer, epochs_of_fences) {
  const notes expected{"fence: all meet", "fence ends, opens", "put 16+8 of 1, active", "done: 7",
                       "fence: all meet", "fence ends, opens", "fence: all meet",       "fence ends"};
  EXPECT_EQ(noted([](window& on) {
              on.fence(here("fence"));
              if (on.rank() == 0) put_value(on, 1, 7);
              on.fence(here("fence"));
              on.fence(here("fence"), false);
            }),
            expected);
}

TEST(window_observer, epochs_of_post_and_start) {
  EXPECT_EQ(noted([](window& on) {
              if (on.rank() == 0) {
                on.post(here("post"), rank_1);
                on.wait(here("wait"));
                on.post(here("post"), rank_1);
                while (!on.test(here("test"))) {
                }
              } else {
                for (int i = 0; i < 2; ++i) {
                  on.start(here("start"), rank_0);
                  on.complete(here("complete"));
                }
              }
            }),
            (notes{"epoch begins", "wait ends epoch", "epoch begins", "test ends epoch"}))
      << "of a target";
  EXPECT_EQ(noted([](window& on) {
              if (on.rank() == 1) {
                on.post(here("post"), rank_0);
                on.wait(here("wait"));
              } else {
                on.start(here("start"), rank_1);
                put_value(on, 1, 7);
                on.complete(here("complete"));
              }
            }),
            (notes{"put 16+8 of 1, active", "done: 7"}))
      << "of an origin, whose operations the target's wait completes";
}

TEST(window_observer, epochs_of_locks) {
  EXPECT_EQ(noted([](window& on) {
              if (on.rank() != 0) return;
              on.lock(here("lock"), 1, lock_kind::exclusive);
              put_value(on, 1, 7);
              on.flush(here("flush"), 1);
              on.flush_all(here("flush_all"));
              on.sync();
              on.unlock(here("unlock"), 1);
              on.lock_all(here("lock_all"));
              EXPECT_EQ(get_value(on, 1), 7);
              on.unlock_all(here("unlock_all"));
            }),
            (notes{"put 16+8 of 1", "done: 7", "flush completes 1", "lets know", "flush_all completes all", "lets know",
                   "lets know", "unlock completes 1", "get 16+8 of 1", "unlock_all completes all"}));
}

TEST(window_observer, atomic_operations_by_their_numbers) {
  combination sum;
  sum.element_bytes = 8;
  ASSERT_TRUE(find_reduction(PURE_SUM, PURE_INT64_T, sum.how));
  combination replace, no_op;
  replace.element_bytes = no_op.element_bytes = 8;
  replace.what = combination::kind::replace;
  no_op.what = combination::kind::none;
  const notes all = noted(
      [&](window& on) {
        if (on.rank() != 0) return;
        std::int64_t five = 5, before = 0;
        const window_place where{1, 0, 8, nullptr};
        for (const combination& how : {replace, sum})
          accumulate(on, here("accumulate"), {&five, 8, {}}, nullptr, where, how);
        const placed_message look{&before, 8, {}};
        accumulate(on, here("look"), {}, &look, where, no_op);
        EXPECT_EQ(before, 10);
        compare_and_swap(on, here("swap"), &before, &five, &before, 8, 1, 0);
      },
      false);
  const std::string starts = "atomic 0+8 of 1, ";
  EXPECT_EQ(all, (notes{starts + "1 on 8", "done: 5", fmt::format("{}{} on 8", starts, sum.how.identity), "done: 10",
                        starts + "2 on 8", "done: 10", starts + "3 on 8", "done: 5"}));
}

TEST(window_observer, reads_that_requests_complete) {
  EXPECT_EQ(
      noted(
          [](window& on) {
            if (on.rank() != 0) return;
            requests& all = on.comm().requests();
            std::int64_t value = 0;
            for (int i = 0; i < 2; ++i) {
              handle read = start_get(on, here("rget"), {&value, 8, {}}, {1, 2, 8, nullptr});
              all.wait(here("wait"), read);
              all.finish(read);
            }
            EXPECT_EQ(start_get(on, here("rget"), {&value, 0, {}}, {1, 2, 0, nullptr}), finished_send);
          },
          false),
      (notes{"get 16+8 of 1, read 1", "read 1 ends, 16+8 of 1", "get 16+8 of 1, read 2", "read 2 ends, 16+8 of 1"}))
      << "one of no bytes touches nothing";
}

TEST(window_observer, notifications_complete_what_was_before) {
  EXPECT_EQ(noted([](window& on) {
              if (on.rank() == 0) on.notify(here("notify"), 1, 0);
              if (on.rank() == 1) on.wait_notified(here("wait"), 1, 0);
            }),
            (notes{"notify completes all"}));
}

TEST(window_observer, hears_nothing_of_what_touches_nothing_or_is_wrong) {
  EXPECT_EQ(noted([](window& on) {
              if (on.rank() != 0) return;
              EXPECT_THROW(put_value(on, 1, 7), Error) << "no epoch";
              on.lock_all(here("lock_all"));
              put_value(on, 1, 7, 0, 0);
              put_value(on, proc_null, 7);
              on.flush(here("flush"), proc_null);
              EXPECT_THROW(put_value(on, 1, 7, 8), Error) << "behind the end of the part";
              EXPECT_THROW(on.flush(here("flush"), ranks), Error);
              on.unlock_all(here("unlock_all"));
            }),
            (notes{"unlock_all completes all"}));
}

TEST(window_observer, may_refuse_an_operation_before_the_memory_is_touched) {
  EXPECT_EQ(noted(
                [](window& on) {
                  if (on.rank() != 0) return;
                  dynamic_cast<noting_observer&>(*on.observer()).refuses = true;
                  EXPECT_THROW(put_value(on, 1, 7), std::runtime_error);
                  dynamic_cast<noting_observer&>(*on.observer()).refuses = false;
                  EXPECT_EQ(get_value(on, 1), 0);
                },
                false),
            (notes{"put 16+8 of 1", "get 16+8 of 1"}));
}

}  // namespace
}  // namespace pure::core
