// What another process asks of the memory here, message by message: what is right is done, and what is not, of a peer
// that has gone mad, ends the job.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pure.h>

#include "support/asked_process.hpp"
#include "window/element_operations.hpp"
#include "window/process_windows.hpp"
#include "window/window_table.hpp"

namespace pure::core {
namespace {

using namespace test_support;

void expect_done(const std::string& message) { asked_process().come(message); }  // it ends the program otherwise
void expect_refused(const std::string& message) {
  EXPECT_DEATH(asked_process().come(message), "a message about a window, of process 1 to process 0, makes no sense");
}

TEST(peers_messages, who_waits_for_a_lock_hears_once_who_has_it) {
  const std::string call = "MPI_Win_lock at a.c:7";
  const auto text = std::as_bytes(std::span(call));
  for (const lock_kind how : {lock_kind::exclusive, lock_kind::shared}) {
    asked_process here;
    here.send(message_of(rma_lock{.request = 1, .how = how}, {}, {text.begin(), text.end()}));
    here.processes().settle();
    EXPECT_EQ(here.messages_sent(), 1U) << "it has the lock";
    here.send(message_of(rma_lock{.request = 2, .how = lock_kind::exclusive}, {}, {text.begin(), text.end()}));
    here.processes().settle();
    EXPECT_EQ(here.messages_sent(), how == lock_kind::exclusive ? 2U : 1U)
        << "of those that share one, nobody is named";
  }
}

TEST(peers_messages, every_block_of_a_row_is_in_the_part) {
  {
    asked_process here;
    here.come(put_of(block_row{0, 8, 16, 4, 0}));
    for (std::size_t i = 0; i < asked_process::bytes; ++i)
      EXPECT_EQ(here.memory[i], std::byte(i % 16 < 8 ? 1 : 0)) << i;
  }
  expect_done(put_of(block_row{8, 8, 16, 4, 0}));     // the last block ends where the part does
  expect_refused(put_of(block_row{9, 8, 16, 4, 0}));  // the last block goes a byte further
  expect_refused(put_of(block_row{8, 8, 16, 5, 0}));
  expect_done(put_of(block_row{48, 8, -16, 4, 0}));  // the last block is the first in the part
  expect_refused(put_of(block_row{47, 8, -16, 4, 0}));
  expect_refused(put_of(block_row{57, 8, -16, 4, 0}));  // the first block is the last in the part
  expect_done(put_of(block_row{56, 8, 0, 1, 0}));
  expect_refused(put_of(block_row{57, 8, 0, 1, 0}));
  expect_refused(put_of(block_row{-1, 8, 0, 1, 0}));
  expect_refused(put_of(block_row{64, 1, 0, 1, 0}));
  expect_refused(put_of(block_row{0, 65, 0, 1, 0}));
  expect_refused(put_of(block_row{0, 8, 16, 0, 0}));  // no block
  expect_refused(put_of(block_row{0, 0, 16, 4, 0}));  // blocks of nothing
}

TEST(peers_messages, a_second_row_is_looked_at_as_the_first_one_is) {
  expect_done(message_of(rma_put{}, {{0, 8, 0, 1, 0}, {56, 8, 0, 1, 0}}, ones(16)));
  expect_refused(message_of(rma_put{}, {{0, 8, 0, 1, 0}, {57, 8, 0, 1, 0}}, ones(16)));
}

TEST(peers_messages, the_element_of_a_swap_is_in_the_part) {
  const auto swap_at = [](std::int64_t offset) {
    return message_of(rma_compare_swap{.request = 1, .offset = offset, .element_bytes = 8}, {}, ones(16));
  };
  expect_done(swap_at(56));
  expect_refused(swap_at(57));
  expect_refused(swap_at(-1));
}

TEST(peers_messages, ranks_and_windows_that_there_are_not) {
  const auto notify_by = [](rma_ranks ranks, window_key of = key) {
    return packed(of, rma_notify{.ranks = ranks, .counter = 0});
  };
  expect_done(notify_by({0, 0}));
  expect_done(notify_by({1, 0}));
  for (const int origin : {-1, 2}) expect_refused(notify_by({origin, 0}));
  for (const int target : {-1, 1, 2}) expect_refused(notify_by({1, target}));  // rank 1 is of the other process
  expect_refused(notify_by({1, 0}, {0, 8}));
  expect_refused(packed(window_key{0, 8}, rma_leave{}));
  expect_refused(packed(window_key{0, 8}, rma_wake{}));
}

TEST(peers_messages, a_reduction_that_there_is_not) {
  const auto adds = [](std::uint64_t reduction) {
    return message_of(rma_accumulate{.reduction = reduction, .element_bytes = 8, .how = combination::kind::combine},
                      {{0, 8, 0, 1, 0}}, ones(8));
  };
  expect_done(adds(std::uint64_t{PURE_SUM} << 32 | std::uint64_t{PURE_UINT64_T}));
  expect_refused(adds(std::uint64_t{PURE_SUM} << 32 | std::uint64_t{0xffff}));
  expect_refused(adds(0));
}

TEST(peers_messages, a_question_that_no_observer_is_there_for) {
  expect_refused(message_of(rma_question{.request = 1}));
  expect_refused(message_of(rma_question{.request = 1}, {{0, 8, 0, 1, 0}}));
}

/// Answers what it is asked, unless that is nothing.
class echo final : public group_observer {
 public:
  std::unique_ptr<window_observer> observer_for(window_end& /*of*/, remote_access* /*way*/) override { return nullptr; }
  std::optional<std::string> answer_to(window_group& of, const arrived_rma<rma_question>& asked) override {
    EXPECT_EQ(of.number(), key.number);
    EXPECT_EQ(asked.what.ranks.origin, 1);
    EXPECT_EQ(asked.what.ranks.target, 0);
    if (asked.data.empty()) return std::nullopt;
    return std::string(reinterpret_cast<const char*>(asked.data.data()), asked.data.size());
  }
};

TEST(peers_messages, a_question_that_an_observer_answers) {
  const auto ask = [](std::size_t bytes, const std::vector<block_row>& rows) {
    asked_process here;
    here.observe_by(std::make_unique<echo>());
    here.send(message_of(rma_question{.request = 1}, rows, ones(bytes)));
    here.processes().settle();
    EXPECT_EQ(here.messages_sent(), 1U) << "the answer";
  };
  ask(3, {});
  ask(3, {{0, 8, 0, 1, 0}, {56, 8, 0, 1, 0}});
  EXPECT_DEATH(ask(0, {}), "makes no sense") << "as the observer says";
  EXPECT_DEATH(ask(3, {{0, 8, 0, 1, 0}, {57, 8, 0, 1, 0}}), "makes no sense") << "its blocks are not in the part";
}

TEST(peers_messages, bytes_that_are_no_message) {
  const std::string whole = put_of(block_row{0, 8, 0, 1, 0});
  expect_done(whole);
  expect_refused(whole.substr(0, whole.size() - 1));
  expect_refused("");
}

TEST(peers_messages, a_window_is_there_until_all_processes_have_left_it) {
  asked_process here;
  EXPECT_EQ(here.accounts().text(), "1 windows that some process has not left");
  here.come(message_of(rma_leave{}));
  here.come(put_of(block_row{0, 8, 0, 1, 0}));  // a rank here uses it still
  EXPECT_EQ(here.memory[7], std::byte{1});
  EXPECT_EQ(here.accounts().text(), "1 windows that some process has not left");
  here.leave();
  EXPECT_EQ(here.accounts().text(), "");
}

TEST(peers_messages, a_window_that_its_ranks_have_left_is_there_for_other_processes) {
  asked_process here;
  here.leave();
  EXPECT_EQ(here.accounts().text(), "1 windows that some process has not left");
  here.come(put_of(block_row{0, 8, 0, 1, 0}));
  EXPECT_EQ(here.memory[7], std::byte{1});
  here.come(message_of(rma_leave{}));
  EXPECT_EQ(here.accounts().text(), "");
}

TEST(peers_messages, a_lock_that_is_held_is_wanted_until_it_is_given_back) {
  asked_process here;
  const std::string wants = message_of(rma_lock{.request = 1, .how = lock_kind::exclusive});
  here.come(wants);
  EXPECT_EQ(here.accounts().text(), "1 windows that some process has not left");
  here.come(wants);
  const std::string both = "1 windows that some process has not left, 1 locks of windows that are still wanted";
  EXPECT_EQ(here.accounts().text(), both);
  here.poll();
  EXPECT_EQ(here.accounts().text(), both);
  const std::string gives_back = message_of(rma_unlock{.request = 1, .how = lock_kind::exclusive});
  here.come(gives_back);
  here.poll();
  EXPECT_EQ(here.accounts().text(), "1 windows that some process has not left");
  here.come(gives_back);
  EXPECT_FALSE(here.is_locked());
}

// ---- stripes that somebody holds ------------------------------------------------------------------------------------

constexpr const char* only_the_window = "1 windows that some process has not left";
constexpr std::size_t to_next_stripe = target_control::stripe_bytes;

TEST(peers_messages, an_operation_whose_stripe_is_held_is_done_later_and_what_comes_after_it_too) {
  asked_process here;
  ASSERT_TRUE(here.stripe_of(0).try_lock());
  here.come(addition_at(0, 1));
  here.come(put_of(block_row{32, 8, 0, 1, 0}));
  here.come(message_of(rma_flush{.request = 1}));
  here.poll();
  EXPECT_EQ(here.memory[0], std::byte{0});
  EXPECT_EQ(here.memory[32], std::byte{0}) << "it was sent after the other one";
  EXPECT_EQ(here.messages_sent(), 0U) << "a flush was answered before what was sent before it was done";
  EXPECT_EQ(here.accounts().text(), std::string(only_the_window) + ", 3 operations on windows that have not been done");
  EXPECT_TRUE(here.stripe_of(0).unlock()) << "whoever unlocks it is not told that somebody waits";
  here.poll();
  EXPECT_EQ(here.memory[0], std::byte{1});
  EXPECT_EQ(here.memory[32], std::byte{1});
  EXPECT_EQ(here.messages_sent(), 1U);
  EXPECT_EQ(here.accounts().text(), only_the_window);
  EXPECT_TRUE(here.stripe_of(0).try_lock()) << "it has been given back";
}

TEST(peers_messages, an_operation_that_stops_at_a_stripe_goes_on_there) {
  asked_process here(asked_process::most_bytes);
  ASSERT_TRUE(here.stripe_of(to_next_stripe).try_lock());
  here.come(addition_at(to_next_stripe - 16, 4));
  here.poll();
  const auto at = [&](std::size_t number) { return here.memory[to_next_stripe - 16 + 8 * number]; };
  EXPECT_EQ(at(1), std::byte{1});
  EXPECT_EQ(at(2), std::byte{0});
  EXPECT_TRUE(here.stripe_of(to_next_stripe).unlock());
  here.poll();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(at(i), std::byte{1}) << i;
  EXPECT_EQ(here.accounts().text(), only_the_window);
}

TEST(peers_messages, an_element_across_two_stripes_takes_both_or_none) {
  for (const std::size_t held : {std::size_t{0}, to_next_stripe}) {
    asked_process here(asked_process::most_bytes);
    ASSERT_TRUE(here.stripe_of(held).try_lock());
    here.come(addition_at(to_next_stripe - 4, 1));
    EXPECT_EQ(here.memory[to_next_stripe - 4], std::byte{0});
    stripe& other = here.stripe_of(to_next_stripe - held);
    EXPECT_TRUE(other.try_lock()) << "it has kept one";
    static_cast<void>(other.unlock());
    here.poll();
    EXPECT_TRUE(here.stripe_of(held).unlock()) << "whoever unlocks it is not told that somebody waits";
    here.poll();
    EXPECT_EQ(here.memory[to_next_stripe - 4], std::byte{1});
  }
}

}  // namespace
}  // namespace pure::core
