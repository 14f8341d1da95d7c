// The memory of what comes from other processes: given again when it is given back, by whichever way.
#include "gateway/payload_pool.hpp"

#include <gtest/gtest.h>

#include <set>

namespace pure::core {
namespace {

TEST(payload_pool, gives_what_was_given_back_again_as_new) {
  payload_pool pool;
  remote_payload& first = pool.get();
  first.bytes = 7;
  first.kept = std::make_unique<std::byte[]>(7);
  pool.give_back(first);
  EXPECT_FALSE(first.is_unreceived) << "whoever looks at all() would take it for a message";
  EXPECT_EQ(first.kept, nullptr);
  EXPECT_EQ(&pool.get(), &first);
  EXPECT_EQ(first.bytes, 0U);
  EXPECT_TRUE(first.is_unreceived);
  EXPECT_EQ(pool.all().size(), 1U);
}

TEST(payload_pool, gives_what_receivers_have_released_again) {
  payload_pool pool;
  std::set<remote_payload*> released;
  for (int i = 0; i < 3; ++i) released.insert(&pool.get());
  for (remote_payload* const each : released) pool.release(*each);
  std::set<remote_payload*> given;
  for (int i = 0; i < 3; ++i) given.insert(&pool.get());
  EXPECT_EQ(given, released);
  EXPECT_EQ(given.count(&pool.get()), 0U);
  EXPECT_EQ(pool.all().size(), 4U);
}

TEST(payload_pool, gives_a_stream_its_own_again) {
  payload_pool pool;
  remote_payload* of_stream = nullptr;
  remote_payload& own = pool.get_again(of_stream);
  EXPECT_EQ(&own, of_stream);
  own.bytes = 7;
  pool.release(own);
  remote_payload& of_others = pool.get();
  EXPECT_NE(&of_others, &own) << "the stream keeps it";
  EXPECT_EQ(&pool.get_again(of_stream), &own);
  EXPECT_EQ(own.bytes, 0U);
  pool.give_back(own);
  EXPECT_EQ(&pool.get_again(of_stream), &own);
  EXPECT_EQ(pool.all().size(), 2U);
}

TEST(payload_pool, gives_a_stream_others_while_somebody_has_its_own) {
  payload_pool pool;
  remote_payload* of_stream = nullptr;
  remote_payload& own = pool.get_again(of_stream);
  remote_payload& another = pool.get_again(of_stream);
  EXPECT_NE(&another, &own);
  EXPECT_EQ(of_stream, &own);
  pool.release(another);
  EXPECT_EQ(&pool.get_again(of_stream), &another) << "for everybody again";
  pool.release(own);
  EXPECT_EQ(&pool.get_again(of_stream), &own);
  EXPECT_EQ(pool.all().size(), 2U);
}

}  // namespace
}  // namespace pure::core
