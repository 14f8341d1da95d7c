/* Work that ranks leave for whoever has the network's turn: src/gateway/gateway.cpp (serve_own, leave_work, serve, work), and
 * src/network/network_lock.hpp, for RANKS ranks that each leave WORKS pieces of work and then go away.
 *
 * Nobody waits for the turn. A rank leaves a piece (in a ring). If the turn is free it takes it and does the piece; else
 * it puts the ring on its list, unless it is there, says so at its end and then for all (has_work_), and tries again to
 * take the turn. Who has it does what the lists of all ends hold, gives it back, and looks once more. (src/match/
 * gateway/outbox.cpp: list, forward_listed. Here each rank has one ring.)
 *
 * With LATER, the last of them is no rank but the watch, and ranks may also leave a piece for later: they say so, and
 * nothing more if somebody has said so before; else they set an alarm, unless it is set. Some time later it wakes the
 * watch, which takes it back, and polls (leave_for_later(); src/runtime/monitor.cpp).
 *
 * Checked:
 *   nothing is missed   when all ranks have gone, every piece of every rank has been done;
 *   one at a time       never are two ranks inside.
 *
 * Memory model: tso.inc. Buffered are the piece, what is said of it, the clearing of has_work_, and the giving back.
 *
 * models: src/network/network_lock.hpp: try_take, give_back, network_visit, ~network_visit
 * models: src/gateway/gateway.cpp: left_by_rank, leave_for_later, serve_own, leave_work, serve, serve_newcomers
 * models: src/gateway/gateway.cpp: gateway::work, work_at
 * models: src/gateway/context.hpp: say_work
 * models: src/gateway/outbox.cpp: outbox::list, forward_from, forward_listed
 * models: src/runtime/monitor.cpp: look_at_network_soon, monitor::sleep
 * must hold: -DRANKS=2 -DWORKS=2
 * must hold: -DRANKS=3 -DWORKS=1
 * must hold: -DRANKS=3 -DWORKS=2 -DLATER
 * must fail: -DRANKS=2 -DMUTATE_NO_FENCE_BEFORE   the look at the turn comes before the work is seen
 * must fail: -DRANKS=3 -DMUTATE_NO_FENCE_AFTER    the look for work comes before the turn is seen to be free
 * must fail: -DRANKS=3 -DMUTATE_NO_SECOND_LOOK    work that came in the meantime stays
 * must fail: -DRANKS=3 -DMUTATE_CLEAR_LATE        has_work_ of somebody who came in the meantime is cleared
 * must fail: -DRANKS=2 -DMUTATE_NO_TURN           two inside
 * must fail: -DRANKS=2 -DWORKS=2 -DMUTATE_NO_LOOK_OF_OWN   who does its own piece gives the turn back without a look
 * must fail: -DRANKS=2 -DWORKS=2 -DMUTATE_UNLIST_LATE      a ring is taken off the list after it was read
 * must fail: -DRANKS=2 -DWORKS=2 -DMUTATE_UNLIST_BY_STORE  and before, but the reader's store is seen late
 * must fail: -DRANKS=3 -DWORKS=2 -DLATER -DMUTATE_NO_ALARM       nobody comes for what is left
 * must fail: -DRANKS=3 -DWORKS=2 -DLATER -DMUTATE_ALARM_BACK_LATE  the alarm is taken back after the poll
 */

#ifndef WORKS
#define WORKS 1
#endif

#ifdef LATER
#define WORKERS (RANKS - 1)
#else
#define WORKERS RANKS
#endif

#define TAKEN 0
#define HAS_WORK 1
#define ALARM 2                      /* alarm_is_set_ */
#define SAID(r) (3 + (r))            /* local_end::has_work */
#define LEFT(r) (3 + WORKERS + (r))  /* how many pieces are in the rank's rings */
#define LISTED(r) (3 + 2 * WORKERS + (r)) /* out_link::is_listed */
#define LIST(r) (3 + 3 * WORKERS + (r))   /* local_end::with_messages holds the ring */
#define ADDRESSES (3 + 4 * WORKERS)

#include "tso.inc"

bool rings;         /* the alarm will go off */
byte done[WORKERS]; /* of each rank's pieces; by who has the turn */
byte inside;       /* ghost */
byte gone;         /* ghost: ranks that have ended */

inline fence() { atomic { BUFFER_IS_EMPTY -> skip } }

inline exchange(address, value, before) {
  atomic { BUFFER_IS_EMPTY -> before = mem[address]; mem[address] = value }
}

inline forward_listed() {
  exchange(LIST(e), 0, x);
  if
  :: x ->
#ifdef MUTATE_UNLIST_LATE
    load(LEFT(e), y);
    exchange(LISTED(e), 0, x);
#else
#ifdef MUTATE_UNLIST_BY_STORE
    store(LISTED(e), 0);
#else
    exchange(LISTED(e), 0, x);
#endif
    load(LEFT(e), y);
#endif
    done[e] = y;
    y = 0
  :: else
  fi;
  x = 0
}

inline work() {
  load(HAS_WORK, x);
  if
  :: x ->
#ifndef MUTATE_CLEAR_LATE
    store(HAS_WORK, 0);
    fence();
#endif
    e = 0;
    do
    :: e < WORKERS ->
      exchange(SAID(e), 0, x);
      if
      :: x -> forward_listed()
      :: else
      fi;
      e++
    :: else -> e = 0; break
    od;
#ifdef MUTATE_CLEAR_LATE
    store(HAS_WORK, 0)
#endif
  :: else
  fi;
  x = 0
}

/* Sets `got`. */
inline try_take() {
  load(TAKEN, x);
  if
  :: x == 0 -> exchange(TAKEN, 1, x)
  :: else
  fi;
  got = !x;
  x = 0
}

inline serve() {
  do
  :: true ->
    try_take();
#ifdef MUTATE_NO_TURN
    got = 1;
#endif
    if
    :: got
    :: else -> break
    fi;
    inside++;
    assert(inside == 1);
    work();
    inside--;
    store(TAKEN, 0);
#ifdef MUTATE_NO_SECOND_LOOK
    break;
#endif
#ifndef MUTATE_NO_FENCE_AFTER
    fence();
#endif
    load(HAS_WORK, x);
    if
    :: x -> x = 0
    :: else -> break
    fi
  od
}

inline list() {
  exchange(LISTED(me), 1, x);
  if
  :: x
  :: else -> exchange(LIST(me), 1, x)
  fi;
  x = 0
}

inline leave_for_later() {
  list();
  store(SAID(me), 1);
  fence();
  exchange(HAS_WORK, 1, x);
  if
  :: x
  :: else ->
    fence();
#ifndef MUTATE_NO_ALARM
    exchange(ALARM, 1, x);
    if
    :: x
    :: else -> rings = 1
    fi
#endif
  fi;
  x = 0
}

proctype watch(byte me) {
  byte i, e, x, y;
  bool got;
  do
  :: rings ->
    rings = 0;
#ifndef MUTATE_ALARM_BACK_LATE
    store(ALARM, 0);
    fence();
#endif
    serve()
#ifdef MUTATE_ALARM_BACK_LATE
    ;
    store(ALARM, 0);
    fence()
#endif
  :: atomic { gone == WORKERS && !rings -> break }
  od;
  e = 0;
  do
  :: e < WORKERS -> assert(done[e] == WORKS); e++
  :: else -> break
  od
}

proctype rank(byte me) {
  byte i, e, x, y, n;
  bool got;
  do
  :: n < WORKS ->
    n++;
    store(LEFT(me), n);
#ifdef LATER
    got = 0;
    if
    :: leave_for_later(); goto left
    :: skip
    fi;
#endif
    try_take();
    if
    :: got ->
      inside++;
      assert(inside == 1);
      done[me] = n;
      inside--;
      store(TAKEN, 0);
      fence();
      x = 0;
#ifndef MUTATE_NO_LOOK_OF_OWN
      load(HAS_WORK, x);
#endif
      if
      :: x -> x = 0; serve()
      :: else
      fi
    :: else ->
      list();
      store(SAID(me), 1);
      store(HAS_WORK, 1);
#ifndef MUTATE_NO_FENCE_BEFORE
      fence();
#endif
      serve()
    fi;
left:
    skip
  :: else -> break
  od;
  atomic { BUFFER_IS_EMPTY -> gone++ }
#ifndef LATER
  if
  :: me == 0 ->
    gone == RANKS;
    e = 0;
    do
    :: e < RANKS -> assert(done[e] == WORKS); e++
    :: else -> break
    od
  :: else
  fi
#endif
}

init {
  byte r;
  atomic {
    do
    :: r < WORKERS -> run rank(r); run store_buffer(r); r++
    :: else -> break
    od
#ifdef LATER
    ; run watch(WORKERS); run store_buffer(WORKERS)
#endif
  }
}
