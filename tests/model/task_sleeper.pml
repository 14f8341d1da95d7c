/* A task that is opened while ranks go to sleep: src/task/task_service.cpp, runtime/waiter.cpp, parked_count.hpp, for one
 * owner of GENERATIONS tasks of one chunk, and THIEVES ranks that wait for something else, and sleep.
 *
 * It is between park.pml, which knows no tasks, and task_slot.pml, whose thieves never sleep. The owner opens its slot,
 * tells the hint, and reads the parked count; if anybody is counted, it wakes the first rank that has announced that it
 * parks. Its own part of the task takes as long as it likes: others have to do the chunk. A thief forgets the hint at
 * random, and parks at random. It rests at random (task/help_budget.hpp): then it takes nothing, nobody wakes it for a
 * task, and time ends its rest, and its sleep, if that began while it rested. Notifications of what they wait for are
 * park.pml's.
 *
 * Checked: no task is overlooked for ever (no invalid end state: the owner ends); the parked count is right.
 *
 * Memory model: sequential consistency. The announcement is ordered by the heavy fence; of the others MUTATE_READ_FIRST
 * and MUTATE_LOOK_FIRST exchange what weaker orders would allow.
 *
 * models: src/task/task_service.cpp: execute, wake_a_sleeper, sees_work_of_others, steal
 * models: src/task/task_slot.hpp: open, still_has_chunks
 * models: src/runtime/waiter.hpp: waiter::park, parks
 * models: src/runtime/waiter.cpp: commit_to_park, retract_park, sleep_until, wake
 * models: src/task/help_budget.hpp: rests, rests_until_ns
 * models: src/runtime/parked_count.hpp: has_parked, change
 * must hold:
 * must hold: -DTHIEVES=1 -DGENERATIONS=3
 * must hold: -DTHIEVES=3 -DGENERATIONS=1
 * must fail: -DMUTATE_NO_LOOK      a thief that is counted does not look at the slots (as it was until 2026-11-29)
 * must fail: -DMUTATE_LOOK_FIRST   it looks before it is counted for all
 * must fail: -DMUTATE_READ_FIRST   the owner reads the count before its slot is there for all
 * must fail: -DMUTATE_PARKED_ONLY  it wakes only those that sleep, and one that has looked is about to
 * must fail: -DMUTATE_KEEP_COUNT   a thief that turns back stays counted
 * must fail: -DMUTATE_NO_LIMIT     the sleep of one that rests does not end by itself
 * must fail: -DMUTATE_ASK_LATE     it asks how long it rests after it has left the slots alone because it rests
 */

#ifndef THIEVES
#define THIEVES 2
#endif
#ifndef GENERATIONS
#define GENERATIONS 2
#endif

#define RUNNING 0
#define ANNOUNCED 1
#define PARKED 2

bool chunk;                        /* the slot has one that nobody has claimed */
bool hint;
byte parked;
byte parking[THIEVES];
bool asleep[THIEVES];              /* in the kernel */
bool rests[THIEVES];               /* as anybody who reads the clock sees it */

inline tell() {
  if
  :: !hint -> hint = true
  :: hint
  fi
}

/* ---- the owner ---- */

#ifdef MUTATE_PARKED_ONLY
#define IS_TO_BE_WOKEN(t) (parking[t] == PARKED && !rests[t])
#else
#define IS_TO_BE_WOKEN(t) (parking[t] != RUNNING && !rests[t])
#endif

inline wake(t) {
  atomic { before = parking[t]; parking[t] = RUNNING }
  if
  :: before == PARKED ->
    atomic { assert(parked > 0); parked-- }
    asleep[t] = false
  :: else
  fi;
  before = 0
}

inline wake_a_sleeper() {
  t = 0;
  do
  :: t < THIEVES ->
    if
    :: IS_TO_BE_WOKEN(t) -> wake(t); break
    :: else -> t++
    fi
  :: else -> break
  od;
  t = 0
}

proctype owner() {
  byte generation, t, before;
  bool seen;

  do
  :: generation < GENERATIONS ->
    generation++;
#ifdef MUTATE_READ_FIRST
    seen = parked > 0;
#endif
    chunk = true;                  /* open() */
    tell();
#ifndef MUTATE_READ_FIRST
    seen = parked > 0;
#endif
    if
    :: seen -> wake_a_sleeper()
    :: else
    fi;
    seen = false;
    !chunk                         /* others do it */
  :: else -> break
  od
}

/* ---- thieves ---- */

inline take() {
  atomic {
    if
    :: chunk -> chunk = false
    :: else
    fi
  }
}

inline sleep() {
  do
  :: parking[me] != PARKED -> break
  :: atomic { parking[me] == PARKED -> asleep[me] = true }
    if
    :: limited -> atomic { !rests[me] || !asleep[me] -> asleep[me] = false }
      wake(me)                     /* itself, or somebody has done it */
    :: else ->
end_asleep:
      !asleep[me]
    fi
  od
}

inline turn_back() {
#ifndef MUTATE_KEEP_COUNT
  atomic { assert(parked > 0); parked-- }
#endif
  parking[me] = RUNNING
}

inline ask() {
#ifndef MUTATE_NO_LIMIT
  limited = rests[me]
#else
  skip
#endif
}

inline commit_to_park() {
#ifdef MUTATE_LOOK_FIRST
  sees = chunk;
#endif
#ifndef MUTATE_ASK_LATE
  ask();
#endif
  atomic { parked++; assert(parked <= THIEVES + 1) }  /* of the ranks that live: who wakes one un-counts it after */
#ifndef MUTATE_NO_LOOK
#ifndef MUTATE_LOOK_FIRST
#ifdef MUTATE_ASK_LATE
  sees = chunk && !rests[me];
#else
  sees = chunk && !limited;
#endif
#endif
#endif
#ifdef MUTATE_ASK_LATE
  ask();
#endif
  if
  :: sees -> sees = false; turn_back()
  :: else ->
    atomic {
      if
      :: parking[me] == ANNOUNCED -> parking[me] = PARKED; committed = true
      :: else
      fi
    }
    if
    :: committed -> committed = false; sleep(); limited = false
    :: else -> atomic { assert(parked > 0); parked-- }
    fi
  fi
}

proctype thief(byte me) {
  bool sees, committed, limited;
  byte before;

end:
  do
  :: rests[me] = true             /* after a loss */
  :: hint && !rests[me] -> take()
  :: hint ->                       /* after looks in vain */
    hint = false;
    if
    :: chunk -> tell()
    :: else
    fi
  :: parking[me] = ANNOUNCED;
    if
    :: hint && chunk && !rests[me] -> take(); parking[me] = RUNNING  /* the last look */
    :: else -> commit_to_park()
    fi
  od
}

/* Ends each rest some time. */
active proctype clock() {
end:
  do
  :: atomic { rests[0] -> rests[0] = false }
#if THIEVES > 1
  :: atomic { rests[1] -> rests[1] = false }
#endif
#if THIEVES > 2
  :: atomic { rests[2] -> rests[2] = false }
#endif
  od
}

init {
  byte p;
  atomic {
    run owner();
    do
    :: p < THIEVES -> run thief(p); p++
    :: else -> p = 0; break
    od
  }
}
