// Cells: whose they are, in every order of the two ends' steps; what is in them; and their memory. (Messages through
// them: tests/unit/match/cells_of_messages_test.cpp.)
#include "transport/cells.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "support/interleavings.hpp"

namespace pure::core {
namespace cells_of_pairs {  // of its own, for files are compiled together
namespace {

using numbers = cell_numbers<>;

/// Two ends, and what each has been given back.
template <class Numbers, class Returned>
struct two_ends {
  Returned to_one, to_other;
  Numbers one{0, to_one, to_other}, other{cells_of_an_end, to_other, to_one};
};
using ends = two_ends<numbers, returned_cells<>>;

TEST(cells, an_end_gives_what_it_has_and_last_what_it_read_last) {
  ends both;
  numbers& mine = both.one;
  numbers::number taken[cells_of_an_end];
  EXPECT_TRUE(mine.take(3, taken));
  EXPECT_EQ(mine.count(), cells_of_an_end - 3);
  EXPECT_FALSE(mine.take(cells_of_an_end - 2, taken)) << "one too many";
  EXPECT_EQ(mine.count(), cells_of_an_end - 3) << "nothing has changed";
  EXPECT_TRUE(mine.keep(12));
  EXPECT_TRUE(mine.take(1, taken));
  EXPECT_EQ(taken[0], 12);
}

TEST(cells, an_end_keeps_as_many_as_it_had_and_the_other_one_gets_the_rest_back) {
  ends both;
  auto& [to_one, to_other, one, other] = both;
  numbers::number taken[cells_of_an_end], again[cells_of_an_end];
  ASSERT_TRUE(one.take(cells_of_an_end, taken));
  ASSERT_FALSE(one.take(1, again));
  std::uint32_t bits = 0;
  for (const numbers::number each : taken) {
    EXPECT_FALSE(other.keep(each));
    bits |= 1U << each;
  }
  to_one.add(bits);
  ASSERT_TRUE(one.take(cells_of_an_end, again));
  std::uint32_t seen = 0;
  for (const numbers::number each : again) seen |= 1U << each;
  EXPECT_EQ(seen, bits);
}

TEST(cells, what_was_given_back_to_who_does_not_want_it_comes_back) {
  ends both;
  auto& [to_one, to_other, one, other] = both;
  numbers::number all[cells_of_an_end], read[cells_of_an_end];
  ASSERT_TRUE(other.take(cells_of_an_end, read));  // a long message, of which this end keeps none
  std::uint32_t bits = 0;
  for (const numbers::number each : read) bits |= 1U << each;
  to_other.add(bits);
  ASSERT_TRUE(one.take(cells_of_an_end, all));  // a long answer, of which the other end keeps all
  for (const numbers::number each : all) EXPECT_TRUE(other.keep(each));
  EXPECT_TRUE(one.take(cells_of_an_end, all));
  EXPECT_TRUE(other.take(cells_of_an_end, read));
  EXPECT_FALSE(other.gather(1)) << "each is had once";
  EXPECT_FALSE(one.gather(1));
}

// ---- two ends, in every order of their steps ----

using namespace test_support::interleavings;

/// Rank 0 sends messages of one cell each, more than it has; rank 1 has all of its own, and gives them back. What a
/// cell holds is checked: who writes to it, or reads it, must know that the other end is done with it.
struct one_way : program {
  using model_numbers = cell_numbers<cells_of_an_end, model_atomic>;
  static constexpr int messages = cells_of_an_end + 2;

  void run(int thread) override {
    for (int i = 0; i < messages; ++i) thread == 0 ? send(i) : receive(i);
  }
  void send(int i) {
    model_numbers::number cell = 0;
    for (;;) {
      const int before = given;
      if (sender.take(1, &cell)) break;
      exploration::now().wait_until([this, before] { return given != before; });
    }
    content[cell].write(i);
    named[i] = cell;
    mark.store(i + 1, std::memory_order_release);
    sent = i + 1;
  }
  void receive(int i) {
    exploration::now().wait_until([this, i] { return sent > i; });
    require(mark.load(std::memory_order_acquire) > i, "the mark is not seen");
    const model_numbers::number cell = named[i];
    require(content[cell].read() == i, "another message is in the cell");
    require(!receiver.keep(cell), "it has all of its own");
    content[cell].write(-1);  // takes its lines
    to_sender.add(1U << cell);
    ++given;
  }

  returned_cells<model_atomic> to_sender, to_receiver;
  model_numbers sender{0, to_sender, to_receiver}, receiver{cells_of_an_end, to_receiver, to_sender};
  checked<int> content[cells_of_a_pair];
  model_numbers::number named[messages] = {};
  model_atomic<int> mark{0};
  int sent = 0, given = 0;
};

TEST(interleavings_transport, cells_that_come_back) {
  expect_right(explore<one_way>({.preemptions = 2, .stale_loads = 0}, 2), 100);
}

/// Each rank sends some messages, and receives as many, whatever comes first; but rank 0 first receives one, whose cell
/// it gives back. So it may be out of cells, and take that one back, when rank 1 is, and looks for it.
struct both_ways : program {
  using model_numbers = cell_numbers<1, model_atomic>;
  static constexpr int messages = 4;

  void run(int me) override {
    const int other = 1 - me;
    for (int sent = 0, got = 0; sent < messages || got < messages;) {
      const int changes_before = changes[other];
      const bool may_send = sent < messages && (me == 1 || got > 0);
      const bool has_sent = may_send && send(me, sent);
      const bool has_got = got < messages && posted[other] > got;
      if (has_got) receive(me, got);
      sent += has_sent ? 1 : 0;
      got += has_got ? 1 : 0;
      if (!has_sent && !has_got)
        exploration::now().wait_until([this, other, changes_before] { return changes[other] != changes_before; });
    }
  }
  bool send(int me, int number) {
    model_numbers::number cell = 0;
    if (!ends[me].take(1, &cell)) return false;
    content[cell].write(me * messages + number);
    named[me][number] = cell;
    marks[me].last.store(number + 1, std::memory_order_release);
    posted[me] = number + 1;
    ++changes[me];
    return true;
  }
  void receive(int me, int number) {
    const int other = 1 - me;
    require(marks[other].last.load(std::memory_order_acquire) > number, "the mark is not seen");
    const model_numbers::number cell = named[other][number];
    require(content[cell].read() == other * messages + number, "another message is in the cell");
    if (!ends[me].keep(cell)) {
      content[cell].write(-1);  // takes its lines
      returned[other].add(1U << cell);
    }
    ++changes[me];
  }

  returned_cells<model_atomic> returned[2];
  model_numbers ends[2] = {{0, returned[0], returned[1]}, {1, returned[1], returned[0]}};
  checked<int> content[model_numbers::of_a_pair];
  model_numbers::number named[2][messages] = {};
  struct mark {
    model_atomic<int> last{0};
  } marks[2];
  int posted[2] = {}, changes[2] = {};
};

TEST(interleavings_transport, cells_that_are_given_back_and_taken_back) {
  expect_right(explore<both_ways>({.preemptions = 3, .stale_loads = 0}, 2), 100);
}

// ---- what is in them ----

struct pair_of_ranks {
  std::vector<std::byte> room = std::vector<std::byte>(cell_pair::bytes + cell_pair::alignment);
  std::byte* memory = room.data() + cell_pair::alignment -
                      reinterpret_cast<std::uintptr_t>(room.data()) % cell_pair::alignment;
  cell_pair both;
  cell_end &one, &other;

  explicit pair_of_ranks(cell_pair::manner how = {.takes_lines = true, .are_own_pages = true})
      : both(memory, how), one(both.end(0)), other(both.end(1)) {}

  /// Whether `bytes` bytes come through whole, from one end to the other.
  bool comes_through(cell_end& from, std::size_t bytes) {
    std::vector<std::byte> message(bytes);
    for (std::size_t i = 0; i < bytes; ++i) message[i] = static_cast<std::byte>(i * 7 + bytes + i / 251);
    cell_end::number cells[cells_of_an_end];
    if (!from.put(message.data(), bytes, cells)) return false;
    std::vector<std::byte> got(bytes);
    from.other().get(cells, bytes, {got.data(), nullptr}, 0, bytes);
    return got == message;
  }
};

/// Of a message that nobody wants.
void read(cell_end& by, const cell_end::number* cells, std::size_t bytes) {
  by.get(cells, bytes, {nullptr, nullptr}, 0, 0);
}

TEST(cells, messages_of_any_size_come_through_again_and_again) {
  for (const bool takes_lines : {false, true}) {
    pair_of_ranks ranks({takes_lines, true});
    EXPECT_EQ(&ranks.one.other(), &ranks.other);
    EXPECT_EQ(&ranks.other.other(), &ranks.one);
    for (int round = 0; round < 5; ++round) {
      for (const std::size_t bytes :
           {std::size_t{1}, cell_bytes - 1, cell_bytes, cell_bytes + 1, most_bytes_in_cells}) {
        EXPECT_TRUE(ranks.comes_through(ranks.one, bytes)) << bytes;
        if (round % 2 == 0) {
          EXPECT_TRUE(ranks.comes_through(ranks.other, bytes)) << bytes;
        }
      }
    }
  }
}

TEST(cells, what_was_read_last_is_written_next) {
  pair_of_ranks ranks;
  const std::byte message[8] = {};
  cell_end::number there[cells_of_an_end], back[cells_of_an_end];
  ASSERT_TRUE(ranks.other.put(message, 8, back));  // it lacks one
  ASSERT_TRUE(ranks.one.put(message, 8, there));
  read(ranks.other, there, 8);
  ASSERT_TRUE(ranks.other.put(message, 8, back));
  EXPECT_EQ(back[0], there[0]);
}

TEST(cells, more_than_there_are_is_refused_until_some_are_read) {
  pair_of_ranks ranks;
  const std::vector<std::byte> message(most_bytes_in_cells);
  cell_end::number all[cells_of_an_end], none[cells_of_an_end];
  ASSERT_TRUE(ranks.one.put(message.data(), most_bytes_in_cells, all));
  EXPECT_FALSE(ranks.one.put(message.data(), 1, none));
  read(ranks.other, all, most_bytes_in_cells);
  EXPECT_TRUE(ranks.one.put(message.data(), most_bytes_in_cells, all));
}

constexpr std::size_t pages_of_a_cell = cell_bytes / cell_pair::alignment;

/// How many pages of the cells have memory.
std::size_t pages_of(const pair_of_ranks& ranks) {
  std::vector<unsigned char> is_there(cells_of_a_pair * pages_of_a_cell);
  EXPECT_EQ(mincore(ranks.memory, cell_pair::bytes, is_there.data()), 0);
  std::size_t count = 0;
  for (const unsigned char each : is_there) count += each & 1U;
  return count;
}

TEST(cells, memory_of_those_that_nobody_uses_is_given_back) {
  pair_of_ranks ranks;
  EXPECT_FALSE(ranks.one.give_back_unused()) << "none has been used";
  ASSERT_TRUE(ranks.comes_through(ranks.one, most_bytes_in_cells));
  EXPECT_FALSE(ranks.one.give_back_unused()) << "one has been used since";
  const std::size_t with_all = pages_of(ranks);
  EXPECT_TRUE(ranks.one.give_back_unused()) << "of those that have come back, too";
  EXPECT_EQ(pages_of(ranks), with_all - cells_of_an_end * pages_of_a_cell);
  ASSERT_TRUE(ranks.comes_through(ranks.one, most_bytes_in_cells));
  const std::vector<std::byte> message(cell_bytes, std::byte{7});
  cell_end::number taken[cells_of_an_end];
  ASSERT_TRUE(ranks.one.put(message.data(), cell_bytes, taken));
  EXPECT_FALSE(ranks.one.give_back_unused());
  const std::size_t before = pages_of(ranks);
  EXPECT_TRUE(ranks.one.give_back_unused());
  EXPECT_EQ(pages_of(ranks), before - (cells_of_an_end - 1) * pages_of_a_cell);
  EXPECT_FALSE(ranks.one.give_back_unused()) << "already";
  EXPECT_EQ(ranks.memory[taken[0] * cell_bytes], message[0]) << "a message on its way";
  read(ranks.other, taken, cell_bytes);
  EXPECT_TRUE(ranks.comes_through(ranks.one, most_bytes_in_cells));
}

TEST(cells, memory_of_those_that_were_only_read_is_given_back) {
  pair_of_ranks ranks;
  const std::vector<std::byte> message(most_bytes_in_cells);
  cell_end::number taken[cells_of_an_end];
  ASSERT_TRUE(ranks.one.put(message.data(), most_bytes_in_cells, taken));
  EXPECT_FALSE(ranks.one.give_back_unused());
  static_cast<void>(ranks.one.give_back_unused());                     // it has none
  ASSERT_TRUE(ranks.comes_through(ranks.other, most_bytes_in_cells));  // and keeps them
  EXPECT_FALSE(ranks.one.give_back_unused()) << "used since";
  const std::size_t before = pages_of(ranks);
  EXPECT_TRUE(ranks.one.give_back_unused());
  EXPECT_EQ(pages_of(ranks), before - cells_of_an_end * pages_of_a_cell);
}

TEST(cells, memory_stays_where_a_page_is_larger_than_a_cell) {
  pair_of_ranks ranks({.takes_lines = false, .are_own_pages = false});
  ASSERT_TRUE(ranks.comes_through(ranks.one, most_bytes_in_cells));
  const std::size_t before = pages_of(ranks);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(ranks.one.give_back_unused());
  EXPECT_EQ(pages_of(ranks), before);
}

}  // namespace
}  // namespace cells_of_pairs
}  // namespace pure::core
