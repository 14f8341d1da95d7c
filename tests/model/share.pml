/* The shares of src/coll/dropbox.hpp as the Partitioned Reducer uses them (src/coll/partitioned_reducer.cpp): RANKS
 * ranks, OPERATIONS reductions one after the other through SLOTS slots, each share of PIECES pieces.
 *
 * A rank resets its share and posts its buffers, waits for all posts, claims pieces of its share from the front and of
 * the others' from the back, adds what it has done to completed, waits until all shares are complete, and leaves. Any
 * rank may be late at any place: others then do its share, and it may come to shares of which nothing is left.
 *
 * Checked:
 *   work       every piece is done exactly once, and all are done when a rank leaves;
 *   buffers    a piece reads operands and writes results of all ranks only while all of them are in the operation;
 *   lifetimes  nobody touches a share that is not, or no longer, that of its operation;
 *   the end    every rank comes to it (no invalid end state).
 *
 * Memory model: what is written before a release, or read after an acquire, is part of that step; where it is
 * not, that is a mutation. The bytes of a piece are written and read until it is counted as complete. Claims are
 * relaxed: they act on memory at once and order nothing, and nothing is concluded from them but whose a piece is.
 * Parking is a step (park.pml), and so is the wait for room (dropbox.pml).
 *
 * models: src/coll/dropbox.hpp: share::reset, claim_front, claim_back, share::complete, is_complete, share::left
 * models: src/coll/partitioned_reducer.cpp: poll, post, work, work_on
 * must hold: -DRANKS=2 -DPIECES=3 -DOPERATIONS=3
 * must hold: -DRANKS=2 -DPIECES=3 -DOPERATIONS=4 -DSLOTS=2
 * must hold: -DRANKS=3
 * must fail: -DMUTATE_RESET_AFTER_POST      the share is reset when others may have claimed
 * must fail: -DMUTATE_WORK_BEFORE_POSTS     a rank helps before it has seen the posts
 * must fail: -DMUTATE_COUNT_BEFORE_WORK     a piece counts as complete when it is claimed
 * must fail: -DMUTATE_LEAVE_WITH_OWN_SHARE  a rank leaves when its own share is complete
 * must fail: -DMUTATE_LEAVE_WHEN_CLAIMED    a rank leaves when all pieces are claimed
 * must fail: -DMUTATE_EACH_END_COUNTS       either end looks only at its own count, not at the sum
 * must fail: -DMUTATE_NO_ROOM_CHECK         a rank posts while others still look at its share of the last operation
 * must fail: -DMUTATE_WAKE_THE_OWNER        who completes a share wakes only its owner
 */

#ifndef RANKS
#define RANKS 2
#endif
#ifndef PIECES
#define PIECES 2
#endif
#ifndef OPERATIONS
#define OPERATIONS 2
#endif
#ifndef SLOTS
#define SLOTS 1
#endif

#if RANKS == 2
#define ALL(what) (what(0) && what(1))
#else
#define ALL(what) (what(0) && what(1) && what(2))
#endif

#define SLOT(r) ((r) * SLOTS + number % SLOTS)
byte sequence[RANKS * SLOTS];      /* of the post */
byte front[RANKS * SLOTS];         /* claims_, one word: front and back change together, and are seen together */
byte back[RANKS * SLOTS];
byte completed[RANKS * SLOTS];
byte finished[RANKS];
bool asleep[RANKS];

byte share_is_for[RANKS * SLOTS];  /* ghosts: the operation for which it has been reset; */
byte buffers_are_in[RANKS];        /* that may use the rank's buffers; */
byte done[RANKS * PIECES];         /* the last in which that piece has been done */

#define HAS_ROOM(q) (finished[q] + SLOTS >= number)
#define HAS_POSTED(q) (sequence[SLOT(q)] == number)
#define IS_COMPLETE(q) (completed[SLOT(q)] == PIECES)
#define LENDS(q) (buffers_are_in[q] == number)

/* A part of the step that publishes. */
inline notify_all() {
  i = 0;
  do
  :: i < RANKS -> asleep[i] = false; i++
  :: else -> i = 0; break
  od
}

/* wait_until() */
inline wait_until(condition) {
  do
  :: condition -> break
  :: atomic { !(condition) -> asleep[me] = true }
    !asleep[me]
  od
}

#define IS_LEFT (front[SLOT(q)] + back[SLOT(q)] < PIECES)
#ifdef MUTATE_EACH_END_COUNTS
#define FRONT_IS_LEFT (front[SLOT(q)] < PIECES)
#define BACK_IS_LEFT (back[SLOT(q)] < PIECES)
#else
#define FRONT_IS_LEFT IS_LEFT
#define BACK_IS_LEFT IS_LEFT
#endif

/* fetch_add, also when nothing is left: cut off where it makes no difference any more. */
#define ONE_MORE(claims) claims = (claims <= PIECES -> claims + 1 : claims)

/* Sets `piece`, to PIECES if there is none. */
inline claim_front() {
  d_step {
    assert(share_is_for[SLOT(q)] == number);
    if
    :: FRONT_IS_LEFT -> piece = front[SLOT(q)]
    :: else -> piece = PIECES
    fi;
    ONE_MORE(front[SLOT(q)])
  }
}
inline claim_back() {
  if
  :: BACK_IS_LEFT ->               /* it looks before it claims: that may be out of date */
    d_step {
      assert(share_is_for[SLOT(q)] == number);
      if
      :: BACK_IS_LEFT -> piece = PIECES - 1 - back[SLOT(q)]
      :: else -> piece = PIECES
      fi;
      ONE_MORE(back[SLOT(q)])
    }
  :: else -> piece = PIECES
  fi
}

inline reduce() {
  assert(ALL(LENDS) && done[q * PIECES + piece] != number);
  done[q * PIECES + piece] = number
}

inline complete(count) {
  d_step {
    assert(share_is_for[SLOT(q)] == number);
    completed[SLOT(q)] = completed[SLOT(q)] + count;
    if
    :: IS_COMPLETE(q) ->
#ifdef MUTATE_WAKE_THE_OWNER
      asleep[q] = false
#else
      notify_all()
#endif
    :: else
    fi
  }
}

inline work_on() {
  do
  :: if
    :: q == me -> claim_front()
    :: q != me -> claim_back()
    fi;
    if
    :: piece == PIECES -> break
    :: else ->
#ifdef MUTATE_COUNT_BEFORE_WORK
      complete(1);
#else
      mine++;
#endif
      atomic { reduce(); piece = 0 }
    fi
  od;
#ifndef MUTATE_COUNT_BEFORE_WORK
  if
  :: mine > 0 ->
    assert(ALL(LENDS));            /* until now, it has read operands and written results */
    complete(mine)
  :: else
  fi;
#endif
  atomic { mine = 0; piece = 0 }
}

inline reset() {
  share_is_for[SLOT(me)] = number;
  front[SLOT(me)] = 0; back[SLOT(me)] = 0; completed[SLOT(me)] = 0
}

inline post() {
#ifndef MUTATE_NO_ROOM_CHECK
  ALL(HAS_ROOM);
#endif
  d_step {
    buffers_are_in[me] = number;
#ifndef MUTATE_RESET_AFTER_POST
    reset();
#endif
    sequence[SLOT(me)] = number;
    notify_all()
  }
#ifdef MUTATE_RESET_AFTER_POST
  d_step { reset() }
#endif
}

inline work() {
  k = 0;
  do
  :: k < RANKS -> q = (me + k) % RANKS; work_on(); k++
  :: else -> atomic { k = 0; q = 0 } break
  od
}

inline wait_for_completion() {
#ifdef MUTATE_LEAVE_WITH_OWN_SHARE
  q = me;
  wait_until(IS_COMPLETE(q));
#else
  do
  :: q < RANKS ->
    assert(share_is_for[SLOT(q)] == number);
#ifdef MUTATE_LEAVE_WHEN_CLAIMED
    wait_until(!IS_LEFT || IS_COMPLETE(q));
#else
    wait_until(IS_COMPLETE(q));
#endif
    q++
  :: else -> break
  od;
#endif
  q = 0
}

inline leave() {
  d_step {
    do
    :: i < RANKS * PIECES -> assert(done[i] == number); i++
    :: else -> i = 0; break
    od;
    buffers_are_in[me] = 0;
    finished[me] = number
  }
}

proctype rank(byte me) {
  byte number, q, k, piece, mine, i;

  do
  :: number < OPERATIONS ->
    number++;
    post();
#ifndef MUTATE_WORK_BEFORE_POSTS
    wait_until(ALL(HAS_POSTED));
#endif
    work();
    wait_for_completion();
    leave()
  :: else -> break
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
