// What a blocked rank waits for, in the terms of the program: the words of the hang report.
#pragma once

#include <string>

#include "base/call.hpp"

namespace pure::core {

struct wait_reason {
  static constexpr int nobody = -4;  // the wait concerns no one rank
  static constexpr int anybody = -1;
  static constexpr int any_tag = -2;
  static constexpr int no_tag = -5;  // the wait concerns a rank, but no message of the program

  const call& what;
  const char* waiting_for;  // ends before the peer, if there is one: "a message from", "the receive of its message by"
  int peer = nobody;        // rank number in the job, or anybody, nobody
  int tag = any_tag;
};

/// What it waits for: "a message from rank 1, tag 7".
std::string text_of_condition(const wait_reason& reason);

/// "rank 3 waits in pure_recv_msg for a message from rank 1, tag 7, at a.cpp:12".
std::string describe(int rank, const wait_reason& reason);

}  // namespace pure::core
