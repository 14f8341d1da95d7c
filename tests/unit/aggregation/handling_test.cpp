// What a rank handles, and the end of a phase, by a rank whose peer only sends: which buffers are handled when, what
// comes back for them, and what finish does around the program's work.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <pure/error.hpp>

#include "aggregation/finish.hpp"
#include "aggregation/item_progress.hpp"
#include "aggregation/item_receiver.hpp"
#include "support/bare_job.hpp"
#include "support/lone_rank.hpp"

namespace {

using namespace pure::core;

constexpr call handles{"progress", {}}, ends{"finish", {}};

/// With everything that handles; two channels, whose handlers note numbers (the second one's are 100 more).
struct handling_rank : test_support::lone_rank {
  explicit handling_rank(rank_context& self) : lone_rank(self) {
    part.at(1).credit = std::make_unique<pair_credit[]>(2);
    for (int i = 0; i < 2; ++i) add_channel();
  }

  void add_channel() {
    pure::detail::channel_request wanted;
    wanted.context = this;
    wanted.handle = channels.empty() ? note<0> : note<100>;
    channels.push_back(channel(wanted, channels.size()));
    part.channels().agree(channels.size() - 1,
                          {.type = "", .item_bytes = 8, .is_combining = false, .by = 0, .site = ""});
    own.note_channel();
  }
  template <int More>
  static void note(void* context, const std::byte* items, std::size_t count, int source) {
    auto& of = *static_cast<handling_rank*>(context);
    EXPECT_EQ(source, 1);
    EXPECT_TRUE(of.handlers.is_in_handler());
    EXPECT_FALSE(of.receiver.handle_arrivals()) << "never inside another one";
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t item;
      std::memcpy(&item, items + i * sizeof item, sizeof item);
      of.noted.push_back(static_cast<int>(item) + More);
    }
  }
  /// From the other rank, in a buffer of its own.
  void comes(std::uint64_t item, std::uint32_t channel = 0, std::uint64_t phase = 1, bool is_urgent = false) {
    item_buffer& made = *new_buffer(0);
    std::memcpy(made.items(), &item, sizeof item);
    made.count = 1;
    made.source = 1;
    made.channel = channel;
    made.phase = phase;
    made.is_urgent = is_urgent;
    made.credit = &part.at(1).credit[0];
    part.counts().of(1).publish_sent(++sent_by_other);
    part.at(0).inbox.push(made);
  }
  /// The other one, in its finish, has handled nothing.
  void other_is_quiet() {
    part.counts().of(1).publish_in_finish(stage.phase());
    part.counts().of(1).publish_quiet(stage.phase(), 0);
  }

  channel_list channels;
  item_receiver receiver{part, 0, stage, checks, handlers, spare, own, channels};
  item_progress progress{part, stage, checks, sender, receiver, channels};
  phase_finish finish{part, 0, stage, checks, sender, receiver, own, progress, channels};
  std::vector<int> noted;
  std::uint64_t sent_by_other = 0;
};

template <class Body>
void on_one_rank(Body body) {
  test_support::bare_job one(1);
  one.run([&](rank_context& self) {
    handling_rank of(self);
    body(of);
  });
  EXPECT_EQ(one->failure_text(), "");
}

TEST(aggregation_item_receiver, what_is_handled_is_counted_and_given_back) {
  on_one_rank([](handling_rank& of) {
    EXPECT_FALSE(of.receiver.handle_arrivals());
    EXPECT_FALSE(of.receiver.take_has_handled());
    of.comes(1);
    of.comes(2, 1);
    of.comes(3, 0, 1, true);
    EXPECT_TRUE(of.receiver.handle_arrivals());
    EXPECT_EQ(of.noted, (std::vector<int>{3, 1, 102}));
    EXPECT_EQ(of.receiver.handled(), 3U);
    EXPECT_EQ(of.part.counts().of(0).handled_so_far(), 3U);
    EXPECT_EQ(of.part.at(1).credit[0].given_back().buffers, 3U);
    EXPECT_EQ(of.part.at(1).credit[0].given_back().bytes, 3 * item_buffer::bytes_with_head(0));
    EXPECT_TRUE(of.receiver.take_has_handled());
    EXPECT_FALSE(of.receiver.take_has_handled());
    pure::aggregation_stats stats;
    of.receiver.add_to(stats);
    EXPECT_EQ(stats.received, 3U);
    EXPECT_EQ(stats.handled, 3U);
  });
}

TEST(aggregation_item_receiver, a_call_handles_64_buffers) {
  on_one_rank([](handling_rank& of) {
    for (std::uint64_t i = 0; i < 65; ++i) of.comes(i);
    EXPECT_TRUE(of.receiver.handle_arrivals());
    EXPECT_EQ(of.noted.size(), 64U);
    EXPECT_TRUE(of.receiver.handle_arrivals());
    EXPECT_EQ(of.noted.size(), 65U);
  });
}

TEST(aggregation_item_receiver, the_next_phase_is_not_handled) {
  on_one_rank([](handling_rank& of) {
    of.comes(2, 0, 2);
    EXPECT_FALSE(of.receiver.handle_arrivals());
    of.stage.begin_finish();
    of.stage.end_finish();
    EXPECT_TRUE(of.receiver.handle_arrivals());
    EXPECT_EQ(of.noted, std::vector<int>{2});
  });
}

TEST(aggregation_item_progress, moves_nothing_for_who_is_quiet_or_has_failed) {
  on_one_rank([](handling_rank& of) {
    of.comes(1);
    of.stage.begin_finish();
    of.stage.become_quiet();
    EXPECT_FALSE(of.progress.advance());
    EXPECT_FALSE(of.progress.before_sleep());
    of.stage.become_active();
    EXPECT_TRUE(of.progress.advance());
    of.comes(2);
    of.stage.fail();
    EXPECT_FALSE(of.progress.advance());
    EXPECT_EQ(of.noted, std::vector<int>{1});
  });
}

/// All that waits leaves before the rank sleeps, and nothing does in a call that makes progress.
TEST(aggregation_item_progress, pushes_what_waits_before_the_rank_sleeps) {
  on_one_rank([](handling_rank& of) {
    of.send(*of.channels[0], 7, 1);
    EXPECT_FALSE(of.progress.move_on(handles));
    EXPECT_TRUE(of.arrived().empty());
    EXPECT_TRUE(of.progress.before_sleep());
    EXPECT_EQ(of.arrived(), std::vector<std::uint64_t>{7});
    EXPECT_FALSE(of.progress.before_sleep());
    EXPECT_EQ(of.accounts(), "");
  });
}

TEST(aggregation_phase_finish, handles_all_and_asks_its_work_again) {
  on_one_rank([](handling_rank& of) {
    of.comes(1);
    of.other_is_quiet();
    struct work_of {
      handling_rank& of;
      int calls = 0;
      bool operator()() {
        if (++calls == 2) of.comes(2);
        return calls == 1 || calls == 3;
      }
    } work{of};
    of.finish.run(
        ends, [](void* context) { return (*static_cast<work_of*>(context))(); }, &work);
    EXPECT_EQ(of.noted, (std::vector<int>{1, 2}));
    EXPECT_EQ(work.calls, 4) << "until it has none, and again behind an item";
    EXPECT_TRUE(of.stage.is(rank_stage::stage::open));
    EXPECT_EQ(of.stage.phase(), 2U);
    EXPECT_TRUE(of.part.phases().has_ended(1));
  });
}

TEST(aggregation_phase_finish, makes_sure_of_what_was_sent) {
  on_one_rank([](handling_rank& of) {
    of.send(*of.channels[0], 7, 1);
    EXPECT_EQ(of.finish.unsure(), 0U) << "nothing has left";
    EXPECT_TRUE(of.channels[0]->flush(ends, 1));
    EXPECT_EQ(of.finish.unsure(), 1U);
    EXPECT_EQ(of.arrived().size(), 1U);
    of.part.counts().of(1).publish_in_finish(1);
    of.part.counts().of(1).publish_quiet(1, 1);
    of.finish.run(ends, nullptr, nullptr);
    EXPECT_EQ(of.finish.unsure(), 0U);
  });
}

TEST(aggregation_phase_finish, fails_where_its_work_throws) {
  on_one_rank([](handling_rank& of) {
    EXPECT_THROW(of.finish.run(
                     ends, [](void*) -> bool { throw std::runtime_error("work"); }, nullptr),
                 std::runtime_error);
    EXPECT_TRUE(of.stage.is(rank_stage::stage::failed));
    EXPECT_THROW(of.finish.run(ends, nullptr, nullptr), pure::Error);
  });
}

TEST(aggregation_phase_finish, misses_channels_and_ranks) {
  on_one_rank([](handling_rank& of) {
    const auto refused = [&] {
      try {
        of.finish.run(ends, nullptr, nullptr);
      } catch (const pure::Error& error) {
        return std::string(error.what());
      }
      return std::string();
    };
    of.part.channels().agree(2, {.type = "int", .item_bytes = 4, .is_combining = false, .by = 1, .site = ""});
    EXPECT_NE(refused().find("it has made 2 of the 3 channels: channel 2 of rank 1"), std::string::npos);
    EXPECT_TRUE(of.stage.is(rank_stage::stage::open)) << "before anything has begun";
    of.add_channel();
    of.part.members().leave(1);
    EXPECT_NE(refused().find("rank 1 has ended its part"), std::string::npos);
    EXPECT_TRUE(of.stage.is(rank_stage::stage::open));
  });
}

}  // namespace
