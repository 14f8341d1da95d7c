// Who holds the locks of a window: each lock's holders, by their calls, and nobody else; also when the window is gone.
#include "window/lock_records.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "window/lock_note.hpp"

namespace pure::core {
namespace {

using holders = std::vector<holder>;

TEST(lock_records, names_each_holder_until_it_unlocks) {
  auto made = std::make_shared<lock_records>(3);
  EXPECT_EQ(made->of(0), holders{}) << "nobody has ever locked";
  made->prepare(0, 10);
  made->prepare(2, 12);
  made->prepare(2, 99);  // once more, which changes nothing
  EXPECT_EQ(made->of(2), holders{});
  made->note(0, 2, {"lock", {"a.cpp", 5}});
  made->note(2, 2, {"lock_all", {"b.cpp", 6}});
  made->note(2, 0, {"lock_all", {"b.cpp", 6}});
  EXPECT_EQ(made->of(2), (holders{{10, "lock at a.cpp:5"}, {12, "lock_all at b.cpp:6"}}));
  EXPECT_EQ(made->of(0), (holders{{12, "lock_all at b.cpp:6"}}));
  EXPECT_EQ(made->of(1), holders{});
  made->wipe(2, 2);
  EXPECT_EQ(made->of(2), (holders{{10, "lock at a.cpp:5"}}));

  const std::shared_ptr<const known_holders> reported = made;
  made.reset();  // the window has ended
  EXPECT_EQ(reported->of(0).size(), 1U);
}

TEST(lock_note, is_read_as_it_was_written_but_for_the_beginnings_of_long_files) {
  lock_note note;
  EXPECT_FALSE(note.read().is_anybody());
  note.write(4, "pure_win_lock", "halo.cpp", 12);
  EXPECT_EQ(note.read().rank, 4);
  EXPECT_EQ(note.read().call(), "pure_win_lock at halo.cpp:12");
  const std::string longest(79, 'x');
  note.write(0, "lock", longest, 1);
  EXPECT_EQ(note.read().call(), "lock at " + longest + ":1");
  note.write(0, "lock", "y" + longest, 1);
  EXPECT_EQ(note.read().call(), "lock at " + longest + ":1");
  note.write(1, "pure_win_lock at halo.cpp:12");  // the text of a call in another process
  EXPECT_EQ(note.read().call(), "pure_win_lock at halo.cpp:12");
  note.wipe();
  EXPECT_FALSE(note.read().is_anybody());
}

TEST(told_holder, says_whether_that_is_new) {
  lock_note note;
  told_holder told;
  EXPECT_FALSE(told.tell(note.read(), -1)) << "nobody: as in the beginning";
  EXPECT_EQ(told.of(0), holders{});
  note.write(4, "lock", "a.cpp", 1);
  EXPECT_TRUE(told.tell(note.read(), 14));
  EXPECT_FALSE(told.tell(note.read(), 14));
  EXPECT_EQ(told.of(0), (holders{{14, "lock at a.cpp:1"}}));
  note.write(4, "lock", "a.cpp", 2);
  EXPECT_TRUE(told.tell(note.read(), 14));
  note.wipe();
  EXPECT_TRUE(told.tell(note.read(), -1));
  EXPECT_EQ(told.of(0), holders{});
}

}  // namespace
}  // namespace pure::core
