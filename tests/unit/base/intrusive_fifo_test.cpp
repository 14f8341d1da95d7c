// The intrusive list, compared with a deque of the same nodes.
#include "base/intrusive_fifo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <random>
#include <vector>

#include "support/environment.hpp"

namespace pure::core {
namespace {

struct node {
  node* next = nullptr;
  node* before = nullptr;
};

using list = intrusive_fifo<node>;

std::vector<const node*> nodes_of(const list& nodes) {
  std::vector<const node*> all;
  for (const node* at = nodes.front(); at != nullptr; at = at->next) all.push_back(at);
  return all;
}

TEST(intrusive_fifo, is_empty_at_first) {
  const list none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.front(), nullptr);
}

TEST(intrusive_fifo, keeps_the_order) {
  std::array<node, 3> n;
  list all;
  for (node& each : n) all.push(each);
  EXPECT_EQ(nodes_of(all), (std::vector<const node*>{&n[0], &n[1], &n[2]}));
  all.pop_front();
  EXPECT_EQ(nodes_of(all), (std::vector<const node*>{&n[1], &n[2]}));
}

TEST(intrusive_fifo, a_removed_node_may_come_back) {
  std::array<node, 2> n;
  list all;
  all.push(n[0]);
  all.push(n[1]);
  all.remove(n[0]);
  all.push(n[0]);
  EXPECT_EQ(nodes_of(all), (std::vector<const node*>{&n[1], &n[0]}));
}

TEST(intrusive_fifo, random_use_agrees_with_a_deque) {
  std::mt19937_64 random(test_support::first_seed());
  std::array<node, 8> n;
  list all;
  std::deque<node*> expected;
  for (int step = 0; step < 20'000; ++step) {
    node& any = n[random() % n.size()];
    const auto place = std::find(expected.begin(), expected.end(), &any);
    switch (random() % 4) {
      case 0:
      case 1:
        if (place == expected.end()) {
          all.push(any);
          expected.push_back(&any);
        }
        break;
      case 2:
        if (place != expected.end()) {
          all.remove(any);
          expected.erase(place);
        }
        break;
      default:
        if (!expected.empty()) {
          all.pop_front();
          expected.pop_front();
        }
    }
    ASSERT_EQ(all.empty(), expected.empty());
    ASSERT_EQ(nodes_of(all), std::vector<const node*>(expected.begin(), expected.end())) << "step " << step;
  }
}

}  // namespace
}  // namespace pure::core
