// pure.h, aggregations: what the functions do, and their errors. The same library functions lie behind
// pure::aggregation, whose tests have the rest.
#include <pure.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/pure_h.hpp"

namespace {

using test_support::expect_error;
using test_support::on_ranks;
using test_support::world;

struct update {
  std::uint64_t index;
  std::uint64_t amount;
};

TEST(pure_h_aggregation, items_are_handled_in_batches) {
  for (const int ranks : {1, 2, 3, 4, 9}) {
    on_ranks(ranks, [ranks](int me) {
      constexpr std::uint64_t cells = 50, updates = 5000;
      std::vector<std::uint64_t> table(cells);
      pure_agg agg = PURE_AGG_NULL;
      EXPECT_OK(pure_agg_create(world, nullptr, &agg));
      pure_agg_channel add;
      const auto handler = [](void* context, const void* items, std::size_t count, int source) {
        auto& table = *static_cast<std::vector<std::uint64_t>*>(context);
        for (std::size_t i = 0; i < count; ++i) {
          const update& each = static_cast<const update*>(items)[i];
          table[each.index] += each.amount * static_cast<std::uint64_t>(source + 1);
        }
      };
      EXPECT_OK(pure_agg_on(agg, sizeof(update), handler, &table, &add));
      for (std::uint64_t i = 0; i < updates; ++i) {
        const update made{i % cells, i};
        EXPECT_OK(pure_agg_send(add, &made, static_cast<int>(i) % ranks));
        if (i % 1000 == 0) {
          int flag = -1;
          EXPECT_OK(pure_agg_flush(agg, (me + 1) % ranks));
          EXPECT_OK(pure_agg_progress(agg, &flag));
          EXPECT_GE(flag, 0);
        }
      }
      EXPECT_OK(pure_agg_finish(agg));
      std::vector<std::uint64_t> expected(cells);
      for (std::uint64_t i = 0; i < updates; ++i) {
        if (static_cast<int>(i) % ranks != me) continue;
        for (int source = 0; source < ranks; ++source)
          expected[i % cells] += i * static_cast<std::uint64_t>(source + 1);
      }
      EXPECT_EQ(table, expected);
      pure::aggregation_stats stats;
      EXPECT_OK(pure_agg_get_stats(agg, &stats));
      EXPECT_EQ(stats.sent, updates);
      EXPECT_OK(pure_agg_free(&agg));
      EXPECT_EQ(agg, PURE_AGG_NULL);
    });
  }
}

TEST(pure_h_aggregation, work_and_urgent_items) {
  on_ranks(3, [](int me) {
    struct state {
      pure_agg_channel channel;
      int left = 0;
      int handled = 0;
    } mine;
    const pure_agg_options options{.buffer_bytes = 64, .name = "tokens"};
    pure_agg agg;
    EXPECT_OK(pure_agg_create(world, &options, &agg));
    const auto handler = [](void* context, const void* items, std::size_t count, int) {
      auto& its = *static_cast<state*>(context);
      for (std::size_t i = 0; i < count; ++i) its.left += static_cast<const int*>(items)[i];
      its.handled += static_cast<int>(count);
    };
    EXPECT_OK(pure_agg_on(agg, sizeof(int), handler, &mine, &mine.channel));
    if (me == 0) {
      const int many = 100;
      EXPECT_OK(pure_agg_send_urgent(mine.channel, &many, 1));
    }
    const auto work = [](void* context) {
      auto& its = *static_cast<state*>(context);
      if (its.left == 0) return 0;
      --its.left;
      const int none = 0;
      EXPECT_OK(pure_agg_send(its.channel, &none, 2));
      return 1;
    };
    EXPECT_OK(pure_agg_finish_with(agg, work, &mine));
    EXPECT_EQ(mine.handled, me == 0 ? 0 : me == 1 ? 1 : 100);
    EXPECT_OK(pure_agg_flush_all(agg));
    EXPECT_OK(pure_agg_free(&agg));
  });
}

TEST(pure_h_aggregation, errors_are_codes_with_texts) {
  on_ranks(2, [](int me) {
    pure_agg agg;
    const auto made_with = [&](const pure_agg_options& options) { return pure_agg_create(world, &options, &agg); };
    expect_error(made_with({.buffer_bytes = -1}), PURE_ERR_ARG, {"buffer_bytes is -1"});
    expect_error(made_with({.memory_cap = 1000}), PURE_ERR_ARG, {"memory cap of 1000 bytes"});
    expect_error(made_with({.latency_ns = -5}), PURE_ERR_ARG, {"negative latency"});
    expect_error(made_with({.scheme = static_cast<pure_agg_scheme>(9)}), PURE_ERR_ARG, {"scheme 9"});
    expect_error(made_with({.buffer_bytes = 64 + me}), PURE_ERR_MISMATCH, {"ranks 0 and 1 pass different options"});
    expect_error(pure_agg_create(world, nullptr, nullptr), PURE_ERR_ARG, {"`agg` is null"});
    EXPECT_OK(pure_agg_create(world, nullptr, &agg));
    pure_agg_channel channel;
    const auto nothing = [](void*, const void*, std::size_t, int) {};
    expect_error(pure_agg_on(agg, 0, nothing, nullptr, &channel), PURE_ERR_ARG, {"items of 0 bytes"});
    expect_error(pure_agg_on(agg, 17345, nothing, nullptr, &channel), PURE_ERR_ARG, {"17345", "what a packet holds"});
    expect_error(pure_agg_on(agg, 8, nullptr, nullptr, &channel), PURE_ERR_ARG, {"the handler is null"});
    int item = 0;
    expect_error(pure_agg_send(channel, &item, 0), PURE_ERR_ARG, {"was not made"});
    EXPECT_OK(pure_agg_on(agg, sizeof item, nothing, nullptr, &channel));
    expect_error(pure_agg_send(channel, &item, 2), PURE_ERR_RANK, {"there is no rank 2"});
    expect_error(pure_agg_send_urgent(channel, &item, -1), PURE_ERR_RANK, {"there is no rank -1"});
    expect_error(pure_agg_flush(agg, 2), PURE_ERR_RANK, {"there is no rank 2"});
    expect_error(pure_agg_finish(PURE_AGG_NULL), PURE_ERR_ARG, {"the null aggregation"});
    EXPECT_OK(pure_agg_finish(agg));
    const auto frees = [](void* context) {
      expect_error(pure_agg_free(static_cast<pure_agg*>(context)), PURE_ERR_STATE, {"freed inside finish"});
      return 0;
    };
    pure_agg copy = agg;
    EXPECT_OK(pure_agg_finish_with(agg, frees, &copy));
    EXPECT_OK(pure_agg_send(channel, &item, me));
    expect_error(pure_agg_free(&agg), PURE_ERR_STATE, {"ends without finish", "1 item of this rank"});
    EXPECT_EQ(agg, PURE_AGG_NULL);
  });
}

TEST(pure_h_aggregation, items_have_a_largest_size_and_channels_an_end) {
  on_ranks(2, [](int me) {
    constexpr std::size_t most = 17334;
    const auto nothing = [](void*, const void*, std::size_t, int) {};
    const std::vector<char> item(most);
    pure_agg agg = PURE_AGG_NULL;
    pure_agg_channel channel;
    expect_error(pure_agg_send(channel, item.data(), 0), PURE_ERR_ARG, {"was not made"});
    EXPECT_OK(pure_agg_create(world, nullptr, &agg));
    for (const std::size_t wrong : {std::size_t{0}, most + 1})
      expect_error(pure_agg_on(agg, wrong, nothing, nullptr, &channel), PURE_ERR_ARG, {"1 to 17334 bytes"});
    EXPECT_OK(pure_agg_on(agg, most, nothing, nullptr, &channel));
    EXPECT_OK(pure_agg_send(channel, item.data(), 1 - me));
    EXPECT_OK(pure_agg_finish(agg));
    EXPECT_OK(pure_agg_free(&agg));
    expect_error(pure_agg_send(channel, item.data(), 0), PURE_ERR_STATE, {"channel 0 of aggregation", "after the end"});
    expect_error(pure_agg_send_urgent(channel, item.data(), 0), PURE_ERR_STATE, {"channel 0", "after the end"});
  });
}

}  // namespace
