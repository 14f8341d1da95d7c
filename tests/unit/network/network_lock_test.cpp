// The turn: one thread at a time inside, everybody comes in, and what was done inside is seen by the next.
#include "network/network_lock.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace {

using namespace pure::core;

TEST(NetworkTurn, OneAtATime) {
  network_lock turn;
  {
    const network_visit first(turn), second(turn);
    EXPECT_TRUE(static_cast<bool>(first));
    EXPECT_FALSE(static_cast<bool>(second));
  }
  EXPECT_TRUE(static_cast<bool>(network_visit(turn)));
  EXPECT_TRUE(turn.try_take());
  EXPECT_FALSE(turn.try_take());
  turn.give_back();
  EXPECT_TRUE(turn.try_take());
}

TEST(NetworkTurn, WhatWasDoneInsideIsSeenByTheNext) {
  constexpr int threads = 4, visits = 2000;
  network_lock turn;
  int inside = 0, done = 0;  // plain: guarded by the turn
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&] {
      for (int mine = 0; mine < visits;) {
        if (const network_visit visit(turn); visit) {
          EXPECT_EQ(++inside, 1);
          ++done;
          --inside;
          ++mine;
        }
        std::this_thread::yield();
      }
    });
  }
  for (std::thread& each : all) each.join();
  EXPECT_EQ(done, threads * visits);
}

}  // namespace
