// What a blocked rank waits for, in the terms of the program: the words of the hang report.
#pragma once

#include <cstdint>
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
  // True: nobody but `peer`, by a call that it has still to make, can end the wait. Only such waits are reported while
  // other ranks run, so whoever is not sure leaves it false: any-source receives, wait_any, work that others may take.
  bool only_peer = false;

  /// The wait goes on, in the same call, for what `next` names.
  void turn_to(const wait_reason& next) noexcept {
    waiting_for = next.waiting_for;
    peer = next.peer;
    tag = next.tag;
    only_peer = next.only_peer;
  }
};

/// What a parked rank waits for, copied: the reason itself is gone when the rank is woken.
struct parked_wait {
  call what{"", {}};
  const char* waiting_for = "";
  int peer = wait_reason::nobody;
  int tag = wait_reason::any_tag;
  bool only_peer = false;
  bool acts_for_others = false;  // it has operations pending that others may wait for (service::acts_for_others)
  std::int64_t since_ns = 0;     // of now_ns(), about: when the wait began

  [[nodiscard]] wait_reason reason() const noexcept { return {what, waiting_for, peer, tag, only_peer}; }
};

/// A text that lives for ever: who reports what ranks wait for may read it when they have gone on. So many of them as
/// there are different ones: for texts of which there are few. Any thread.
const char* kept_for_ever(const std::string& text);

/// What it waits for: "a message from rank 1, tag 7".
std::string text_of_condition(const wait_reason& reason);

/// "rank 3 waits in pure_recv_msg for a message from rank 1, tag 7, at a.cpp:12".
std::string describe(int rank, const wait_reason& reason);

}  // namespace pure::core
