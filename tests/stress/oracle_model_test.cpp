// The oracle itself: its model accepts what the MPI standard allows, refuses what it does not, and agrees with itself.
#include <gtest/gtest.h>

#include "support/environment.hpp"
#include "support/oracle/generate.hpp"
#include "support/oracle/model.hpp"

namespace {

using namespace oracle;
using kind = step::kind;

outcome got(const program& p, int m) {
  return {.complete = true,
          .source = p.sent(m).from,
          .tag = p.sent(m).tag,
          .bytes = p.sent(m).bytes,
          .from_message = p.sent(m).bytes < bytes_of_number ? nothing : m,
          .complaint = ""};
}

/// What the model says when receive r has got message matching[r].
std::string verdict(const program& p, const std::vector<int>& matching) {
  std::vector<outcome> outcomes;
  for (const int m : matching) outcomes.push_back(got(p, m));
  return complaint_about(p, outcomes);
}

bool allows(const program& p, const std::vector<int>& matching) {
  const std::string text = verdict(p, matching);
  return text.empty();
}

/// Ranks 0 and 1 send to rank 2; it posts the receives and then waits for all.
program two_senders(std::vector<message> messages, std::vector<receive> receives) {
  program p{.seed = 1, .messages = std::move(messages), .receives = std::move(receives), .steps = {{}, {}, {}}};
  std::vector<int> all;
  for (int m = 0; m < static_cast<int>(p.messages.size()); ++m) p.steps[at(p.sent(m).from)].push_back({kind::send, m});
  for (int r = 0; r < static_cast<int>(p.receives.size()); ++r) {
    p.steps[2].push_back({kind::irecv, nothing, r});
    all.push_back(operation_of_receive(r));
  }
  p.steps[2].push_back({kind::complete, nothing, nothing, all});
  return p;
}

TEST(oracle_model, equal_messages_keep_their_order) {
  const program p = two_senders({{0, 2, 5, 8}, {0, 2, 5, 8}}, {{2, 0, 5, 8}, {2, 0, 5, 8}});
  EXPECT_TRUE(allows(p, {0, 1}));
  EXPECT_FALSE(allows(p, {1, 0}));
}

TEST(oracle_model, messages_of_other_tags_may_be_overtaken) {
  const program p = two_senders({{0, 2, 5, 8}, {0, 2, 6, 8}}, {{2, 0, 6, 8}, {2, 0, 5, 8}});
  EXPECT_TRUE(allows(p, {1, 0}));
}

TEST(oracle_model, wildcards_take_messages_of_different_senders_in_any_order) {
  const program p = two_senders({{0, 2, 5, 8}, {1, 2, 5, 8}}, {{2, any_source, 5, 8}, {2, any_source, any_tag, 8}});
  EXPECT_TRUE(allows(p, {0, 1}));
  EXPECT_TRUE(allows(p, {1, 0}));
}

TEST(oracle_model, wildcards_take_messages_of_one_sender_in_order) {
  const program p = two_senders({{0, 2, 5, 8}, {0, 2, 5, 8}, {1, 2, 5, 8}},
                                {{2, any_source, 5, 8}, {2, any_source, 5, 8}, {2, any_source, 5, 8}});
  EXPECT_TRUE(allows(p, {0, 2, 1}));
  EXPECT_TRUE(allows(p, {2, 0, 1}));
  EXPECT_FALSE(allows(p, {1, 2, 0}));
  EXPECT_FALSE(allows(p, {2, 1, 0}));
}

TEST(oracle_model, an_earlier_receive_goes_first) {
  // Whichever arrives first goes to the wildcard, so the second receive can never have rank 0's first message.
  const program p = two_senders({{0, 2, 5, 8}, {1, 2, 5, 8}, {0, 2, 5, 8}},
                                {{2, any_source, 5, 8}, {2, 0, 5, 8}, {2, any_source, 5, 8}});
  EXPECT_TRUE(allows(p, {0, 2, 1}));
  EXPECT_TRUE(allows(p, {1, 0, 2}));
  EXPECT_FALSE(allows(p, {2, 0, 1})) << "the second message of rank 0 before its first";
}

TEST(oracle_model, a_cycle_of_both_rules_is_refused) {
  // r0 (any tag) may have tag 7 only if r0 saw it before tag 5 went to r1; but tag 5 was sent first, and would then
  // have found r0 pending.
  const program p = two_senders({{0, 2, 5, 8}, {0, 2, 7, 8}}, {{2, 0, any_tag, 8}, {2, any_source, any_tag, 8}});
  EXPECT_TRUE(allows(p, {0, 1}));
  EXPECT_FALSE(allows(p, {1, 0}));
}

TEST(oracle_model, a_blocking_receive_ends_before_what_follows_it) {
  // Rank 2 receives, then tells rank 0, which only then sends its second message.
  const program p{.seed = 1,
                  .messages = {{1, 2, 5, 8}, {2, 0, 1, 8}, {0, 2, 5, 8}},
                  .receives = {{2, any_source, 5, 8}, {0, 2, 1, 8}, {2, any_source, 5, 8}},
                  .steps = {{{kind::recv, nothing, 1}, {kind::send, 2}},
                            {{kind::send, 0}},
                            {{kind::recv, nothing, 0}, {kind::send, 1}, {kind::recv, nothing, 2}}}};
  EXPECT_TRUE(allows(p, {0, 1, 2}));
  EXPECT_FALSE(allows(p, {2, 1, 0})) << "a message was received before it was sent";
}

TEST(oracle_model, a_barrier_parts_what_is_before_it_from_what_is_after) {
  const program p{.seed = 1,
                  .messages = {{1, 2, 5, 8}, {0, 2, 5, 8}},
                  .receives = {{2, any_source, 5, 8}, {2, any_source, 5, 8}},
                  .steps = {{{kind::barrier}, {kind::send, 1}},
                            {{kind::send, 0}, {kind::barrier}},
                            {{kind::recv, nothing, 0}, {kind::barrier}, {kind::recv, nothing, 1}}}};
  EXPECT_TRUE(allows(p, {0, 1}));
  EXPECT_FALSE(allows(p, {1, 0}));
}

TEST(oracle_model, lost_doubled_and_wrong_messages_are_refused) {
  const program p = two_senders({{0, 2, 5, 8}, {1, 2, 6, 9}},
                                {{2, any_source, any_tag, 9}, {2, any_source, any_tag, 9}});
  EXPECT_NE(verdict(p, {0, 0}).find("received twice"), std::string::npos);
  std::vector<outcome> outcomes{got(p, 0), got(p, 1)};
  EXPECT_EQ(complaint_about(p, outcomes), "");
  outcomes[1].tag = 7;
  EXPECT_NE(complaint_about(p, outcomes), "");
  outcomes[1] = got(p, 1);
  outcomes[1].bytes = 8;
  EXPECT_NE(complaint_about(p, outcomes), "");
  outcomes[1] = {};
  EXPECT_NE(complaint_about(p, outcomes).find("not complete"), std::string::npos);
}

TEST(oracle_model, messages_too_short_for_a_number_are_counted) {
  const program p = two_senders({{0, 2, 5, 0}, {0, 2, 5, 0}, {1, 2, 5, 0}},
                                {{2, any_source, 5, 0}, {2, any_source, 5, 0}, {2, any_source, 5, 0}});
  EXPECT_TRUE(allows(p, {0, 2, 1}));
  EXPECT_NE(verdict(p, {2, 2, 0}), "") << "rank 1 sent one";
}

TEST(oracle_model, a_deadlock_is_seen) {
  program p{.seed = 1,
            .messages = {{0, 1, 5, 8}, {1, 0, 5, 8}},
            .receives = {{0, 1, 5, 8}, {1, 0, 5, 8}},
            .steps = {{{kind::send, 0}, {kind::recv, nothing, 0}}, {{kind::send, 1}, {kind::recv, nothing, 1}}}};
  EXPECT_FALSE(synchronous_machine(p).runs_to_end());
  std::swap(p.steps[1][0], p.steps[1][1]);
  EXPECT_TRUE(synchronous_machine(p).runs_to_end());
}

TEST(oracle_model, communicators_are_apart) {
  const program p = two_senders({{0, 2, 5, 8, 1}, {0, 2, 5, 8}}, {{2, 0, 5, 8}, {2, 0, 5, 8, 1}});
  EXPECT_TRUE(allows(p, {1, 0}));
  EXPECT_FALSE(allows(p, {0, 1}));
}

TEST(oracle_model, a_synchronous_send_ends_after_its_receive_has_started) {
  const program p = two_senders({{0, 2, 5, 8, 0, sending::synchronous}}, {{2, 0, 5, 8}});
  std::vector<outcome> outcomes{got(p, 0)};
  outcomes[0].began = 7;
  EXPECT_EQ(complaint_about(p, outcomes, {8}), "");
  EXPECT_NE(complaint_about(p, outcomes, {6}), "");
}

TEST(oracle_model, a_send_is_held_up_by_a_matched_probe_and_not_if_it_is_buffered) {
  // Rank 1 holds rank 0's message until it has heard of its end.
  program p{.seed = 1,
            .messages = {{0, 1, 5, 8}, {0, 1, 6, 8}},
            .receives = {{1, 0, 5, 8}, {1, 0, 6, 8}},
            .steps = {{{kind::send, 0}, {kind::send, 1}},
                      {{kind::mprobe, nothing, 0}, {kind::recv, nothing, 1}, {kind::mrecv, nothing, 0}}}};
  EXPECT_FALSE(synchronous_machine(p).runs_to_end());
  p.messages[0].how = sending::buffered;
  EXPECT_TRUE(synchronous_machine(p).runs_to_end());
  p.messages[0].how = sending::synchronous;
  std::swap(p.steps[1][1], p.steps[1][2]);
  EXPECT_TRUE(synchronous_machine(p).runs_to_end());
}

// Two ways to the same matching, and the variety that the generator is there for.
TEST(oracle_model, the_generated_programs_end_and_have_one_matching) {
  int named = 0, any = 0;
  std::vector<int> kinds(9, 0);
  for (int i = 0; i < test_support::repetitions(2000); ++i) {
    const program p = random_program(static_cast<std::uint64_t>(i));
    for (const auto& rank : p.steps) {
      for (const step& s : rank) ++kinds[at(static_cast<int>(s.what))];
    }
    const auto expected = expected_matching(p);
    ++(expected ? named : any);
    if (!expected) continue;
    synchronous_machine machine(p);
    const bool has_barrier = std::any_of(p.steps[0].begin(), p.steps[0].end(),
                                         [](const step& s) { return s.what == kind::barrier; });
    if (has_barrier) continue;
    ASSERT_TRUE(machine.runs_to_end()) << "seed " << i << "\n" << to_text(p);
    ASSERT_EQ(machine.matching(), *expected) << "seed " << i << "\n" << to_text(p);
  }
  EXPECT_GT(named, 0);
  EXPECT_GT(any, 0);
  for (const int each : kinds) EXPECT_GT(each, 0);
}

}  // namespace
