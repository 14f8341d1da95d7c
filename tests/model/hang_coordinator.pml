/* The search for ranks of several processes that wait for ever: src/hang/coordinator.hpp and hang/reporter.hpp, with what
 * src/gateway/control.cpp says of the messages, for RANKS ranks in as many processes, each of which does ACTIONS things, and
 * the last one MORE.
 *
 * A rank sends to another one, receives from another one, or cancels a send to another one, whose process then answers without
 * any rank. What it leaves waits in its ring until its process moves it on, travels, and wakes the receiver when it is handed over;
 * or it is an answer that waits for room in the other process. The search may begin at any time, once. It looks at the processes one
 * after the other: told, count, settle. (The third question, half a second later, is for what networks do with bytes that
 * nobody has asked for; how a rank falls asleep is in park.pml, how one process is looked at in stuck.pml.)
 *
 * Checked: whoever is reported never gets what it waits for. (That those who are stuck are found is for the tests.)
 *
 * models: src/hang/coordinator.cpp: hear, hear_states, hear_counted, find_suspects, begin, ask_to_count
 * models: src/hang/coordinator.cpp: ask_to_settle, all_have_answered, move_on, conclude
 * models: src/hang/reporter.cpp: is_as_told, tell, hear, still_sleep, answer, answer_count, answer_settle
 * models: src/hang/wait_graph.cpp: awaited, stuck_for_ever
 * models: src/gateway/control.cpp: look_at_messages, count_messages
 * must hold: -DRANKS=2 -DACTIONS=2
 * must hold: -DRANKS=2 -DACTIONS=2 -DMORE=1 -DNO_CANCEL
 * must hold: -DRANKS=3 -DACTIONS=1 -DNO_CANCEL
 * must fail: -DRANKS=2 -DACTIONS=2 -DMORE=1 -DNO_CANCEL -DMUTATE_NO_COUNTS          a message is in the network
 * must fail: -DRANKS=2 -DACTIONS=2 -DMORE=1 -DNO_CANCEL -DMUTATE_NO_RINGS           a message is still in its sender's ring
 * must fail: -DRANKS=2 -DACTIONS=2 -DMORE=1 -DNO_CANCEL -DMUTATE_NO_LOOK_AT_SETTLE  the message has come, and nobody looks again
 * must fail: -DRANKS=2 -DACTIONS=2 -DMORE=1 -DNO_CANCEL -DMUTATE_NO_NUMBER          the rank has been awake meanwhile, and sleeps again
 * must fail: -DRANKS=2 -DACTIONS=2 -DMUTATE_NO_ANSWERS                             the answer to a cancelled send is on its way
 */

#ifndef MORE
#define MORE 0
#endif

#define AT(from, to) ((from) * RANKS + (to))
#define AWAKE 0
#define ENDED 255
#define NETWORK_HOLDS 1

mtype = { message, cancel, answer };

byte in_ring[RANKS * RANKS];     /* messages that the rank has left, and its process has not sent */
bool cancels[RANKS * RANKS];     /* likewise */
bool answers[RANKS * RANKS];     /* for which there was no room */
chan net[RANKS * RANKS] = [NETWORK_HOLDS] of { mtype };
byte sent[RANKS * RANKS];        /* packets */
byte arrived[RANKS * RANKS];
byte handed[RANKS * RANKS];      /* messages that are there, and not received */
bool asked_back[RANKS];          /* an answer is awaited */
byte sleep[RANKS];               /* AWAKE, the number of the sleep, or ENDED */
byte sleeps[RANKS];
byte waits_for[RANKS];
bool reported[RANKS];            /* ghost */
bool over;                       /* ghost: the search has found nobody, and what follows does not matter */

inline fall_asleep(x) {
  sleeps[me]++;
  sleep[me] = sleeps[me];
  waits_for[me] = x
}
inline wake(r) {
  if
  :: sleep[r] != ENDED -> sleep[r] = AWAKE
  :: else
  fi
}

proctype rank(byte me) {
  byte left = ACTIONS, x;
  if
  :: me == RANKS - 1 -> left = left + MORE
  :: else
  fi;
  do
  :: left > 0 && !over ->
    left--;
    if
    :: x = (me + 1) % RANKS
    :: RANKS > 2 -> x = (me + 2) % RANKS
    fi;
    if
    :: in_ring[AT(me, x)]++
    :: true ->
      do
      :: atomic { handed[AT(x, me)] > 0 -> handed[AT(x, me)]--; assert(!reported[me]); break }
      :: atomic { handed[AT(x, me)] == 0 -> fall_asleep(x) };
end_receive:
        sleep[me] == AWAKE
      od
#ifndef NO_CANCEL
    :: atomic { asked_back[me] = true; cancels[AT(me, x)] = true };
      do
      :: atomic { !asked_back[me] -> assert(!reported[me]); break }
      :: atomic { asked_back[me] -> fall_asleep(x) };
end_cancel:
        sleep[me] == AWAKE
      od
#endif
    fi;
    x = 0
  :: else -> break
  od;
  sleep[me] = ENDED
}

inline post(from, to, what) {
  net[AT(from, to)]!what;
  sent[AT(from, to)]++
}

/* What process p does with process q, whenever it likes. */
proctype gateway(byte p; byte q) {
end:
  do
  :: atomic { !over && in_ring[AT(p, q)] > 0 && nfull(net[AT(p, q)]) -> in_ring[AT(p, q)]--; post(p, q, message) }
  :: atomic { !over && cancels[AT(p, q)] && nfull(net[AT(p, q)]) -> cancels[AT(p, q)] = false; post(p, q, cancel) }
  :: atomic { !over && answers[AT(p, q)] && nfull(net[AT(p, q)]) -> answers[AT(p, q)] = false; post(p, q, answer) }
  :: atomic { !over && net[AT(q, p)]?[message] -> net[AT(q, p)]?message; arrived[AT(q, p)]++; handed[AT(q, p)]++; wake(p) }
  :: atomic { !over && net[AT(q, p)]?[cancel] -> net[AT(q, p)]?cancel; arrived[AT(q, p)]++; answers[AT(p, q)] = true }
  :: atomic { !over && net[AT(q, p)]?[answer] -> net[AT(q, p)]?answer; arrived[AT(q, p)]++; asked_back[p] = false; wake(p) }
  od
}

#ifdef MUTATE_NO_NUMBER
#define STILL_SLEEPS(p) ((sleep[p] == AWAKE) == (told[p] == AWAKE))
#else
#define STILL_SLEEPS(p) (sleep[p] == told[p])
#endif

#ifdef MUTATE_NO_RINGS
#define PASSED_ON(p, q) true
#else
#define PASSED_ON(p, q) (in_ring[AT(p, q)] == 0 && !cancels[AT(p, q)] && !answers[AT(p, q)])
#endif

#ifdef MUTATE_NO_COUNTS
#define HAS_COME(q, p) true
#else
#define HAS_COME(q, p) (!suspect[q] || arrived[AT(q, p)] >= counted[AT(q, p)])
#endif

#ifdef MUTATE_NO_ANSWERS
#define IS_ANSWERED(p) true
#else
#define IS_ANSWERED(p) (!asked_back[p])
#endif

#if RANKS == 2
#define OTHERS(p, condition) (condition(p, 1 - (p)))
#define OTHERS_TO(p) HAS_COME(1 - (p), p)
#else
#define OTHERS(p, condition) (condition(p, ((p) + 1) % 3) && condition(p, ((p) + 2) % 3))
#define OTHERS_TO(p) (HAS_COME(((p) + 1) % 3, p) && HAS_COME(((p) + 2) % 3, p))
#endif

proctype inquiry() {
  byte told[RANKS], told_for[RANKS], counted[RANKS * RANKS];
  bool suspect[RANKS];
  byte p, q;
  do
  :: p < RANKS -> atomic { told[p] = sleep[p]; told_for[p] = waits_for[p]; suspect[p] = sleep[p] != AWAKE; p++ }
  :: else -> break
  od;
  skip;
  d_step {  /* stuck_for_ever(): take out who waits for one outside, RANKS times */
    q = 0;
    do
    :: q < RANKS ->
      p = 0;
      do
      :: p < RANKS ->
        if
        :: suspect[p] && told[p] != ENDED && !suspect[told_for[p]] -> suspect[p] = false
        :: else
        fi;
        p++
      :: else -> break
      od;
      q++
    :: else -> break
    od;
    p = 0
  };
  do
  :: p < RANKS && suspect[p] ->
end_count:
    atomic {
      OTHERS(p, PASSED_ON) || !STILL_SLEEPS(p) ->
      if
      :: !STILL_SLEEPS(p) -> goto done
      :: else
      fi;
      q = 0;
      do
      :: q < RANKS -> counted[AT(p, q)] = sent[AT(p, q)]; q++
      :: else -> break
      od;
      p++
    }
  :: p < RANKS && !suspect[p] -> p++
  :: else -> break
  od;
  p = 0;
  do
  :: p < RANKS && suspect[p] ->
end_settle:
    atomic {
      OTHERS_TO(p) && IS_ANSWERED(p) || !STILL_SLEEPS(p) ->
#ifndef MUTATE_NO_LOOK_AT_SETTLE
      if
      :: !STILL_SLEEPS(p) -> goto done
      :: else
      fi;
#endif
      p++
    }
  :: p < RANKS && !suspect[p] -> p++
  :: else -> break
  od;
  atomic {
    p = 0;
    do
    :: p < RANKS -> reported[p] = suspect[p] && told[p] != ENDED; p++
    :: else -> break
    od
  };
done:
  atomic {
    over = true;
    p = 0;
    do
    :: p < RANKS -> over = over && !reported[p]; p++
    :: else -> break
    od
  }
}

init {
  byte p, q;
  atomic {
    do
    :: p < RANKS ->
      run rank(p);
      q = 0;
      do
      :: q < RANKS ->
        if
        :: q != p -> run gateway(p, q)
        :: else
        fi;
        q++
      :: else -> break
      od;
      p++
    :: else -> break
    od;
    run inquiry()
  }
}
