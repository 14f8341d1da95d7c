/* Ranks that are stuck while others run: look_at_ranks(), stuck_for_ever(), waiter::look() and still_sleeps(), beside
 * ranks that send, receive, park and wake each other as in park.pml (without the parked count, which this does not use).
 *
 * The watch reads the word of each rank, and what it waits for, one after the other; reads all words once more, and leaves out
 * whose word has changed; then it finds the set of those who wait for one of the set, or for one that has ended. This at any
 * time, once.
 *
 * Checked: whoever is reported as stuck never gets what it waits for. (That those who are stuck are found is for the tests.)
 *
 * models: src/runtime/notified.hpp: notified::notify
 * models: src/runtime/waiter.hpp: waiter::park, still_sleeps, state_in
 * models: src/runtime/rank.hpp: has_ended, note_end
 * models: src/runtime/waiter.cpp: announce_park, retract_park, note_sleep, commit_to_park, look, wake
 * models: src/hang/rank_state.cpp: look_at, look_at_ranks
 * models: src/hang/wait_graph.cpp: awaited, stuck_for_ever
 * must hold: -DRANKS=2 -DSENDS=1 -DRECEIVES=2
 * must hold: -DRANKS=2 -DSCRIPT=1
 * must hold: -DRANKS=3 -DNO_BUFFERS -DSCRIPT=2
 * must hold: -DRANKS=3 -DNO_BUFFERS -DSCRIPT=3
 * must fail: -DRANKS=2 -DSENDS=1 -DRECEIVES=2 -DMUTATE_ONE_READING  the words are those of different moments
 * must fail: -DRANKS=2 -DSCRIPT=1 -DMUTATE_NO_NUMBER                the rank has been awake meanwhile, and sleeps again
 * must fail: -DRANKS=2 -DMUTATE_NO_HEAVY_FENCE                      a rank sleeps though its message has come
 */

#ifndef SENDS
#define SENDS 1
#endif
#ifndef RECEIVES
#define RECEIVES 1
#endif

/* The word: a state, and for PARKED the number of the sleep. */
#define RUNNING 0
#define ANNOUNCED 1
#define PARKED 2
#define ENDED 3                    /* has_ended() */
#define STATE(word) ((word) & 3)
#define ONE_SLEEP 4

/* Addresses. */
#define PARKING(r) (r)
#define PUBLISHED(from, to) (RANKS + (from) * RANKS + (to))  /* how many messages */
#define ADDRESSES (RANKS + RANKS * RANKS)

#include "tso.inc"

/* Three ranks with store buffers have too many states; without them, what is left is who wakes whom when. */
#ifdef NO_BUFFERS
#define STORE(address, value) mem[address] = value
#else
#define STORE(address, value) store(address, value)
#endif

byte waits_for[RANKS];             /* the source of the receive */
byte noted[RANKS];                 /* the same, as it is noted for others before each sleep */
byte sleeps[RANKS];
byte taken[RANKS * RANKS];         /* how many messages of `from` the rank has received */
bool stuck[RANKS];                 /* ghost: reported */

#define READY(r) (mem[PUBLISHED(waits_for[r], r)] > taken[(r) * RANKS + waits_for[r]])

inline notify(peer) {
  if
  :: STATE(mem[PARKING(peer)]) == ANNOUNCED || STATE(mem[PARKING(peer)]) == PARKED ->
    atomic {  /* an exchange; a rank that has ended has no word of its own to wake */
      BUFFER_IS_EMPTY ->
      if
      :: mem[PARKING(peer)] != ENDED -> mem[PARKING(peer)] = RUNNING
      :: else
      fi
    }
  :: STATE(mem[PARKING(peer)]) == RUNNING || STATE(mem[PARKING(peer)]) == ENDED
  fi
}

inline park() {
  STORE(PARKING(me), ANNOUNCED);
  heavy_fence();
  if
  :: READY(me) -> STORE(PARKING(me), RUNNING)
  :: !READY(me) ->
    noted[me] = waits_for[me];
    atomic {
      BUFFER_IS_EMPTY ->
      if
      :: mem[PARKING(me)] == ANNOUNCED ->
        sleeps[me]++;
        mem[PARKING(me)] = PARKED + sleeps[me] * ONE_SLEEP
      :: else
      fi
    }
end_asleep:
    STATE(mem[PARKING(me)]) != PARKED
  fi
}

#define RETURN 0
#define SEND 1
#define RECEIVE 2

#ifdef SCRIPT
#define STEPS 6                    /* 1x: send to x; 2x: receive from x; 0: return */
#if SCRIPT == 1                    /* a token to and fro */
byte script[RANKS * STEPS] = {
  21, 11, 21, 0,  0, 0,
  10, 20, 10, 20, 0, 0
};
#elif SCRIPT == 2                  /* a token goes round */
byte script[RANKS * STEPS] = {
  11, 22, 0,  0,  0, 0,
  20, 12, 0,  0,  0, 0,
  21, 10, 0,  0,  0, 0
};
#else                              /* 0 and 1 are stuck in the end; 2 wakes 0 before */
byte script[RANKS * STEPS] = {
  22, 21, 0,  0,  0, 0,
  20, 10, 0,  0,  0, 0,
  10, 0,  0,  0,  0, 0
};
#endif
inline next_action() {
  atomic { action = script[me * STEPS + step] / 10; peer = script[me * STEPS + step] % 10; step++ }
}
#else
inline next_action() {  /* any */
  atomic {
    if
    :: sends < SENDS -> sends++; action = SEND
    :: receives < RECEIVES -> receives++; action = RECEIVE
    :: action = RETURN
    fi;
    step++;
    peer = (me + 1) % RANKS
  }
}
#endif

proctype rank(byte me) {
  byte sends, receives, step, action, peer, i;

  do
  :: next_action();
    if
    :: action == RETURN -> break
    :: action == SEND -> STORE(PUBLISHED(me, peer), step); notify(peer)
    :: action == RECEIVE ->
      waits_for[me] = peer;
      do
      :: READY(me) ->
        atomic { assert(!stuck[me]); taken[me * RANKS + peer] = mem[PUBLISHED(peer, me)] }
        break
      :: !READY(me) -> park()
      od
    fi
  od;
  atomic { BUFFER_IS_EMPTY -> mem[PARKING(me)] = ENDED }
}

proctype watch() {
  byte r, word[RANKS], peer_of[RANKS];
  bool in[RANKS], changed;

  do
  :: atomic { r < RANKS -> word[r] = mem[PARKING(r)] }
    atomic { peer_of[r] = noted[r]; r++ }
  :: r == RANKS -> break
  od;
  r = 0;
  do
  :: atomic {
      r < RANKS ->
#if defined(MUTATE_ONE_READING)
      in[r] = true;
#elif defined(MUTATE_NO_NUMBER)
      in[r] = (STATE(mem[PARKING(r)]) == STATE(word[r]));
#else
      in[r] = (mem[PARKING(r)] == word[r]);
#endif
      in[r] = (in[r] && (STATE(word[r]) == PARKED || STATE(word[r]) == ENDED));
      r++
    }
  :: r == RANKS -> break
  od;
  skip;  /* SPIN allows no jump into a d_step */
  d_step {
    changed = true;
    do
    :: changed ->
      changed = false;
      r = 0;
      do
      :: r < RANKS ->
        if
        :: in[r] && STATE(word[r]) == PARKED && !in[peer_of[r]] -> in[r] = false; changed = true
        :: else
        fi;
        r++
      :: else -> break
      od
    :: else -> break
    od;
    r = 0;
    do
    :: r < RANKS ->
      stuck[r] = in[r] && STATE(word[r]) == PARKED;
      assert(!stuck[r] || !READY(r));  /* it has not come already */
      r++
    :: else -> break
    od;
    r = 0
  }
}

init {
  byte r;
  atomic {
    do
    :: r < RANKS -> run rank(r);
#ifndef NO_BUFFERS
      run store_buffer(r);
#endif
      r++
    :: else -> break
    od;
    run watch()
  }
}
