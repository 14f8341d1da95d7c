// In which epochs a rank is: what may be accessed in each, and that the account of its locks comes back to none. And
// what is noted of who holds a lock, up to the longest text.
#include "window/epochs.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "window/lock_note.hpp"

namespace pure::core {
namespace {

TEST(epochs, as_many_unlocks_as_locks_end_one) {
  epochs of;
  of.prepare(3);
  for (const int each : {2, 0, 1}) {
    EXPECT_FALSE(of.is_locked(each));
    of.lock(each, each == 0 ? lock_kind::exclusive : lock_kind::shared);
    EXPECT_TRUE(of.is_locked(each));
  }
  EXPECT_EQ(of.kind_at(0), lock_kind::exclusive);
  EXPECT_EQ(of.kind_at(1), lock_kind::shared);
  for (const int each : {0, 2}) {
    of.unlock(each);
    EXPECT_FALSE(of.is_locked(each));
    EXPECT_TRUE(of.is_locked(1));
    EXPECT_FALSE(of.may_begin());
    EXPECT_TRUE(of.is_passive());
  }
  of.unlock(1);
  EXPECT_EQ(of.now(), epochs::access::none);
  EXPECT_TRUE(of.may_begin());
  of.lock(2, lock_kind::shared);
  of.unlock(2);
  EXPECT_TRUE(of.may_begin()) << "the account has begun at 0 again";
}

TEST(epochs, the_targets_of_start_are_its_alone) {
  epochs of;
  const std::vector<int> targets{0, 2};
  of.start(3, targets);
  EXPECT_FALSE(of.may_begin());
  of.complete(targets);
  of.prepare(3);
  for (int each = 0; each < 3; ++each) EXPECT_FALSE(of.is_locked(each));
  of.lock(1, lock_kind::shared);
  EXPECT_FALSE(of.is_locked(0));
  EXPECT_FALSE(of.is_locked(2));
}

TEST(epochs, an_exposure_is_beside_them) {
  epochs of;
  of.post();
  EXPECT_TRUE(of.is_exposed());
  EXPECT_TRUE(of.may_begin());
  of.end_exposure();
  EXPECT_FALSE(of.is_exposed());
}

TEST(lock_note, of_a_long_file_name_the_end_counts) {
  const auto note = std::make_unique<lock_note>();
  const std::string operation(27, 'o'), file(79, 'f');
  note->write(3, operation, file, 7);
  EXPECT_EQ(note->read().call(), operation + " at " + file + ":7") << "as long as there is room for";
  note->write(3, operation + "p", "g" + file, 7);
  EXPECT_EQ(note->read().call(), operation + " at " + file + ":7");
  note->write(4, "pure_win_lock at halo.cpp:12");
  EXPECT_EQ(note->read().call(), "pure_win_lock at halo.cpp:12");
  EXPECT_EQ(note->read().rank, 4);
  note->wipe();
  EXPECT_FALSE(note->read().is_anybody());
}

}  // namespace
}  // namespace pure::core
