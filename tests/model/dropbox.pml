/* The Sequenced Per-Thread Dropbox: src/coll/dropbox.hpp and collective_member.{hpp,cpp}, for RANKS ranks.
 *
 * Any number of operations, of any kinds, in the same order at all ranks: all-to-all (everybody posts, and reads all
 * posts, as flat_barrier and flat_reduction do), broadcast from rank 0 or 1 (which posts and leaves), gather to rank 0
 * (which reads and does not post; of two ranks, that is a broadcast). A rank has up to PENDING operations pending, moves them on in any order, and so may
 * finish them in any. It parks at any time; in the last look it polls all that is pending.
 *
 * Checked:
 *   the data   a reader gets what was posted for its operation: nothing older, nothing overwritten (invariants 1, 2);
 *   the room   what a rank concludes from the counts in drops is true: all have finished these operations (3);
 *   its turn   nobody sleeps for ever, for want of a post or of room (no invalid end state: the operations go on for
 *              ever, so if one rank does not wake, all come to wait for it).
 *
 * The state space is finite because numbers are counted anew whenever all ranks have finished SLOTS operations more,
 * and because a post is forgotten when all that read it have finished.
 *
 * Memory model: what a step publishes with release it has written before, and what a step reads after an acquire it
 * reads as late as it may: in the moment in which it gives the slots back. Stores and loads that parking depends on are
 * in order; where they would not be, there is a fence, as in park.pml and room.pml. Broken orders are the mutations.
 * Not modelled: that the loads of a look for room, or for the posts, are several (what they look at only grows, or
 * stays); what a large operation does after the posts (share.pml, lent.pml).
 *
 * models: src/coll/dropbox.hpp: dropbox::at, copy_for
 * models: src/coll/collective_member.hpp: start_next, may_post, want_room, finish, publish, posted, all_have_finished
 * models: src/coll/collective_member.hpp: notify, notify_all
 * models: src/coll/collective_member.cpp: look_for_room
 * models: src/coll/finished_operations.hpp: add
 * models: src/coll/finished_operations.cpp: close_gap
 * models: src/coll/collective_area.hpp: begin_to_want_room, end_to_want_room, room_is_wanted
 * models: src/coll/collective_service.hpp: note_new_phase
 * models: src/coll/collective_service.cpp: advance
 * models: src/coll/flat.hpp: flat_barrier::poll, flat_reduction::poll
 * must hold: -DRANKS=2
 * must hold: -DRANKS=3 -DPENDING=1 -DPATIENT    nobody parks (if they do, it holds, with eight times as many states)
 * must fail: -DMUTATE_FINISH_BEFORE_READ  finished is published before the posts are read, as if it were relaxed
 * must fail: -DMUTATE_RELAXED_PUBLISH     the sequence overtakes the contents
 * must fail: -DMUTATE_NO_ROOM_CHECK       a rank posts without knowing that its slot is free
 * must fail: -DMUTATE_COUNT_PENDING       a drop says that its owner has finished all that it had started before
 * must fail: -DRANKS=3 -DPENDING=1 -DPATIENT -DMUTATE_HEAR_ONE  who has heard one rank thinks that it has heard all
 * must fail: -DMUTATE_COUNT_THE_LATEST    an operation that ends early counts as if those before it had ended
 * must fail: -DMUTATE_FORGET_EARLY        those that have ended early are not counted when the gap closes
 * must fail: -DMUTATE_WANT_AT_LAST_LOOK   a rank wants room first in its last look, after it has looked for room
 * must fail: -DMUTATE_LOOK_BEFORE_STORE   finish() looks for ranks that want room before it has stored finished
 */

#ifndef RANKS
#define RANKS 2
#endif
#ifndef PENDING
#define PENDING 2
#endif
#define SLOTS 2
#define WINDOW 7                   /* no rank is so many operations ahead of the slowest */

#define RUNNING 0                  /* parking */
#define ANNOUNCED 1
#define PARKED 2
#define ALL_TO_ALL 1               /* kinds of operations */
#define BROADCAST(root) (2 + (root))
#define GATHER(root) (2 + RANKS + (root))

#define NEW 0                      /* stages of an operation: not polled yet, */
#define WANTS_ROOM 1
#define POSTED 2                   /* or has nothing to post */

/* Each rank's dropbox. Operations are numbered from 1 on; 0 is what nobody asks for. */
#define SLOT(r, s) ((r) * SLOTS + (s) % SLOTS)
byte sequence[RANKS * SLOTS];
byte contents[RANKS * SLOTS];      /* the operation that they are for */
byte told[RANKS * SLOTS];          /* sequence - unfinished */
byte finished[RANKS];

byte wanting_room;
byte parking[RANKS];

/* Each rank's own. */
byte started[RANKS];
byte beyond[RANKS];                /* bit i: operation finished + 1 + i is finished too */
byte op[RANKS * PENDING];          /* the pending operations, the oldest first, then 0 */
byte stage[RANKS * PENDING];

byte kind_of[WINDOW + 1];          /* what the ranks have agreed upon: chosen when the first of them starts it */

#define OP(i) op[me * PENDING + (i)]
#define STAGE(i) stage[me * PENDING + (i)]
#define KIND(i) kind_of[OP(i)]

#if RANKS == 2
#define ALL(what, s) (what(0, s) && what(1, s))
#else
#define ALL(what, s) (what(0, s) && what(1, s) && what(2, s))
#endif

#define POSTS(who, s) \
  (kind_of[s] == ALL_TO_ALL || kind_of[s] == BROADCAST(who) || (kind_of[s] >= GATHER(0) && kind_of[s] != GATHER(who)))
#define READS(who, q, s) \
  ((q) != who && (kind_of[s] == ALL_TO_ALL || kind_of[s] == BROADCAST(q) || kind_of[s] == GATHER(who)))

#define HAS_ROOM(q, s) (finished[q] + SLOTS >= (s))
#define IS_THERE(q, s) (!READS(me, q, s) || sequence[SLOT(q, s)] == (s))
#define HAS_FINISHED(r, s) (finished[r] >= (s) || ((beyond[r] >> ((s) - finished[r] - 1)) & 1))
#define HAS_READ(r, s) (!READS(r, q, s) || HAS_FINISHED(r, s))

/* A poll of it has some effect: to wait is to do nothing else. */
#define MAY_MOVE(i) (OP(i) != 0 && \
  (STAGE(i) == NEW || (STAGE(i) == WANTS_ROOM && ALL(HAS_ROOM, OP(i))) || (STAGE(i) == POSTED && ALL(IS_THERE, OP(i)))))

#include "dropbox_finite.inc"

/* ---- collective_member ---- */

inline notify(peer) { parking[peer] = RUNNING }

#ifdef MUTATE_NO_ROOM_CHECK
#define MAY_POST true
#else
#define MAY_POST ALL(HAS_ROOM, OP(p))
#endif

/* publish(), and the notification of those who wait for it */
inline publish() {
  wanting_room = wanting_room - (STAGE(p) == WANTS_ROOM);
  STAGE(p) = POSTED;
#ifndef MUTATE_RELAXED_PUBLISH
  contents[SLOT(me, OP(p))] = OP(p);
#endif
#ifdef MUTATE_COUNT_PENDING
  told[SLOT(me, OP(p))] = OP(p) - 1;
#else
  told[SLOT(me, OP(p))] = finished[me];
#endif
  sequence[SLOT(me, OP(p))] = OP(p);
  q = 0;
  do
  :: q < RANKS ->
    if
    :: READS(q, me, OP(p)) -> notify(q)
    :: else
    fi;
    q++
  :: else -> q = 0; break
  od
}

/* What all are known to have finished lets a rank post without a look at their dropboxes. */
inline hear() {
  if
#ifndef MUTATE_HEAR_ONE
  :: (RANKS == 2 && KIND(p) != BROADCAST(me)) || KIND(p) == ALL_TO_ALL || KIND(p) == GATHER(me) ->
#else
  :: true ->
#endif
    i = finished[me]; q = 0;
    do
    :: q < RANKS ->
      if
      :: READS(me, q, OP(p)) && told[SLOT(q, OP(p))] < i -> i = told[SLOT(q, OP(p))]
      :: else
      fi;
      q++
    :: else -> q = 0; break
    od;
    assert(ALL(HAS_ROOM, i + SLOTS));
    i = 0
  :: else
  fi
}

inline read_posts() {
  q = 0;
  do
  :: q < RANKS -> assert(!READS(me, q, OP(p)) || contents[SLOT(q, OP(p))] == OP(p)); q++
  :: else -> q = 0; break
  od
}

/* finish(), as far as the store of finished, if it comes to that: `stores`. */
inline count_finished() {
#ifdef MUTATE_COUNT_THE_LATEST
  if
  :: OP(p) > finished[me] -> finished[me] = OP(p); stores = true
  :: else
  fi;
#else
  if
  :: OP(p) == finished[me] + 1 ->
    finished[me]++;
    stores = true;
    beyond[me] = beyond[me] >> 1;
    do
    :: beyond[me] & 1 ->
#ifndef MUTATE_FORGET_EARLY
      finished[me]++;
#endif
      beyond[me] = beyond[me] >> 1
    :: else -> break
    od
  :: else -> beyond[me] = beyond[me] | (1 << (OP(p) - finished[me] - 1))
  fi;
#endif
#ifndef MUTATE_FINISH_BEFORE_READ
  forget()
#endif
}

inline remove() {
#if PENDING == 2
  if
  :: p == 0 -> OP(0) = OP(1); STAGE(0) = STAGE(1)
  :: else
  fi;
#endif
  OP(PENDING - 1) = 0; STAGE(PENDING - 1) = NEW
}

inline notify_who_wants_room() {
  if
  :: sees ->
    q = 0;
    do
    :: q < RANKS -> notify(q); q++
    :: else -> q = 0; break
    od;
    sees = false
  :: else
  fi
}

/* ---- an operation ---- */

inline poll() {
  if
  :: STAGE(p) != POSTED && POSTS(me, OP(p)) ->  /* enter() */
    d_step {
      if
      :: MAY_POST -> publish()
      :: else -> i = true
      fi
    }
#ifdef MUTATE_RELAXED_PUBLISH
    contents[SLOT(me, OP(p))] = OP(p);
#endif
    d_step {
      if
      :: i && STAGE(p) == NEW -> STAGE(p) = WANTS_ROOM; wanting_room++
      :: else
      fi;
      i = 0
    }
  :: STAGE(p) != POSTED && !POSTS(me, OP(p)) -> STAGE(p) = POSTED
  :: STAGE(p) == POSTED
  fi;
  if
  :: d_step { STAGE(p) == POSTED && ALL(IS_THERE, OP(p)) -> hear() }
#ifdef MUTATE_LOOK_BEFORE_STORE
    sees = (wanting_room > 0);
#endif
#ifdef MUTATE_FINISH_BEFORE_READ
    d_step { count_finished() }
    d_step { read_posts(); remove(); count_anew(); completes = true }
#else
    d_step { read_posts(); count_finished(); remove(); count_anew(); completes = true }
#endif
    d_step {
      if
      :: stores ->
#ifndef MUTATE_LOOK_BEFORE_STORE
        sees = (wanting_room > 0);
#endif
        notify_who_wants_room();
        stores = false
      :: else -> sees = false
      fi
    }
  :: else
  fi
}

#ifdef MUTATE_WANT_AT_LAST_LOOK
#define IS_POLLED(i) true
#else
#define IS_POLLED(i) (OP(i) == 0 || STAGE(i) != NEW)
#endif

inline start() {
  OP(p) == 0 && started[me] < WINDOW ->
  started[me]++;
  OP(p) = started[me];
  if
  :: KIND(p) == 0 ->
    if
    :: KIND(p) = ALL_TO_ALL
    :: KIND(p) = BROADCAST(0)
    :: KIND(p) = BROADCAST(1)
#if RANKS > 2
    :: KIND(p) = GATHER(0)
#endif
    fi
  :: KIND(p) != 0
  fi
}

proctype rank(byte me) {
  byte p, i, q;
  bool looks, completes, stores, sees;

  do
  :: atomic {                      /* the next operation */
      if
      :: OP(0) == 0 -> p = 0
#if PENDING == 2
      :: OP(0) != 0 && OP(1) == 0 -> p = 1
#endif
      fi;
      start()
    }
#ifdef MUTATE_WANT_AT_LAST_LOOK
    p = 0
#else
    goto polling
#endif
  :: atomic { MAY_MOVE(0) -> p = 0 }
    goto polling
#if PENDING == 2
  :: atomic { MAY_MOVE(1) -> p = 1 }
    goto polling
#endif
#ifndef PATIENT
  :: atomic { OP(0) != 0 && IS_POLLED(0) && IS_POLLED(PENDING - 1) -> parking[me] = ANNOUNCED; looks = true; p = 0 }
#endif
polling:
    poll();
    if
    :: looks && !completes && p + 1 < PENDING && OP(PENDING - 1) != 0 -> p++; goto polling
    :: else ->
      d_step {
        if
        :: looks && completes -> parking[me] = RUNNING
        :: looks && !completes && parking[me] == ANNOUNCED -> parking[me] = PARKED
        :: else
        fi;
        looks = false; completes = false; p = 0
      }
      parking[me] != PARKED
    fi
  od
}

init {
  byte r;
  atomic {
    do
    :: r < RANKS -> run rank(r); r++
    :: else -> break
    od
  }
}
