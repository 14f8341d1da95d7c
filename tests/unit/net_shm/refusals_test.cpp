// What the network over shared memory refuses: records that cannot be, memory that is not there, a second program in
// the place of one that was there. One thread drives both ends.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pure/error.hpp>

#include "net_shm/job_segment.hpp"
#include "net_shm/outgoing.hpp"
#include "support/shm_world.hpp"

namespace pure::net_shm {
namespace refusals {  // of its own, for files are compiled together
namespace {

using core::network_operation;
using test_support::shm_world;

struct ended_operations final : core::network_events {
  void message_arrived(int /*from*/, int /*tag*/, const std::byte* /*data*/, std::size_t /*bytes*/) override {
    ++messages;
  }
  void operation_done(network_operation& /*done*/) override { ++count; }
  int count = 0, messages = 0;
};

/// Records of process 0 to process 1 that its network would not send. It sends none itself.
class forger {
 public:
  explicit forger(shm_world& world)
      : bell_(world.segment().front(), 0),
        opened_(world.segment()),
        out_(world.segment().front(), bell_, opened_.file(), 0) {}

  template <class Head>
  void send(record_kind kind, const Head& head, int tag = 0) {
    EXPECT_TRUE(out_.send(1, head, {.kind = kind, .tag = tag}));
  }
  void send_bytes(record_kind kind, std::size_t bytes, int tag = 0) {
    EXPECT_TRUE(out_.send(1, {.kind = kind, .tag = tag, .body = zeros_.data(), .body_bytes = bytes}));
  }
  void send_piece(const piece_of_payload& head, std::size_t bytes) {
    EXPECT_TRUE(out_.send(1, head, {.kind = record_kind::piece, .body = zeros_.data(), .body_bytes = bytes}));
  }

 private:
  const doorbell bell_;
  opened_segment opened_;
  outgoing out_;
  std::vector<std::byte> zeros_ = std::vector<std::byte>(256);
};

/// Process 1 polls what has been forged. Why its network has failed; empty: it has not.
template <class Forge>
std::string failure_of(Forge forge, payload_ways ways = {}) {
  shm_world world(2, ways);
  forger by(world);
  forge(by, world);
  ended_operations ended;
  while (world.failures.empty() && world.end(1).poll(ended)) {
  }
  return world.failures.empty() ? "" : world.failures.front();
}

constexpr auto damaged = "a record of process 0 to process 1 is damaged, or of another version of Pure";

/// What a rank gets, or why its network has failed, of a record that is written to on its way; -1: it fails.
TEST(shm_refusals, records_that_were_written_to_where_they_are_summed) {
  for (const bool is_damaged : {false, true}) {
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{48}, std::size_t{5000}}) {
      shm_world world(2, {}, 17 * 1024, true);
      const std::vector<std::byte> data(bytes, std::byte{7});
      network_operation sending;
      ASSERT_TRUE(world.end(0).send_message(sending, 1, 1, data.data(), bytes));
      const incoming_ring seen(world.segment().descriptor().number(), world.segment().front().plan(), 0, 1);
      record& first = *seen.lines();
      ASSERT_NE(first.sum, 0U);
      std::byte* contents = first.contents;  // which go on behind this line
      if (is_damaged) contents[bytes - 1] ^= std::byte{1};
      ended_operations events;
      world.end(1).poll(events);
      ASSERT_EQ(world.failures.size(), is_damaged ? 1U : 0U) << bytes << " bytes";
      if (!is_damaged) continue;
      EXPECT_NE(world.failures.front().find("has other bytes when it comes to process 1"), std::string::npos)
          << world.failures.front();
      EXPECT_EQ(events.messages, 0) << "it is data all the same";
    }
  }
}

TEST(shm_refusals, records_that_are_too_short) {
  for (const auto& [kind, bytes] :
       {std::pair{record_kind::offer, sizeof(offered_payload)}, std::pair{record_kind::wanted, sizeof(wanted_payload)},
        std::pair{record_kind::piece, sizeof(piece_of_payload)},
        std::pair{record_kind::released, sizeof(released_transfer)}})
    EXPECT_EQ(failure_of([&, what = kind, count = bytes](forger& by, shm_world&) { by.send_bytes(what, count - 1); }),
              damaged);
  EXPECT_EQ(failure_of([](forger& by, shm_world&) { by.send_bytes(record_kind::offer, sizeof(offered_payload)); }), "");
}

TEST(shm_refusals, numbers_that_nobody_has_told) {
  EXPECT_EQ(failure_of([](forger& by, shm_world&) { by.send(record_kind::wanted, wanted_payload{.piece = 4096}); }),
            damaged);
  EXPECT_EQ(failure_of([](forger& by, shm_world&) { by.send(record_kind::released, released_transfer{}); }), damaged);
  EXPECT_EQ(failure_of([](forger& by, shm_world&) {
              by.send(record_kind::released, released_transfer{.transfer = transfers_per_process});
            }),
            damaged);
  EXPECT_EQ(failure_of([](forger& by, shm_world&) { by.send(record_kind::piece, piece_of_payload{}); }), damaged);
}

TEST(shm_refusals, a_transfer_behind_the_last) {
  network_operation sending;
  const std::vector<std::byte> large(200'000);
  const auto last = static_cast<std::uint32_t>(transfers_per_process) - 1;
  for (const std::uint32_t transfer : {last, last + 1}) {
    const std::string why = failure_of([&](forger& by, shm_world& world) {
      EXPECT_FALSE(world.end(1).send(sending, 0, 5, large.data(), large.size()));
      by.send(record_kind::wanted, wanted_payload{.transfer = transfer, .piece = 4096});
    });
    EXPECT_EQ(why, transfer > last ? damaged : "");
  }
}

TEST(shm_refusals, a_payload_that_is_wanted_in_pieces_that_no_record_holds) {
  network_operation sending;
  const std::vector<std::byte> large(200'000);
  for (const std::size_t piece : {std::size_t{0}, std::size_t{1}, cell_bytes, cell_bytes + 1}) {
    const std::string why = failure_of([&](forger& by, shm_world& world) {
      EXPECT_FALSE(world.end(1).send(sending, 0, 5, large.data(), large.size()));
      by.send(record_kind::wanted, wanted_payload{.piece = static_cast<std::uint32_t>(piece)});
    });
    EXPECT_EQ(why, piece == 0 || piece > cell_bytes ? damaged : "") << piece;
  }
}

TEST(shm_refusals, cells_that_are_none) {
  for (const unsigned cell : {cells_of_a_pair, cells_of_a_pair + 1}) {
    shm_world world(2);
    const std::vector<std::byte> data(1000, std::byte{7});
    network_operation sending;
    ASSERT_TRUE(world.end(0).send_message(sending, 1, 1, data.data(), data.size()));
    const incoming_ring seen(world.segment().descriptor().number(), world.segment().front().plan(), 0, 1);
    ASSERT_NE(seen.lines()->cell, 0U);
    seen.lines()->cell = cell & 0xff;  // the number, and 1 more
    ended_operations events;
    world.end(1).poll(events);
    ASSERT_EQ(world.failures.size(), cell == cells_of_a_pair ? 0U : 1U) << cell;
    if (cell > cells_of_a_pair) {
      EXPECT_EQ(world.failures.front(), damaged);
    }
  }
}

TEST(shm_refusals, bodies_that_no_cell_holds) {
  for (const unsigned bytes : {unsigned{cell_bytes}, unsigned{cell_bytes} + 1}) {
    shm_world world(2);
    const std::vector<std::byte> data(1000, std::byte{7});
    network_operation sending;
    ASSERT_TRUE(world.end(0).send_message(sending, 1, 1, data.data(), data.size()));
    const incoming_ring seen(world.segment().descriptor().number(), world.segment().front().plan(), 0, 1);
    seen.lines()->bytes = bytes & record::most_bytes;
    ended_operations events;
    world.end(1).poll(events);
    EXPECT_EQ(world.failures.size(), bytes > cell_bytes ? 1U : 0U) << bytes;
  }
}

TEST(shm_refusals, a_payload_that_is_wanted_twice) {
  network_operation sending;
  const std::vector<std::byte> large(200'000);
  for (const int times : {1, 2}) {
    const std::string why = failure_of([&](forger& by, shm_world& world) {
      EXPECT_FALSE(world.end(1).send(sending, 0, 5, large.data(), large.size()));
      for (int i = 0; i < times; ++i) by.send(record_kind::wanted, wanted_payload{.piece = 4096});
    });
    EXPECT_EQ(why, times == 1 ? "" : damaged);
  }
}

TEST(shm_refusals, pieces_that_do_not_follow_each_other_or_are_too_many) {
  constexpr std::size_t piece = 128;
  network_operation receiving;
  std::vector<std::byte> into(100'000);
  // The receive has met an offer, which comes in pieces of 128 bytes.
  const auto with_pieces = [&](std::size_t offered,
                               std::initializer_list<std::pair<piece_of_payload, std::size_t>> all) {
    return failure_of(
        [&](forger& by, shm_world& world) {
          EXPECT_FALSE(world.end(1).receive(receiving, 0, 5, into.data(), into.size()));
          by.send(record_kind::offer, offered_payload{.address = 1, .bytes = offered}, 5);
          for (const auto& [each, bytes] : all) by.send_piece(each, bytes);
        },
        {.piece = piece, .may_reach_peers = false});
  };
  EXPECT_EQ(with_pieces(200, {{{.offset = 0}, 128}}), "");
  EXPECT_EQ(with_pieces(200, {{{.offset = 0}, 128}, {{.offset = 128}, 72}}), "");
  EXPECT_EQ(with_pieces(400, {{{.offset = 0}, 128}, {{.offset = 128}, 128}}), "");
  EXPECT_EQ(with_pieces(400, {{{.offset = 128}, 128}}), damaged);
  EXPECT_EQ(with_pieces(400, {{{.offset = 0}, 128}, {{.offset = 0}, 128}}), damaged);
  EXPECT_EQ(with_pieces(200, {{{.receive = 1}, 128}}), damaged);
  EXPECT_EQ(with_pieces(200, {{{.offset = 0}, 127}}), damaged);
  EXPECT_EQ(with_pieces(200, {{{.offset = 0}, 129}}), damaged);
  EXPECT_EQ(with_pieces(200, {{{.offset = 0}, 128}, {{.offset = 128}, 73}}), damaged);
  EXPECT_EQ(with_pieces(128, {{{.offset = 0}, 128}, {{.offset = 128}, 0}}), damaged) << "it is whole";
}

/// The receive waits for a place, and has not asked.
TEST(shm_refusals, pieces_that_nobody_has_asked_for) {
  constexpr std::size_t count = transfers_per_process + 1;
  std::vector<network_operation> receiving(count);
  std::vector<std::byte> into(10'000);
  for (const std::size_t which : {count - 2, count - 1}) {
    const std::string why = failure_of(
        [&](forger& by, shm_world& world) {
          for (network_operation& each : receiving) world.end(1).receive(each, 0, 5, into.data(), into.size());
          for (std::size_t i = 0; i < count; ++i)
            by.send(record_kind::offer, offered_payload{.address = 1, .bytes = 200}, 5);
          by.send_piece({.receive = receiving[which].pieces_left}, 128);
        },
        {.piece = 128, .may_reach_peers = false});
    EXPECT_EQ(why, which == count - 1 ? damaged : "");
  }
}

TEST(shm_refusals, payloads_longer_than_their_receive) {
  network_operation sending, receiving;
  std::vector<std::byte> data(200'001);
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{10'000}, std::size_t{200'000}}) {
    for (const bool comes_first : {false, true}) {
      shm_world world(2);
      ended_operations ended;
      const auto receive = [&] { world.end(1).receive(receiving, 0, 5, data.data(), bytes); };
      if (!comes_first) receive();
      world.end(0).send(sending, 1, 5, data.data(), bytes + 1);
      while (world.failures.empty() && world.end(1).poll(ended)) {
      }
      if (comes_first) receive();
      ASSERT_EQ(world.failures.size(), 1U) << bytes;
      EXPECT_EQ(world.failures.front(), "a payload of " + std::to_string(bytes + 1) +
                                            " bytes of process 0 comes to a receive of " + std::to_string(bytes) +
                                            " bytes in process 1");
    }
  }
}

TEST(shm_refusals, a_buffer_that_is_gone_before_its_payload_is_copied) {
  network_operation sending, receiving;
  for (const std::size_t bytes : {std::size_t{10'000}, std::size_t{1'000'000}}) {
    std::vector<std::byte> into(bytes);
    void* const from = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(from, MAP_FAILED);
    shm_world world(2, {.most_inside = 4096, .patience = 3});
    EXPECT_FALSE(world.end(0).send(sending, 1, 5, from, bytes));
    munmap(from, bytes);
    ended_operations ended;
    world.end(1).receive(receiving, 0, 5, into.data(), bytes);
    for (int i = 0; i < 100 && world.failures.empty(); ++i) world.end(1).poll(ended);
    ASSERT_EQ(world.failures.size(), 1U);
    EXPECT_NE(world.failures.front().find("was it freed before the operation was complete?"), std::string::npos);
  }
}

TEST(shm_refusals, a_second_program_in_the_place_of_the_first) {
  shm_world world(2);
  shm_network second({}, std::make_shared<opened_segment>(world.segment()), 1);
  try {
    second.come();
    FAIL() << "it would wait, or go on with what the first one has left";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), errc::state);
    EXPECT_NE(std::string(error.what()).find("is process 1 of this job already"), std::string::npos);
  }
}

TEST(shm_refusals, segments_that_are_none_or_of_another_job) {
  const job_segment two(2);
  EXPECT_NO_THROW(opened_segment(two.text().c_str(), 2));
  EXPECT_THROW(opened_segment(two.text().c_str(), 3), Error);
  EXPECT_THROW(opened_segment("", 2), Error);
  EXPECT_THROW(opened_segment("1:2:3:4", 2), Error);
  const job_segment older(2);
  older.front().head().version = segment_version + 1;
  EXPECT_THROW(opened_segment(older.text().c_str(), 2), Error);
}

}  // namespace
}  // namespace refusals
}  // namespace pure::net_shm
