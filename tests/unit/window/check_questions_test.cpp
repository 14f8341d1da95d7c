// PURE_CHECK between processes: each question about a window is answered as it was asked, and not at all if it is a
// byte too short, or one of its numbers goes a step too far.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/packed_bytes.hpp"
#include "window/checks/remote_checks.hpp"
#include "window/combination.hpp"
#include "window/rma_wire.hpp"
#include "window/window_group.hpp"

namespace pure::core {
namespace {

constexpr block_row word{8, 8, 0, 1, 0};

/// What the checks of a window of three ranks answer, rank 1 of which asks for the memory of rank 0.
std::optional<std::string> answer(std::string_view question, std::span<const block_row> about = {}) {
  window_group shared(7, 3, window_flavor::create, {}, "asked");
  alignas(8) std::byte memory[64] = {};
  shared.at(0).base = memory;
  shared.at(0).bytes = sizeof memory;
  window_checks checks(3);
  arrived_rma<rma_question> asked;
  asked.what = {.ranks = {.origin = 1, .target = 0}, .where = {0, about.size()}, .request = 1};
  for (const block_row& each : about) asked.what.where.bytes += each.packed_bytes();
  asked.rows = arrived_rows(std::as_bytes(about));
  asked.data = std::as_bytes(std::span(question));
  return checks.answer_to(shared, asked);
}
bool makes_sense(const byte_packer& question, std::span<const block_row> about = {}) {
  return answer(question.bytes(), about).has_value();
}

/// Cut off anywhere, it is none.
void expect_whole(const byte_packer& question, std::span<const block_row> about = {}) {
  EXPECT_TRUE(makes_sense(question, about));
  for (std::size_t bytes = 0; bytes < question.bytes().size(); ++bytes)
    EXPECT_FALSE(answer(question.bytes().substr(0, bytes), about)) << bytes << " of " << question.bytes().size();
}

byte_packer access(access_kind kind, std::size_t element_bytes, int known_rank) {
  constexpr std::uint64_t what = 1, orderings = 2, request = 0, known_orderings = 4;
  byte_packer made;
  made.add(check_question::access)
      .add(kind)
      .add(what)
      .add(orderings)
      .add(request)
      .add(std::string_view("put at a.c:7"));
  made.add(element_bytes).add(true).add(true).add(false).add(known_rank).add(known_orderings);
  return made;
}

TEST(check_questions, whether_an_operation_may_be_done) {
  const std::span about(&word, 1);
  expect_whole(access(access_kind::put, 0, -1), about);
  EXPECT_FALSE(makes_sense(access(access_kind::put, 0, -1))) << "about no bytes";
  EXPECT_TRUE(makes_sense(access(access_kind::atomic, largest_element, 2), about));
  EXPECT_FALSE(makes_sense(access(access_kind::atomic, largest_element + 1, 2), about));
  EXPECT_FALSE(makes_sense(access(static_cast<access_kind>(static_cast<int>(access_kind::atomic) + 1), 8, 2), about));
  EXPECT_FALSE(makes_sense(access(access_kind::atomic, 8, 3), about)) << "a window of three ranks";
  EXPECT_FALSE(makes_sense(access(access_kind::atomic, 8, -2), about));
}

TEST(check_questions, what_was_written) {
  const std::span about(&word, 1);
  const auto written = [](std::size_t bytes) {
    return byte_packer().add(check_question::written).add(std::string_view("123456789").substr(0, bytes));
  };
  expect_whole(written(8), about);
  EXPECT_TRUE(makes_sense(written(0), about)) << "much, that is not sent again";
  EXPECT_FALSE(makes_sense(written(7), about));
  EXPECT_FALSE(makes_sense(written(9), about));
}

TEST(check_questions, what_was_read_and_completed) {
  const std::span about(&word, 1);
  expect_whole(byte_packer().add(check_question::read).add(std::uint64_t{4}), about);
  EXPECT_FALSE(makes_sense(byte_packer().add(check_question::read).add(std::uint64_t{0}), about)) << "by no request";
  expect_whole(byte_packer().add(check_question::completed).add(true));
  expect_whole(byte_packer().add(check_question::completed).add(false));
}

TEST(check_questions, who_has_let_others_know) {
  expect_whole(byte_packer().add(check_question::orderings));
  EXPECT_FALSE(makes_sense(byte_packer().add(static_cast<int>(check_question::orderings) + 1)));
}

}  // namespace
}  // namespace pure::core
