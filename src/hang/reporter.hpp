// Each process's part in the search for ranks that wait for ever in several processes: it tells process 0 what its
// ranks do, and answers its questions (hang/coordinator.hpp says what they are for).
//
// A rank that has waited for a shorter time than `settling_ns` is said to compute: most waits end soon, and while
// nothing is said nothing is sent. The thread of hang_watch only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hang/control_messages.hpp"
#include "runtime/other_processes.hpp"

namespace pure::core {

class job;

class hang_reporter {
 public:
  static constexpr std::int64_t settling_ns = 250'000'000;

  explicit hang_reporter(job& watched) noexcept : job_(watched) {}

  /// Twice a second: tells process 0 what has changed.
  void tell(std::vector<rank_state> ranks);

  /// A control message that is not one of process 0's business.
  void hear(int from, hang_message what, byte_unpacker& said);

  /// Answers what has been asked, if it can be answered now.
  void answer();

  /// There is something to answer, or process 0 may ask for more: whoever waits should not wait for long.
  [[nodiscard]] bool is_wanted() const noexcept;

 private:
  /// The question, and what is known of the answer.
  struct question {
    hang_message what = hang_message::settled;  // count, settle or again; settled: none is open
    std::uint32_t number = 0;                   // of the search
    std::vector<sleeper> suspects;              // ranks here
    std::vector<int> processes;                 // of count: that have suspects
    std::vector<std::uint64_t> awaited;         // of settle: packets, by process
    std::vector<held_elsewhere> held;
    bool has_told_held = false;
    bool have_arrived = false;  // the packets; the control messages among them are read at the next look
  };

  void turn_to(std::uint32_t number);
  void ask(hang_message what, std::uint32_t number, byte_unpacker& said);
  [[nodiscard]] bool still_sleep() const;
  void answer_count(const messages_under_way& seen);
  void answer_settle(const messages_under_way& seen);
  void say_no_or_yes(bool is_so);
  void tell_stacks(std::uint32_t number);

  job& job_;
  std::vector<rank_state> told_;
  bool has_told_all_sleep_ = false;
  question asked_;
  std::int64_t next_try_ns_ = 0;
  std::int64_t asked_ns_ = 0;  // 0: never
};

}  // namespace pure::core
