// The matching queue, as receives and as unexpected messages use it, beside a list that is searched from its front;
// with limits that index it at once, and with those of the library.
#include "match/matching_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <random>
#include <vector>

#include "match/receive_op.hpp"
#include "match/unexpected_message.hpp"
#include "support/environment.hpp"

namespace {
/// Tables of slots that may still be allocated; then there is no memory for more.
thread_local long slots_left = -1;  // -1: there is always memory
}  // namespace

void* operator new[](std::size_t bytes, const std::nothrow_t& /*none*/) noexcept {
  if (slots_left == 0) return nullptr;
  if (slots_left > 0) --slots_left;
  try {
    return ::operator new[](bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

namespace pure::core {
namespace {

constexpr queue_limits at_once{.longest_walk = 2, .fewest_indexed = 2, .first_slots = 2};
constexpr queue_limits soon{.longest_walk = 6, .fewest_indexed = 3, .first_slots = 2};
constexpr queue_limits of_releases{.longest_walk = 32, .fewest_indexed = 8, .first_slots = 64};

auto keys_of(const envelope& who) {
  return [who] { return std::array{match_key{who.context, who.tag}, match_key{who.context, any_tag}}; };
}

/// As posted_receives::find() asks: a receive that is `is_checked` plays one that expects another message.
template <class Queue>
typename Queue::place find_receive(Queue& queue, const envelope& who) {
  return queue.find(keys_of(who), [&](const receive_op& each) { return each.matches(who) && !each.is_checked; });
}
/// As unexpected_queue::find().
template <class Queue>
typename Queue::place find_message(Queue& queue, std::uint32_t context, int tag) {
  return queue.find(
      [=] {
        return std::array{match_key{context, tag}};
      },
      [&](const unexpected_message& each) {
        return each.who.context == context && (tag == any_tag || each.who.tag == tag);
      });
}

template <class Queue, class Entry>
void expect_same(const Queue& queue, const std::deque<Entry*>& list, int step) {
  std::vector<const Entry*> found;
  for (const Entry* at = queue.front(); at != nullptr; at = at->next) found.push_back(at);
  ASSERT_EQ(found, std::vector<const Entry*>(list.begin(), list.end())) << "step " << step;
  ASSERT_EQ(queue.empty(), list.empty());
}

template <class Entry>
Entry* first_in(const std::deque<Entry*>& list, const std::function<bool(const Entry&)>& is_wanted) {
  const auto at = std::find_if(list.begin(), list.end(), [&](const Entry* each) { return is_wanted(*each); });
  return at == list.end() ? nullptr : *at;
}

class random_use {
 public:
  explicit random_use(std::uint64_t seed) : random_(seed) {}
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }
  int tag() { return below(5) == 0 ? any_tag : below(4); }
  std::uint32_t context() { return static_cast<std::uint32_t>(below(3)); }
  /// Grows to `most` and shrinks again, so that queues are indexed and are lists again many times.
  bool grows(std::size_t now, std::size_t most) {
    if (now == 0) growing_ = true;
    if (now >= most) growing_ = false;
    return below(10) < (growing_ ? 8 : 2);
  }

 private:
  std::mt19937_64 random_;
  bool growing_ = true;
};

template <queue_limits limits>
void receives_agree_with_a_list() {
  random_use use(test_support::first_seed());
  constexpr int most = 90;
  std::vector<std::unique_ptr<receive_op>> ops;
  for (int i = 0; i < most; ++i) ops.push_back(std::make_unique<receive_op>(receive_place{}, 0, 0, 0));
  matching_queue<receive_op, limits> queue;
  std::deque<receive_op*> list;
  std::uint64_t order = 0;
  for (int step = 0; step < test_support::repetitions(60'000); ++step) {
    receive_op& any = *ops[static_cast<std::size_t>(use.below(most))];
    const auto place = std::find(list.begin(), list.end(), &any);
    if (use.grows(list.size(), most)) {
      if (place != list.end()) continue;
      any = receive_op(receive_place{}, use.context(), 0, use.tag());
      any.is_checked = use.below(12) == 0;
      any.order = order++;
      queue.push(any);
      list.push_back(&any);
      continue;
    }
    switch (use.below(8)) {
      case 0:
        ASSERT_EQ(queue.remove(any), place != list.end()) << "step " << step;
        if (place != list.end()) list.erase(place);
        break;
      case 1:
        if (list.empty()) break;
        queue.pop_front();
        list.pop_front();
        break;
      case 2:
        if (use.below(300) != 0) break;
        queue.clear();
        list.clear();
        break;
      default: {
        const envelope who{use.context(), 0, use.below(4)};
        const auto found = find_receive(queue, who);
        receive_op* const expected = first_in<receive_op>(
            list, [&](const receive_op& each) { return each.matches(who) && !each.is_checked; });
        ASSERT_EQ(found.entry, expected) << "step " << step;
        if (expected == nullptr || use.below(3) == 0) break;  // a probe
        queue.remove(found);
        list.erase(std::find(list.begin(), list.end(), expected));
      }
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(queue, list, step));
  }
}

template <queue_limits limits>
void messages_agree_with_a_list() {
  random_use use(test_support::first_seed());
  constexpr int most = 90;
  std::vector<std::unique_ptr<unexpected_message>> messages;
  for (int i = 0; i < most; ++i) messages.push_back(std::make_unique<unexpected_message>());
  matching_queue<unexpected_message, limits> queue;
  std::deque<unexpected_message*> list;
  for (int step = 0; step < test_support::repetitions(60'000); ++step) {
    unexpected_message& any = *messages[static_cast<std::size_t>(use.below(most))];
    const auto place = std::find(list.begin(), list.end(), &any);
    if (use.grows(list.size(), most)) {
      if (place != list.end()) continue;
      any.who = {use.context(), 0, use.below(4)};
      queue.push(any);
      list.push_back(&any);
      continue;
    }
    const std::uint32_t context = use.context();
    const int tag = use.tag();
    const auto found = find_message(queue, context, tag);
    unexpected_message* const expected = first_in<unexpected_message>(list, [&](const unexpected_message& each) {
      return each.who.context == context && (tag == any_tag || each.who.tag == tag);
    });
    ASSERT_EQ(found.entry, expected) << "step " << step;
    if (expected != nullptr && use.below(3) != 0) {
      queue.remove(found);
      list.erase(std::find(list.begin(), list.end(), expected));
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(queue, list, step));
  }
}

TEST(matching_queue, receives_that_are_indexed_at_once) { receives_agree_with_a_list<at_once>(); }
TEST(matching_queue, receives_that_are_indexed_soon) { receives_agree_with_a_list<soon>(); }
TEST(matching_queue, receives_with_the_limits_of_releases) { receives_agree_with_a_list<of_releases>(); }
TEST(matching_queue, messages_that_are_indexed_at_once) { messages_agree_with_a_list<at_once>(); }
TEST(matching_queue, messages_that_are_indexed_soon) { messages_agree_with_a_list<soon>(); }
TEST(matching_queue, messages_with_the_limits_of_releases) { messages_agree_with_a_list<of_releases>(); }

TEST(matching_queue, without_memory_for_an_index_it_is_a_list) {
  slots_left = 0;
  receives_agree_with_a_list<soon>();
  messages_agree_with_a_list<soon>();
  slots_left = -1;
}

TEST(matching_queue, without_memory_for_more_slots_the_ways_are_longer) {
  for (const long some : {1, 2, 3}) {
    slots_left = some;
    receives_agree_with_a_list<soon>();
    slots_left = some;
    messages_agree_with_a_list<soon>();
  }
  slots_left = -1;
}

// ---- steps: entries looked at ---------------------------------------------------------------------------------------

constexpr int many = 20'000;
constexpr std::uint64_t few = 60;  // for each entry, the walks before there is an index included

using receives = matching_queue<receive_op, of_releases>;
using messages = matching_queue<unexpected_message, of_releases>;

std::deque<receive_op> posted(receives& queue, const std::function<match_key(int)>& key_of) {
  std::deque<receive_op> ops;
  for (int i = 0; i < many; ++i) {
    const match_key key = key_of(i);
    ops.emplace_back(receive_place{}, key.context, 0, key.tag).order = static_cast<std::uint64_t>(i);
    queue.push(ops.back());
  }
  return ops;
}

/// Takes them out as messages do that come in the opposite order; the steps for each.
std::uint64_t matched_in_reverse(const std::function<match_key(int)>& key_of) {
  receives queue;
  const std::deque<receive_op> ops = posted(queue, key_of);
  for (int i = many; i-- > 0;) {
    const match_key key = key_of(i);
    const auto found = find_receive(queue, {key.context, 0, key.tag});
    EXPECT_NE(found.entry, nullptr);
    if (found.entry == nullptr) return 0;
    queue.remove(found);
  }
  EXPECT_TRUE(queue.empty());
  return queue.steps() / many;
}

TEST(matching_queue, no_receive_takes_longer_where_there_are_many) {
  EXPECT_LE(matched_in_reverse([](int i) { return match_key{0, i}; }), few) << "many tags";
  EXPECT_LE(matched_in_reverse([](int i) {
              return match_key{static_cast<std::uint32_t>(i), 0};
            }),
            few)
      << "many contexts";
  EXPECT_LE(matched_in_reverse([](int) { return match_key{0, 5}; }), few) << "one tag";
  EXPECT_LE(matched_in_reverse([](int i) { return match_key{static_cast<std::uint32_t>(i % 7), i / 7 * 64}; }), few);
  EXPECT_LE(matched_in_reverse([](int i) {
              return match_key{static_cast<std::uint32_t>(i % 2), i < 9 ? 0 : i << 16};
            }),
            few);
}

TEST(matching_queue, receives_that_match_in_their_order_are_never_indexed) {
  receives queue;
  std::deque<receive_op> ops = posted(queue, [](int i) { return match_key{0, i}; });
  for (int i = 0; i < many; ++i) {
    const auto found = find_receive(queue, {0, 0, i});
    ASSERT_EQ(found.entry, &ops[static_cast<std::size_t>(i)]);
    queue.remove(found);
    ASSERT_FALSE(queue.is_indexed());
  }
  EXPECT_EQ(queue.steps(), static_cast<std::uint64_t>(many));
}

TEST(matching_queue, any_tag_among_named_ones_keeps_the_order) {
  receives queue;  // the odd ones name their tags
  std::deque<receive_op> ops = posted(queue, [](int i) { return match_key{0, i % 2 == 0 ? any_tag : i}; });
  for (int i = many - 1; i > 0; i -= 2) {  // the one that is posted first
    const auto found = find_receive(queue, {0, 0, i});
    ASSERT_EQ(found.entry, &ops[static_cast<std::size_t>(std::min(many - 1 - i, i))]);
    queue.remove(found);
  }
  EXPECT_LE(queue.steps() / many, few);
}

TEST(matching_queue, receives_are_withdrawn_in_any_order) {
  for (const bool are_alike : {true, false}) {
    receives queue;
    std::deque<receive_op> ops = posted(queue, [=](int i) { return match_key{0, are_alike ? 0 : i}; });
    for (int i = many; i-- > many / 2;) EXPECT_TRUE(queue.remove(ops[static_cast<std::size_t>(i)]));
    for (int i = 0; i < many / 2; ++i) EXPECT_TRUE(queue.remove(ops[static_cast<std::size_t>(i)]));
    EXPECT_TRUE(queue.empty());
    EXPECT_LE(queue.steps() / many, few);
  }
}

TEST(matching_queue, no_message_takes_longer_to_find_where_there_are_many) {
  messages queue;
  std::deque<unexpected_message> all(many);
  for (int i = 0; i < many; ++i) {
    unexpected_message& each = all[static_cast<std::size_t>(i)];
    each.who = {static_cast<std::uint32_t>(i < many / 2 ? 0 : 1), 0, i};
    queue.push(each);
  }
  const auto take = [&](std::uint32_t context, int tag, int expected) {
    const auto found = find_message(queue, context, tag);
    ASSERT_EQ(found.entry, &all[static_cast<std::size_t>(expected)]);
    queue.remove(found);
  };
  for (int i = many / 2; i < many * 3 / 4; ++i) take(1, any_tag, i);  // behind all of the other context
  for (int i = many; i-- > many * 3 / 4;) take(1, i, i);
  for (int i = many / 2; i-- > many / 4;) take(0, i, i);
  for (int i = 0; i < many / 4; ++i) take(0, any_tag, i);
  EXPECT_TRUE(queue.empty());
  EXPECT_LE(queue.steps() / many, few);
}

TEST(matching_queue, the_index_goes_when_few_are_left) {
  receives queue;
  std::deque<receive_op> ops = posted(queue, [](int i) { return match_key{0, i}; });
  for (int i = many; i-- > 0;) {
    queue.remove(find_receive(queue, {0, 0, i}));
    ASSERT_EQ(queue.is_indexed(), i >= 8) << i << " left";
  }
}

TEST(matching_queue, a_receive_that_is_copied_is_in_no_queue) {
  matching_queue<receive_op, at_once> queue;
  std::deque<receive_op> ops;
  for (int i = 0; i < 5; ++i) {
    ops.emplace_back(receive_place{}, 0, 0, i).order = static_cast<std::uint64_t>(i);
    queue.push(ops.back());
  }
  ASSERT_EQ(find_receive(queue, {0, 0, 4}).entry, &ops[4]);
  ASSERT_TRUE(queue.is_indexed());
  receive_op other(receive_place{}, 0, 0, 3);
  EXPECT_FALSE(queue.remove(other));
}

}  // namespace
}  // namespace pure::core
