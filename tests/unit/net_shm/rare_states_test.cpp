// States of the network over shared memory that traffic seldom meets: room behind what waits, processes whose memory is
// out of reach, more than 64 processes, small rings, one process without the kernel's fence. One thread drives all
// ends.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <pure/error.hpp>

#include "net_shm/doorbell.hpp"
#include "net_shm/job_segment.hpp"
#include "net_shm/watched_rings.hpp"
#include "support/shm_world.hpp"

namespace pure::net_shm {
namespace rare_states {  // of its own, for files are compiled together
namespace {

using core::network_operation;
using test_support::shm_world;

struct counted_events final : core::network_events {
  void message_arrived(int from, int /*tag*/, const std::byte* /*data*/, std::size_t /*bytes*/) override {
    ++messages;
    last_from = from;
  }
  void operation_done(network_operation& op) override {
    ++done;
    if (&op == watched) at_end();
  }
  int messages = 0, done = 0, last_from = -1;
  const network_operation* watched = nullptr;
  std::function<void()> at_end;  // of the watched operation
};

/// Messages of process 0 to process 1, until the ring is full, and some that wait behind it.
class full_ring {
 public:
  explicit full_ring(shm_world& world) : data_(world.end(0).peers().message_bytes) {
    for (network_operation& each : sending_)
      left_ += world.end(0).send_message(each, 1, 1, data_.data(), data_.size()) ? 1 : 0;
  }
  /// How many messages are in the ring.
  [[nodiscard]] int left() const noexcept { return left_; }
  [[nodiscard]] int all() const noexcept { return static_cast<int>(sending_.size()); }

 private:
  std::vector<std::byte> data_;
  std::array<network_operation, 24> sending_;  // more than cells and the ring hold
  int left_ = 0;
};

/// A piece would fit where the message does not that waits before it: the operation would be done, and its memory the
/// sender's, before the piece has left.
void take_no_piece_while_something_waits_before_it(cell_manner cells) {
  shm_world world(2, {.piece = 256, .may_reach_peers = false}, 17 * 1024, false, cells);
  counted_events sender, receiver;
  std::vector<std::byte> data(20'000, std::byte{7}), into(data.size());
  const std::vector<std::byte> expected = data;
  network_operation sending, receiving;
  sender.watched = &sending;
  sender.at_end = [&] { std::fill(data.begin(), data.end(), std::byte{0}); };
  world.end(0).send(sending, 1, 5, data.data(), data.size());
  world.end(1).receive(receiving, 0, 5, into.data(), into.size());
  world.end(1).poll(receiver);  // asks for the pieces
  const full_ring messages(world);
  ASSERT_LT(messages.left(), messages.all()) << "nothing waits";
  for (int polls = 0; polls < 100; ++polls) world.end(0).poll(sender);
  EXPECT_EQ(sender.done, 0) << "the ring has had no room";
  for (int polls = 0; polls < 10'000 && receiver.done == 0; ++polls) {
    world.end(1).poll(receiver);
    world.end(0).poll(sender);
  }
  EXPECT_EQ(receiver.done, 1);
  EXPECT_EQ(into, expected);
  EXPECT_EQ(receiver.messages, messages.all());
}

TEST(shm_payloads, no_piece_is_taken_while_something_waits_before_it) {
  for (const bool are_used : {false, true}) take_no_piece_while_something_waits_before_it({.are_used = are_used});
}

/// Nothing but a cell is lacking: who gives one back rings.
TEST(shm_payloads, whose_next_piece_waits_for_a_cell_are_rung_for) {
  shm_world world(2, {.may_reach_peers = false});
  counted_events sender, receiver;
  const std::vector<std::byte> data(2 * cells_of_a_pair * cell_bytes, std::byte{5});
  std::vector<std::byte> into(data.size());
  network_operation sending, receiving;
  world.end(0).send(sending, 1, 5, data.data(), data.size());
  world.end(1).receive(receiving, 0, 5, into.data(), into.size());
  world.end(1).poll(receiver);  // asks for the pieces
  const auto is_rung_for = [&] {
    pollfd bell{.fd = world.end(0).wake_descriptor(), .events = POLLIN, .revents = 0};
    return poll(&bell, 1, 0) == 1;
  };
  int rung = 0;
  while (sender.done == 0) {
    while (world.end(0).poll(sender)) {
    }
    if (sender.done != 0) break;
    world.end(0).arm();
    EXPECT_FALSE(world.end(0).poll(sender));
    EXPECT_FALSE(is_rung_for());
    ASSERT_TRUE(world.end(1).poll(receiver));
    ASSERT_TRUE(is_rung_for());
    ++rung;
    world.end(0).disarm();
  }
  EXPECT_EQ(rung, static_cast<int>(2 * cells_of_a_pair - cells_of_a_process));
  while (receiver.done == 0) world.end(1).poll(receiver);
  EXPECT_EQ(into, data);
}

/// Whoever polls sleeps, or computes, where nothing has moved.
TEST(shm_payloads, that_cannot_move_do_not_hide_what_has_left) {
  shm_world world(2, {.may_reach_peers = false}, 17 * 1024, false, {.are_used = false});
  counted_events sender, receiver;
  const std::vector<std::byte> data(200'000);
  std::vector<std::byte> into(data.size());
  network_operation sending, receiving;
  world.end(0).send(sending, 1, 5, data.data(), data.size());
  world.end(1).receive(receiving, 0, 5, into.data(), into.size());
  world.end(1).poll(receiver);  // asks for the pieces
  const full_ring messages(world);
  while (world.end(0).poll(sender)) {
  }
  ASSERT_EQ(sender.done, 0);
  while (sender.done == 0) {
    ASSERT_TRUE(world.end(1).poll(receiver)) << "there is room for another, and it does not leave";
    const bool has_moved = world.end(0).poll(sender);
    EXPECT_EQ(has_moved, sender.done != 0);
  }
}

/// The number of a process in another namespace may be that of anybody here: what is read would be another's.
TEST(shm_payloads, are_not_read_from_processes_that_are_numbered_otherwise) {
  struct pid_spaces {
    std::uint64_t of_sender, of_receiver;
    bool are_one;
  };
  for (const auto& [of_sender, of_receiver, are_one] :
       {pid_spaces{7, 7, true}, pid_spaces{7, 8, false}, pid_spaces{0, 7, false}, pid_spaces{0, 0, false}}) {
    shm_world world(2, {.patience = 0});
    world.segment().front().row(0).pid_space.store(of_sender);
    world.segment().front().row(1).pid_space.store(of_receiver);
    counted_events sender, receiver;
    const std::vector<std::byte> data(200'000, std::byte{3});
    std::vector<std::byte> into(data.size());
    network_operation sending, receiving;
    world.end(0).send(sending, 1, 5, data.data(), data.size());
    world.end(1).receive(receiving, 0, 5, into.data(), into.size());
    for (int polls = 0; polls < 100; ++polls) world.end(1).poll(receiver);
    EXPECT_EQ(receiver.done, are_one ? 1 : 0) << of_sender << ", " << of_receiver;
    for (int polls = 0; polls < 1000 && (receiver.done == 0 || sender.done == 0); ++polls) {
      world.end(0).poll(sender);
      world.end(1).poll(receiver);
    }
    EXPECT_EQ(into, data) << "its sender sends it";
  }
}

void leave_in_every_size_through_small_rings(cell_manner cells) {
  for (const int processes : {17, 65}) {  // with each of these numbers rings become smaller
    shm_world world(processes, {}, 17 * 1024, false, cells);
    const int other = processes - 1;
    const std::size_t largest = world.segment().front().plan().ring_lines() / 4 * core::line_bytes;
    for (const std::size_t bytes : {largest - 17, largest - 16, largest - 15, largest, largest + 1, 16'384UL}) {
      counted_events sender, receiver;
      const std::vector<std::byte> data(bytes, std::byte{5});
      std::vector<std::byte> into(bytes);
      network_operation sending, receiving;
      const bool has_left = world.end(other).send(sending, 0, 5, data.data(), bytes);
      world.end(0).receive(receiving, other, 5, into.data(), bytes);
      for (int polls = 0; polls < 1000 && receiver.done == 0; ++polls) {
        world.end(0).poll(receiver);
        world.end(other).poll(sender);
      }
      EXPECT_EQ(receiver.done, 1) << bytes << " bytes, " << processes << " processes";
      EXPECT_EQ(into, data);
      EXPECT_TRUE(has_left || sender.done == 1);
    }
  }
}

TEST(shm_payloads, of_every_size_leave_through_small_rings) {
  for (const bool are_used : {false, true}) leave_in_every_size_through_small_rings({.are_used = are_used});
}

/// All cells are on their way, and the ring has room: but not for so long a record.
TEST(shm_payloads, longer_than_a_record_wait_for_a_cell_or_come_in_pieces) {
  shm_world world(65);
  counted_events sender, receiver;
  const std::vector<std::byte> data(16'384, std::byte{5});
  constexpr std::size_t count = cells_of_a_pair + 1;
  std::vector<std::vector<std::byte>> into(count, std::vector<std::byte>(data.size()));
  std::vector<network_operation> sending(count), receiving(count);
  std::size_t left = 0;
  for (network_operation& each : sending) left += world.end(0).send(each, 1, 5, data.data(), data.size()) ? 1 : 0;
  EXPECT_EQ(left, cells_of_a_process);
  for (std::size_t i = 0; i < count; ++i) world.end(1).receive(receiving[i], 0, 5, into[i].data(), data.size());
  for (int polls = 0; polls < 10'000 && receiver.done < static_cast<int>(count); ++polls) {
    world.end(1).poll(receiver);
    world.end(0).poll(sender);
  }
  for (const auto& each : into) EXPECT_EQ(each, data);
}

/// What was read ends with a page: the next one has no memory, and needs none.
TEST(shm_payloads, take_lines_of_their_bytes_only) {
  shm_world world(2, {.may_reach_peers = false}, 17 * 1024, false, {.takes_lines = true});
  counted_events sender, receiver;
  const std::vector<std::byte> data(cell_bytes + segment_plan::page, std::byte{5});
  std::vector<std::byte> into(data.size());
  network_operation sending, receiving;
  world.end(0).send(sending, 1, 5, data.data(), data.size());
  world.end(1).receive(receiving, 0, 5, into.data(), into.size());
  for (int polls = 0; polls < 1000 && receiver.done == 0; ++polls) {
    world.end(1).poll(receiver);
    world.end(0).poll(sender);
  }
  ASSERT_EQ(into, data);
  const int descriptor = world.segment().descriptor().number();
  const auto second = static_cast<off_t>(world.segment().front().plan().cells_at(0, 1) +
                                         (cells_of_a_process - 2) * cell_bytes);
  EXPECT_EQ(lseek(descriptor, second, SEEK_DATA), second) << "the second piece is there";
  EXPECT_EQ(lseek(descriptor, second, SEEK_HOLE), second + static_cast<off_t>(segment_plan::page));
}

TEST(shm_cells, are_as_the_settings_say) {
  core::settings values;
  EXPECT_TRUE(cell_manner::of(values).are_used);
  values.cells = "off";
  EXPECT_FALSE(cell_manner::of(values).are_used);
  for (const char* const each : {"on", "off"}) {
    values.take_lines = each;
    EXPECT_EQ(cell_manner::of(values).takes_lines, std::string_view(each) == "on");
  }
}

/// A file that may not grow stands for memory that is not there.
TEST(shm_cells, without_memory_are_an_error_that_says_so) {
  const segment_plan plan(2);
  const int descriptor = memfd_create("too small", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(ftruncate(descriptor, static_cast<off_t>(plan.front_bytes())), 0);
  ASSERT_EQ(fcntl(descriptor, F_ADD_SEALS, F_SEAL_GROW), 0);
  segment_file file(core::owned_descriptor(descriptor), "");
  try {
    pair_cells its(file, plan, 0, 1, false);
    ADD_FAILURE() << "there are some";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), errc::no_memory);
    EXPECT_NE(std::string_view(error.what()).find("cannot be had"), std::string_view::npos) << error.what();
  }
}

/// Bits of processes lie in words of 64.
TEST(shm_watched_rings_test, are_those_of_every_number) {
  constexpr int processes = 130;
  shm_world world(processes);
  for (const int to : {0, 63, 64, 129}) {
    counted_events heard;
    network_operation sending;
    for (int round = 0; round < 2; ++round) {
      for (int from = 0; from < processes; from += 3) {
        if (from == to) continue;
        const int before = heard.messages;
        ASSERT_TRUE(world.end(from).send_message(sending, to, 1, "x", 1));
        while (world.end(to).poll(heard)) {
        }
        ASSERT_EQ(heard.messages, before + 1) << from << " to " << to;
        EXPECT_EQ(heard.last_from, from);
      }
    }
  }
}

/// What is announced again when it is watched already takes no second place.
TEST(shm_watched_rings_test, have_one_place_each_however_often_they_are_announced) {
  constexpr int processes = static_cast<int>(watched_rings::most) + 1;
  shm_world world(processes);
  counted_events heard;
  network_operation sending;
  const segment_view front = world.segment().front();
  const auto comes = [&](int from) {
    world.end(from).send_message(sending, 0, 1, "x", 1);
    while (world.end(0).poll(heard)) {
    }
  };
  comes(1);
  for (std::size_t i = 0; i < watched_rings::most; ++i) {
    front.announced(0)[0].fetch_or(bit_of(1));  // by a sender that has read the other word late
    while (world.end(0).poll(heard)) {
    }
  }
  std::uint64_t expected = 0;
  for (int from = 1; from < processes; ++from) {
    comes(from);
    expected |= bit_of(from);
  }
  EXPECT_EQ(front.watched(0)[0].load(), expected);
}

TEST(shm_doorbell_test, does_what_the_weakest_of_all_processes_can) {
  const job_segment segment(2);
  doorbell first(segment.front(), 0), second(segment.front(), 1);
  segment.front().head().needs_fences.store(1);  // of another process
  segment.front().head().has_no_bells.store(1);
  first.all_have_come();
  EXPECT_TRUE(first.needs_fences());
  EXPECT_EQ(first.descriptor(), -1) << "nobody could ring";
  segment.front().head().needs_fences.store(0);
  segment.front().head().has_no_bells.store(0);
  second.all_have_come();
  EXPECT_FALSE(second.needs_fences());
  EXPECT_GE(second.descriptor(), 0);
}

}  // namespace
}  // namespace rare_states
}  // namespace pure::net_shm
