/* The end of a phase of an aggregation: aggregation/phase_counts.hpp, with its use in aggregation/finish.cpp,
 * part_phases.cpp, item_sender.cpp and arrival_queues.hpp. Sleeping is in park.pml; the list of an inbox in
 * aggregation_inbox.pml.
 *
 * RANKS ranks go through PHASES phases. In a phase each rank may first send some items, then is in finish: it handles
 * what has come; handlers may send; when it has nothing to handle it publishes what it has handled, and looks at all
 * counts. At most ITEMS items are sent in all. A rank that has left finish may send items of the next phase to ranks that
 * are still in it. A step is one access to a published word, or a push or a pop of an inbox, whose phases are counts.
 *
 * Checked:
 *   early       a rank that leaves finish of a phase finds all items of that phase handled;
 *   late        every rank leaves (no invalid end state: a rank that looks and finds nothing looks again only when a word
 *               has changed, as who sleeps does);
 *   hold        no item is handled in the phase before its own.
 *
 * Memory model: sequential consistency. The release of `handled` is acquired by who reads it, and that of `sent` comes
 * before the push; what a look reads is read one by one, in the order of the code.
 *
 * models: src/aggregation/phase_counts.hpp: publish_sent, publish_quiet, publish_active, look
 * models: src/aggregation/part_phases.cpp: look_for_end, end_phase
 * models: src/aggregation/part_phases.hpp: has_ended
 * models: src/aggregation/finish.cpp: phase_finish::run
 * models: src/aggregation/rank_stage.hpp: end_finish
 * models: src/aggregation/item_sender.cpp: count_sent
 * models: src/aggregation/arrival_queues.hpp: next_to_handle
 * must hold:
 * must hold: -DRANKS=2 -DITEMS=3 -DPHASES=2
 * in soak, must hold: -DRANKS=3 -DITEMS=2 -DPHASES=2
 * in soak, must hold: -DRANKS=2 -DITEMS=3 -DPHASES=3
 * must fail: -DMUTATE_SENT_WHEN_QUIET                        `sent` is published only by quiet ranks
 * must fail: -DMUTATE_PUSH_FIRST                             the buffer is pushed, and counted then
 * must fail: -DMUTATE_READ_SENT_FIRST -DITEMS=3              the look reads all `sent`, then all `handled`
 * must fail: -DMUTATE_HANDLED_WHEN_ACTIVE -DITEMS=3          `handled` is published by ranks that will send more
 * must fail: -DMUTATE_NO_STICKY_END -DRANKS=2 -DPHASES=2     who finds the end tells nobody: each looks at the counts
 * must fail: -DMUTATE_NO_HOLD -DRANKS=2 -DPHASES=2           items of the next phase are handled, too
 */

#ifndef RANKS
#define RANKS 3
#endif
#ifndef ITEMS
#define ITEMS 2
#endif
#ifndef PHASES
#define PHASES 1
#endif

/* published */
byte sent[RANKS], handled[RANKS], quiet_in[RANKS];
byte ended;                         /* the last phase that has ended */

bool news[RANKS];                   /* a published word has changed since the rank's last look */

inline tell_all() {
  k = 0;
  do
  :: k < RANKS -> news[k] = true; k++
  :: else -> k = 0; break
  od
}

/* inboxes: items of phase p that wait for a rank (their order is of no matter here) */
typedef box { byte phase_of[PHASES + 2] }
box inbox[RANKS];

/* ghosts */
byte made;                          /* items, at most ITEMS */
typedef count { byte n }
count open_items[PHASES + 2];       /* sent and not handled, by phase */

inline publish_sent() {
#ifndef MUTATE_SENT_WHEN_QUIET
  atomic { sent[me] = own_sent; tell_all() }
#else
  skip
#endif
}

/* An item to any rank: count_sent(), then the push. */
inline send_one() {
  if :: to = 0 :: RANKS > 1 -> to = 1 :: RANKS > 2 -> to = RANKS - 1 fi;
#ifdef MUTATE_PUSH_FIRST
  atomic { own_sent++; inbox[to].phase_of[phase]++ };
  publish_sent();
#else
  own_sent++;
  publish_sent();
  inbox[to].phase_of[phase]++;
#endif
  to = 0
}

/* Whether a handler, or the program before finish, sends an item. (made and open_items are reserved in one step.) */
inline may_send() {
  if
  :: skip
  :: atomic { made < ITEMS -> made++; open_items[phase].n++ } send_one()
  fi
}

/* One item of this phase; with MUTATE_NO_HOLD of the next one, too. */
inline handle_one(p) {
  atomic { inbox[me].phase_of[p]--; assert(p == phase) };
  may_send();
#ifdef MUTATE_HANDLED_WHEN_ACTIVE
  atomic { handled[me] = own_handled + 1; tell_all() };
  may_send();
#endif
  atomic { own_handled++; open_items[p].n-- }
}

/* phase_counts::look(), by a quiet rank: finds the end, or does not. */
inline look() {
  atomic { news[me] = false; i = 0; is_equal = true };
  do
  :: i == RANKS -> break
  :: else -> atomic { if :: quiet_in[i] != phase -> is_equal = false; i = RANKS :: else -> i++ fi }
  od;
  if
  :: is_equal ->
#ifndef MUTATE_READ_SENT_FIRST
    i = 0; do :: i == RANKS -> break :: else -> atomic { sums_handled = sums_handled + handled[i]; i++ } od;
    i = 0; do :: i == RANKS -> break :: else -> atomic { sums_sent = sums_sent + sent[i]; i++ } od;
#else
    i = 0; do :: i == RANKS -> break :: else -> atomic { sums_sent = sums_sent + sent[i]; i++ } od;
    i = 0; do :: i == RANKS -> break :: else -> atomic { sums_handled = sums_handled + handled[i]; i++ } od;
#endif
    is_equal = (sums_handled == sums_sent)
  :: else
  fi;
  atomic { i = 0; sums_handled = 0; sums_sent = 0 }
}

#define HAS_ITEMS (inbox[me].phase_of[phase] > 0)
#ifdef MUTATE_NO_HOLD
#define HAS_NEXT (inbox[me].phase_of[phase + 1] > 0)
#else
#define HAS_NEXT false
#endif

proctype rank(byte me) {
  byte phase = 1;
  byte own_sent, own_handled, to, i, k, sums_handled, sums_sent;
  bool is_equal, is_over;

  do
  :: phase > PHASES -> break
  :: else ->
    may_send();
    /* finish */
    is_over = false;
    do
    :: is_over -> break
    :: !is_over && HAS_ITEMS -> handle_one(phase)
    :: !is_over && HAS_NEXT -> handle_one(phase + 1)
    :: !is_over && !HAS_ITEMS ->
#ifdef MUTATE_SENT_WHEN_QUIET
      atomic { sent[me] = own_sent; tell_all() };
#endif
      atomic { handled[me] = own_handled; tell_all() };
      atomic { quiet_in[me] = phase; tell_all() };
      do
#ifndef MUTATE_NO_STICKY_END
      :: ended >= phase -> is_over = true; break
#endif
      :: HAS_ITEMS || HAS_NEXT -> quiet_in[me] = 0; break
      :: news[me] ->
        look();
        if
        :: is_equal ->
#ifndef MUTATE_NO_STICKY_END
          ended = phase;
#endif
          is_over = true;
          break
        :: else -> is_equal = false
        fi
      od
    od;
    is_equal = false;
    assert(open_items[phase].n == 0);
    phase++
  od
}

init {
  atomic {
    byte r = 0;
    do
    :: r < RANKS -> run rank(r); r++
    :: else -> break
    od
  }
}
