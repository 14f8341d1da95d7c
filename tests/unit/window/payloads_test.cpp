// Large puts and gets between processes: their bytes travel from memory to memory, and everything else is as of small
// ones: the order of what one process asks for, what a flush waits for, and what happens to parts that end.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "support/asked_process.hpp"
#include "support/checked_windows.hpp"
#include "window/remote_access.hpp"

namespace pure::core {
namespace {

using namespace test_support;

constexpr const char* only_window = "1 windows that some process has not left";

/// What a test lends for a payload.
struct lent_payload final : active_payload {
  lent_payload(std::size_t of_bytes, int value) : memory(of_bytes, static_cast<std::byte>(value)) {
    data = memory.data();
    bytes = of_bytes;
  }
  void has_moved() noexcept override { is_back = true; }
  std::vector<std::byte> memory;
  bool is_back = false;
};

std::string large_put_at(std::int64_t offset, std::uint64_t bytes) {
  return message_of(rma_large_put{.offset = offset, .bytes = bytes});
}
bool has_only(const asked_process& here, std::size_t first, std::size_t bytes, int value) {
  for (std::size_t i = first; i < first + bytes; ++i) {
    if (here.memory[i] != static_cast<std::byte>(value)) return false;
  }
  return true;
}

// ---- message by message --------------------------------------------------------------------------------------------

TEST(payloads, what_is_asked_for_after_a_large_put_comes_after_it) {
  asked_process here(asked_process::most_bytes);
  lent_payload payload(4000, 5);
  here.processes().world.hold_payloads(1, 0);
  here.send(large_put_at(100, 4000), &payload);
  here.send(put_of(block_row{200, 8, 0, 1, 0}));
  here.send(message_of(rma_flush{.request = 1}));
  here.processes().settle();
  EXPECT_EQ(here.messages_sent(), 0U) << "a flush was answered before a put before it was done";
  EXPECT_FALSE(payload.is_back);
  here.processes().world.hold_payloads(1, 0, false);
  here.processes().settle();
  EXPECT_TRUE(payload.is_back);
  EXPECT_EQ(here.messages_sent(), 1U);
  EXPECT_TRUE(has_only(here, 200, 8, 1)) << "the small put was sent later";
  EXPECT_TRUE(has_only(here, 100, 100, 5));
  EXPECT_TRUE(has_only(here, 208, 3892, 5));
  EXPECT_TRUE(has_only(here, 4100, 8, 0)) << "it goes further than it said";
  EXPECT_EQ(here.accounts().text(), only_window);
}

/// Each kind of message right behind each reason to wait: it waits, too, and is done when that is over.
struct kind_of_message {
  const char* name;
  std::string message;
  bool needs_lock = false;  // of the origin
  bool ends_epoch = false;
};
std::vector<kind_of_message> all_kinds() {
  const block_row eight{8, 8, 0, 1, 0};
  return {{"put", put_of(eight)},
          {"get", message_of(rma_get{.request = 2}, {eight})},
          {"accumulate", addition_at(8, 1)},
          {"compare_swap",
           message_of(rma_compare_swap{.request = 3, .offset = 8, .element_bytes = 8}, {}, std::vector<std::byte>(16))},
          {"lock", message_of(rma_lock{.request = 4, .how = lock_kind::exclusive})},
          {"unlock", message_of(rma_unlock{.request = 5, .how = lock_kind::exclusive}), true},
          {"flush", message_of(rma_flush{.request = 6})},
          {"notify", message_of(rma_notify{.counter = 1})},
          {"end_epoch", message_of(rma_end_epoch{}), false, true}};
}
std::string with_waiting(int count) {
  return std::string(only_window) + ", " + std::to_string(count) + " operations on windows that have not been done";
}

/// `begin`: the reason is there, and `waiting` operations wait with the message; `end`: it is over.
template <class Begin, class End>
void expect_all_kinds_wait(int waiting, Begin begin, End end) {
  for (const kind_of_message& each : all_kinds()) {
    SCOPED_TRACE(each.name);
    asked_process here(asked_process::most_bytes);
    if (each.needs_lock) here.send(message_of(rma_lock{.request = 1, .how = lock_kind::exclusive}));
    here.processes().settle();
    const std::size_t answers = here.messages_sent();
    const bool was_locked = here.is_locked();
    begin(here);
    here.send(each.message);
    here.processes().settle();
    EXPECT_EQ(here.accounts().text(), with_waiting(waiting)) << "it was done before what it has to wait for";
    EXPECT_EQ(here.messages_sent(), answers);
    EXPECT_EQ(here.is_locked(), was_locked);
    EXPECT_EQ(here.ended_epochs(), 0U);
    end(here);
    here.processes().settle();
    EXPECT_EQ(here.accounts().text(), only_window);
    EXPECT_EQ(here.ended_epochs(), each.ends_epoch ? 1U : 0U);
  }
}

TEST(payloads, whatever_is_asked_for_behind_one_waits_for_it) {
  lent_payload payload(4000, 5);
  expect_all_kinds_wait(
      1,
      [&](asked_process& here) {
        payload.is_back = false;
        here.processes().world.hold_payloads(1, 0);
        here.send(large_put_at(0, 4000), &payload);
      },
      [&](asked_process& here) {
        EXPECT_FALSE(payload.is_back);
        here.processes().world.hold_payloads(1, 0, false);
        here.processes().settle();
        EXPECT_TRUE(payload.is_back);
      });
}

TEST(payloads, whatever_is_asked_for_behind_an_operation_that_waits_for_a_stripe_waits_for_it) {
  expect_all_kinds_wait(
      2,
      [](asked_process& here) {
        ASSERT_TRUE(here.stripe_of(0).try_lock());
        here.send(addition_at(0, 1));
      },
      [](asked_process& here) { EXPECT_TRUE(here.stripe_of(0).unlock()); });
}

TEST(payloads, two_that_write_the_same_bytes_are_put_in_their_order) {
  asked_process here(asked_process::most_bytes);
  lent_payload first(3000, 1), second(1000, 2), apart(1000, 3);
  here.processes().world.hold_payloads(1, 0);
  here.send(large_put_at(0, 3000), &first);
  here.send(large_put_at(4000, 1000), &apart);
  here.processes().settle();
  EXPECT_EQ(here.accounts().text(), only_window) << "one to other bytes has to wait for nothing";
  here.send(large_put_at(2999, 1000), &second);  // one byte in common
  here.processes().settle();
  EXPECT_EQ(here.accounts().text(), std::string(only_window) + ", 1 operations on windows that have not been done");
  EXPECT_EQ(here.processes().world.posted(0), 3U) << "one is not received, and its sender waits";
  here.processes().world.hold_payloads(1, 0, false);
  here.processes().settle();
  EXPECT_TRUE(has_only(here, 0, 2999, 1));
  EXPECT_TRUE(has_only(here, 2999, 1000, 2));
  EXPECT_TRUE(has_only(here, 4000, 1000, 3));
  EXPECT_EQ(here.accounts().text(), only_window);
}

TEST(payloads, one_behind_an_operation_that_waits_is_received_and_put_later) {
  asked_process here(asked_process::most_bytes);
  lent_payload payload(3000, 7);
  ASSERT_TRUE(here.stripe_of(0).try_lock());
  here.send(addition_at(0, 1));
  here.send(large_put_at(0, 3000), &payload);
  here.processes().settle();
  EXPECT_TRUE(payload.is_back);
  EXPECT_TRUE(has_only(here, 0, 3000, 0)) << "it has passed what was sent before it";
  EXPECT_TRUE(here.stripe_of(0).unlock());
  here.processes().settle();
  EXPECT_TRUE(has_only(here, 0, 3000, 7));
  EXPECT_EQ(here.accounts().text(), only_window);
}

TEST(payloads, one_to_a_part_that_has_ended_is_received_and_refused) {
  asked_process here(asked_process::most_bytes);
  here.end_part();
  lent_payload payload(3000, 7);
  here.send(large_put_at(0, 3000), &payload);
  here.processes().settle();
  EXPECT_TRUE(payload.is_back);
  EXPECT_TRUE(has_only(here, 0, 3000, 0));
  EXPECT_EQ(here.messages_sent(), 1U) << "the refusal";
}

TEST(payloads, a_part_ends_when_what_moves_there_has_come) {
  asked_process here(asked_process::most_bytes);
  lent_payload payload(3000, 7);
  here.processes().world.hold_payloads(1, 0);
  here.send(large_put_at(0, 3000), &payload);
  here.processes().settle();
  ASSERT_EQ(here.processes().world.posted(0), 1U);
  here.processes().world.hold_payloads(1, 0, false);
  here.end_part();
  EXPECT_EQ(here.processes().world.posted(0), 0U) << "somebody writes to memory that has been taken back";
  EXPECT_TRUE(has_only(here, 0, 3000, 7));
}

TEST(payloads, a_process_that_leaves_behind_a_large_put_has_left_when_that_has_come) {
  asked_process here(asked_process::most_bytes);
  lent_payload payload(3000, 7);
  here.processes().world.hold_payloads(1, 0);
  here.send(large_put_at(0, 3000), &payload);
  here.send(message_of(rma_leave{}));
  here.processes().settle();
  EXPECT_EQ(here.accounts().text(), std::string(only_window) + ", 1 operations on windows that have not been done");
  here.processes().world.hold_payloads(1, 0, false);
  here.processes().settle();
  EXPECT_TRUE(payload.is_back);
  EXPECT_EQ(here.accounts().text(), only_window);
}

TEST(payloads, the_bytes_of_a_large_get_stay_until_they_have_left) {
  asked_process here(asked_process::most_bytes);
  std::memset(here.memory, 4, 3000);
  here.processes().world.hold_payloads(0, 1);
  // Nobody in the other process has asked: there the payload is received, and thrown away.
  here.send(message_of(rma_large_get{.request = 77, .offset = 0, .bytes = 3000}));
  here.send(put_of(block_row{0, 8, 0, 1, 0}));
  here.processes().settle();
  EXPECT_TRUE(has_only(here, 0, 3000, 4)) << "what was sent later has changed them";
  EXPECT_EQ(here.accounts().text(), std::string(only_window) + ", 1 operations on windows that have not been done");
  here.processes().world.hold_payloads(0, 1, false);
  here.processes().settle();
  EXPECT_TRUE(has_only(here, 0, 8, 1));
  EXPECT_EQ(here.accounts().text(), only_window);
}

TEST(payloads, a_place_is_looked_at_byte_by_byte) {
  const auto refuses = [](std::int64_t offset, std::uint64_t bytes) {
    asked_process here;
    here.come(message_of(rma_large_get{.request = 1, .offset = offset, .bytes = bytes}));
  };
  refuses(0, asked_process::bytes);
  EXPECT_DEATH(refuses(1, asked_process::bytes), "makes no sense");
  EXPECT_DEATH(refuses(-1, asked_process::bytes), "makes no sense");
  EXPECT_DEATH(refuses(0, asked_process::bytes + 1), "makes no sense");
}

// ---- programs ------------------------------------------------------------------------------------------------------

constexpr std::size_t part = 300'000;

void by_payloads(int ranks, bool needs_epochs, const std::function<void(one_rank, loopback_world&)>& program) {
  settings values;
  values.window_transport = "messages";
  loopback_world network(2);
  turns turn;
  EXPECT_EQ(run_over(network, ranks, values,
                     [&](rank_context& self) {
                       window& made = make_window(communicator_table::of(self).world(), {"make", {}},
                                                  {.bytes = part, .options = {}, .needs_epochs = needs_epochs});
                       one_rank at{made, turn};
                       at.barrier();
                       if (needs_epochs) made.lock_all(at.here("lock_all"));
                       program(at, network);
                       if (needs_epochs) made.unlock_all(at.here("unlock_all"));
                       at.barrier();
                       EXPECT_EQ(free_window(made, at.here("free")), nullptr);
                       return 0;
                     }),
            0);
}

TEST(payloads, sizes_around_the_least_one) {
  for (const bool needs_epochs : {true, false}) {
    by_payloads(2, needs_epochs, [](one_rank at, loopback_world& network) {
      if (at.me() == 0) return;
      const std::size_t least = at.win.owner().owner().others()->least_payload_bytes();
      ASSERT_GT(least, 8U);
      for (const std::size_t bytes : {least - 1, least, least + 1, std::size_t{200'001}}) {
        std::vector<unsigned char> sent(bytes), got(bytes + 1);
        for (std::size_t i = 0; i < bytes; ++i) sent[i] = static_cast<unsigned char>(i * 7 + bytes);
        const std::size_t before = network.payloads_sent(1);
        put(at.win, at.here("put"), {sent.data(), bytes, {}}, {0, 13, bytes, nullptr});
        EXPECT_EQ(network.payloads_sent(1) - before, bytes < least ? 0U : 1U) << bytes;
        std::fill(sent.begin(), sent.end(), static_cast<unsigned char>(0xee));  // it is the program's again
        at.win.flush(at.here("flush"), 0);
        get(at.win, at.here("get"), {got.data(), bytes, {}}, {0, 13, bytes, nullptr});
        at.win.flush(at.here("flush"), 0);
        bool is_right = got[bytes] == 0;
        for (std::size_t i = 0; i < bytes; ++i)
          is_right = is_right && got[i] == static_cast<unsigned char>(i * 7 + bytes);
        EXPECT_TRUE(is_right) << bytes;
      }
    });
  }
}

TEST(payloads, ranks_that_put_to_each_other_wait_for_nobody_else) {
  by_payloads(4, true, [](one_rank at, loopback_world&) {
    std::vector<std::int64_t> sent(5000, at.me() + 1);
    for (int round = 0; round < 5; ++round) {
      for (int target = 0; target < 4; ++target) {
        const auto place = static_cast<std::int64_t>(at.me()) * 40'000;
        put(at.win, at.here("put"), {sent.data(), 40'000, {}}, {target, place, 40'000, nullptr});
      }
    }
    at.win.flush_all(at.here("flush"));
    at.barrier();
    for (int origin = 0; origin < 4; ++origin) {
      std::int64_t first = 0, last = 0;
      std::memcpy(&first, at.win.own().base + origin * 40'000, 8);
      std::memcpy(&last, at.win.own().base + origin * 40'000 + 39'992, 8);
      EXPECT_EQ(first, origin + 1);
      EXPECT_EQ(last, origin + 1);
    }
    at.barrier();
  });
}

TEST(payloads, a_window_that_is_given_up_waits_for_what_it_has_asked_for) {
  settings values;
  values.window_transport = "messages";
  loopback_world network(2);
  turns turn;
  const auto body = [&](rank_context& self) {
    window& made = make_window(communicator_table::of(self).world(), {"make", {}}, {.bytes = part, .options = {}});
    one_rank at{made, turn};
    made.lock_all(at.here("lock_all"));
    at.barrier();
    std::vector<std::byte> got(100'000, std::byte{9});
    if (at.me() == 0) {
      turn.wait_for(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      network.hold_payloads(0, 1, false);
    } else {
      network.hold_payloads(0, 1);
      get(made, at.here("get"), {got.data(), got.size(), {}}, {0, 0, got.size(), nullptr});
      while (network.posted(1) == 0) self.owner().others()->poll(&self);  // the bytes are about to come
      turn.next();
    }
    abandon(made);
    EXPECT_EQ(network.posted(self.number()), 0U) << "something comes to memory that may be gone";
    return 0;
  };
  EXPECT_EQ(run_over(network, 2, values, body), 0);
}

}  // namespace
}  // namespace pure::core
