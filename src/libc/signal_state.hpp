// What a rank does with signals, and its alarm (signal_actions.hpp, signal_replacements.cpp). Read in signal handlers.
#pragma once

#include <signal.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <forward_list>

namespace pure::core {

struct known_action {
  struct sigaction action;
  const known_action* afterwards;  // when the function was called: null but for SA_RESETHAND
};

struct signal_state {
  static constexpr int signals = 65;  // their numbers are smaller

  // What the rank has set; null: nothing. Each is in `known`, and stays there, for a handler may be reading it; a
  // program that sets the same ones again takes no more memory.
  std::atomic<const known_action*> actions[signals] = {};
  std::forward_list<known_action> known;
  std::atomic<std::uint64_t> forwarded{
      0};                             // a bit for each signal that was the process's, and is on its way to the rank
  std::uint64_t interrupting = 0;     // siginterrupt; a bit for each signal
  std::atomic<pid_t> main_thread{0};  // where the signals of the process go; 0: not known

  bool has_timer = false;  // of alarm and setitimer
  timer_t timer{};
};

}  // namespace pure::core
