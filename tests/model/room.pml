/* The request for room: ring::ask_for_room() and room_is_wanted(), message_sender::put_queued() and
 * message_receiver::advance(), with parking on both sides.
 *
 * The sender sends MESSAGES through a ring of ROOM lines and then a message by another way (`go`). The receiver waits
 * for `go` only, so it takes messages out of the ring when the sender asks for room, and not otherwise. Both park at
 * any time. Checked: both come to their end (no invalid end state), so no request and no answer is lost.
 *
 * The flag is relaxed on both sides, and neither side writes it if it already says what it should: a sender may take a
 * request that the receiver is just answering for its own. This is right only because both look again between the
 * announcement that they park and parking.
 *
 * Memory model: tso.inc; buffered are the publication, the flag, the release of lines, `go` and the announcements.
 *
 * models: src/transport/ring.hpp: ask_for_room, room_is_wanted
 * models: src/transport/ring_ends.hpp: pop, try_reserve, reserve_behind_room, free_until
 * models: src/match/message_sender.cpp: put_queued, advance
 * models: src/match/message_receiver.cpp: drain, advance
 * must hold: -DROOM=2 -DRELEASE_AT=1
 * must hold: -DROOM=4 -DRELEASE_AT=2 -DMESSAGES=7
 * must fail: -DMUTATE_NO_HEAVY_FENCE      the last look does not see what the other side has published
 * must fail: -DMUTATE_NO_LAST_LOOK        a rank parks without looking again
 * must fail: -DMUTATE_ASK_SILENTLY        the sender asks, and does not notify
 * must fail: -DMUTATE_ANSWER_SILENTLY     the receiver makes room, and does not notify
 * must fail: -DMUTATE_CLEAR_AFTER_DRAIN   the receiver clears the flag when it has made room: a new request is lost
 */

#ifndef MESSAGES
#define MESSAGES 5
#endif
#ifndef ROOM
#define ROOM 2
#endif
#ifndef RELEASE_AT
#define RELEASE_AT 1
#endif

#define RANKS 2
#define SENDER 0
#define RECEIVER 1

#define RUNNING 0
#define ANNOUNCED 1
#define PARKED 2

/* Addresses. */
#define PARKING(r) (r)
#define PUBLISHED 2                /* how many messages */
#define RELEASED 3                 /* how many of them are out of the ring */
#define WANTS_ROOM 4
#define GO 5
#define ADDRESSES 6

#include "tso.inc"

/* Parking without parked count and futex, which park.pml checks. */

inline notify(peer) {
  if
  :: mem[PARKING(peer)] != RUNNING -> atomic { BUFFER_IS_EMPTY -> mem[PARKING(peer)] = RUNNING }
  :: mem[PARKING(peer)] == RUNNING
  fi
}

inline announce() {
  store(PARKING(me), ANNOUNCED);
  heavy_fence()
}

/* `moved` says whether the last look has found anything. */
inline park_unless(moved) {
  if
  :: moved -> store(PARKING(me), RUNNING)
  :: !moved ->
    atomic {
      BUFFER_IS_EMPTY ->
      if
      :: mem[PARKING(me)] == ANNOUNCED -> mem[PARKING(me)] = PARKED
      :: else
      fi
    }
    mem[PARKING(me)] != PARKED
  fi
}

/* put_queued() for one message. */
inline try_to_put() {
  if
  :: sent - mem[RELEASED] < ROOM ->
    sent++;
    store(PUBLISHED, sent);
    notify(RECEIVER);
    moved = true
  :: sent - mem[RELEASED] == ROOM ->
    load(WANTS_ROOM, wanted);
    if
    :: !wanted -> store(WANTS_ROOM, true)
    :: wanted
    fi;
#ifndef MUTATE_ASK_SILENTLY
    notify(RECEIVER);
#endif
    moved = false
  fi
}

proctype sender(byte me) {
  byte sent, i;
  bool moved, wanted;

  do
  :: sent < MESSAGES ->  /* wait_until(the message is put) */
    try_to_put();
    do
    :: moved -> break
    :: !moved -> try_to_put()
    :: !moved ->
      announce();
#ifndef MUTATE_NO_LAST_LOOK
      try_to_put();
#endif
      park_unless(moved)
    od;
    atomic { moved = false; wanted = false }
  :: sent == MESSAGES -> break
  od;
  store(GO, true);
  notify(RECEIVER)
}

/* advance() */
inline make_room() {
  load(WANTS_ROOM, wanted);
  if
  :: wanted ->
#ifndef MUTATE_CLEAR_AFTER_DRAIN
    store(WANTS_ROOM, false);
#endif
    do
    :: mem[PUBLISHED] == taken -> break
    :: mem[PUBLISHED] > taken ->
      taken++;
      moved = true;
      if
      :: taken - released >= RELEASE_AT ->
        released = taken;
        store(RELEASED, released);
#ifndef MUTATE_ANSWER_SILENTLY
        notify(SENDER)
#endif
      :: else
      fi
    od;
#ifdef MUTATE_CLEAR_AFTER_DRAIN
    store(WANTS_ROOM, false);
#endif
    wanted = false
  :: !wanted
  fi
}

proctype receiver(byte me) {
  byte taken, released, i;
  bool moved, wanted;

  do  /* wait_until(GO) */
  :: mem[GO] -> break
  :: !mem[GO] -> make_room(); moved = false
  :: !mem[GO] ->
    announce();
#ifndef MUTATE_NO_LAST_LOOK
    make_room();
#endif
    if
    :: mem[GO] -> moved = true
    :: !mem[GO]
    fi;
    park_unless(moved);
    moved = false
  od
}

init {
  atomic { run sender(SENDER); run receiver(RECEIVER); run store_buffer(SENDER); run store_buffer(RECEIVER) }
}
