// What libc keeps for a process behind its functions, and each loaded rank has for itself: the sequence of rand, the
// place of strtok, the result of localtime, ...
//
// Made with the rank's program, and never destroyed. Any thread of the rank, at any time: what libc guards with a lock
// has a lock of its own here, too; what libc leaves to the program's care stays so.
#pragma once

#include "libc/argument_state.hpp"
#include "libc/database_state.hpp"
#include "libc/environment_state.hpp"
#include "libc/format_state.hpp"
#include "libc/libc_variables.hpp"
#include "libc/locale_state.hpp"
#include "libc/processor_time.hpp"
#include "libc/random_state.hpp"
#include "libc/signal_state.hpp"
#include "libc/stream_state.hpp"
#include "libc/text_state.hpp"
#include "libc/time_state.hpp"

namespace pure::core {

class program_of_rank;

struct hidden_state {
  /// `variables` points to `own`, so far; the environment is the process's until the rank begins.
  hidden_state() noexcept;
  hidden_state(const hidden_state&) = delete;
  hidden_state& operator=(const hidden_state&) = delete;

  int rank = -1;                       // for messages; -1: not known
  program_of_rank* program = nullptr;  // null: none is loaded
  const char* program_path = nullptr;  // absolute; null: the process's executable is the program
  libc_variables variables{};          // where the program's code looks: in its own image, for those that it names
  bool has_own_directory = false;      // and umask: begin_rank()

  argument_state arguments;
  environment_state environment;
  random_state random;
  text_state text;
  time_state time;
  locale_state locale;
  database_state databases;
  stream_state streams;
  format_state formats;
  signal_state signals;
  processor_time used;

  // What `variables` points to for a program that names them not; as libc has them at first.
  struct {
    char* optarg = nullptr;
    int optind = 1;
    int opterr = 1;
    int optopt = '?';
    int signgam = 0;
    int getdate_err = 0;
    char** environment = nullptr;
    char* zone_names[2] = {};
    long zone_seconds = 0;
    int zone_daylight = 0;
  } own;

  hidden_state* next = nullptr;  // the one made before it
};

/// The one made last; `next` leads to all others of the process. Null: there is none.
hidden_state* first_hidden_state() noexcept;

/// Of the rank to which the calling thread belongs. A thread of none (one that libc made) has that of the process's
/// first rank.
hidden_state& hidden_state_here() noexcept;

/// The same; null: of none.
hidden_state* hidden_state_of_thread() noexcept;

/// From now on the calling thread belongs to that rank, and has its locale; null: to none. Each thread of a rank calls
/// this first of all.
void set_hidden_state_here(hidden_state* state) noexcept;

/// The same for a rank's main thread, before it runs the program or starts other threads: the program's copies of
/// libc's variables get the values that they have at first, and the kernel gives this thread, and those that it starts,
/// a working directory and an umask of their own, where it may.
void begin_rank(hidden_state& state) noexcept;

/// Whether the calling rank knows itself by that number: it is the one of its main thread, or of the process.
bool is_number_of_rank(pid_t number) noexcept;

/// Whether this is the process that the states were made in, and no child that a rank has forked.
bool is_process_of_ranks() noexcept;

}  // namespace pure::core
