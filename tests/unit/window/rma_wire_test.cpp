// The messages of windows: each kind is read as it was written, and not at all if it is a byte too short or too long,
// or one of its numbers goes a step too far.
#include "window/rma_wire.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace pure::core {
namespace {

constexpr window_key of_window{3, 14};
constexpr rma_ranks by_2_of_5{.origin = 2, .target = 5};

template <class Message>
constexpr std::size_t head_bytes = sizeof(rma_head) + rma::bytes_of<Message>;

std::span<const std::byte> as_read(const std::string& text) { return std::as_bytes(std::span(text)); }

/// A row of that many bytes.
std::vector<block_row> row_of(std::size_t bytes) { return {{8, bytes, 0, 1, 0}}; }

template <class Message>
Message with_blocks(Message what, const std::vector<block_row>& rows) {
  what.where = {0, rows.size()};
  for (const block_row& each : rows) what.where.bytes += each.packed_bytes();
  return what;
}

template <class Message>
bool is_read(const Message& what, const std::vector<block_row>& rows = {}, std::size_t data = 0) {
  const std::vector<std::byte> bytes(data, std::byte{7});
  return read_rma_message(as_read(packed(of_window, what, rows, bytes)), [&](const auto& came) {
    EXPECT_EQ(came.window.value(), of_window.value());
    if constexpr (std::is_same_v<std::decay_t<decltype(came.what)>, Message>) {
      EXPECT_EQ(std::memcmp(static_cast<const void*>(&came.what), &what, rma::bytes_of<Message>), 0);
    } else {
      ADD_FAILURE() << "a message of another kind";
    }
    EXPECT_EQ(came.rows.size(), rows.size());
    EXPECT_EQ(came.data.size(), data);
    return true;
  });
}

/// A right one. Cut off anywhere, it is none; nor with a byte more, unless its data may have any length.
template <class Message>
void expect_read(const Message& what, const std::vector<block_row>& rows = {}, std::size_t data = 0,
                 bool may_be_longer = false) {
  EXPECT_TRUE(is_read(what, rows, data));
  const std::string whole = packed(of_window, what, rows, std::vector<std::byte>(data));
  const auto visited = [](const auto&) { return true; };
  const std::size_t shortest = may_be_longer ? whole.size() - data : whole.size();
  for (std::size_t bytes = 0; bytes < shortest; ++bytes)
    EXPECT_FALSE(read_rma_message(as_read(whole.substr(0, bytes)), visited)) << bytes << " of " << whole.size();
  EXPECT_EQ(read_rma_message(as_read(whole + "x"), visited), may_be_longer);
}

/// The same message with one number another one.
template <class Message, class Change>
void expect_unread(Message what, Change change, const std::vector<block_row>& rows = {}, std::size_t data = 0) {
  change(what);
  EXPECT_FALSE(is_read(what, rows, data));
}
const auto no_request = [](auto& what) { what.request = 0; };
const auto a_byte_more = [](auto& what) { ++what.where.bytes; };
const auto a_byte_less = [](auto& what) { --what.where.bytes; };
const auto a_row_more = [](auto& what) { ++what.where.rows; };
const auto very_many_rows = [](auto& what) { what.where.rows = ~std::uint64_t{0}; };

template <class Message>
void expect_blocks(const Message& what, std::size_t data) {
  const std::vector<block_row> rows = row_of(8);
  expect_unread(what, a_byte_more, rows, data);
  expect_unread(what, a_byte_less, rows, data);
  expect_unread(what, a_row_more, rows, data);
  expect_unread(what, very_many_rows, rows, data);
}

TEST(rma_wire, a_put) {
  const rma_put what = with_blocks(rma_put{.ranks = by_2_of_5}, row_of(8));
  expect_read(what, row_of(8), 8);
  expect_blocks(what, 8);
  expect_read(rma_put{.ranks = by_2_of_5});  // of nothing
}

TEST(rma_wire, a_get) {
  const rma_get what = with_blocks(rma_get{.ranks = by_2_of_5, .request = 9}, row_of(8));
  expect_read(what, row_of(8));
  expect_blocks(what, 0);
  expect_unread(what, no_request, row_of(8));
  const auto of = [](std::size_t bytes) { return with_blocks(rma_get{.request = 9}, row_of(bytes)); };
  EXPECT_TRUE(is_read(of(most_bytes_of_message), row_of(most_bytes_of_message)));
  EXPECT_FALSE(is_read(of(most_bytes_of_message + 1), row_of(most_bytes_of_message + 1)));
}

TEST(rma_wire, an_accumulate) {
  rma_accumulate what = with_blocks(rma_accumulate{.ranks = by_2_of_5, .reduction = 77, .element_bytes = 8}, row_of(8));
  expect_read(what, row_of(8), 8);
  expect_blocks(what, 8);
  expect_unread(
      what, [](auto& its) { its.element_bytes = 0; }, row_of(8), 8);
  expect_unread(
      what, [](auto& its) { its.element_bytes = 3; }, row_of(8), 8);
  const auto after_the_last = static_cast<combination::kind>(static_cast<int>(combination::kind::none) + 1);
  expect_unread(
      what, [&](auto& its) { its.how = after_the_last; }, row_of(8), 8);
  what.how = combination::kind::none;
  expect_read(what, row_of(8));
  const auto of = [](std::size_t bytes, std::uint32_t element) {
    return is_read(with_blocks(rma_accumulate{.element_bytes = element}, row_of(bytes)), row_of(bytes), bytes);
  };
  EXPECT_TRUE(of(largest_element, largest_element));
  EXPECT_FALSE(of(2 * (largest_element + 1), largest_element + 1));
  EXPECT_TRUE(of(most_bytes_of_message, 8));
  EXPECT_FALSE(of(most_bytes_of_message + 8, 8));
}

TEST(rma_wire, a_compare_and_swap) {
  const rma_compare_swap what{.ranks = by_2_of_5, .request = 9, .offset = -4, .element_bytes = 8};
  expect_read(what, {}, 16);
  expect_unread(what, no_request, {}, 16);
  expect_unread(
      what, [](auto& its) { its.element_bytes = 7; }, {}, 16);
  expect_unread(what, [](auto& its) { its.element_bytes = 0; });
  EXPECT_TRUE(is_read(rma_compare_swap{.request = 9, .element_bytes = largest_element}, {}, 2 * largest_element));
  EXPECT_FALSE(
      is_read(rma_compare_swap{.request = 9, .element_bytes = largest_element + 1}, {}, 2 * largest_element + 2));
}

TEST(rma_wire, a_lock_an_unlock_and_a_flush) {
  const rma_lock lock{.ranks = by_2_of_5, .request = 9, .how = lock_kind::exclusive};
  expect_read(lock, {}, 5, true);
  const auto no_kind = [](auto& its) { its.how = static_cast<lock_kind>(static_cast<int>(lock_kind::exclusive) + 1); };
  expect_unread(lock, no_request);
  expect_unread(lock, no_kind);
  const rma_unlock unlock{.ranks = by_2_of_5, .request = 9, .how = lock_kind::exclusive};
  expect_read(unlock);
  expect_unread(unlock, no_request);
  expect_unread(unlock, no_kind);
  const rma_flush flush{.ranks = by_2_of_5, .request = 9};
  expect_read(flush);
  expect_unread(flush, no_request);
}

TEST(rma_wire, a_notification) {
  const rma_notify what{.ranks = by_2_of_5, .counter = target_control::notifications - 1};
  expect_read(what);
  expect_unread(what, [](auto& its) { ++its.counter; });
}

TEST(rma_wire, what_comes_with_a_payload) {
  const auto of_nothing = [](auto& its) { its.bytes = 0; };
  const auto of_too_much = [](auto& its) { its.bytes = std::uint64_t{1} << 62; };
  const rma_large_put put{.ranks = by_2_of_5, .offset = 8, .bytes = (std::uint64_t{1} << 62) - 1};
  expect_read(put);
  expect_unread(put, of_nothing);
  expect_unread(put, of_too_much);
  const rma_large_get get{.ranks = by_2_of_5, .request = 9, .offset = 8, .bytes = 100};
  expect_read(get);
  expect_unread(get, no_request);
  expect_unread(get, of_nothing);
  expect_unread(get, of_too_much);
  const rma_large_answer answer{.request = 9, .bytes = 100};
  expect_read(answer);
  expect_unread(answer, no_request);
  expect_unread(answer, of_nothing);
  expect_unread(answer, of_too_much);
}

TEST(rma_wire, questions) {
  const rma_question about = with_blocks(rma_question{.ranks = by_2_of_5, .request = 9}, row_of(8));
  expect_read(about, row_of(8), 5, true);
  expect_blocks(about, 5);
  expect_unread(about, no_request, row_of(8));
  expect_read(rma_question{.ranks = by_2_of_5, .request = 9}, {}, 5, true);  // about no blocks
}

TEST(rma_wire, what_the_origin_is_told) {
  expect_read(rma_answer{.request = 9}, {}, 5, true);
  expect_unread(rma_answer{.request = 9}, no_request);
  const rma_refused refused{.ranks = by_2_of_5, .request = 9, .offset = -8, .bytes = 8, .why = part_end::main_ended};
  expect_read(refused);
  expect_unread(refused, [](auto& its) { its.bytes = 0; });
  expect_unread(refused,
                [](auto& its) { its.why = static_cast<part_end>(static_cast<int>(part_end::main_ended) + 1); });
  rma_held held{.ranks = by_2_of_5};
  expect_read(held);  // by nobody
  expect_unread(held, [](auto& its) { its.who.rank = -2; });
}

TEST(rma_wire, what_all_are_told) {
  expect_read(rma_wake{});
  expect_read(rma_leave{});
}

TEST(rma_wire, a_kind_that_there_is_not) {
  std::string whole = packed(of_window, rma_leave{});
  whole[offsetof(rma_head, kind)] = static_cast<char>(static_cast<int>(rma_kind::last) + 1);
  EXPECT_FALSE(read_rma_message(as_read(whole), [](const auto&) { return true; }));
}

TEST(rma_wire, rows_of_nothing_or_of_too_much) {
  constexpr std::ptrdiff_t last = std::numeric_limits<std::ptrdiff_t>::max();
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  const auto are_right = [](const block_row& row, std::uint64_t bytes) {
    return arrived_rows(std::as_bytes(std::span(&row, 1))).are_right(bytes);
  };
  EXPECT_TRUE(are_right({8, 8, 16, 3, 0}, 24));
  EXPECT_FALSE(are_right({8, 8, 16, 3, 0}, 23));
  EXPECT_FALSE(are_right({8, 8, 16, 0, 0}, 0));
  EXPECT_FALSE(are_right({8, 0, 16, 3, 0}, 0));
  EXPECT_TRUE(are_right({last - 8, 8, 0, 1, 0}, 8));
  EXPECT_FALSE(are_right({last - 7, 8, 0, 1, 0}, 8)) << "the first block goes too far";
  EXPECT_TRUE(are_right({0, 8, last - 8, 2, 0}, 16));
  EXPECT_FALSE(are_right({0, 8, last - 7, 2, 0}, 16)) << "the last block goes too far";
  EXPECT_FALSE(are_right({0, 8, last, 3, 0}, 24)) << "the last block is nowhere";
  EXPECT_FALSE(are_right({0, most / 2 + 1, 0, 2, 0}, 0)) << "more bytes than can be counted";
  const block_row two[] = {{0, 1, 0, most / 2 + 1, 0}, {0, 1, 0, most / 2 + 1, 0}};
  EXPECT_FALSE(arrived_rows(std::as_bytes(std::span(two))).are_right(0)) << "of two rows together";
}

}  // namespace
}  // namespace pure::core
