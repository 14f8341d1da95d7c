/* The rendezvous of src/transport/rendezvous.{hpp,cpp}: one sender, one receiver, MESSAGES messages one after the other
 * through the same rendezvous, the same buffer and the same target, each of 1 to PIECES pieces, copied by the receiver
 * alone or by both ends, either of them from the front and the other from the back.
 *
 * Checked:
 *   copies     every piece is copied exactly once, and the receiver has the whole message when take() returns;
 *   the buffer is read only while it holds this message: the sender refills it as soon as it has seen `taken`;
 *   lifetimes  nobody touches the rendezvous after the sender has seen `taken`, nor the target and the flag
 *              sender_is_done after take() has returned;
 *   the end    both ends come to it (no invalid end state).
 *
 * With THIRD also a rank that is neither end, in a task of the receiver: rendezvous_third.inc.
 *
 * Memory model: the stores of each side go through a buffer of DEPTH from which they arrive in any order, except that
 * stores to one location keep their order and a release store stays behind everything before it, and only that. What is
 * not atomic (buffer, target, the fields data_ and copy_) is torn from the moment its writing begins until it arrives.
 * The relaxed fetch_add acts on memory at once, overtaking older stores. Loads are in order: the code's are acquire, or
 * follow from one. Not modelled: parking (park.pml); the count of claims past the last piece, which is cut off.
 *
 * models: src/transport/rendezvous.hpp: open, help, help_and_test, finished, claim
 * models: src/transport/rendezvous.cpp: copy_piece, copy_pieces, copy_own_end, take, take_alone, share, take_shared
 * models: src/transport/rendezvous.cpp: copy_own_pieces, give_back
 * must hold: -DMESSAGES=2 -DPIECES=3
 * must hold: -DMESSAGES=3 -DPIECES=4
 * must hold: -DMESSAGES=2 -DPIECES=3 -DTHIRD
 * must fail: -DMUTATE_SAME_END           both ends copy from the front
 * must fail: -DMUTATE_GIVE_BACK_FIRST    the receiver says `taken` before it copies its pieces
 * must fail: -DMUTATE_NO_WAIT            take() returns without the sender's report
 * must fail: -DMUTATE_ALWAYS_REPORT      the sender reports even if it has copied nothing
 * must fail: -DMUTATE_REPORT_EARLY       the sender reports when it has claimed a piece, before it has copied it
 * must fail: -DMUTATE_TOUCH_AFTERWARDS   the receiver reads copy_ after `taken`
 * must fail: -DMUTATE_RELAXED_OFFER      the record overtakes the rendezvous
 * must fail: -DMUTATE_RELAXED_SHARE      `shared` overtakes copy_ and the count of claims
 * must fail: -DMUTATE_RELAXED_REPORT     the report overtakes the sender's pieces
 * must fail: -DTHIRD -DMUTATE_OWN_COUNT          the third counts its pieces by itself
 * must fail: -DTHIRD -DMUTATE_NO_END_OF_TASK     the receiver does not wait for the third
 * must fail: -DTHIRD -DMUTATE_THIRD_IS_NOT_MINE  the receiver takes the third's pieces for the sender's
 */

#ifndef MESSAGES
#define MESSAGES 2
#endif
#ifndef PIECES
#define PIECES 2
#endif
#ifndef DEPTH
#define DEPTH 4
#endif

#define SENDER 0
#define RECEIVER 1

#define OFFERED 0                  /* states */
#define SHARED 1
#define TAKEN 2

/* Locations: the atomics, then what is not. */
#define STATE 0
#define CLAIMED 1
#define DONE 2                     /* sender_is_done, on the receiver's stack */
#define RECORD 3                   /* the ring: how many records are published */
#define FIRST_PLAIN 4
#define DATA 4                     /* data_, bytes_, sender_: the message that they are for */
#define COPY 5                     /* copy_: likewise */
#define BUFFER(i) (6 + (i))        /* pieces of the sender's buffer */
#define TARGET(i) (6 + PIECES + (i))
#define LOCATIONS (6 + 2 * PIECES)

#define TORN 255

byte mem[LOCATIONS];
byte buffered[2];
byte where[2 * DEPTH];
byte what[2 * DEPTH];
bool is_release[2 * DEPTH];

byte pieces;                       /* of the present message */
bool receiver_from_front;          /* its number is the lower one */
byte copies[PIECES];               /* ghost: how often each piece of it has been copied */
bool rendezvous_lives;             /* ghosts */
bool target_lives;                 /* and sender_is_done */

byte at_end;                       /* how many pieces of the receiver's end are claimed */
bool task_is_open, third_inside, third_was_inside;

/* ---- memory ---- */

inline check_lifetime(location) {
  assert(rendezvous_lives || !(location == STATE || location == CLAIMED || location == COPY || location == DATA));
  assert(target_lives || !(location == DONE || location >= TARGET(0)))
}

inline store(location, value, release) {
  atomic {
    buffered[me] < DEPTH ->
    check_lifetime(location);
    where[me * DEPTH + buffered[me]] = location;
    what[me * DEPTH + buffered[me]] = value;
    is_release[me * DEPTH + buffered[me]] = release;
    buffered[me]++;
    if
    :: location >= FIRST_PLAIN -> mem[location] = TORN
    :: else
    fi
  }
}

#define AT(array, i) array[me * DEPTH + (i)]
#define APART(i, j) (AT(where, i) != AT(where, j))
#define MAY_0 (buffered[me] > 0)
#define MAY_1 (buffered[me] > 1 && !AT(is_release, 1) && APART(1, 0))
#define MAY_2 (buffered[me] > 2 && !AT(is_release, 2) && APART(2, 0) && APART(2, 1))
#define MAY_3 (buffered[me] > 3 && !AT(is_release, 3) && APART(3, 0) && APART(3, 1) && APART(3, 2))

proctype store_buffer(byte me) {
  byte i;
end:
  do
  :: atomic {
      if
      :: MAY_0 -> i = 0
      :: MAY_1 -> i = 1
      :: MAY_2 -> i = 2
      :: MAY_3 -> i = 3
      fi;
      check_lifetime(AT(where, i));
      mem[AT(where, i)] = AT(what, i);
      buffered[me]--;
      do
      :: i < buffered[me] ->
        AT(where, i) = AT(where, i + 1);
        AT(what, i) = AT(what, i + 1);
        AT(is_release, i) = AT(is_release, i + 1);
        i++
      :: else -> break
      od;
      AT(where, i) = 0; AT(what, i) = 0; AT(is_release, i) = false;
      i = 0
    }
  od
}

/* A load of what this side has not stored, or whose store has arrived long ago. */
inline check_plain(location, expected) {
  atomic { check_lifetime(location); assert(mem[location] == expected) }
}

/* A side sees its own stores; memory shows what it sees once they have arrived. */
#define MINE_AT(i, location) (buffered[me] > i && AT(where, i) == location)
#define HAS_ARRIVED(location) \
  (!MINE_AT(0, location) && !MINE_AT(1, location) && !MINE_AT(2, location) && !MINE_AT(3, location))

inline claim(number) {
  atomic {
    HAS_ARRIVED(CLAIMED) ->
    check_lifetime(CLAIMED);
    number = mem[CLAIMED];
    if
    :: mem[CLAIMED] < PIECES + 1 -> mem[CLAIMED] = mem[CLAIMED] + 1
    :: else
    fi
  }
}

inline copy_piece(piece) {
  check_plain(BUFFER(piece), message);
  atomic { store(TARGET(piece), message, false); copies[piece]++ }
}

/* The next piece of a side that has copied `mine` of them. */
inline copy_next(from_front) {
  check_plain(DATA, message);
  atomic {
    if
    :: from_front -> at = mine
    :: else -> at = pieces - 1 - mine
    fi
  }
  copy_piece(at);
  atomic { mine++; at = 0 }
}

/* ---- the sender ---- */

inline report() {
#ifdef MUTATE_RELAXED_REPORT
  store(DONE, 1, false)
#else
  store(DONE, 1, true)
#endif
}

inline help() {
  check_plain(COPY, message);
  mine = 0;
  do
  :: claim(number);
    if
    :: number < pieces ->
#ifdef MUTATE_REPORT_EARLY
      report();
#endif
#ifdef MUTATE_SAME_END
      copy_next(receiver_from_front)
#else
      copy_next(!receiver_from_front)
#endif
    :: else -> break
    fi
  od;
#ifndef MUTATE_REPORT_EARLY
  if
#ifdef MUTATE_ALWAYS_REPORT
  :: true -> report()
#else
  :: mine > 0 -> report()
  :: mine == 0
#endif
  fi;
#endif
  atomic { mine = 0; number = 0 }
}

proctype sender(byte me) {
  byte message, i, number, mine, at, now;

  do
  :: message < MESSAGES ->
    atomic {
      message++;
      rendezvous_lives = true;
      i = 1;
      do
      :: i < PIECES -> i++
      :: true -> break
      od
    }
    atomic { pieces = i; i = 0 }
    do
    :: i < pieces -> store(BUFFER(i), message, false); i++
    :: else -> i = 0; break
    od;
    store(DATA, message, false);  /* open() */
    store(STATE, OFFERED, false);
#ifdef MUTATE_RELAXED_OFFER
    store(RECORD, message, false);
#else
    store(RECORD, message, true);
#endif
    do  /* help_and_test(), when there is news */
    :: atomic { HAS_ARRIVED(STATE) && mem[STATE] != OFFERED -> now = mem[STATE] }
      if
      :: now == TAKEN -> break
      :: now == SHARED ->
        help();
        atomic { mem[STATE] != SHARED || mem[CLAIMED] <= PIECES -> now = 0 }
      fi
    od;
    atomic { now = 0; rendezvous_lives = false }
  :: else -> break
  od
}

/* ---- the receiver ---- */

inline give_back() { store(STATE, TAKEN, true) }

inline copy_all() {
  i = 0;
  do
  :: i < count -> copy_piece(i); i++
  :: else -> i = 0; break
  od
}

inline take_shared() {
  store(DONE, 0, false);
  store(COPY, message, false);
  store(CLAIMED, 0, false);
#ifdef MUTATE_RELAXED_SHARE
  store(STATE, SHARED, false);
#else
  store(STATE, SHARED, true);
#endif
#ifdef MUTATE_GIVE_BACK_FIRST
  give_back();
#endif
#ifdef THIRD
  atomic { buffered[me] == 0 -> at_end = 0; third_was_inside = false; task_is_open = true }
  do
  :: claim(number);
    if
    :: number < count ->
      atomic { mine = at_end; at_end++ }
      copy_next(receiver_from_front)
    :: else -> break
    fi
  od;
#ifdef MUTATE_NO_END_OF_TASK
  task_is_open = false;
#else
  atomic { !third_inside -> task_is_open = false }
#endif
#ifndef MUTATE_THIRD_IS_NOT_MINE
  mine = at_end;
#endif
#else
  do
  :: claim(number);
    if
    :: number < count -> copy_next(receiver_from_front)
    :: else -> break
    fi
  od;
#endif
#ifndef MUTATE_GIVE_BACK_FIRST
  give_back();
#endif
#ifdef MUTATE_TOUCH_AFTERWARDS
  check_plain(COPY, message);
#endif
  if
  :: mine < count ->
#ifndef MUTATE_NO_WAIT
    mem[DONE] == 1
#endif
  :: mine == count
  fi
}

proctype receiver(byte me) {
  byte message, i, number, mine, at, count;

  do
  :: message < MESSAGES ->
    atomic {
      mem[RECORD] == message + 1 ->  /* front(): acquire */
      message++;
      count = pieces;
      target_lives = true;
      i = 0;
      do
      :: i < PIECES -> copies[i] = 0; i++
      :: else -> i = 0; break
      od
    }
    check_plain(DATA, message);
    if  /* take() */
    :: take_shared()
    :: copy_all(); give_back()
    fi;
    buffered[me] == 0;  /* so that the check may read memory; the receiver would see its own stores anyway */
    atomic {
      do
      :: i < count -> assert(mem[TARGET(i)] == message && copies[i] == 1); i++
      :: else -> i = 0; break
      od;
      target_lives = false; number = 0; mine = 0
    }
  :: else -> break
  od
}

#include "rendezvous_third.inc"

init {
  if
  :: receiver_from_front = true
  :: receiver_from_front = false
  fi;
  atomic { run sender(SENDER); run receiver(RECEIVER); run store_buffer(SENDER); run store_buffer(RECEIVER);
#ifdef THIRD
    run third()
#endif
  }
}
