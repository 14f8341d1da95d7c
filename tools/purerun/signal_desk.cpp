#include "purerun/signal_desk.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "purerun/child.hpp"
#include "purerun/options.hpp"
#include "purerun/process_tree.hpp"

namespace purerun {

taken_signals::taken_signals() {
  // An ignored one (nohup) never arrives.
  signal(SIGCHLD, SIG_DFL);
  sigemptyset(&all_);
  sigaddset(&all_, SIGCHLD);
  for (const int number : forwarded_signals) sigaddset(&all_, number);
  pthread_sigmask(SIG_BLOCK, &all_, &blocked_before_);
}

signal_desk::signal_desk(std::vector<pid_t> children, bool stays_after_children)
    : children_(std::move(children)), stays_after_children_(stays_after_children) {
  sigemptyset(&received_);
}

void signal_desk::take(const siginfo_t& info) {
  const int number = info.si_signo;
  sigaddset(&received_, number);
  if (first_ == 0) first_ = number;
  is_of_terminal_ = info.si_code == SI_KERNEL;
  groups_told_.clear();
  for (const pid_t child : children_) pass_on(child, number);
  if (number == SIGINT) pass_on_below(number);
  if (number != SIGINT && number != SIGTERM && number != SIGHUP && number != SIGQUIT) return;
  if (asked_by_ != 0 && (number == SIGINT || number == SIGTERM) && !kills_at_)
    kills_at_ = std::chrono::steady_clock::now() + std::chrono::seconds(seconds_after_second_signal);
  asked_by_ = number;
}

void signal_desk::has_ended(pid_t child) { std::erase(children_, child); }

bool signal_desk::is_something_left(int wait_status) {
  if (asked_by_ == 0 || !(stays_after_children_ || kills_at_ || was_ended_by_signal(wait_status))) return false;
  bool is_any = false;
  for (const process& each : processes_below()) {
    if (each.session != getsid(0) && !kills_at_) continue;  // it was meant to stay
    is_any = true;
    if (!has_told_rest_ && !has_got(each.group)) kill(each.pid, asked_by_);
  }
  has_told_rest_ = true;
  return is_any;
}

bool signal_desk::look() {
  if (!kills_at_ || std::chrono::steady_clock::now() < *kills_at_) return false;
  kill_all_below();
  return true;
}

void signal_desk::pass_on(pid_t child, int number) {
  const pid_t group = getpgid(child);
  if (group == getpgrp() || group < 0) {
    if (!is_of_terminal_) kill(child, number);
    return;
  }
  kill(group == child ? -group : child, number);
  if (group == child) groups_told_.push_back(group);
}

void signal_desk::pass_on_below(int number) {
  for (const process& each : processes_below()) {
    const bool is_child = std::find(children_.begin(), children_.end(), each.pid) != children_.end();
    if (!is_child && each.session == getsid(0) && !has_got(each.group)) kill(each.pid, number);
  }
}

bool signal_desk::has_got(pid_t group) const noexcept {
  return std::find(groups_told_.begin(), groups_told_.end(), group) != groups_told_.end() ||
         (is_of_terminal_ && group == getpgrp());
}

bool signal_desk::was_ended_by_signal(int wait_status) const noexcept {
  return WIFSIGNALED(wait_status) ? has_received(WTERMSIG(wait_status))
                                  : WEXITSTATUS(wait_status) == signal_base + asked_by_;
}

}  // namespace purerun
