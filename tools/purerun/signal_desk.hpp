// What becomes of the signals that purerun gets.
//
// The first one goes to its children; to one that leads a group of its own, as under `timeout`, and to all of that
// group. The terminal's own signals (Ctrl-C) have reached all of our group already, and go to another group only. Where
// somebody else sends SIGINT, it goes to all below, as from there: a shell that runs a script heeds it only when its
// program has ended. Of a
// child that has ended by a signal the rest gets it, too (a shell hands nothing on to what it has started), and is
// waited for. A second SIGINT or SIGTERM ends all that is left, after a while in which it may do so itself.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <vector>

namespace purerun {

inline constexpr std::array forwarded_signals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

/// The signals that purerun takes out one by one: blocked here, and SIGCHLD with them. Tells what was blocked before.
class taken_signals {
 public:
  taken_signals();
  [[nodiscard]] const sigset_t& all() const noexcept { return all_; }
  [[nodiscard]] const sigset_t& blocked_before() const noexcept { return blocked_before_; }

 private:
  sigset_t all_{}, blocked_before_{};
};

/// What is left alone: which signals have come, and to whom each has gone.
class signal_desk {
 public:
  /// `stays_after_children`: those may leave processes behind, which have to end as well.
  signal_desk(std::vector<pid_t> children, bool stays_after_children);

  void take(const siginfo_t& info);
  /// The child has ended, and been waited for.
  void has_ended(pid_t child);

  /// All children have ended, the last one, or the one that counts, like that. Whether something of them is left to
  /// wait for.
  bool is_something_left(int wait_status);
  /// Whether the time after a second signal is over; if so, nothing is left. Called now and then.
  bool look();

  [[nodiscard]] int first() const noexcept { return first_; }
  /// The latest of those that ask for an end; 0: none has come.
  [[nodiscard]] int asked_by() const noexcept { return asked_by_; }
  [[nodiscard]] bool has_received(int number) const noexcept { return sigismember(&received_, number) == 1; }
  [[nodiscard]] bool is_in_a_hurry() const noexcept { return kills_at_ || has_told_rest_; }

 private:
  void pass_on(pid_t child, int number);
  /// To all that children have started, as the terminal does it.
  void pass_on_below(int number);
  [[nodiscard]] bool has_got(pid_t group) const noexcept;
  [[nodiscard]] bool was_ended_by_signal(int wait_status) const noexcept;

  std::vector<pid_t> children_;
  const bool stays_after_children_;
  sigset_t received_;
  int first_ = 0;
  int asked_by_ = 0;                // the latest of those that ask for an end
  std::vector<pid_t> groups_told_;  // which have got the latest signal
  bool is_of_terminal_ = false;
  bool has_told_rest_ = false;
  std::optional<std::chrono::steady_clock::time_point> kills_at_;
};

}  // namespace purerun
