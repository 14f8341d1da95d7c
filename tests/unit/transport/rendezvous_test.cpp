// The rendezvous: sizes around every boundary, alone and with the sender's help. Bytes around the target stay as they
// were. Races and lifetimes: tests/stress/rendezvous_stress_test.cpp and tests/model/rendezvous.pml.
#include "transport/rendezvous.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "base/settings.hpp"
#include "runtime/job.hpp"

namespace pure::core {
namespace {

constexpr std::size_t share_from = 4096;  // bytes
constexpr std::size_t small_piece = 1000;
constexpr std::size_t usual_piece = 32 * 1024;

settings with_pieces(std::size_t piece_bytes) {
  settings values;
  values.shared_copy_min_bytes = share_from;
  values.copy_piece_bytes = piece_bytes;
  return values;
}

/// Two ranks without services: the rendezvous needs no more.
class rendezvous_test : public testing::TestWithParam<std::size_t> {
 protected:
  const std::size_t piece_bytes_ = GetParam();
  job job_{with_pieces(piece_bytes_), std::vector<wait_policy>(2, wait_policy{.spin_ns = 0}),
           failure_action::throw_to_caller, [](rank_context&) {}};

  [[nodiscard]] std::vector<std::size_t> sizes() const {
    std::set<std::size_t> all{0, 1, share_from - 1, share_from, share_from + 1};
    for (const std::size_t piece : {piece_bytes_, std::size_t{8 * 1024}}) {  // as cut below 64 KB, and as asked for
      for (const std::size_t pieces : {1U, 2U, 7U, 8U, 9U, 16U}) {
        for (const std::size_t size : {piece * pieces - 1, piece * pieces, piece * pieces + 1}) all.insert(size);
      }
    }
    all.insert(100'001);  // pieces of an eighth
    return {all.begin(), all.end()};
  }
};
INSTANTIATE_TEST_SUITE_P(piece_bytes, rendezvous_test, testing::Values(small_piece, usual_piece),
                         testing::PrintToStringParamName());

std::vector<std::byte> message_of(std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  std::uint32_t state = static_cast<std::uint32_t>(bytes) + 1;
  for (std::byte& each : data) {
    state = state * 1'664'525 + 1'013'904'223;
    each = static_cast<std::byte>(state >> 24);
  }
  return data;
}

/// A target with a guard on both sides.
class guarded {
 public:
  explicit guarded(std::size_t bytes) : memory_(bytes + 2 * guard_bytes, fence) {}
  std::byte* data() { return memory_.data() + guard_bytes; }
  /// Holds the first `bytes` of `message`, and nothing else was written.
  [[nodiscard]] bool holds(const std::vector<std::byte>& message, std::size_t bytes) const {
    const auto begin = memory_.begin() + guard_bytes;
    const auto end = begin + static_cast<std::ptrdiff_t>(bytes);
    const auto is_fence = [](std::byte each) { return each == fence; };
    return std::equal(begin, end, message.begin()) && std::all_of(memory_.begin(), begin, is_fence) &&
           std::all_of(end, memory_.end(), is_fence);
  }

 private:
  static constexpr std::byte fence{0xA5};
  static constexpr std::ptrdiff_t guard_bytes = 128;
  std::vector<std::byte> memory_;
};

TEST_P(rendezvous_test, is_finished_before_its_first_use) {
  rendezvous meeting;
  EXPECT_TRUE(meeting.finished());
  EXPECT_TRUE(meeting.help_and_test());
}

TEST_P(rendezvous_test, a_sender_that_does_not_help_gets_its_buffer_back) {
  for (const std::size_t bytes : sizes()) {
    const std::vector<std::byte> message = message_of(bytes);
    guarded target(bytes);
    rendezvous meeting;
    meeting.open(job_.at(0), message.data(), bytes);
    EXPECT_EQ(meeting.bytes(), bytes);
    EXPECT_FALSE(meeting.finished());
    EXPECT_FALSE(meeting.help_and_test()) << "nothing is offered to be shared yet";
    meeting.take(job_.at(1), {target.data(), nullptr}, bytes);
    EXPECT_TRUE(meeting.finished());
    EXPECT_TRUE(target.holds(message, bytes)) << bytes << " bytes";
  }
}

TEST_P(rendezvous_test, the_time_of_what_the_receiver_has_copied_is_said_if_it_is_asked_for) {
  for (const std::size_t bytes : sizes()) {
    const std::vector<std::byte> message = message_of(bytes);
    for (const bool is_timed : {true, false}) {
      rendezvous meeting;
      meeting.open(job_.at(0), message.data(), bytes, nullptr, {.is_timed = is_timed});
      guarded target(bytes);
      meeting.take(job_.at(1), {target.data(), nullptr}, bytes);
      EXPECT_EQ(meeting.timed().bytes, is_timed ? bytes : 0) << bytes << " bytes, all by the receiver";
      EXPECT_GE(meeting.timed().ns, 0);
      EXPECT_LT(meeting.timed().ns, 10'000'000'000);
    }
  }
}

TEST_P(rendezvous_test, to_oneself) {
  for (const std::size_t bytes : sizes()) {
    const std::vector<std::byte> message = message_of(bytes);
    guarded target(bytes);
    rendezvous meeting;
    meeting.open(job_.at(0), message.data(), bytes);
    meeting.take(job_.at(0), {target.data(), nullptr}, bytes);
    EXPECT_TRUE(meeting.help_and_test());
    EXPECT_TRUE(target.holds(message, bytes)) << bytes << " bytes";
  }
}

TEST_P(rendezvous_test, a_receiver_may_want_less) {
  const std::vector<std::byte> message = message_of(100'001);
  for (const std::size_t wanted : sizes()) {
    if (wanted > message.size()) continue;
    guarded target(wanted);
    rendezvous meeting;
    meeting.open(job_.at(0), message.data(), message.size());
    meeting.take(job_.at(1), {target.data(), nullptr}, wanted);
    EXPECT_TRUE(meeting.finished());
    EXPECT_TRUE(target.holds(message, wanted)) << wanted << " bytes";
  }
}

TEST_P(rendezvous_test, two_threads_in_either_direction) {
  for (const int receiver : {0, 1}) {
    rank_context& sends = job_.at(1 - receiver);
    rank_context& receives = job_.at(receiver);
    for (const std::size_t bytes : sizes()) {
      const std::vector<std::byte> message = message_of(bytes);
      guarded target(bytes);
      rendezvous meeting;
      meeting.open(sends, message.data(), bytes);
      std::thread taking([&] { meeting.take(receives, {target.data(), nullptr}, bytes); });
      while (!meeting.help_and_test()) std::this_thread::yield();
      taking.join();
      EXPECT_TRUE(target.holds(message, bytes)) << bytes << " bytes to rank " << receiver;
    }
  }
}

TEST_P(rendezvous_test, is_used_again) {
  rendezvous meeting;
  for (const std::size_t bytes : sizes()) {
    const std::vector<std::byte> message = message_of(bytes);
    guarded target(bytes);
    meeting.open(job_.at(0), message.data(), bytes);
    std::thread taking([&] { meeting.take(job_.at(1), {target.data(), nullptr}, bytes); });
    while (!meeting.help_and_test()) std::this_thread::yield();
    taking.join();
    EXPECT_TRUE(target.holds(message, bytes)) << bytes << " bytes";
  }
}

}  // namespace
}  // namespace pure::core
