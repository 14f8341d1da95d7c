// For tests of tasks: that a chunk is stolen is no matter of luck. The owner stays in its first chunk until another
// rank has come.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <pure/comm.hpp>
#include <pure/paper_task.hpp>
#include <pure/run.hpp>

namespace test_support {

/// An owner that waits for a thief waits for ever if the thief sleeps: beside a busy neighbour that is after 100 us,
/// unless it is to look for longer than usual (runtime/courtesy.hpp).
inline const bool ranks_look_for_long = setenv("PURE_SPIN_US", "60000", 0) == 0;

/// For the body of one task: tells the owner's chunks from stolen ones, and makes the owner wait for a thief.
class encounter {
 public:
  [[nodiscard]] bool is_owner() const { return std::this_thread::get_id() == owner_; }
  void thief_is_here() { thief_came_ = true; }
  void wait_for_thief() const {
    while (!thief_came_) std::this_thread::yield();
  }
  /// In every chunk.
  void meet() {
    if (is_owner()) {
      wait_for_thief();
    } else {
      thief_is_here();
    }
  }

 private:
  const std::thread::id owner_ = std::this_thread::get_id();
  std::atomic<bool> thief_came_{false};
};

/// Executes a task whose data die with it, and whose thieves say so and take 20 ms for a chunk.
inline void execute_with_slow_thieves(std::atomic<bool>& is_stolen) {
  const auto data = std::make_unique<std::vector<int>>(64, 0);
  encounter place;
  PureTask task = [&](chunk_id_t chunk) {
    place.meet();
    if (!place.is_owner()) {
      is_stolen = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ++data->at(chunk);
  };
  task.execute();
}

/// Rank 0 executes tasks; the other ranks wait for a message.
inline void while_others_wait(int ranks, const std::function<void(pure::comm)>& owner) {
  pure::run(ranks, [&](pure::comm world) {
    if (world.rank() > 0) {
      EXPECT_EQ(world.recv<int>(0), 17);
      return;
    }
    owner(world);
    for (int i = 1; i < world.size(); ++i) world.send(17, i);
  });
}

}  // namespace test_support
