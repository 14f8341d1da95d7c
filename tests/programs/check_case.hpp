// What check_calls.cpp and check_ends.cpp share: programs with one error that PURE_CHECK finds, and their near twins.
//
// usage: check_calls CASE. Two ranks. A comment `//@ CASE.WORD` marks a line that the report of the case must name.
#pragma once

#define PURE_MAIN_RUNS_ONCE
#include <pure.h>
#include <pure/pure.hpp>

#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

constexpr pure_comm world = PURE_COMM_WORLD;
constexpr int many = 50'000;

inline void wait_for(pure_request& request) { pure_wait(&request, PURE_STATUS_IGNORE); }  //@ waits.here

/// What the two ranks do.
struct check_case {
  const char* name;
  void (*rank_0)(pure::comm on);
  void (*rank_1)(pure::comm on);
};

inline void nothing(pure::comm) {}
inline void one_int_to_1(pure::comm) {
  const int x = 5;
  pure_send_msg(&x, 1, PURE_INT, 1, 7, world);  //@ one_int_to_1.send
}
inline void answer_1(pure::comm) {  // waits until rank 1 says so, then sends
  int x = 0;
  pure_recv_msg(&x, 1, PURE_INT, 1, 1, world, PURE_STATUS_IGNORE);
  pure_send_msg(&x, 1, PURE_INT, 1, 7, world);  //@ answer_1.send
}
inline void say_so() {
  const int x = 5;
  pure_send_msg(&x, 1, PURE_INT, 0, 1, world);
}

inline int run_case(std::initializer_list<std::span<const check_case>> groups, int argc, char** argv) {
  for (const auto& group : groups) {
    for (const check_case& each : group) {
      if (argc != 2 || std::strcmp(argv[1], each.name) != 0) continue;
      return pure::run(argc, argv, [&](pure::comm on) { (on.rank() == 0 ? each.rank_0 : each.rank_1)(on); });
    }
  }
  std::fprintf(stderr, "no case of that name\n");
  return 2;
}
