// Memory that runs out, at every allocation in turn: an item whose send has failed is not sent, all others are handled
// once and in order, and phases end; or the job ends, and says why. Nothing hangs, and nothing is lost in silence.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <pure/error.hpp>

#include "support/aggregation_schedules.hpp"

namespace {

/// What operator new does on this thread.
struct memory_plan {
  long until_failure = -1;  // allocations that succeed before one does not; negative: all do
  bool lasts = false;       // from then on none does
  bool has_failed = false;
};
thread_local memory_plan plan;

bool may_allocate() noexcept {
  if (plan.until_failure < 0) return true;
  if (plan.until_failure > 0) return --plan.until_failure >= 0;
  plan.has_failed = true;
  if (!plan.lasts) plan.until_failure = -1;
  return false;
}

void* allocated(std::size_t bytes, std::size_t alignment) {
  void* const memory = !may_allocate() ? nullptr
                                       : std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// All forms, for a sanitizer has others of its own; not inline, where GCC takes free() for a mistake.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return allocated(bytes, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocated(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return allocated(bytes, alignof(std::max_align_t));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { operator delete(memory); }
void operator delete[](void* memory, std::size_t) noexcept { operator delete(memory); }

namespace {

using namespace pure::core;
using namespace test_support::aggregation_schedules;
using test_support::make_channel;
using test_support::simulated_processes;

/// While it lives, allocation number `which` of this thread fails, and if `lasts` all that follow.
class scarce_memory {
 public:
  scarce_memory(long which, bool lasts) noexcept { plan = {which, lasts, false}; }
  scarce_memory(const scarce_memory&) = delete;
  scarce_memory& operator=(const scarce_memory&) = delete;
  ~scarce_memory() { plan.until_failure = -1; }
  [[nodiscard]] bool has_failed() const noexcept { return plan.has_failed; }
};

struct shape {
  int processes, each;
  item_scheme scheme;
  item_hops hops = item_hops::direct;
  std::size_t buffer_bytes = 40;
  std::size_t memory_cap = std::size_t{1} << 20;

  [[nodiscard]] bool is_tight() const noexcept { return memory_cap < std::size_t{1} << 20; }
};
const std::vector<shape> shapes{{1, 2, item_scheme::automatic},
                                {2, 1, item_scheme::ww},
                                {2, 1, item_scheme::wps},
                                {2, 1, item_scheme::wsp},
                                {2, 2, item_scheme::pp},
                                {2, 2, item_scheme::automatic},
                                {4, 1, item_scheme::wps, item_hops::grid},
                                // The second open buffer, or packet, waits for room under the cap.
                                {4, 1, item_scheme::ww, item_hops::direct, 17'000, 34'816},
                                {4, 1, item_scheme::wps, item_hops::direct, 17'000, 34'816}};

enum class place { sends, handler, finish };

struct outcome {
  bool has_failed = false;  // an allocation
  int refused = 0;          // sends and flushes that have thrown
  std::string ended_by;     // the job
};

/// Rank 0 sends numbers to all others, and an urgent one, in two phases. Memory is scarce in the first one's `where`.
outcome numbers_with(const shape& of, place where, long which, bool lasts) {
  struct item {
    std::int32_t number;
    std::int32_t phase;
  };
  constexpr std::int32_t count = 23;
  simulated_processes simulated(of.processes, of.each,
                                {.buffer_bytes = of.buffer_bytes,
                                 .memory_cap = of.memory_cap,
                                 .scheme = of.scheme,
                                 .hops = of.hops,
                                 .name = "scarce"});
  const auto ranks = static_cast<std::size_t>(of.processes * of.each);
  outcome found;
  std::vector<std::vector<std::int32_t>> accepted(ranks), handled(ranks);
  found.ended_by = simulated.outcome_of([&](aggregation& items) {
    std::int32_t phase = 1;
    const auto me = static_cast<std::size_t>(items.rank());
    auto take = [&](const item& each, int) {
      EXPECT_EQ(each.phase, phase);
      handled[me].push_back(each.number);
    };
    item_channel& channel = make_channel<item>(items, take);
    const auto trying = [&](auto call) {
      try {
        call();
        return true;
      } catch (const pure::Error& error) {
        EXPECT_EQ(error.code(), pure::errc::no_memory) << error.what();
      } catch (const std::bad_alloc&) {
        EXPECT_TRUE(lasts) << "there was memory to say so";
      }
      ++found.refused;
      return false;
    };
    const auto send_all = [&] {
      for (std::int32_t number = 0; number < count; ++number) {
        for (int dest = 1; dest < items.size(); ++dest) {
          std::vector<std::int32_t>& its = accepted[static_cast<std::size_t>(dest)];
          if (trying([&] { test_support::send(channel, item{number, phase}, dest); })) its.push_back(number);
        }
      }
      if (where != place::finish) trying([&] { items.flush(flush_call); });
    };
    auto relay = [&](char, int) {  // on rank 0, in a handler
      const scarce_memory scarce(which, lasts);
      for (std::int32_t number = 0; number < count; ++number) {
        test_support::send(channel, item{number, phase}, 1);
        accepted[1].push_back(number);
      }
      found.has_failed = scarce.has_failed();
    };
    item_channel& relayed = make_channel<char>(items, relay);
    if (me == 0) {
      for (auto& each : accepted) each.reserve(4 * count);  // so that the test needs no memory meanwhile
      if (where == place::handler) test_support::send(relayed, 'x', 0);
      if (where == place::sends) {
        const scarce_memory scarce(which, lasts);
        send_all();
        found.has_failed = scarce.has_failed();
      } else {
        send_all();
      }
    } else {
      handled[me].reserve(8 * count);
    }
    {
      const scarce_memory scarce(me == 0 && where == place::finish ? which : -1, lasts);
      finish(items);
      if (me == 0 && where == place::finish) found.has_failed = scarce.has_failed();
    }
    phase = 2;
    if (me == 0) send_all();
    finish(items);
  });
  if (!found.ended_by.empty()) {
    found.has_failed = true;
    EXPECT_NE(found.ended_by.find("memory"), std::string::npos) << found.ended_by;
    return found;
  }
  for (std::size_t rank = 1; rank < ranks; ++rank)
    EXPECT_EQ(handled[rank], accepted[rank]) << "rank " << rank << ", allocation " << which << " of " << of.processes;
  return found;
}

/// Every allocation in turn. Returns how many there were; `ends`: how often the job has ended.
int each_allocation(const shape& of, place where, bool lasts, int& refused, int& ends) {
  for (long which = 0;; ++which) {
    SCOPED_TRACE("allocation " + std::to_string(which) + (lasts ? " and all that follow" : ""));
    const outcome found = numbers_with(of, where, which, lasts);
    if (!found.has_failed || testing::Test::HasFailure()) return static_cast<int>(which);
    refused += found.refused;
    ends += found.ended_by.empty() ? 0 : 1;
  }
}

TEST(aggregation_memory, a_send_that_fails_for_lack_of_it_has_sent_nothing_and_loses_nothing) {
  for (const shape& each : shapes) {
    int refused = 0, ends = 0;
    const int allocations = each_allocation(each, place::sends, false, refused, ends);
    EXPECT_GE(allocations, 2);
    EXPECT_GE(refused, 2) << "most can be refused";
    if (each.hops == item_hops::direct && !each.is_tight()) {
      EXPECT_EQ(ends, 0) << "what one allocation lacks, the next try gets";
    }
  }
}

TEST(aggregation_memory, where_there_is_none_at_all_sends_are_refused_or_the_job_ends) {
  for (const shape& each : shapes) {
    int refused = 0, ends = 0;
    EXPECT_GE(each_allocation(each, place::sends, true, refused, ends), 2);
    EXPECT_GE(refused, 2);
  }
}

TEST(aggregation_memory, a_handler_that_lacks_it_loses_nothing_or_ends_the_job) {
  for (const shape& each : shapes) {
    if (each.is_tight()) continue;  // what handlers send goes over the cap
    int refused = 0, ends = 0;
    EXPECT_GE(each_allocation(each, place::handler, false, refused, ends), 2);
    // (A rank's own packet that cannot leave stays, and the next item tries again.)
    if (each.processes == 1 || each.scheme == item_scheme::ww) {
      EXPECT_GE(ends, 2) << "by what the handler throws";
    }
  }
}

TEST(aggregation_memory, finish_ends_or_the_job_does) {
  int allocations = 0, ends = 0;  // of all shapes: which rank's thread sends a packet of finish is a matter of chance
  for (const shape& each : shapes) {
    for (const bool lasts : {false, true}) {
      int refused = 0;
      allocations += each_allocation(each, place::finish, lasts, refused, ends);
    }
  }
  EXPECT_GE(allocations, 2);
  EXPECT_GE(ends, 1);
}

TEST(aggregation_memory, an_urgent_item_that_is_refused_takes_nothing) {
  simulated_processes two(2, 1, {.scheme = item_scheme::ww, .name = "urgent"});
  int refused = 0, sent = 0, handled = 0;
  two.run([&](aggregation& items) {
    auto take = [&](int, int) { ++handled; };
    item_channel& channel = make_channel<int>(items, take);
    bool is_scarce = items.rank() == 0;
    for (long which = 0; is_scarce; ++which) {
      const int item = 5;
      const scarce_memory scarce(which, false);
      try {
        channel.send_urgent({"send", {}}, reinterpret_cast<const std::byte*>(&item), 1);
        ++sent;
      } catch (const pure::Error&) {
        ++refused;
      }
      is_scarce = scarce.has_failed();
    }
    finish(items);
  });
  EXPECT_GE(refused, 2);
  EXPECT_EQ(handled, sent);
}

}  // namespace
