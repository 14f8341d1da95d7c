// Communicators and the point-to-point calls on them: ranks are translated, contexts keep messages apart.
#include "comm/communicator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pure/error.hpp>

#include "base/settings.hpp"
#include "comm/communicator_table.hpp"
#include "comm/group.hpp"
#include "comm/point_to_point.hpp"
#include "start/launch.hpp"
#include "start/services.hpp"

namespace pure::core {
namespace {

template <class Function>
void on_ranks(int ranks, Function function) {
  const outcome end = run_ranks({.values = {}, .ranks = ranks}, attach_services, [&](rank_context& self) {
    function(self);
    return 0;
  });
  if (end.failure != nullptr) std::rethrow_exception(end.failure);
}

const call by{"some_call", pure_call_site::current()};

/// One rank's view of a communicator of these members that nobody has agreed upon.
struct part {
  part(rank_context& self, std::uint32_t context, std::string name, const std::vector<int>& members)
      : shared(nullptr, context, members), as_seen(self, shared, rank_in(members, self.number()), std::move(name)) {}
  communicator_group shared;
  communicator as_seen;
};

TEST(communicator, world_and_self) {
  on_ranks(3, [](rank_context& self) {
    communicator_table& known = communicator_table::of(self);
    EXPECT_EQ(known.find(communicator_table::world_handle), &known.world());
    EXPECT_EQ(known.find(communicator_table::self_handle), &known.self());
    EXPECT_EQ(known.find(0), nullptr);
    EXPECT_EQ(known.find(3), nullptr);
    EXPECT_EQ(known.world().rank(), self.number());
    EXPECT_EQ(known.world().size(), 3);
    EXPECT_EQ(known.world().name(), "world");
    EXPECT_EQ(known.self().rank(), 0);
    EXPECT_EQ(known.self().size(), 1);
    EXPECT_EQ(known.self().number_of(0), self.number());
    EXPECT_NE(known.self().context(), known.world().context());
    for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(known.world().number_of(rank), rank);
  });
}

TEST(communicator, ranks_of_a_part_are_translated_both_ways) {
  // Three of five ranks, in an order of their own.
  const std::vector<int> members{4, 0, 2};
  on_ranks(5, [&](rank_context& self) {
    if (self.number() % 2 != 0) return;
    part made(self, 100, "part", members);
    communicator& part = made.as_seen;
    EXPECT_EQ(part.size(), 3);
    EXPECT_EQ(members[static_cast<std::size_t>(part.rank())], self.number());
    const int next = (part.rank() + 1) % 3, before = (part.rank() + 2) % 3;

    int in = -1;
    const handle started = start_receive(part, by, {&in, sizeof in, nullptr}, any_source, any_tag);
    const int out = part.rank();
    send(part, by, &out, sizeof out, next, 11);
    handle all[] = {started};
    part.requests().wait_all(by, all);
    const status got = part.requests().finish(all[0]);
    EXPECT_EQ(got.source, before) << "the sender's rank in this communicator, not in the job";
    EXPECT_EQ(in, before);

    std::vector<char> large(100'000, static_cast<char>('a' + part.rank())), received(100'000);
    const status both = send_receive(part, by, large.data(), large.size(), next, 1,
                                     {received.data(), received.size(), nullptr}, before, 1);
    EXPECT_EQ(both.source, before);
    EXPECT_EQ(received, std::vector<char>(100'000, static_cast<char>('a' + before)));
  });
}

TEST(communicator, wildcards_do_not_reach_into_another_communicator) {
  on_ranks(2, [](rank_context& self) {
    part one(self, 100, "first", {0, 1}), other(self, 104, "second", {1, 0});
    communicator &first = one.as_seen, &second = other.as_seen;
    if (self.number() == 0) {
      const int a = 1, b = 2;
      send(first, by, &a, sizeof a, 1, 5);
      send(second, by, &b, sizeof b, 0, 5);
    } else {
      int in = 0, source = -1;
      const auto note = [&](const status& got) { source = got.source; };
      receive(second, by, {&in, sizeof in, nullptr}, any_source, any_tag, note);
      EXPECT_EQ(in, 2);
      EXPECT_EQ(source, 1);
      receive(first, by, {&in, sizeof in, nullptr}, any_source, any_tag, note);
      EXPECT_EQ(in, 1);
      EXPECT_EQ(source, 0);
    }
  });
}

TEST(communicator, errors_name_it) {
  on_ranks(1, [](rank_context& self) {
    part made(self, 100, "part", {0});
    communicator& part = made.as_seen;
    try {
      send(part, by, nullptr, 0, 3, 0);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), errc::rank);
      EXPECT_NE(std::string(error.what()).find("some_call: rank 0 of part: destination rank 3"), std::string::npos)
          << error.what();
    }
  });
}

}  // namespace
}  // namespace pure::core
