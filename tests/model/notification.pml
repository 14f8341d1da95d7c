/* A counter of notifications: window/notification.hpp, with its use in window/window.cpp and the wait (runtime/wait.hpp;
 * what sleeping is comes from park.pml).
 *
 * NOTIFIERS ranks add ADDS notifications each; the owner takes all of them, one or two at a time, and tries again, or
 * sleeps, at any time. A step is one access to the word, or to the parking word.
 *
 * Checked:
 *   count       no notification is lost or taken twice; the owner never has taken more than have been added;
 *   no lost wake-up: the owner does not sleep for ever (no invalid end state).
 *
 * Memory model: sequential consistency. The word carries what notifiers have stored: release at add(), acquire at
 * try_take().
 *
 * models: src/window/notification.hpp: add, try_take, try_take_or_sleep
 * models: src/window/window.cpp: notify, wait_notified
 * must hold:
 * must hold: -DNOTIFIERS=3 -DADDS=2
 * must fail: -DMUTATE_SLEEP_BLINDLY       the owner says that it sleeps in a word that may have enough by now
 * must fail: -DMUTATE_ADD_SILENTLY        who adds does not look whether the owner sleeps
 * must fail: -DMUTATE_WAKE_FIRST          it wakes the owner first, and adds then
 * must fail: -DMUTATE_ADD_BLINDLY         it loads, and then stores
 */

#ifndef NOTIFIERS
#define NOTIFIERS 2
#endif
#ifndef ADDS
#define ADDS 3
#endif

byte count;                        /* the word: its number, and its bit */
bool sleeps;

#define RUNNING 0
#define ANNOUNCED 1
#define PARKED 2
byte parking;

byte taken;                        /* the owner's own */
byte added;                        /* ghost */

inline clear_and_wake() {
  atomic { was = sleeps; sleeps = false }
  if :: was -> parking = RUNNING; was = false :: else fi
}

proctype notifier() {
  byte i, seen;
  bool was;

  do
  :: i == ADDS -> break
  :: else ->
#if defined(MUTATE_WAKE_FIRST)
    clear_and_wake();
    atomic { count++; added++ }
#elif defined(MUTATE_ADD_BLINDLY)
    seen = count;
    atomic { count = seen + 1; added++; was = sleeps; seen = 0 }
    if :: was -> was = false; clear_and_wake() :: else fi;
#else
    atomic { count++; added++; was = sleeps }
#ifndef MUTATE_ADD_SILENTLY
    if :: was -> was = false; clear_and_wake() :: else fi;
#else
    was = false;
#endif
#endif
    i++
  od
}

/* try_take(): how many have been taken only the owner knows; the word only grows. */
inline try_take() {
  seen = count;
  if
  :: seen - taken >= wanted -> atomic { taken = taken + wanted; assert(taken <= added); has_taken = true }
  :: else
  fi;
  seen = 0
}

proctype owner() {
  byte wanted, seen;
  bool has_taken;

  do
  :: taken == NOTIFIERS * ADDS -> break
  :: else ->
    if
    :: wanted = 1
    :: taken + 2 <= NOTIFIERS * ADDS -> wanted = 2
    fi;
    do
    :: has_taken -> break
    :: !has_taken -> try_take()
    :: !has_taken ->
      parking = ANNOUNCED;
      try_take();  /* try_take_or_sleep() */
      if
      :: has_taken -> parking = RUNNING
      :: else ->
#ifndef MUTATE_SLEEP_BLINDLY
        atomic { if :: count - taken >= wanted -> skip :: else -> sleeps = true fi }
#else
        sleeps = true;
#endif
        if
        :: sleeps || parking == RUNNING ->
          atomic { if :: parking == ANNOUNCED -> parking = PARKED :: else fi }
          parking == RUNNING
        :: else -> parking = RUNNING  /* there is enough: try_take() */
        fi
      fi
    od;
    has_taken = false;
    wanted = 0
  od;
  assert(count == taken)
}

init {
  atomic {
    byte i = 0;
    run owner();
    do
    :: i < NOTIFIERS -> run notifier(); i++
    :: else -> break
    od
  }
}
