/* The inbox of an aggregation's rank, and its sleep: aggregation/item_inbox.hpp over base/pushed_list.hpp, with its use in
 * item_sender.cpp (push) and finish.cpp (what a quiet rank waits for). Sleeping itself is in park.pml.
 *
 * SENDERS ranks push PUSHES buffers each, and notify the owner; the owner takes all that are there, and sleeps when it has
 * found none. A step is one access to the head, to a link, or to the parking word.
 *
 * Checked:
 *   once, in order   each buffer is taken once, those of a sender in the order of their pushes;
 *   whole            no buffer is taken before its link is written;
 *   no lost wake-up  the owner does not sleep for ever (no invalid end state).
 *
 * Memory model: sequential consistency. The head carries what a buffer holds: release at push(), acquire at take_all().
 *
 * models: src/aggregation/item_inbox.hpp: basic_item_inbox::push, basic_item_inbox::take, basic_item_inbox::has_some
 * models: src/aggregation/item_sender.cpp: item_sender::push
 * models: src/aggregation/item_receiver.cpp: accept_arrivals
 * must hold:
 * must hold: -DSENDERS=3 -DPUSHES=1
 * must fail: -DMUTATE_PUSH_BLINDLY       the head is loaded, and then stored
 * must fail: -DMUTATE_LINK_LATE          the link is written behind the push
 * must fail: -DMUTATE_NEWEST_FIRST       what is taken is handled as the list has it
 * must fail: -DMUTATE_TAKE_IN_TWO_STEPS  the head is loaded, and then cleared
 * must fail: -DMUTATE_NOTIFY_FIRST       the owner is notified, then the buffer is pushed
 * must fail: -DMUTATE_NO_LAST_LOOK       the owner sleeps without another look
 */

#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef PUSHES
#define PUSHES 3
#endif

#define NOBODY 255
#define ALL (SENDERS * PUSHES)

byte head = NOBODY;        /* the buffer that was pushed last: sender * PUSHES + its number */
byte next[ALL];
bool is_linked[ALL];

#define RUNNING 0
#define ANNOUNCED 1
#define PARKED 2
byte parking;

byte taken;                /* ghosts */
byte expected[SENDERS];

inline notify() {
  if
  :: parking != RUNNING -> parking = RUNNING
  :: else
  fi
}

proctype sender(byte me) {
  byte i, mine, seen;
  bool is_pushed;

  do
  :: i == PUSHES -> break
  :: else ->
    mine = me * PUSHES + i;
#ifdef MUTATE_NOTIFY_FIRST
    notify();
#endif
    seen = head;
    is_pushed = false;
    do
    :: is_pushed -> break
    :: else ->
#ifndef MUTATE_LINK_LATE
      atomic { next[mine] = seen; is_linked[mine] = true };
#endif
#ifndef MUTATE_PUSH_BLINDLY
      atomic { if :: head == seen -> head = mine; is_pushed = true :: else -> seen = head fi }
#else
      head = mine; is_pushed = true
#endif
    od;
#ifdef MUTATE_LINK_LATE
    atomic { next[mine] = seen; is_linked[mine] = true };
#endif
#ifndef MUTATE_NOTIFY_FIRST
    notify();
#endif
    i++
  od
}

inline handle(buffer) {
  atomic {
    assert(buffer % PUSHES == expected[buffer / PUSHES]);
    expected[buffer / PUSHES]++;
    taken++
  }
}

/* take(): sets `oldest` to a list of all that have come. */
inline take() {
#ifndef MUTATE_TAKE_IN_TWO_STEPS
  atomic { newest = head; head = NOBODY };
#else
  newest = head;
  head = NOBODY;
#endif
  oldest = NOBODY;
#ifdef MUTATE_NEWEST_FIRST
  oldest = newest; newest = NOBODY;
#endif
  do
  :: newest == NOBODY -> break
  :: else -> atomic { assert(is_linked[newest]); one = newest; newest = next[one]; next[one] = oldest; oldest = one; one = 0 }
  od
}

proctype owner() {
  byte newest = NOBODY, oldest = NOBODY, one;

  do
  :: taken == ALL -> break
  :: else ->
    take();
    if
    :: oldest != NOBODY ->
      do
      :: oldest == NOBODY -> break
      :: else -> one = next[oldest]; handle(oldest); oldest = one; one = 0
      od
    :: else ->
      parking = ANNOUNCED;
      if
#ifndef MUTATE_NO_LAST_LOOK
      :: head != NOBODY -> parking = RUNNING
      :: head == NOBODY ->
#else
      :: true ->
#endif
        atomic { if :: parking == ANNOUNCED -> parking = PARKED :: else fi };
        parking == RUNNING
      fi
    fi
  od;
  assert(head == NOBODY)
}

init {
  atomic {
    byte s = 0;
    run owner();
    do
    :: s < SENDERS -> run sender(s); s++
    :: else -> break
    od
  }
}
