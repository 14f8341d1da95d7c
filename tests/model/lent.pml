/* Operations in which ranks lend their buffers: src/coll/rooted_copy.cpp, and with -DEXCHANGE src/coll/exchange.cpp, for
 * RANKS ranks, OPERATIONS of them one after the other through SLOTS slots.
 *
 * Rooted copy, rank 0 being the root. In each operation each other rank's block is, at random, copied into its dropbox
 * (then the rank leaves), lent as one piece, which it copies alone, or lent in PIECES pieces, of which it claims some
 * from the front and the root some from the back. The root posts its arguments if any block is lent; a rank reads them
 * when it has claimed a piece. That is a gather; a broadcast or scatter differs from it in the direction of the copy.
 *
 * Exchange: in each operation each rank, at random, lends its blocks or copies them into its dropbox. Each takes from
 * all; if any has lent, it answers; one who has lent leaves when all have answered.
 *
 * Checked:
 *   buffers    what is lent, and the root's arguments, are used only while their owner is in the operation;
 *   the data   is of this operation, and each piece is copied exactly once, before anyone who needs it leaves;
 *   lifetimes  nobody touches a share that is not, or no longer, that of its operation;
 *   the end    every rank comes to it (no invalid end state).
 *
 * Memory model: as in share.pml.
 *
 * models: src/coll/dropbox.hpp: share::reset, claim_front, claim_back, share::complete, is_complete
 * models: src/coll/rooted_copy.cpp: poll_root, start_at_root, post_arguments, take_or_help, poll_other
 * models: src/coll/rooted_copy.cpp: start_at_other, post_buffer, work_on_own_share
 * models: src/coll/exchange.cpp: poll, post, post_block, post_blocks, lend, take, answer
 * must hold: -DRANKS=2 -DPIECES=3 -DOPERATIONS=4
 * must hold: -DRANKS=3
 * must hold: -DEXCHANGE -DRANKS=2 -DOPERATIONS=4 -DSLOTS=2
 * must hold: -DEXCHANGE -DRANKS=3
 * must fail: -DMUTATE_ARGUMENTS_FIRST    a rank reads the root's arguments before it has claimed a piece
 * must fail: -DMUTATE_ROOT_LEAVES        the root leaves when it has done its part
 * must fail: -DMUTATE_LEAVE_WHEN_CLAIMED a rank leaves when no piece of its share is left to be claimed
 * must fail: -DMUTATE_LAST_IS_SILENT     the root completes a share and does not notify its owner
 * must fail: -DMUTATE_NO_ROOM_CHECK      a rank posts while the root still looks at its last post
 * must fail: -DEXCHANGE -DMUTATE_ANSWER_FIRST     a rank answers before it has read
 * must fail: -DEXCHANGE -DRANKS=3 -DMUTATE_ANSWER_AFTER_ONE  it answers when it has read from the first that lends
 * must fail: -DEXCHANGE -DMUTATE_NO_WAIT          one who has lent does not wait for the answers
 * must fail: -DEXCHANGE -DMUTATE_NO_ROOM_CHECK    a rank posts while others still read its last post
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

#define ROOT 0

#if RANKS == 2
#define ALL(what) (what(0) && what(1))
#else
#define ALL(what) (what(0) && what(1) && what(2))
#endif

#define COPIED 1                   /* blocks */
#define ALONE 2
#define SHARED 3

#define SLOT(r) ((r) * SLOTS + number % SLOTS)
byte sequence[RANKS * SLOTS];      /* of the post */
byte answered[RANKS * SLOTS];      /* that of the answer */
byte place[RANKS * SLOTS];         /* COPIED or lent: as the post says */
byte front[RANKS * SLOTS];         /* the share */
byte back[RANKS * SLOTS];
byte completed[RANKS * SLOTS];
byte finished[RANKS];
bool asleep[RANKS];

byte contents[RANKS * SLOTS];      /* ghosts: what the dropbox holds is of this operation; */
byte share_is_for[RANKS * SLOTS];  /* the operation for which it has been reset; */
byte buffers_are_in[RANKS];        /* that may use the rank's buffers and arguments; */
#ifndef EXCHANGE
byte done[RANKS * PIECES];         /* the last in which this piece has been copied */
#endif

/* The block of each rank in each operation: chosen before all, so that all agree. */
byte block[RANKS * (OPERATIONS + 1)];
#define BLOCK(q) block[(q) * (OPERATIONS + 1) + number]
#define PIECES_OF(q) (BLOCK(q) == SHARED -> PIECES : 1)

#define HAS_ROOM(q) (finished[q] + SLOTS >= number)
#define HAS_POSTED(q) (sequence[SLOT(q)] == number)
#define HAS_ANSWERED(q) ((q) == me || answered[SLOT(q)] == number)
#define IS_COMPLETE(q) (completed[SLOT(q)] == PIECES_OF(q))
#define IS_LEFT(q) (front[SLOT(q)] + back[SLOT(q)] < PIECES_OF(q))
#define IS_LENT(q) (BLOCK(q) > COPIED)

/* wait_until() */
inline wait_until(condition) {
  do
  :: condition -> break
  :: atomic { !(condition) -> asleep[me] = true }
    !asleep[me]
  od
}

inline enter() {
#ifndef MUTATE_NO_ROOM_CHECK
  ALL(HAS_ROOM)
#else
  skip
#endif
}

inline leave() {
  buffers_are_in[me] = 0;
  finished[me] = number
}

/* Part of a step. */
inline post() {
  buffers_are_in[me] = number;
  place[SLOT(me)] = BLOCK(me);
  contents[SLOT(me)] = number;
  front[SLOT(me)] = 0; back[SLOT(me)] = 0; completed[SLOT(me)] = 0;
  share_is_for[SLOT(me)] = number;
  sequence[SLOT(me)] = number
}

#ifndef EXCHANGE

#define ONE_MORE(claims) claims = (claims <= PIECES -> claims + 1 : claims)

inline copy_piece(r) {
  assert(buffers_are_in[ROOT] == number && buffers_are_in[r] == number && done[(r) * PIECES + piece] != number);
  done[(r) * PIECES + piece] = number
}

inline check_block(r) {
  k = 0;
  do
  :: k < PIECES_OF(r) -> assert(done[(r) * PIECES + k] == number); k++
  :: else -> k = 0; break
  od
}

inline complete(r, peer) {
  assert(share_is_for[SLOT(r)] == number && buffers_are_in[r] == number && buffers_are_in[ROOT] == number);
  completed[SLOT(r)] = completed[SLOT(r)] + mine;
  mine = 0;
  if
#ifdef MUTATE_LAST_IS_SILENT
  :: IS_COMPLETE(r) && me != ROOT -> asleep[peer] = false
#else
  :: IS_COMPLETE(r) -> asleep[peer] = false
#endif
  :: else
  fi
}

inline take_or_help() {
  assert(place[SLOT(q)] == BLOCK(q));
  if
  :: BLOCK(q) == COPIED -> atomic { assert(contents[SLOT(q)] == number); done[q * PIECES] = number }
  :: BLOCK(q) == ALONE
  :: BLOCK(q) == SHARED ->
    do
    :: atomic {                    /* claim_back() */
        assert(share_is_for[SLOT(q)] == number);
        if
        :: IS_LEFT(q) ->
          piece = PIECES - 1 - back[SLOT(q)];
          ONE_MORE(back[SLOT(q)]);
          copy_piece(q);
          mine++;
          piece = 0
        :: else -> ONE_MORE(back[SLOT(q)]); break
        fi
      }
    od;
    if
    :: mine > 0 -> atomic { complete(q, q) }
    :: else
    fi
  fi
}

#if RANKS == 2
#define ANY_IS_LENT IS_LENT(1)
#else
#define ANY_IS_LENT (IS_LENT(1) || IS_LENT(2))
#endif

proctype root(byte me) {
  byte number, q, piece, mine, k;

  do
  :: number < OPERATIONS ->
    number++;
    if
    :: ANY_IS_LENT ->
      enter();
      atomic {
        post();
        do
        :: k < RANKS -> asleep[k] = false; k++
        :: else -> k = 0; break
        od
      }
    :: else -> buffers_are_in[me] = number
    fi;
    q = 1;
    do
    :: q < RANKS ->
      wait_until(HAS_POSTED(q));
      take_or_help();
      q++
    :: else -> break
    od;
#ifndef MUTATE_ROOT_LEAVES
    q = 1;
    do
    :: q < RANKS && place[SLOT(q)] != COPIED -> wait_until(IS_COMPLETE(q)); q++
    :: q < RANKS && place[SLOT(q)] == COPIED -> q++
    :: else -> break
    od;
#endif
    atomic {
      q = 1;
      do
      :: q < RANKS -> check_block(q); q++
      :: else -> q = 0; break
      od;
      leave()
    }
  :: else -> break
  od
}

inline read_arguments() { assert(buffers_are_in[ROOT] == number) }

inline work_on_own_share() {
#ifdef MUTATE_ARGUMENTS_FIRST
  read_arguments();
#endif
  do
  :: atomic {                      /* claim_front() */
      assert(share_is_for[SLOT(me)] == number);
      if
      :: IS_LEFT(me) ->
        piece = front[SLOT(me)];
        ONE_MORE(front[SLOT(me)])
      :: else -> ONE_MORE(front[SLOT(me)]); break
      fi
    }
    atomic {
      read_arguments();
      copy_piece(me);
      mine++;
      piece = 0
    }
  od;
  if
  :: mine > 0 -> atomic { complete(me, ROOT) }
  :: else
  fi
}

proctype other(byte me) {
  byte number, piece, mine, k;

  do
  :: number < OPERATIONS ->
    number++;
    enter();
    atomic { post(); asleep[ROOT] = false }
    if
    :: IS_LENT(me) ->
      wait_until(IS_COMPLETE(me) || HAS_POSTED(ROOT));
      if
      :: IS_COMPLETE(me)
      :: else -> work_on_own_share()
      fi;
#ifdef MUTATE_LEAVE_WHEN_CLAIMED
      wait_until(!IS_LEFT(me));
#else
      wait_until(IS_COMPLETE(me));
#endif
      atomic { check_block(me) }
    :: else
    fi;
    atomic { leave() }
  :: else -> break
  od
}

#else

/* A take is one step, and comes after its look; what follows from it may come later. */
inline take() {
  atomic {
    if
    :: place[SLOT(q)] == COPIED -> assert(contents[SLOT(q)] == number)
    :: else -> assert(buffers_are_in[q] == number); was_lent_to = true
    fi
  }
}

inline answer() {
  atomic {
    if
    :: answered[SLOT(me)] != number ->
      answered[SLOT(me)] = number;
      k = 0;
      do
      :: k < RANKS -> asleep[k] = false; k++
      :: else -> k = 0; break
      od
    :: else
    fi
  }
}

proctype rank(byte me) {
  byte number, q, k, next;
  bool was_lent_to;

  do
  :: number < OPERATIONS ->
    number++;
    enter();
    atomic {
      post();
      do
      :: k < RANKS -> asleep[k] = false; k++
      :: else -> k = 0; break
      od
    }
    next = 1;
    do
    :: next < RANKS ->
      q = (me + next) % RANKS;
      wait_until(HAS_POSTED(q));
#ifdef MUTATE_ANSWER_FIRST
      answer();
#endif
      take();
#ifdef MUTATE_ANSWER_AFTER_ONE
      if
      :: was_lent_to -> answer()
      :: else
      fi;
#endif
      next++
    :: else -> atomic { next = 0; q = 0 } break
    od;
    if
    :: was_lent_to -> answer()
    :: else
    fi;
    was_lent_to = false;
#ifndef MUTATE_NO_WAIT
    if
    :: IS_LENT(me) -> wait_until(ALL(HAS_ANSWERED))
    :: else
    fi;
#endif
    atomic { leave() }
  :: else -> break
  od
}

#endif

init {
  byte r;
  atomic {
    do
    :: r < RANKS * (OPERATIONS + 1) ->
      if
      :: r % (OPERATIONS + 1) == 0
      :: r % (OPERATIONS + 1) > 0 -> block[r] = COPIED
#ifdef EXCHANGE
      :: r % (OPERATIONS + 1) > 0 -> block[r] = SHARED
#else
      :: r / (OPERATIONS + 1) != ROOT && r % (OPERATIONS + 1) > 0 -> block[r] = ALONE
      :: r / (OPERATIONS + 1) != ROOT && r % (OPERATIONS + 1) > 0 -> block[r] = SHARED
#endif
      fi;
      r++
    :: else -> r = 0; break
    od;
    do
#ifdef EXCHANGE
    :: r < RANKS -> run rank(r); r++
#else
    :: r == ROOT -> run root(r); r++
    :: r > ROOT && r < RANKS -> run other(r); r++
#endif
    :: else -> break
    od
  }
}
