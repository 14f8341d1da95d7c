/* The task slot and its hint: src/task/task_slot.hpp, task_pool.hpp, task_service.cpp, for OWNERS owners and THIEVES
 * thieves; each owner executes GENERATIONS tasks of 2 to CHUNKS chunks (1 to CHUNKS with several owners).
 *
 * The owner opens its slot, tells, and then works as the thieves do, or computes for so long in the chunks before these
 * that it claims none of them. (Its first claim is part of its open(): as if it came before anybody looked.) Whoever claims takes any share of what is left (single chunks, guided, the owner's part). A
 * chunk fails at random if FAILURES is defined. A thief looks when the hint is set; after a look in vain it forgets, at
 * random: after any number of looks. Stealing by owners that wait is that of thieves; sleeping and waking are park.pml's.
 *
 * Checked:
 *   claims     each chunk of each generation is run once, or not at all after a failure;
 *   the task   that a thief reads after its claim is that of the generation it has claimed from;
 *   lifetimes  no chunk runs when its owner has returned, nor is counted or dropped in another generation;
 *   failures   the owner gets the first one of its generation, and none of another;
 *   the end    the owner returns (no invalid end state): no count is lost, and no open task is overlooked for ever by
 *              thieves that keep looking.
 *
 * Memory model: sequential consistency. A claim orders what thieves read, a count what the owner reads; where the code
 * relies on more, on the order of a store and a later load, MUTATE_TELL_FIRST and MUTATE_LOOK_FIRST exchange them, as
 * weaker orders would allow.
 *
 * The generation in the word is a second lock on the same door: as the task is read after the claim, a late claim that
 * succeeds gets the new task whole (-DWITHOUT_GENERATION). Whoever reads the task first needs the generation.
 *
 * models: src/task/task_slot.hpp: open, claim_own, drop_rest, all_others_done, has_chunks, still_has_chunks, steal
 * models: src/task/task_slot.hpp: complete, make_word
 * models: src/task/task_pool.hpp: tell, may_have_tasks, forget
 * models: src/task/task_service.cpp: execute, run_own, task_service::fail, steal, steal_from
 * must hold:
 * must hold: -DFAILURES -DGENERATIONS=2
 * must hold: -DOWNERS=2 -DTHIEVES=1 -DGENERATIONS=2 -DCHUNKS=2
 * must hold: -DWITHOUT_GENERATION -DGENERATIONS=2
 * must hold: -DTASK_FIRST -DGENERATIONS=2
 * must fail: -DMUTATE_PLAIN_COUNTER       a pointer that is read first and a counter: a late thief runs a chunk of g+1 as g
 * must fail: -DTASK_FIRST -DWITHOUT_GENERATION         the same with compare-exchange
 * must fail: -DMUTATE_RESET_LATE          the count is reset after the word is published
 * must fail: -DMUTATE_TASK_LATE           the task is written after the word is published
 * must fail: -DMUTATE_COUNT_FIRST         a thief counts its chunks before it runs them
 * must fail: -DMUTATE_NO_SECOND_LOOK      a thief clears the hint and does not look again
 * must fail: -DMUTATE_LOOK_FIRST          it looks again before the hint is clear for all
 * must fail: -DMUTATE_TELL_FIRST          the owner looks at the hint before its word is there for all
 * must fail: -DFAILURES -DMUTATE_DROP_UNCOUNTED  what is dropped is not counted
 * must fail: -DFAILURES -DMUTATE_FAIL_LATE       a thief counts its chunks before it reports their failure
 * must fail: -DFAILURES -DMUTATE_DROP_BLINDLY    whoever drops forgets what others claim meanwhile
 */

#ifndef OWNERS
#define OWNERS 1
#endif
#ifndef THIEVES
#define THIEVES 2
#endif
#ifndef GENERATIONS
#define GENERATIONS 3
#endif
#ifndef CHUNKS
#define CHUNKS 3
#endif

/* The word of a slot. */
#ifdef WITHOUT_GENERATION
#define WORD(generation, chunks) ((chunks) * 4)
#else
#define WORD(generation, chunks) ((generation) * 16 + (chunks) * 4)
#endif
#define NEXT(of) ((of) % 4)
#define CHUNKS_IN(of) ((of) / 4 % 4)
#define LEFT(of) (CHUNKS_IN(of) - NEXT(of))

byte word[OWNERS];
byte task[OWNERS];                 /* the generation that it is of */
byte completed[OWNERS];
bool has_failed[OWNERS];
byte failure[OWNERS];              /* the generation that it is of */
bool hint;

byte in_execute[OWNERS];           /* ghosts: the generation that the owner executes, or 0; */
byte published[OWNERS];            /* the generation of the word; */
byte done[OWNERS * CHUNKS];        /* the last generation in which the chunk was run */

#define AT(chunk) ((o) * CHUNKS + (chunk))

/* Looks at the slot of `o`. */
inline look() { seen = word[o] }

inline select_count() {
  if
  :: count = 1
  :: LEFT(seen) > 1 -> count = 2
  :: LEFT(seen) > 2 -> count = 3
  fi
}

/* Claims any number of chunks: `first`, `count`; and `claimed`, the generation that they are of. None if all are claimed. */
inline claim() {
  do
  :: LEFT(seen) == 0 -> break
  :: atomic {
      LEFT(seen) > 0 ->
      if
      :: word[o] == seen ->
        first = NEXT(seen);
        select_count();
        word[o] = seen + count;
        claimed = published[o];
        seen = 0;
        break
      :: else -> seen = word[o]
      fi
    }
  od
}

/* The task is read between the look and the claim, which is given up if the word has changed. */
inline claim_what_was_seen() {
  mine = task[o];
  atomic {
    if
    :: LEFT(seen) > 0 && word[o] == seen ->
      first = NEXT(seen);
      select_count();
      word[o] = seen + count;
      claimed = published[o]
    :: else
    fi;
    seen = 0
  }
}

/* Runs the claimed chunks, as the task of generation `mine` says; sets `failing`, perhaps. A step. */
inline work() {
  atomic {
    assert(mine == claimed && in_execute[o] == claimed);
    i = 0;
    do
    :: i < count ->
      assert(done[AT(first + i)] < claimed);
      done[AT(first + i)] = claimed;
      i++
#ifdef FAILURES
    :: i < count ->
      assert(done[AT(first + i)] < claimed);
      done[AT(first + i)] = claimed;
      failing = true;
      break
#endif
    :: i == count -> break
    od;
    i = 0
  }
}

inline complete(chunks) {
  atomic {
    assert(in_execute[o] == claimed);
    completed[o] = completed[o] + chunks
  }
}

/* fail() and drop_rest() */
inline fail() {
  atomic {
    if
    :: !has_failed[o] -> has_failed[o] = true; is_first = true
    :: else
    fi
  }
  if
  :: is_first -> atomic { failure[o] = claimed; is_first = false }
  :: else
  fi;
  look();
  do
  :: atomic {
#ifndef MUTATE_DROP_BLINDLY
      word[o] == seen ->
#endif
      assert(published[o] == claimed);
      word[o] = seen + LEFT(seen);
      break
    }
  :: atomic { word[o] != seen -> seen = word[o] }
  od;
#ifndef MUTATE_DROP_UNCOUNTED
  complete(LEFT(seen));
#endif
  atomic { seen = 0; failing = false }
}

inline tell() {
  if
  :: !hint -> hint = true
  :: hint
  fi
}

/* ---- the owner ---- */

inline publish() {
  atomic {
    word[o] = WORD(generation, chunks);
    published[o] = generation
  }
}

inline open() {
#ifndef MUTATE_TASK_LATE
  task[o] = generation;
#endif
#ifndef MUTATE_RESET_LATE
  completed[o] = 0;
#endif
  publish();
#ifdef MUTATE_TASK_LATE
  task[o] = generation;
#endif
#ifdef MUTATE_RESET_LATE
  completed[o] = 0;
#endif
}

proctype owner(byte o) {
  byte generation, chunks, own, seen, first, count, claimed, mine, i;
  bool failing, is_first, was_told;

  do
  :: generation < GENERATIONS ->
    atomic {
      generation++;
      in_execute[o] = generation;
      if
#if OWNERS > 1
      :: chunks = 1
#endif
      :: chunks = 2
#if CHUNKS > 2
      :: chunks = 3
#endif
      fi
    }
#ifdef MUTATE_TELL_FIRST
    was_told = hint;
    open();
    if
    :: !was_told -> hint = true
    :: else
    fi;
#else
    open();
    tell();
#endif
    do
    :: atomic { look(); claim() }
      if
      :: count == 0 -> break
      :: else
      fi;
      atomic { own = own + count; mine = generation }
      work();
      atomic { first = 0; count = 0; mine = 0 }
      if
      :: failing -> fail(); break
      :: else
      fi
    :: break                       /* it is slow: thieves take the others */
    od;
    atomic {
      completed[o] + own == chunks ->
      own = 0; claimed = 0; seen = 0;
      if
      :: has_failed[o] ->
        assert(failure[o] == generation);
        has_failed[o] = false; failure[o] = 0
      :: else ->
        do
        :: i < chunks -> assert(done[AT(i)] == generation); i++
        :: else -> i = 0; break
        od
      fi;
      in_execute[o] = 0
    }
  :: else -> break
  od
}

/* ---- a thief ---- */

inline steal_from() {
  look();
#ifdef MUTATE_PLAIN_COUNTER
  mine = task[o];
  atomic {
    seen = word[o];
    if
    :: LEFT(seen) > 0 -> first = NEXT(seen); count = 1; word[o] = seen + 1; claimed = published[o]
    :: else
    fi;
    seen = 0
  }
#else
#ifdef TASK_FIRST
  claim_what_was_seen();
#else
  claim();
  if
  :: count > 0 -> mine = task[o]
  :: else
  fi;
#endif
#endif
  if
  :: count > 0 ->
#ifdef MUTATE_COUNT_FIRST
    complete(count);
#endif
    work();
#ifdef MUTATE_FAIL_LATE
    complete(count);
#endif
    if
    :: failing -> fail()
    :: else
    fi;
#ifndef MUTATE_COUNT_FIRST
#ifndef MUTATE_FAIL_LATE
    complete(count);
#endif
#endif
    found = true
  :: else
  fi;
  atomic { seen = 0; first = 0; count = 0; claimed = 0; mine = 0 }
}

inline look_again() {
  o = 0;
  do
  :: o < OWNERS ->
    if
    :: LEFT(word[o]) > 0 -> tell()
    :: LEFT(word[o]) == 0
    fi;
    o++
  :: else -> o = 0; break
  od
}

proctype thief() {
  byte o, seen, first, count, claimed, mine, i;
  bool failing, is_first, found;

end:
  do
  :: hint ->
    o = 0;
    do
    :: o < OWNERS -> steal_from(); o++
    :: else -> o = 0; break
    od;
    if
    :: found -> found = false
    :: !found
    :: !found ->
#ifdef MUTATE_LOOK_FIRST
      look_again();
      hint = false
#else
      hint = false;
#ifndef MUTATE_NO_SECOND_LOOK
      look_again()
#endif
#endif
    fi
  od
}

init {
  byte p;
  atomic {
    do
    :: p < OWNERS -> run owner(p); p++
    :: else -> p = 0; break
    od;
    do
    :: p < THIEVES -> run thief(); p++
    :: else -> p = 0; break
    od
  }
}
