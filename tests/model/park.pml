/* Parking and waking: src/runtime/waiter.{hpp,cpp}, runtime/parked_count.hpp and job::look_for_deadlock(), for RANKS ranks.
 *
 * Each rank runs any program of at most SENDS sends and RECEIVES receives, with any peers, in any order, and returns.
 * Many of these programs deadlock. A receive waits as wait_until() does: test, and park at any time.
 *
 * Checked:
 *   no lost wake-up   every rank comes to its end: nobody sleeps for ever (no invalid end state);
 *   no false alarm    a deadlock is reported only when every live rank is parked and none has what it waits for;
 *   no missed one     when all live ranks are stuck, one of them reports it (otherwise they would sleep for ever);
 *   the report        reads the reasons of parked ranks only, while the frames that hold them exist;
 *   the parked count        is never negative, never more than the live ranks, and 0 parked at the end.
 *
 * Memory model: tso.inc; buffered are the publication of a message, the announcement and its retraction. Weaker than
 * that is only the snapshot, which machines may take before the exchange that precedes it, were it not for a fence:
 * MUTATE_NO_SNAPSHOT_FENCE.
 *
 * models: src/runtime/notified.hpp: notified::notify
 * models: src/runtime/waiter.hpp: waiter::park, parking, is_parked
 * models: src/runtime/waiter.cpp: announce_park, retract_park, commit_to_park, wake
 * models: src/runtime/parked_count.hpp: count_parked, uncount_parked, count_ended, read, change, all_parked
 * models: src/runtime/job.cpp: job::fail, stop_touching_memory, stop_together, leave, rank_returned
 * models: src/runtime/job.cpp: all_workers_sleep, look_for_deadlock
 * models: src/runtime/job_failure.hpp: look_for_deadlock, is_told
 * models: src/runtime/job_failure.cpp: is_first, report, report_to_ranks
 * models: src/runtime/job.hpp: worker_has_parked
 * models: src/runtime/wait.hpp: wait_until
 * models: src/runtime/heavy_fence.hpp: light_fence
 * models: src/runtime/heavy_fence.cpp: heavy_fence
 * must hold: -DRANKS=2 -DSENDS=2 -DRECEIVES=2
 * must hold: -DRANKS=2 -DTURNS=2
 * must hold: -DRANKS=3 -DSCRIPT=3 -DTURNS=1
 * must hold: -DRANKS=3 -DSCRIPT=1
 * must hold: -DRANKS=3 -DSCRIPT=2
 * must hold: -DRANKS=3 -DSCRIPT=3
 * must fail: -DRANKS=2 -DMUTATE_NO_HEAVY_FENCE     the announcement is still in the buffer at the last look
 * must fail: -DRANKS=2 -DMUTATE_NO_MEMBARRIER      the parker's own fence does not empty the sender's buffer
 * must fail: -DRANKS=2 -DMUTATE_NO_COMPILER_FENCE  the sender looks at the flag before it publishes
 * must fail: -DRANKS=2 -DMUTATE_NO_LAST_LOOK       a rank parks without looking again after the announcement
 * must fail: -DRANKS=2 -DMUTATE_BLIND_COMMIT       a notification between announcement and commitment is overwritten
 * must fail: -DRANKS=2 -DMUTATE_COUNT_AFTER_STATE  a rank is un-counted before it is counted
 * must fail: -DRANKS=2 -DMUTATE_WORD_ALONE         a rank that is awake but not un-counted yet passes for parked
 * must fail: -DRANKS=3 -DSCRIPT=3 -DMUTATE_NO_SECOND_READING  the states are those of different moments
 * must fail: -DRANKS=3 -DSCRIPT=3 -DMUTATE_NO_EPOCH           the word has changed and changed back
 * must fail: -DRANKS=2 -DMUTATE_NO_SNAPSHOT_FENCE  two ranks park at once, and neither sees the other
 * must fail: -DRANKS=2 -DMUTATE_UNLOCKED_REPORT    two ranks see the deadlock: one fails the job, which wakes those whose
 *                                                  reasons the other still reads
 */

#ifndef SENDS
#define SENDS 1
#endif
#ifndef RECEIVES
#define RECEIVES 1
#endif

#ifndef TURNS
#define TURNS 0
#endif

#define RUNNING 0
#define ANNOUNCED 1
#define PARKED 2

/* Addresses. */
#define PARKING(r) (r)
#define PUBLISHED(from, to) (RANKS + (from) * RANKS + (to))  /* how many messages */
#define ADDRESSES (RANKS + RANKS * RANKS)

#include "tso.inc"

byte epoch, live = RANKS, parked;  /* the parked count's word */
bool asleep[RANKS];                /* in the kernel, on the futex of `parking_` */
bool failed, ending;
bool failing;                      /* the mutex */
byte touching = RANKS;             /* ranks that have not stopped touching memory */

byte waits_for[RANKS];             /* ghost: the source of the receive */
byte taken[RANKS * RANKS];         /* how many messages of `from` the rank has received */
bool reason[RANKS];                /* reason_ is not null: ordered by the exchanges around it, so not buffered */
bool frame[RANKS];                 /* ghost: the wait_until() that holds the reason exists */
byte turns_left = TURNS;           /* ghost: how often ranks may see a task and turn back */
bool gone[RANKS];                  /* ghost: has returned, or left the failed job */

#define READY(r) (mem[PUBLISHED(waits_for[r], r)] > taken[(r) * RANKS + waits_for[r]])

/* ---- the parked count ---- */

inline count_parked() {
  atomic { BUFFER_IS_EMPTY -> epoch++; parked++; assert(parked <= live) }
}
inline uncount_parked() {
  atomic { BUFFER_IS_EMPTY -> epoch++; assert(parked > 0); parked-- }
}

/* ---- notify(), wake() ---- */

inline wake(peer) {
  atomic { BUFFER_IS_EMPTY -> before = mem[PARKING(peer)]; mem[PARKING(peer)] = RUNNING }
  if
  :: before == PARKED ->
    uncount_parked();
    asleep[peer] = false           /* FUTEX_WAKE */
  :: else
  fi;
  before = 0
}

inline notify(peer) {
  if
  :: mem[PARKING(peer)] != RUNNING -> wake(peer)
  :: mem[PARKING(peer)] == RUNNING
  fi
}

/* ---- look_for_deadlock() ---- */

#ifdef MUTATE_NO_EPOCH
#define SAME_WORD (live == live1 && parked == parked1)
#else
#define SAME_WORD (epoch == epoch1 && live == live1 && parked == parked1)
#endif

/* Sets `seen`. `mine` is 1 for a rank that takes its own state for parked. */
inline see_all_parked(mine) {
  atomic { epoch1 = epoch; live1 = live; parked1 = parked }
  if
  :: live1 > 0 && live1 == parked1 ->
#ifndef MUTATE_WORD_ALONE
    i = 0; n = mine;
    do
    :: i < RANKS -> atomic { if :: mem[PARKING(i)] == PARKED -> n++ :: else fi; i++ }
    :: else -> break
    od;
#else
    n = live1;
#endif
    i = 0;
    atomic {
#ifdef MUTATE_NO_SECOND_READING
      seen = (n == live1);
#else
      seen = (n == live1 && SAME_WORD);
#endif
      n = 0
    }
  :: else
  fi;
  atomic { epoch1 = 0; live1 = 0; parked1 = 0 }
}

inline check_that_all_are_stuck() {
  atomic {
    i = 0;
    do
    :: i < RANKS ->
      assert(gone[i] || (mem[PARKING(i)] == PARKED && !READY(i)) || failed);
      i++
    :: else -> break
    od;
    i = 0
  }
}

inline read_reasons() {
  i = 0;
  do
  :: i < RANKS ->
    if
    :: mem[PARKING(i)] == PARKED -> assert(reason[i] && frame[i]); i++
    :: mem[PARKING(i)] != PARKED -> i++
    fi
  :: else -> i = 0; break
  od
}

inline lock() { atomic { !failing -> failing = true } }
inline unlock() { failing = false }

inline fail() {
  lock();
  if
  :: !failed -> failed = true; ending = true; wakes_all = true
  :: failed
  fi;
  unlock();
  if
  :: wakes_all ->
    k = 0;
    do
    :: k < RANKS -> notify(k); k++
    :: else -> k = 0; wakes_all = false; break
    od
  :: !wakes_all
  fi
}

inline look_for_deadlock() {
  if
  :: atomic { live > 0 && live == parked -> seen = true }
  :: atomic { live == 0 || live != parked -> seen = false }
  fi;
  if
  :: seen ->
    seen = false;
#ifndef MUTATE_UNLOCKED_REPORT
    lock();
#endif
    if
    :: !failed -> see_all_parked(0)
    :: failed
    fi;
    if
    :: seen -> check_that_all_are_stuck(); read_reasons()
    :: !seen
    fi;
#ifndef MUTATE_UNLOCKED_REPORT
    unlock();
#endif
    if
    :: seen -> seen = false; fail()
    :: !seen
    fi
  :: !seen
  fi
}

/* ---- park() ---- */

inline compare_and_set_parked() {
#ifdef MUTATE_BLIND_COMMIT
  atomic { BUFFER_IS_EMPTY -> committed = true; mem[PARKING(me)] = PARKED }
#else
  atomic {
    BUFFER_IS_EMPTY ->
    if
    :: mem[PARKING(me)] == ANNOUNCED -> committed = true; mem[PARKING(me)] = PARKED
    :: else -> committed = false
    fi
  }
#endif
}

inline sleep() {
  do
  :: mem[PARKING(me)] != PARKED -> break
  :: mem[PARKING(me)] == PARKED ->
    if  /* FUTEX_WAIT compares and goes to sleep in one step */
    :: atomic { mem[PARKING(me)] == PARKED -> asleep[me] = true }
      !asleep[me]
    :: mem[PARKING(me)] != PARKED
    fi
  od
}

/* After it is counted; or it sees a task (task_sleeper.pml), and turns back. */
inline sleep_if_not_woken() {
#ifdef MUTATE_NO_SNAPSHOT_FENCE
  see_all_parked(1);
  compare_and_set_parked();
  if
  :: committed && seen -> fail()
  :: else
  fi;
  seen = false;
#else
  compare_and_set_parked();
#endif
#ifdef MUTATE_COUNT_AFTER_STATE
  count_parked();
#endif
  if
  :: committed ->
#ifndef MUTATE_NO_SNAPSHOT_FENCE
    look_for_deadlock();
#endif
    sleep()
  :: !committed -> uncount_parked()
  fi;
  committed = false
}

inline commit_to_park() {
#ifndef MUTATE_COUNT_AFTER_STATE
  count_parked();
  if
  :: atomic { turns_left > 0 -> turns_left-- };
    uncount_parked();
    store(PARKING(me), RUNNING)
  :: sleep_if_not_woken()
  fi
#else
  sleep_if_not_woken()
#endif
}

inline park() {
  reason[me] = true;
  store(PARKING(me), ANNOUNCED);
  heavy_fence();
  if
#ifndef MUTATE_NO_LAST_LOOK
  :: READY(me) || ending -> store(PARKING(me), RUNNING)
  :: !READY(me) && !ending -> commit_to_park()
#else
  :: commit_to_park()
#endif
  fi;
  reason[me] = false
}

/* ---- the ranks ---- */

#define RETURN 0
#define SEND 1
#define RECEIVE 2

#include "park_programs.inc"

proctype rank(byte me) {
  byte sends, receives, step, action, peer;
  byte before, i, k, n;
  byte epoch1, live1, parked1;
  bool seen, committed, wakes_all;

  do
  :: next_action();
    if
    :: action == RETURN -> break
    :: action == SEND ->  /* publish and notify */
#ifdef MUTATE_NO_COMPILER_FENCE
      n = mem[PARKING(peer)];
      store(PUBLISHED(me, peer), step);
      if
      :: n != RUNNING -> wake(peer)
      :: else
      fi;
      n = 0
#else
      store(PUBLISHED(me, peer), step);
      notify(peer)
#endif
    :: action == RECEIVE ->  /* wait_until() */
      atomic { waits_for[me] = peer; frame[me] = true }
      do
      :: READY(me) -> atomic { taken[me * RANKS + peer] = mem[PUBLISHED(peer, me)]; frame[me] = false } break
      :: !READY(me) && !ending -> park()
      :: !READY(me) && ending ->  /* leave(): a barrier of the live ranks, then unwind */
        atomic { BUFFER_IS_EMPTY -> touching-- }
        atomic { touching == 0 -> frame[me] = false }
        goto returned
      od
    fi
  od;

  atomic { BUFFER_IS_EMPTY -> touching-- }  /* rank_returned() */
returned:
  atomic { BUFFER_IS_EMPTY -> epoch++; live--; gone[me] = true }
  look_for_deadlock()
}

init {
  byte r;
  atomic {
    do
    :: r < RANKS -> run rank(r); run store_buffer(r); r++
    :: else -> r = 0; break
    od
  }
  timeout;
  do
  :: r < RANKS -> assert(gone[r] && !asleep[r]); r++
  :: else -> break
  od;
  assert(live == 0 && parked == 0 && !failing)
}
