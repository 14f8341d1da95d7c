/* The locks of stripes: window/stripe.hpp, with their use in window/operations.cpp and the wait (runtime/wait.hpp; what
 * sleeping is comes from park.pml).
 *
 * RANKS ranks lock and unlock one stripe ROUNDS times. One that finds it locked tries again, or sleeps, at any time. A step
 * is one access to the stripe, or to a parking word.
 *
 * Checked:
 *   exclusion   one holder at a time;
 *   no lost wake-up: nobody sleeps when it is free and all others have ended (no invalid end state).
 *
 * Memory model: sequential consistency. The state carries what holders have stored: acquire at the lock, release at the
 * unlock.
 *
 * models: src/window/stripe.hpp: try_lock, try_lock_or_sleep, unlock
 * models: src/window/operations.cpp: with_stripe
 * models: src/window/window.cpp: wait_for
 * must hold:
 * must hold: -DRANKS=4 -DROUNDS=1
 * must fail: -DMUTATE_LOCK_BLINDLY        who has found it free stores, and does not compare
 * must fail: -DMUTATE_SLEEP_SILENTLY      who sleeps does not say so
 * must fail: -DMUTATE_UNLOCK_SILENTLY     the unlock wakes nobody
 * must fail: -DMUTATE_UNLOCK_BLINDLY      it looks whether somebody sleeps, and frees it then
 */

#ifndef RANKS
#define RANKS 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

#define FREE 0
#define HELD 1
#define WANTED 2
byte state;

#define RUNNING 0
#define ANNOUNCED 1
#define PARKED 2
byte parking[RANKS];

byte holders;                      /* ghost */

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

inline try_lock() {
#ifndef MUTATE_LOCK_BLINDLY
  atomic { if :: state == FREE -> state = HELD; locked = true :: else fi }
#else
  seen = state;
  if :: seen == FREE -> state = HELD; locked = true :: else fi;
  seen = 0
#endif
}

proctype rank(byte me) {
  byte round, seen, i;
  bool locked;

  do
  :: round == ROUNDS -> break
  :: else ->
    do
    :: locked -> break
    :: !locked -> try_lock()
    :: !locked ->
      parking[me] = ANNOUNCED;
#ifndef MUTATE_SLEEP_SILENTLY
      atomic { locked = (state == FREE); state = WANTED }  /* try_lock_or_sleep() */
#else
      try_lock();
#endif
      if
      :: locked -> parking[me] = RUNNING
      :: else ->
        atomic { if :: parking[me] == ANNOUNCED -> parking[me] = PARKED :: else fi }
        parking[me] == RUNNING
      fi
    od;
    atomic { holders++; assert(holders == 1) }
    holders--;
#ifndef MUTATE_UNLOCK_BLINDLY
    atomic { seen = state; state = FREE }
#else
    seen = state;
    state = FREE;
#endif
#ifndef MUTATE_UNLOCK_SILENTLY
    if :: seen == WANTED -> wake_all() :: else fi;
#endif
    d_step { seen = 0; locked = false; round++ }
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
