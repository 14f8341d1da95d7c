// The inbox: who makes a ring, who hears of it. The races are in tests/stress/inbox_stress_test.cpp.
#include "transport/inbox.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace pure::core {
namespace {

constexpr std::size_t ring_bytes = 8 * line_bytes;

std::vector<int> sources(const std::vector<ring*>& rings) {
  std::vector<int> numbers;
  for (const ring* each : rings) numbers.push_back(each->source());
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<ring*> announced(inbox& in) {
  std::vector<ring*> all;
  for (ring* each = in.take_announced(); each != nullptr; each = each->next_announced) all.push_back(each);
  return all;
}

TEST(inbox, has_no_ring_at_first) {
  inbox in(ring_bytes);
  EXPECT_EQ(in.take_announced(), nullptr);
  EXPECT_TRUE(in.rings().empty());
}

TEST(inbox, a_ring_belongs_to_its_source_whoever_asks) {
  inbox in(ring_bytes);
  ring& by_sender = in.connect(2);
  ring& by_receiver = in.connect_own(4);
  EXPECT_EQ(by_sender.source(), 2);
  EXPECT_EQ(by_receiver.source(), 4);
  EXPECT_EQ(&in.connect(2), &by_sender);
  EXPECT_EQ(&in.connect_own(2), &by_sender);
  EXPECT_EQ(&in.connect(4), &by_receiver);
  EXPECT_EQ(sources(in.rings()), (std::vector<int>{2, 4}));
}

TEST(inbox, rings_have_the_size_asked_for) {
  inbox in(64 * line_bytes);
  EXPECT_EQ(in.connect(0).largest_record_lines(), 16U);
}

TEST(inbox, what_senders_make_is_announced_once) {
  inbox in(ring_bytes);
  in.connect(3);
  in.connect(0);
  in.connect(3);
  EXPECT_EQ(sources(announced(in)), (std::vector<int>{0, 3}));
  EXPECT_TRUE(announced(in).empty());
  in.connect(0);
  EXPECT_TRUE(announced(in).empty()) << "it is known";
  in.connect(4);
  EXPECT_EQ(sources(announced(in)), (std::vector<int>{4})) << "without those of earlier announcements";
}

TEST(inbox, what_the_receiver_makes_is_not_announced) {
  inbox in(ring_bytes);
  in.connect_own(1);
  in.connect(1);
  EXPECT_TRUE(announced(in).empty());
}

}  // namespace
}  // namespace pure::core
