/* The locks of stripes: window/stripe.hpp, with their use in window/operations.cpp and the wait (runtime/wait.hpp; what
 * sleeping is comes from park.pml), and in window/element_operations.hpp, where a thread that cannot wait tries, leaves
 * word that it sleeps, and tries again when it is woken.
 *
 * RANKS ranks lock and unlock ROUNDS times: the first ACROSS of them both of two stripes, as for an element that goes
 * across the end of one, beginning with either; the others one. One that finds a stripe locked has none; it tries again,
 * or sleeps, at any time. A step is one access to a stripe, or to a parking word.
 *
 * Checked:
 *   exclusion   one holder of a stripe at a time;
 *   no lost wake-up: nobody sleeps when all is free and all others have ended (no invalid end state); nor does anybody
 *   wait for a stripe whose holder waits for the other one.
 *
 * Memory model: sequential consistency. The state carries what holders have stored: acquire at the lock, release at the
 * unlock.
 *
 * models: src/window/stripe.hpp: try_lock, try_lock_or_sleep, unlock, try_lock_last
 * models: src/window/operations.cpp: with_stripe, with_both
 * models: src/window/element_operations.hpp: with_stripe, with_both
 * models: src/window/window.cpp: wait_for
 * must hold:
 * must hold: -DRANKS=4 -DROUNDS=1 -DACROSS=0
 * must hold: -DRANKS=2
 * must fail: -DMUTATE_LOCK_BLINDLY        who has found it free stores, and does not compare
 * must fail: -DMUTATE_SLEEP_SILENTLY      who sleeps does not say so
 * must fail: -DMUTATE_UNLOCK_SILENTLY     the unlock wakes nobody
 * must fail: -DMUTATE_UNLOCK_BLINDLY      it looks whether somebody sleeps, and frees it then
 * must fail: -DMUTATE_KEEP_FIRST          who has one of two waits for the other one
 * must fail: -DMUTATE_GIVE_BACK_SILENTLY  who gives the first one back wakes nobody
 */

#ifndef RANKS
#define RANKS 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef ACROSS
#define ACROSS 2
#endif

#define FREE 0
#define HELD 1
#define WANTED 2
byte state[2];

#define RUNNING 0
#define ANNOUNCED 1
#define PARKED 2
byte parking[RANKS];

byte holders[2];                   /* ghost */

inline wake_all() {
  d_step {
    i = 0;
    do
    :: i < RANKS -> parking[i] = RUNNING; i++
    :: else -> break
    od;
    i = 0
  }
}

inline try_lock(which, got) {
#ifndef MUTATE_LOCK_BLINDLY
  atomic { if :: state[which] == FREE -> state[which] = HELD; got = true :: else -> got = false fi }
#else
  seen = state[which];
  if :: seen == FREE -> state[which] = HELD; got = true :: else -> got = false fi;
  seen = 0
#endif
}

inline unlock(which) {
#ifndef MUTATE_UNLOCK_BLINDLY
  atomic { seen = state[which]; state[which] = FREE }
#else
  seen = state[which];
  state[which] = FREE
#endif
}

inline wake_if_wanted() {
#ifndef MUTATE_UNLOCK_SILENTLY
  if :: seen == WANTED -> wake_all() :: else fi;
#endif
  seen = 0
}

/* The first one is this rank's, and was not before. */
inline try_lock_last() {
  if
  :: me >= ACROSS -> locked = true
  :: else ->
    try_lock(1 - first, locked);
    if
    :: locked
    :: else ->
#ifndef MUTATE_KEEP_FIRST
      unlock(first);
#ifndef MUTATE_GIVE_BACK_SILENTLY
      wake_if_wanted();
#endif
#else
      has_first = true;
#endif
      d_step { seen = 0; first = 1 - first }
    fi
  fi
}

proctype rank(byte me) {
  byte round, seen, i, first;
  bool locked, has_first;

  do
  :: round == ROUNDS -> break
  :: else ->
    if :: first = 0 :: first = 1 fi;
    do
    :: locked -> break
    :: !locked ->
      try_lock(first, locked);
      if
      :: locked && !has_first -> locked = false; try_lock_last()
      :: else
      fi
    :: !locked ->
      parking[me] = ANNOUNCED;
#ifndef MUTATE_SLEEP_SILENTLY
      atomic { locked = (state[first] == FREE); state[first] = WANTED }  /* try_lock_or_sleep() */
#else
      try_lock(first, locked);
#endif
      if
      :: locked && !has_first -> locked = false; try_lock_last()
      :: else
      fi;
      if
      :: locked -> parking[me] = RUNNING
      :: else ->
        atomic { if :: parking[me] == ANNOUNCED -> parking[me] = PARKED :: else fi }
        parking[me] == RUNNING
      fi
    od;
    atomic {
      holders[first]++;
      assert(holders[first] == 1);
      if :: me < ACROSS -> holders[1 - first]++; assert(holders[1 - first] == 1) :: else fi
    }
    atomic {
      holders[first]--;
      if :: me < ACROSS -> holders[1 - first]-- :: else fi
    }
    unlock(first);
    wake_if_wanted();
    if
    :: me < ACROSS -> unlock(1 - first); wake_if_wanted()
    :: else
    fi;
    d_step { locked = false; has_first = false; round++ }
  od
}

init {
  atomic {
    byte i = 0;
    do
    :: i < RANKS -> run rank(i); i++
    :: else -> break
    od
  }
}
