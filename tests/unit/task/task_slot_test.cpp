// The task slot: who gets which chunks, when the owner may return, and what a thief gets who comes late.
#include "task/task_slot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "support/environment.hpp"
#include "task/task_pool.hpp"

namespace pure::core {
namespace {

constexpr std::uint32_t single = task_slot::most_chunks + 1;  // a divisor: one chunk at a time

void no_work(void*, std::uint32_t, std::uint32_t) {}

TEST(task_slot, is_empty_until_it_is_opened) {
  task_slot slot;
  task what;
  EXPECT_FALSE(slot.has_chunks());
  EXPECT_EQ(slot.steal(chunk_share(1), what).count, 0U);
  EXPECT_EQ(slot.claim_own(chunk_share(1)).count, 0U);
  EXPECT_EQ(what.work, nullptr);
}

TEST(task_slot, each_chunk_is_claimed_once_and_in_order) {
  for (const std::uint32_t chunks : {1U, 2U, 7U, 64U, 4096U, task_slot::most_chunks}) {
    for (const std::uint32_t divisor : {1U, 2U, 3U, 16U, single}) {
      task_slot slot;
      int data = 0;
      slot.open({no_work, &data}, chunks, 0);
      std::uint32_t next = 0, own = 0;
      for (bool owner = true; slot.has_chunks(); owner = !owner) {
        task what;
        const chunk_range range = owner ? slot.claim_own(chunk_share(divisor)) : slot.steal(chunk_share(divisor), what);
        ASSERT_EQ(range.first, next);
        ASSERT_EQ(range.count, std::max(1U, (chunks - next) / divisor)) << "a share of what is left, at least one";
        next += range.count;
        ASSERT_FALSE(slot.all_others_done(own)) << "chunks " << range.first << " ... are in progress";
        if (owner) {
          own += range.count;
        } else {
          EXPECT_EQ(what.work, no_work);
          EXPECT_EQ(what.context, &data);
          slot.complete(range.count);
        }
      }
      EXPECT_EQ(next, chunks);
      EXPECT_TRUE(slot.all_others_done(own));
    }
  }
}

TEST(task_slot, the_owner_may_return_after_the_last_chunk_of_others) {
  task_slot slot;
  slot.open({no_work, nullptr}, 5, 0);
  task what;
  EXPECT_EQ(slot.steal(chunk_share(single), what).count, 1U);
  EXPECT_EQ(slot.claim_own(chunk_share(1)).count, 4U);
  EXPECT_FALSE(slot.has_chunks());
  EXPECT_FALSE(slot.all_others_done(4));
  slot.complete(1);
  EXPECT_TRUE(slot.all_others_done(4));
}

TEST(task_slot, the_owner_may_begin_with_chunks_that_nobody_saw) {
  task_slot slot;
  task what;
  slot.open({no_work, nullptr}, 8, 4);
  EXPECT_EQ(slot.steal(chunk_share(single), what).first, 4U);
  EXPECT_EQ(slot.claim_own(chunk_share(1)).first, 5U);
  slot.complete(1);
  EXPECT_TRUE(slot.all_others_done(4 + 3));

  slot.open({no_work, nullptr}, 3, 3);
  EXPECT_FALSE(slot.has_chunks()) << "all are the owner's";
  EXPECT_EQ(slot.claim_own(chunk_share(1)).count, 0U);
  EXPECT_TRUE(slot.all_others_done(3));
}

TEST(task_slot, a_share_is_a_division) {
  for (std::uint32_t divisor = 1; divisor <= 65536; divisor += 1 + divisor / 64) {
    const chunk_share share(divisor);
    for (std::uint32_t left = 1; left <= task_slot::most_chunks; left += 1 + left / 256) {
      ASSERT_EQ(share.of(left), std::max(1U, left / divisor)) << left << " / " << divisor;
    }
    ASSERT_EQ(share.of(task_slot::most_chunks), std::max(1U, task_slot::most_chunks / divisor));
  }
}

TEST(task_slot, what_is_dropped_counts_as_done) {
  task_slot slot;
  task what;
  slot.open({no_work, nullptr}, 10, 0);
  EXPECT_EQ(slot.claim_own(chunk_share(5)).count, 2U);
  EXPECT_EQ(slot.steal(chunk_share(4), what).count, 2U);
  slot.drop_rest();
  EXPECT_FALSE(slot.has_chunks());
  EXPECT_EQ(slot.steal(chunk_share(1), what).count, 0U) << "nobody begins a chunk any more";
  EXPECT_FALSE(slot.all_others_done(2)) << "but those in progress are waited for";
  slot.drop_rest();  // by another that fails: there is nothing left
  slot.complete(2);
  EXPECT_TRUE(slot.all_others_done(2));

  slot.open({no_work, nullptr}, 3, 0);
  EXPECT_FALSE(slot.all_others_done(0)) << "what was dropped before does not count now";
  EXPECT_EQ(slot.claim_own(chunk_share(1)).count, 3U);
  EXPECT_TRUE(slot.all_others_done(3));
}

TEST(task_slot, the_hint_says_whether_to_look) {
  task_pool pool(3);
  EXPECT_FALSE(pool.may_have_tasks());
  pool.slot_of(2).open({no_work, nullptr}, 2, 0);
  pool.tell();
  EXPECT_TRUE(pool.may_have_tasks());
  EXPECT_EQ(pool.slot_of(2).claim_own(chunk_share(1)).count, 2U);
  EXPECT_TRUE(pool.may_have_tasks()) << "it is sticky";
  EXPECT_FALSE(pool.slot_of(2).still_has_chunks());
  pool.forget();
  EXPECT_FALSE(pool.may_have_tasks());
}

// ---- late thieves --------------------------------------------------------------------------------------------------

/// What the task slot must not be: the description and a counter of chunks, each right by itself.
class pointer_and_counter {
 public:
  void open(const task& what, std::uint32_t chunks, std::uint32_t own) {
    what_ = what;
    chunks_ = chunks;
    next_ = own;
  }
  chunk_range claim_own(const chunk_share&) {
    const std::uint32_t first = next_;
    next_ = chunks_;
    return {first, chunks_ - first};
  }
  [[nodiscard]] task look() const { return what_; }
  chunk_range steal(const task& seen, const chunk_share&, task& what) {
    const std::uint32_t first = next_.fetch_add(1);
    if (first >= chunks_) return {};
    what = seen;
    return {first, 1};
  }

 private:
  task what_;
  std::uint32_t chunks_ = 0;
  std::atomic<std::uint32_t> next_{0};
};

/// A thief looks in generation g and is held up (the kernel takes its core away). The owner does all chunks, returns,
/// and opens g+1 with as many chunks, so that the counts look as before. Then the thief claims. True if it now runs a
/// chunk of g+1 as the task of g: the chunk is lost for g+1, and the data of g do not exist any more.
template <class Slot>
bool late_thief_mixes_generations() {
  Slot slot;
  auto data = std::make_unique<int>(1);
  slot.open({no_work, data.get()}, 4, 0);
  const auto seen = slot.look();
  EXPECT_EQ(slot.claim_own(chunk_share(1)).count, 4U);
  auto later_data = std::make_unique<int>(2);  // before the other is freed: it has another address
  data.reset();
  slot.open({no_work, later_data.get()}, 4, 0);
  task what;
  const chunk_range range = slot.steal(seen, chunk_share(single), what);
  return range.count > 0 && what.context != later_data.get();
}

TEST(task_slot, a_late_thief_gets_no_chunk_with_the_data_of_the_task_before) {
  EXPECT_FALSE(late_thief_mixes_generations<task_slot>());
  // A plain pointer and counter fails: the thief has read the pointer before, and the counter of g+1 gives it a chunk.
  EXPECT_TRUE(late_thief_mixes_generations<pointer_and_counter>()) << "this test could not fail";
}

TEST(task_slot, a_late_thief_gets_nothing_when_the_slot_is_empty) {
  task_slot slot;
  task what;
  slot.open({no_work, nullptr}, 4, 0);
  const std::uint64_t seen = slot.look();
  EXPECT_EQ(slot.claim_own(chunk_share(1)).count, 4U);
  EXPECT_EQ(slot.steal(seen, chunk_share(1), what).count, 0U);
  slot.open({no_work, nullptr}, 4, 0);
  EXPECT_NE(slot.look(), seen) << "the same counts, but not the same word";
  EXPECT_EQ(slot.claim_own(chunk_share(1)).count, 4U);
  EXPECT_EQ(slot.steal(seen, chunk_share(1), what).count, 0U);
}

/// The data of one generation, gone when the owner returns.
struct generation_data {
  std::uint32_t number;
  std::vector<std::uint32_t> times;  // no atomics: ThreadSanitizer sees who comes too early or too late
};

TEST(task_slot, thieves_and_owner_at_random) {
  const auto generations = static_cast<std::uint32_t>(test_support::repetitions(20'000));
  task_slot slot;
  std::atomic<bool> over{false};
  std::atomic<std::uint32_t> stolen{0};
  const auto count = [](void* context, std::uint32_t first, std::uint32_t last) {
    auto& data = *static_cast<generation_data*>(context);
    for (std::uint32_t chunk = first; chunk <= last; ++chunk) ++data.times[chunk];
  };
  std::vector<std::thread> thieves;
  for (const std::uint32_t divisor : {single, 4U}) {
    thieves.emplace_back([&, divisor] {
      while (!over.load()) {
        task what;
        const std::uint64_t seen = slot.look();
        if (stolen % 64 == 0) std::this_thread::yield();  // and comes late
        const chunk_range range = slot.steal(seen, chunk_share(divisor), what);
        if (range.count == 0) {
          std::this_thread::yield();
          continue;
        }
        what.work(what.context, range.first, range.first + range.count - 1);
        stolen.fetch_add(range.count, std::memory_order_relaxed);
        slot.complete(range.count);
      }
    });
  }
  // On busy cores the thieves may get none before all is done: until they have had some.
  for (std::uint32_t number = 1; number <= generations || stolen.load(std::memory_order_relaxed) == 0; ++number) {
    const std::uint32_t chunks = 1 + number % 9;
    const auto data = std::make_unique<generation_data>(generation_data{number, std::vector<std::uint32_t>(chunks, 0)});
    slot.open({count, data.get()}, chunks, 0);
    if (number % 4 == 0) std::this_thread::yield();
    std::uint32_t own = 0;
    for (chunk_range range = slot.claim_own(chunk_share(6)); range.count > 0; range = slot.claim_own(chunk_share(6))) {
      count(data.get(), range.first, range.first + range.count - 1);
      own += range.count;
    }
    while (!slot.all_others_done(own)) std::this_thread::yield();
    ASSERT_EQ(data->times, std::vector<std::uint32_t>(chunks, 1)) << "generation " << number;
    data->times.assign(chunks, 1000);
  }
  over = true;
  for (std::thread& each : thieves) each.join();
  EXPECT_GT(stolen.load(), 0U);
}

}  // namespace
}  // namespace pure::core
