/* The lock of a target of a window: window/window_lock.hpp, with its use in window/window_locks.cpp and the wait (runtime/
 * wait.hpp; what sleeping is comes from park.pml).
 *
 * RANKS ranks lock and unlock ROUNDS times, each time exclusively or not. One that finds the lock held tries again, or
 * sleeps, at any time. A step is one access to the word, or to a parking word.
 *
 * Checked:
 *   exclusion   who holds it exclusively is alone;
 *   promise     it is given to one rank at a time, and nobody sleeps without it who waits for ranks that share the lock
 *               (others would come to share it for ever);
 *   no lost wake-up: nobody sleeps when the lock is free and all others have ended (no invalid end state).
 *
 * Memory model: sequential consistency. The word carries the holders' data: acquire at the lock, release at the unlock.
 *
 * models: src/window/window_lock.hpp: try_lock, try_lock_or_sleep, unlock, is_free_for, with
 * models: src/window/window_locks.cpp: wait_for_lock, note_locked, unlock_at
 * must hold:
 * must hold: -DRANKS=2 -DROUNDS=3
 * must fail: -DMUTATE_READERS_ENTER       a shared lock is taken beside an exclusive one
 * must fail: -DMUTATE_LOCK_BLINDLY        who has found it free stores, and does not compare
 * must fail: -DMUTATE_SLEEP_BLINDLY       who sleeps says so in a word that may have become free
 * must fail: -DMUTATE_SLEEP_UNPROMISED    who sleeps for ranks that share it does not take the promise
 * must fail: -DMUTATE_UNLOCK_SILENTLY     the end of an exclusive lock forgets the sleepers
 * must fail: -DMUTATE_LEAVE_SILENTLY      that of the last shared one does
 * must fail: -DMUTATE_KEEP_SILENT         who takes the promised lock forgets them
 * must fail: -DMUTATE_PROMISE_BLINDLY     the promise is given without a look whether another has it
 */

#ifndef RANKS
#define RANKS 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

#define READERS 7                  /* the word's bits */
#define EXCLUSIVE 8
#define PROMISED 16
#define SLEEPS 32
byte word;

#define RUNNING 0
#define ANNOUNCED 1
#define PARKED 2
byte parking[RANKS];

byte writers, readers, promises;   /* ghosts */

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

#ifndef MUTATE_READERS_ENTER
#define HELD(w) (exclusive -> ((w) & (EXCLUSIVE | READERS)) : ((w) & EXCLUSIVE))
#else
#define HELD(w) (exclusive -> ((w) & (EXCLUSIVE | READERS)) : 0)
#endif
#define IS_FREE(w) (HELD(w) == 0 && (((w) & PROMISED) == 0 || promised))
#define LOCKED(w) (exclusive -> ((w) | EXCLUSIVE) : ((w) + 1))
#define WITH(w) (promised -> (LOCKED(w) & (255 - PROMISED - SLEEPS)) : LOCKED(w))

inline enter() {
  assert(writers == 0 && (!exclusive || readers == 0));
  if :: exclusive -> writers++ :: else -> readers++ fi;
  if :: promised -> promises-- :: else fi
}

/* try_lock(): `locked`, and `wakes` if the caller has to wake all. */
inline try_lock() {
  seen = word;
  do
  :: IS_FREE(seen) ->
    atomic {
#ifndef MUTATE_LOCK_BLINDLY
      if
      :: word == seen ->
#else
      if
      :: true ->
#endif
        word = WITH(seen);
        wakes = (promised && (seen & SLEEPS) != 0);
        locked = true;
        enter();
        break
      :: else -> seen = word
      fi
    }
  :: else ->
    if
    :: tries == 0 -> tries = 1
#ifndef MUTATE_PROMISE_BLINDLY
    :: tries > 0 && !promised && (seen & PROMISED) == 0 ->
#else
    :: tries > 0 && !promised ->
#endif
      atomic {
        if
        :: word == seen -> word = word | PROMISED; promised = true; promises++; assert(promises <= 1)
        :: else
        fi
      }
    :: else
    fi;
    break
  od;
  seen = 0
}

#ifndef MUTATE_SLEEP_UNPROMISED
#define TAKES_PROMISE(w) (exclusive && ((w) & READERS) != 0 && ((w) & PROMISED) == 0)
#else
#define TAKES_PROMISE(w) (false)
#endif
#define ASLEEP(w) ((w) | SLEEPS | (TAKES_PROMISE(w) -> PROMISED : 0))
#define ASLEEP_BY(w) ((w) | SLEEPS | (promised -> PROMISED : 0))
#define SLEEPS_RIGHTLY assert(!exclusive || (word & READERS) == 0 || (word & PROMISED) != 0)

/* try_lock_or_sleep(), and the sleep */
inline sleep() {
  parking[me] = ANNOUNCED;
  do
  :: true ->
    try_lock();
    if
    :: locked -> parking[me] = RUNNING; break
    :: else
    fi;
    seen = word;
#ifndef MUTATE_SLEEP_BLINDLY
    if
    :: IS_FREE(seen) -> seen = 0
    :: !IS_FREE(seen) && ASLEEP(seen) == seen -> seen = 0; break
    :: else ->
      atomic {
        if
        :: word == seen ->
          if :: TAKES_PROMISE(seen) -> promised = true; promises++; assert(promises <= 1) :: else fi;
          word = ASLEEP_BY(seen);
          seen = 0;
          SLEEPS_RIGHTLY;
          break
        :: else -> seen = 0
        fi
      }
    fi
#else
    if
    :: IS_FREE(seen) -> seen = 0
    :: else -> atomic { word = word | SLEEPS; seen = 0; break }
    fi
#endif
  od;
  if
  :: locked
  :: else ->
    atomic { if :: parking[me] == ANNOUNCED -> parking[me] = PARKED :: else fi }
    parking[me] == RUNNING
  fi
}

inline unlock() {
  if
  :: exclusive ->
    atomic {
      writers--;
#ifndef MUTATE_UNLOCK_SILENTLY
      wakes = ((word & SLEEPS) != 0);
#endif
      word = word & (255 - EXCLUSIVE - SLEEPS)
    }
  :: else ->
    atomic { readers--; seen = word; word = word - 1 }
    if
    :: (seen & READERS) == 1 && (seen & SLEEPS) != 0 ->
      atomic {
#ifndef MUTATE_LEAVE_SILENTLY
        wakes = ((word & SLEEPS) != 0);
#endif
        word = word & (255 - SLEEPS)
      }
    :: else
    fi;
    seen = 0
  fi;
  if :: wakes -> wakes = false; wake_all() :: else fi
}

proctype rank(byte me) {
  byte round, seen, tries, i;
  bool exclusive, promised, locked, wakes;

  do
  :: round == ROUNDS -> break
  :: else ->
    if :: exclusive = true :: exclusive = false fi;
    do
    :: locked -> break
    :: !locked -> try_lock()
    :: !locked -> sleep()
    od;
#ifndef MUTATE_KEEP_SILENT
    if :: wakes -> wakes = false; wake_all() :: else fi;
#else
    wakes = false;
#endif
    unlock();
    d_step { locked = false; promised = false; tries = 0; round++ }
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
