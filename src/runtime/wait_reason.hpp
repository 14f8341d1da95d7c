// What a blocked rank waits for, in the terms of the program: what a hang report and a timeline say of it.
//
// A wait leaves numbers and constants, and the name of a thing that many waits share. Who shows them makes the text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/call.hpp"

namespace pure::core {

/// What all waits of a kind have in common: a constant of the room that waits.
struct wait_kind {
  // Not explicit: a kind without advice is its words.
  constexpr wait_kind(const char* in_words, const char* if_for_ever = "") noexcept
      : words(in_words), advice(if_for_ever) {}

  /// What for, up to the peer, if there is one: "a message from". {name} and {number} are the subject's.
  const char* words;
  /// What to look for in the program when such a wait never ends: a sentence. Empty: nothing is known that helps.
  const char* advice;
};

/// A name that outlives the thing which has it, for whoever reports that a rank has waited for it.
using shared_name = std::shared_ptr<const std::string>;

/// A rank that has what others wait for, and the call by which it has got it: "pure_win_lock at halo.cpp:12".
struct holder {
  int rank;  // number in the job
  std::string by;
  bool operator==(const holder&) const = default;
};

/// Who holds the things that a wait may be for. Any thread may ask, also when the things are gone.
class known_holders {
 public:
  known_holders() = default;
  known_holders(const known_holders&) = delete;
  known_holders& operator=(const known_holders&) = delete;
  virtual ~known_holders() = default;

  /// Of the thing with that number, as far as they are known.
  [[nodiscard]] virtual std::vector<holder> of(std::uint64_t number) const = 0;
};

/// The thing that a wait is for, if that is not just a message or a call.
struct wait_subject {
  shared_name name{};
  std::uint64_t number = 0;                           // which one, or how many: as the words of the kind say
  std::shared_ptr<const known_holders> held_by = {};  // whoever has the thing `number`, which the wait is for
};

struct wait_reason {
  static constexpr int nobody = -4;  // the wait concerns no one rank
  static constexpr int anybody = -1;
  static constexpr int any_tag = -2;
  static constexpr int no_tag = -5;  // the wait concerns a rank, but no message of the program

  const call& what;
  wait_kind waiting_for;
  int peer = nobody;  // rank number in the job, or anybody, nobody
  int tag = any_tag;
  // True: nobody but `peer`, by a call that it has still to make, can end the wait. Only such waits are reported while
  // other ranks run, so whoever is not sure leaves it false: any-source receives, wait_any, work that others may take.
  bool only_peer = false;
  const wait_subject* subject = nullptr;  // lives as long as the wait

  /// The wait goes on, in the same call, for what `next` names.
  void turn_to(const wait_reason& next) noexcept {
    waiting_for = next.waiting_for;
    peer = next.peer;
    tag = next.tag;
    only_peer = next.only_peer;
    subject = next.subject;
  }
};

/// What a parked rank waits for, copied: the reason itself is gone when the rank is woken.
struct parked_wait {
  call what{"", {}};
  wait_kind waiting_for{""};
  int peer = wait_reason::nobody;
  int tag = wait_reason::any_tag;
  bool only_peer = false;
  bool acts_for_others = false;  // it has operations pending that others may wait for (service::acts_for_others)
  std::int64_t since_ns = 0;     // of now_ns(), about: when the wait began
  wait_subject subject = {};

  [[nodiscard]] wait_reason reason() const noexcept { return {what, waiting_for, peer, tag, only_peer, &subject}; }
};

/// The words of a kind about a thing of that name and number.
std::string text_of_words(std::string_view words, std::string_view name, std::uint64_t number);

/// " rank 1, tag 7": the end of what it waits for; empty if that is nobody.
std::string text_of_peer(int peer, int tag);

/// What it waits for: "a message from rank 1, tag 7".
std::string text_of_condition(const wait_reason& reason);

/// "rank 3 waits in pure_recv_msg for a message from rank 1, tag 7, at a.cpp:12".
std::string describe(int rank, const wait_reason& reason);

}  // namespace pure::core
