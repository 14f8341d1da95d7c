// What a rank may have under way to memory that it reaches by messages: every kind of operation counts, one more than
// the bound waits until the others are answered, and at the end nothing is left (support/job_over_world.hpp).
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "support/checked_windows.hpp"
#include "window/place_in_part.hpp"
#include "window/remote_access.hpp"

namespace pure::core {
namespace {

using namespace test_support;

/// What an operation on the memory of rank 0 takes of the bound.
struct counted_operation {
  std::size_t bytes;
  std::function<void(one_rank)> act;
};

/// What a message takes without its data.
template <class Message>
constexpr std::size_t taken_by = sizeof(rma_head) + sizeof(Message) +
                                 (rma::has_blocks<Message> ? sizeof(block_row) : 0);
std::int64_t result = 0;  // of operations that are answered some time

const std::vector<counted_operation> counted{
    {taken_by<rma_put> + 8, [](one_rank at) { at.put_value(0, 0, 1); }},
    {taken_by<rma_accumulate> + 8, [](one_rank at) { at.add_value(0, 8, 1); }},
    {taken_by<rma_get> + 8,  // brought back
     [](one_rank at) {
       get(at.win, at.here("get"), {&result, 8, {}}, {0, 16, 8, nullptr});
     }},
    {taken_by<rma_compare_swap> + 16,
     [](one_rank at) {
       static const std::int64_t expected = 5, desired = 6;
       compare_and_swap(at.win, at.here("swap"), &expected, &desired, &result, 8, 0, 24);
     }},
    {taken_by<rma_notify>, [](one_rank at) { at.win.notify(at.here("notify"), 0, 3); }}};

/// Rank 1 calls operations of rank 0's process, whose answers do not come, until one waits.
void expect_bound(const counted_operation& each) {
  const std::size_t most = remote_access::most_unflushed_bytes / each.bytes;  // so many are within the bound
  settings values;
  values.window_transport = "messages";
  loopback_world network(2);
  std::atomic<std::size_t> called{0};
  turns turn;
  const auto body = [&](rank_context& self) {
    window& made = make_window(communicator_table::of(self).world(), {"make", {}},
                               {.bytes = part_bytes, .options = {}});
    one_rank at{made, turn};
    made.lock_all(at.here("lock_all"));
    at.barrier();
    if (at.me() == 1) {
      made.flush_all(at.here("flush"));  // also the request for the lock has been counted
      network.hold_messages(0, 1);
      turn.next();
      for (std::size_t i = 0; i <= most; ++i) {
        each.act(at);
        ++called;
      }
      each.act(at);  // the account begins anew
    } else {
      turn.wait_for(1);
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      while (called < most && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_EQ(called, most) << each.bytes;
      network.hold_messages(0, 1, false);
    }
    made.unlock_all(at.here("unlock_all"));
    at.barrier();
    if (at.me() == 0) {
      EXPECT_TRUE(each.bytes != taken_by<rma_notify> || made.test_notified(at.here("test"), most + 2, 3));
      EXPECT_FALSE(made.test_notified(at.here("test"), 1, 3));
    }
    EXPECT_EQ(free_window(made, at.here("free")), nullptr);
    return 0;
  };
  EXPECT_EQ(run_over(network, 2, values, body), 0);
}

TEST(remote_bounds, a_put_more_than_the_bound_waits) { expect_bound(counted[0]); }
TEST(remote_bounds, so_does_an_accumulate) { expect_bound(counted[1]); }
TEST(remote_bounds, and_a_get) { expect_bound(counted[2]); }
TEST(remote_bounds, and_a_compare_and_swap) { expect_bound(counted[3]); }
TEST(remote_bounds, and_a_notification) { expect_bound(counted[4]); }

// ---- messages ------------------------------------------------------------------------------------------------------

struct piece {
  std::size_t bytes, rows;
  bool operator==(const piece&) const = default;
};

/// What is sent of so much: piece by piece.
std::vector<piece> pieces_of(const place_in_part& where, std::size_t most_bytes, std::size_t most_rows) {
  std::vector<piece> made;
  for (std::size_t done = 0; done < where.bytes; done += made.back().bytes) {
    const rows_in_part now = rows_of(where, done, most_bytes, most_rows);
    made.push_back({now.bytes, now.rows.size()});
    if (now.bytes == 0) break;
  }
  return made;
}

TEST(remote_bounds, a_message_has_so_many_bytes_and_rows_and_no_more) {
  EXPECT_EQ(pieces_of({0, 0, 100, nullptr}, 100, 9), (std::vector<piece>{{100, 1}}));
  EXPECT_EQ(pieces_of({0, 0, 101, nullptr}, 100, 9), (std::vector<piece>{{100, 1}, {1, 1}}));
  const layout column = layout(8).repeated(5, 16);  // a row of five blocks
  EXPECT_EQ(pieces_of({0, 0, 40, &column}, 40, 9), (std::vector<piece>{{40, 1}}));
  EXPECT_EQ(pieces_of({0, 0, 40, &column}, 32, 9), (std::vector<piece>{{32, 1}, {8, 1}}));
  const std::size_t bytes = 40 * 7;  // seven such rows
  EXPECT_EQ(pieces_of({0, 0, bytes, &column}, bytes, 7), (std::vector<piece>{{bytes, 7}}));
  EXPECT_EQ(pieces_of({0, 0, bytes, &column}, bytes, 6), (std::vector<piece>{{240, 6}, {40, 1}}));
}

/// The bytes of a place, in order, by their offsets.
std::vector<std::ptrdiff_t> offsets_of(std::span<const block_row> rows) {
  std::vector<std::ptrdiff_t> all;
  visit_blocks(rows, [&](std::ptrdiff_t offset, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) all.push_back(offset + static_cast<std::ptrdiff_t>(i));
  });
  return all;
}

TEST(remote_bounds, pieces_are_all_of_the_place_in_its_order) {
  const layout forms[] = {layout(8).repeated(5, 16), layout(3).repeated(4, -7),
                          layout(2).repeated(3, 5).repeated(4, 40)};
  for (const layout& form : forms) {
    const place_in_part where{0, 200, form.bytes() * 3, &form};
    std::vector<std::ptrdiff_t> expected;
    for (std::ptrdiff_t time = 0; time < 3; ++time) {
      std::vector<std::byte> memory(1000), packed(form.bytes());
      for (std::size_t i = 0; i < form.bytes(); ++i) {  // where the byte i of one comes from, by the copies of layouts
        std::fill(memory.begin(), memory.end(), std::byte{0});
        std::fill(packed.begin(), packed.end(), std::byte{0});
        packed[i] = std::byte{1};
        copy_laid_out({memory.data() + 500, &form}, 0, {packed.data(), nullptr}, 0, form.bytes());
        const auto at = std::find(memory.begin(), memory.end(), std::byte{1}) - memory.begin();
        expected.push_back(200 + at - 500 + form.extent() * time);
      }
    }
    for (const std::size_t most_bytes : {1U, 5U, 8U, 1000U}) {
      for (const std::size_t most_rows : {1U, 2U, 100U}) {
        std::vector<std::ptrdiff_t> all;
        for (std::size_t done = 0; done < where.bytes;) {
          const rows_in_part now = rows_of(where, done, most_bytes, most_rows);
          ASSERT_GT(now.bytes, 0U);
          ASSERT_LE(now.bytes, most_bytes);
          ASSERT_LE(now.rows.size(), most_rows);
          const std::vector<std::ptrdiff_t> some = offsets_of(now.rows);
          ASSERT_EQ(some.size(), now.bytes);
          all.insert(all.end(), some.begin(), some.end());
          done += now.bytes;
        }
        EXPECT_EQ(all, expected) << most_bytes << " " << most_rows;
      }
    }
  }
}

/// Operations of more than one message, whose last ones are the smallest and the largest that there can be.
TEST(remote_bounds, what_takes_several_messages_is_whole) {
  door how;
  how.bytes = 80 * 1024;
  how.checks = false;
  expect_no_error(errors_of(2, how, [&](one_rank at) {
    at.win.lock_all(at.here("lock_all"));
    at.barrier();
    for (const std::size_t bytes : {most_bytes_of_message, most_bytes_of_message + 8}) {
      if (at.me() != 1) continue;
      std::vector<std::int64_t> there(bytes / 8), sent(bytes / 8);
      for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::int64_t>(i * i + bytes);
      put(at.win, at.here("put"), {sent.data(), bytes, {}}, {0, 24, bytes, nullptr});
      combination how_to;
      how_to.element_bytes = 8;
      EXPECT_TRUE(find_reduction(PURE_SUM, PURE_INT64_T, how_to.how));
      at.win.flush(at.here("flush"), 0);
      const placed_message before{there.data(), bytes, {}};
      accumulate(at.win, at.here("accumulate"), {sent.data(), bytes, {}}, &before, {0, 24, bytes, nullptr}, how_to);
      at.win.flush(at.here("flush"), 0);
      EXPECT_EQ(there, sent);
      get(at.win, at.here("get"), {there.data(), bytes, {}}, {0, 24, bytes, nullptr});
      at.win.flush(at.here("flush"), 0);
      for (std::size_t i = 0; i < sent.size(); ++i) ASSERT_EQ(there[i], 2 * sent[i]) << i;
      const layout column = layout(8).repeated(most_rows_of_message + 1, 16);
      const std::size_t laid_out = column.bytes();
      put(at.win, at.here("put"), {sent.data(), laid_out, {}}, {0, 0, laid_out, &column});
      at.win.flush(at.here("flush"), 0);
      std::vector<std::int64_t> got(laid_out / 8);
      get(at.win, at.here("get"), {got.data(), laid_out, {}}, {0, 0, laid_out, &column});
      at.win.flush(at.here("flush"), 0);
      EXPECT_TRUE(std::equal(got.begin(), got.end(), sent.begin()));
    }
    at.win.unlock_all(at.here("unlock_all"));
    at.barrier();
  }));
}

}  // namespace
}  // namespace pure::core
