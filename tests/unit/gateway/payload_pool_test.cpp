// The memory of what comes from other processes: given again when it is given back, by whichever way.
#include "gateway/payload_pool.hpp"

#include <gtest/gtest.h>

#include <set>

namespace pure::core {
namespace {

using kept_stage = announced_payload::stage;
using foreseen_stage = foreseen_receive::stage;

/// As one that has been its receiver's.
foreseen_receive& used(foreseen_receive& one) {
  one.become(foreseen_stage::waiting);
  one.become(foreseen_stage::arrived);
  return one;
}
announced_payload& used(announced_payload& one) {
  one.become(kept_stage::here);
  one.become(kept_stage::delivered);
  return one;
}

TEST(payload_pool, gives_what_was_given_back_again_as_new) {
  payload_pool<announced_payload> pool;
  announced_payload& first = pool.get();
  first.bytes = 7;
  first.kept = std::make_unique<std::byte[]>(7);
  pool.give_back(used(first));
  EXPECT_TRUE(first.is(kept_stage::free)) << "whoever looks at all() would take it for a message";
  EXPECT_EQ(first.kept, nullptr);
  EXPECT_EQ(&pool.get(), &first);
  EXPECT_EQ(first.bytes, 0U);
  EXPECT_EQ(pool.all().size(), 1U);
}

TEST(payload_pool, gives_what_receivers_have_released_again) {
  payload_pool<announced_payload> pool;
  std::set<announced_payload*> released;
  for (int i = 0; i < 3; ++i) released.insert(&used(pool.get()));
  for (announced_payload* const each : released) pool.release(*each);
  std::set<announced_payload*> given;
  for (int i = 0; i < 3; ++i) given.insert(&pool.get());
  EXPECT_EQ(given, released);
  EXPECT_EQ(given.count(&pool.get()), 0U);
  EXPECT_EQ(pool.all().size(), 4U);
}

TEST(payload_pool, gives_a_stream_its_own_again) {
  foreseen_pool pool;
  foreseen_receive* of_stream = nullptr;
  foreseen_receive& own = pool.get_again(of_stream);
  EXPECT_EQ(&own, of_stream);
  own.bytes = 7;
  pool.release(used(own));
  foreseen_receive& of_others = pool.get();
  EXPECT_NE(&of_others, &own) << "the stream keeps it";
  EXPECT_EQ(&pool.get_again(of_stream), &own);
  EXPECT_EQ(own.bytes, 0U);
  pool.give_back(used(own));
  EXPECT_EQ(&pool.get_again(of_stream), &own);
  EXPECT_EQ(pool.all().size(), 2U);
}

TEST(payload_pool, gives_a_stream_others_while_somebody_has_its_own) {
  foreseen_pool pool;
  foreseen_receive* of_stream = nullptr;
  foreseen_receive& own = pool.get_again(of_stream);
  foreseen_receive& another = pool.get_again(of_stream);
  EXPECT_NE(&another, &own);
  EXPECT_EQ(of_stream, &own);
  pool.release(used(another));
  EXPECT_EQ(&pool.get_again(of_stream), &another) << "for everybody again";
  pool.release(used(own));
  EXPECT_EQ(&pool.get_again(of_stream), &own);
  EXPECT_EQ(pool.all().size(), 2U);
}

/// Each stage leads to where its picture says, and nowhere else.
template <class Payload>
bool leads_to(typename Payload::stage from, typename Payload::stage to) {
  return (Payload::next_stages[static_cast<std::size_t>(from)] >> static_cast<int>(to) & 1U) != 0;
}

TEST(payload_stages, of_an_announced_payload) {
  const auto leads = [](kept_stage from, kept_stage to) { return leads_to<announced_payload>(from, to); };
  EXPECT_FALSE(leads(kept_stage::fetching, kept_stage::discarding)) << "its claim is taken: nobody has it back";
  EXPECT_FALSE(leads(kept_stage::announced, kept_stage::delivered)) << "its bytes are not here";
  EXPECT_FALSE(leads(kept_stage::discarding, kept_stage::delivered));
  EXPECT_FALSE(leads(kept_stage::prefetching, kept_stage::delivered)) << "nobody has asked for it";
  EXPECT_TRUE(leads(kept_stage::prefetching, kept_stage::fetching));
}

TEST(payload_stages, of_a_foreseen_receive) {
  const auto leads = [](foreseen_stage from, foreseen_stage to) { return leads_to<foreseen_receive>(from, to); };
  EXPECT_FALSE(leads(foreseen_stage::announced, foreseen_stage::given_up)) << "its message will come";
  EXPECT_FALSE(leads(foreseen_stage::announced_giving_up, foreseen_stage::given_up));
  EXPECT_TRUE(leads(foreseen_stage::announced_giving_up, foreseen_stage::announced));
  EXPECT_FALSE(leads(foreseen_stage::waiting, foreseen_stage::given_up)) << "not before the network says so";
}

}  // namespace
}  // namespace pure::core
