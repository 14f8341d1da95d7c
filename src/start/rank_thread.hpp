// The thread of a rank or a helper, from its first instruction to its last.
//
// After a rank's main its frames are gone, or dropped by exit(0), but not what they have asked for: sends that nobody
// has completed still read the rank's memory, collectives use it, and the rank stays to move them on. So nothing runs
// where those frames were. exit(0) waits for the end of all mains on top of them. A main begins `room_bytes` below the
// first frames of its thread: what runs there when it has returned does not reach it, and where operations are left,
// the rank waits at the far end of its stack. Its open receives are taken back, and so are its parts of windows that
// lie in memory of the program: nothing more is written to a rank that has ended.
#pragma once

#include <pthread.h>

#include <csetjmp>
#include <functional>

#include "machine/mapping.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

class rank_on_this_thread;

struct rank_thread {
  rank_context* self = nullptr;
  const std::function<int(rank_context&)>* body = nullptr;
  pthread_t handle{};
  bool is_started = false;  // then there is the handle
  const rank_place* place =
      nullptr;  // to which it is bound; null: to the rank's whole share, or otherwise by the program
  int status = 0;
  rank_on_this_thread* here = nullptr;  // while its main runs
  std::jmp_buf exit_target;  // for a rank that calls exit(0): its frames are dropped, not unwound, as exit does
};

/// For pthread_create; the argument is the rank_thread, which outlives the thread.
void* rank_main(void* thread);
void* helper_main(void* thread);

/// The thread of each helper calls that first. Before there are any.
void helpers_begin_by(void (*begin)()) noexcept;

/// Ends the calling rank as if its function had returned `status`; no destructors run, as for exit() (see exit.cpp).
/// Only while its exit_target is set.
[[noreturn]] void return_from_rank(rank_context& self, int status);

}  // namespace pure::core
