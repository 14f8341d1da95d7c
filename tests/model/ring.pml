/* The ends of a ring, src/transport/ring_ends.hpp: one sender, one receiver, LINES lines, records of one line and of LINES/4.
 *
 * Checked, for any number of messages (the counts of lines are kept as places and differences, so that
 * the state space is finite and covers every lap):
 *   order      records arrive in order, each once, with the contents that were sent;
 *   exclusion  the sender never writes a line of a record that the receiver has not popped, and the receiver never
 *              reads a line that is being written;
 *   no mark    the receiver takes nothing for a mark but a mark of its lap, although every payload line begins with a
 *              word that looks like the mark of a one-line record of any lap;
 *   its turn   no deadlock: a sender that waits for room gets it from a receiver that drains the ring.
 * With GIVES_BACK a sender that has been told that all has been received may give the memory of the lines back, at any time:
 * they are zeros then; and the receiver tells how far it is at any time. (madvise() is a barrier: what the sender has
 * stored has arrived before.)
 * With GIVES_UP a sender may give up what it has reserved, whose first line it may have written, and reserve something else;
 * its stores have arrived by then, which keeps the state space small. (Of 8 lines a skip leaves none behind its mark; of 12 it
 * does, and 16 are more states than fit into 3 GB.)
 *
 * Memory model: the sender's stores go through a buffer from which they arrive in any order, except that stores to one
 * location keep their order (coherence) and a release store stays behind everything before it, and only that. A line
 * is torn from the moment its writing begins until it arrives. The receiver's loads are in order: the one that matters
 * is an acquire. Its one store is the release of released_; where that arrives late, the sender sees an old value,
 * which it does anyway: room_until_. Not modelled: relaxed loads out of order (there are none), the request for
 * room (see room.pml).
 *
 * models: src/transport/ring_ends.hpp: try_reserve, publish, front, pop, line, lap_of, clear_mark_at, wasted_before, free_until, reserve_behind_room, skip_to_start
 * models: src/transport/ring_ends.hpp: is_all_received, tell
 * models: src/transport/ring.cpp: give_back_unused
 * must hold:
 * must hold: -DLINES=12 -DDEPTH=2
 * must hold: -DGIVES_UP -DDEPTH=2
 * must hold: -DGIVES_UP -DLINES=12 -DDEPTH=1
 * must hold: -DGIVES_BACK -DDEPTH=3
 * must hold: -DGIVES_BACK -DLINES=12 -DDEPTH=2
 * must fail: -DMUTATE_NO_CLEAR               the next line's mark is not cleared: old payload is taken for a mark
 * must fail: -DMUTATE_ONE_LAP_BIT            the marks of all laps are alike
 * must fail: -DMUTATE_CLEAR_AFTER_PUBLISH    it is cleared too late
 * must fail: -DMUTATE_RELAXED_PUBLISH        the mark overtakes the payload
 * must fail: -DMUTATE_NO_SPARE_LINE          a reservation is for the record's lines only, not for the line it clears
 * must fail: -DMUTATE_RELEASE_BEFORE_READ    the receiver gives lines back before it has read them
 * must fail: -DMUTATE_SKIP_FORGETS -DGIVES_UP -DLINES=16 -DDEPTH=1   lines that were skipped for a record that is given up are no payload
 * must fail: -DMUTATE_SKIP_FORGETS -DGIVES_UP -DLINES=12 -DDEPTH=1   likewise
 * must fail: -DGIVES_BACK -DMUTATE_GIVE_BACK_UNTOLD -DDEPTH=2   the sender gives back what may not have been read
 * must fail: -DMUTATE_LAZIER_RELEASE         lines are given back when the whole ring is drained: the sender starves
 */

#ifndef LINES
#define LINES 8
#endif
#ifndef DEPTH
#define DEPTH 4                    /* of the sender's store buffer */
#endif
#define LARGEST (LINES / 4)        /* lines in a record */
#define WRAP 16                    /* the kind's bit in a mark; below it the number of lines, above it the lap's bit */
#define BELOW_LAP 31
#define EVEN_LAP 32
#define ODD_LAP 64
#define LOOKS_LIKE_A_MARK (1 + EVEN_LAP + ODD_LAP) /* the first word of a payload line */
#ifdef MUTATE_ONE_LAP_BIT
#define LAP_AFTER(lap) lap
#else
#define LAP_AFTER(lap) (EVEN_LAP + ODD_LAP - lap)
#endif

#define OLD 0                      /* contents of a line: nothing that the receiver should still read, */
#define TORN 1                     /*   half-written, */
#define PART(lines, i) (16 * (lines) + (i))  /* or the i-th line of a record */

byte mark[LINES];                  /* the first word of each line */
byte contents[LINES];              /* the rest of it */
byte freed;                        /* released_ less the sender's latest look at it */

byte buffered;                     /* the sender's stores that have not arrived yet, the oldest first */
byte where[DEPTH];                 /* < LINES: mark[], otherwise contents[] */
byte what[DEPTH];
bool is_release[DEPTH];

bool held[LINES];                  /* ghost: published and not popped */

/* One store of the sender. */
inline store(location, value, release) {
  d_step {
    buffered < DEPTH ->
    assert((location) >= LINES || !held[location]);
    where[buffered] = location;
    what[buffered] = value;
    is_release[buffered] = release;
    buffered++
  }
}
/* Stores of no given order and size. */
inline write_contents(line, value) {
  atomic {
    buffered < DEPTH ->
    assert(!held[line]);
    contents[line] = TORN;
    store(LINES + (line), value, false)
  }
}

/* Whether the i-th store may arrive. */
#define APART(i, j) (where[i] != where[j])
#define MAY_0 (buffered > 0)
#define MAY_1 (buffered > 1 && !is_release[1] && APART(1, 0))
#define MAY_2 (buffered > 2 && !is_release[2] && APART(2, 0) && APART(2, 1))
#define MAY_3 (buffered > 3 && !is_release[3] && APART(3, 0) && APART(3, 1) && APART(3, 2))
#define MAY_4 (buffered > 4 && !is_release[4] && APART(4, 0) && APART(4, 1) && APART(4, 2) && APART(4, 3))

active proctype memory() {
  byte i;
end:
  do
  :: atomic {
      if
      :: MAY_0 -> i = 0
      :: MAY_1 -> i = 1
#if DEPTH > 2
      :: MAY_2 -> i = 2
#endif
#if DEPTH > 3
      :: MAY_3 -> i = 3
#endif
#if DEPTH > 4
      :: MAY_4 -> i = 4
#endif
      fi;
      d_step {
        if
        :: where[i] < LINES -> mark[where[i]] = what[i]
        :: else -> contents[where[i] - LINES] = what[i]
        fi;
        buffered--;
        do
        :: i < buffered -> where[i] = where[i + 1]; what[i] = what[i + 1]; is_release[i] = is_release[i + 1]; i++
        :: else -> break
        od;
        where[buffered] = 0; what[buffered] = 0; is_release[buffered] = false;
        i = 0
      }
    }
  od
}

#ifdef MUTATE_RELAXED_PUBLISH
#define PUBLISH false
#else
#define PUBLISH true
#endif
#ifdef MUTATE_NO_SPARE_LINE
#define SPARE 0
#else
#define SPARE 1
#endif

active proctype sender() {
  byte place;                      /* tail_, in the ring */
  byte used;                       /* tail_ less the sender's latest look at released_ */
  byte since_payload;              /* tail_ - payload_until_, or LINES if it is more */
  byte lap = EVEN_LAP;
  byte lines, wasted, i;

  do
#ifdef GIVES_BACK
  :: atomic {
#ifdef MUTATE_GIVE_BACK_UNTOLD
      buffered == 0 ->
#else
      used == freed && buffered == 0 ->
#endif
      used = used - freed;
      freed = 0;
      do
      :: i < LINES -> assert(!held[i]); mark[i] = 0; contents[i] = OLD; i++
      :: else -> i = 0; break
      od
    }
#endif
  :: true ->
reserve:
    atomic {                       /* try_reserve(lines) */
      if
      :: lines = 1
      :: lines = LARGEST
      fi;
      if
      :: place + lines > LINES -> wasted = LINES - place
      :: else
      fi
    }
    do
    :: used + wasted + lines + SPARE <= LINES -> break
    :: atomic { used + wasted + lines + SPARE > LINES && freed > 0 -> used = used - freed; freed = 0 }
    od;

    if
    :: wasted > 0 ->               /* skip_to_start() */
      store(place, lap + WRAP + wasted, false);
      atomic {
        used = used + wasted;
#ifdef MUTATE_SKIP_FORGETS
        since_payload = since_payload + wasted;
        if
        :: since_payload > LINES -> since_payload = LINES
        :: else
        fi;
#else
        since_payload = 0;
#endif
        wasted = 0; place = 0; lap = LAP_AFTER(lap)
      }
    :: else
    fi;

#if !defined(MUTATE_NO_CLEAR) && !defined(MUTATE_CLEAR_AFTER_PUBLISH)
    if
    :: since_payload + lines < LINES -> store((place + lines) % LINES, 0, false)
    :: else
    fi;
#endif
    write_contents(place, PART(lines, 0));
#ifdef GIVES_UP
    if
    :: atomic { lines > 1 && buffered == 0 -> lines = 0; goto reserve }
    :: true
    fi;
#endif
    do
    :: i + 1 < lines ->
      i++;
      store(place + i, LOOKS_LIKE_A_MARK, false);
      write_contents(place + i, PART(lines, i))
    :: else -> break
    od;

    atomic {                       /* publish() */
      store(place, lap + lines, PUBLISH);
      i = 0;
      do
      :: i < lines -> held[place + i] = true; i++
      :: else -> break
      od;
#ifdef MUTATE_CLEAR_AFTER_PUBLISH
    }
    store((place + lines) % LINES, 0, false);
    atomic {
#endif
      used = used + lines;
      since_payload = since_payload + lines;
      if
      :: lines > 1 -> since_payload = 0
      :: lines == 1 && since_payload > LINES -> since_payload = LINES
      :: else
      fi;
      place = place + lines;
      if
      :: place == LINES -> place = 0; lap = LAP_AFTER(lap)
      :: else
      fi;
      lines = 0; i = 0
    }
  od
}

#ifdef MUTATE_LAZIER_RELEASE
#define RELEASE_AT (LINES - 1)
#else
#define RELEASE_AT (LINES / 4)
#endif

active proctype receiver() {
  byte place;                      /* head_, in the ring */
  byte unreleased;                 /* head_ - released_ */
  byte lap = EVEN_LAP;
  byte seen, i;

  /* One step from front() to pop(): a line that is held is not written, as store() and write_contents() assert, so it
   * makes no difference when it is read. (Read line by line, the model has five times as many states.) */
  do
#ifdef GIVES_BACK
  :: atomic { unreleased > 0 -> freed = freed + unreleased; unreleased = 0 }  /* tell() */
#endif
  :: atomic {                      /* front(): acquire */
      (mark[place] & lap) != 0 ->
      seen = mark[place] & BELOW_LAP;
      if
      :: seen >= WRAP ->
        d_step {
          assert(place + seen - WRAP == LINES);
          unreleased = unreleased + LINES - place;
          place = 0; seen = 0; lap = LAP_AFTER(lap)
        }
      :: else ->
        assert(seen <= LARGEST);
#ifdef MUTATE_RELEASE_BEFORE_READ
        freed = freed + seen + unreleased;
        unreleased = 0
      fi
    }
    atomic {
      if
      :: seen == 0
      :: else ->
#endif
        d_step {
          do
          :: i < seen -> assert(contents[place + i] == PART(seen, i)); i++
          :: else -> break
          od;
          i = 0;                   /* pop() */
          do
          :: i < seen -> held[place + i] = false; contents[place + i] = OLD; i++
          :: else -> break
          od;
          place = place + seen;
          if
          :: place == LINES -> place = 0; lap = LAP_AFTER(lap)
          :: else
          fi;
#ifndef MUTATE_RELEASE_BEFORE_READ
          unreleased = unreleased + seen;
#endif
          seen = 0; i = 0
        }
      fi;
      if
      :: unreleased >= RELEASE_AT -> freed = freed + unreleased; unreleased = 0
      :: unreleased < RELEASE_AT
      fi
    }
  od
}
