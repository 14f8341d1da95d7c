/* Who has a message that its sender can take back: transport/send_claim.hpp, with its use by the sender
 * (match/message_sender.cpp: start, test, cancel) and the receiver (match/message_receiver.cpp and probe.cpp: accept,
 * take_early, probe, take, receive; match/unexpected_messages.cpp).
 *
 * The sender starts MESSAGES synchronous or large sends, several at a time, with OPS send_ops that it uses again, through
 * a ring of ROOM records, and cancels any at any time, but firm ones (of blocking calls). An op stands for its claim, too,
 * which the code takes from a pool (match/claim_pool.hpp): a claim is used again when it was taken or is disposed, and the
 * rest of an op that was taken back is not touched by the receiver any more (it delivers nothing that is cancelled).
 * The receiver, at any time, sets messages aside, receives them,
 * probes, takes them out by a matched probe and receives them later. All messages have the same tag. A step is one
 * access to what both see: a claim, a rendezvous, the ring.
 *
 * Checked:
 *   one owner   a message is received, or cancelled, and not both; none is lost, none is received twice;
 *   order       matched in the order of sending, cancelled ones left out;
 *   the end     a send is complete when a receive (not a matched probe) has its message, and of a large one the copy;
 *   lifetimes   the receiver uses a send_op only for the message that it is in use for, and a buffer only until then;
 *   disposal    the op of every message that was taken back comes free again (no invalid end state).
 *
 * Memory model: sequential consistency; the plain stores before a publication are part of its step. The state word
 * carries no data but in two places: `taken` by a receive, and `disposed`, which docs/memory_model.md lists.
 *
 * models: src/transport/send_claim.hpp: open, take, hold, take_held, was_withdrawn, withdraw, is_taken, is_disposed
 * models: src/transport/send_claim.hpp: dispose
 * models: src/match/claim_pool.hpp: get, give_back, leave, refill
 * models: src/match/message_sender.cpp: start, test, cancel, put, put_record, put_copied, put_offer, try_send_firm
 * models: src/match/message_sender.cpp: put_queued, end_offered
 * models: src/match/message_receiver.cpp: accept, take_early, set_aside, take_out
 * models: src/match/unexpected_messages.cpp: unexpected_queue::find, unexpected_queue::take, unexpected_of
 * models: src/match/probe.cpp: find_in_ring, probe_all, take, receive
 * must hold:
 * must hold: -DROOM=2
 * must fail: -DMUTATE_CANCEL_FIRM         a message that the receiver takes by a store is taken back
 * must fail: -DMUTATE_OPEN_LATE           the sender opens the claim after the record is published
 * must fail: -DMUTATE_TAKE_BLINDLY        a receive looks, and then stores
 * must fail: -DMUTATE_WITHDRAW_BLINDLY    cancel looks, and then stores
 * must fail: -DMUTATE_HOLD_BLINDLY        a matched probe looks, and then stores
 * must fail: -DMUTATE_HOLD_NOTHING        a matched probe leaves the claim open
 * must fail: -DMUTATE_HOLD_IS_TAKE        a matched probe counts as a receive
 * must fail: -DMUTATE_FREE_AT_ONCE        cancel frees the op, and does not wait for the receiver's last look
 * must fail: -DMUTATE_FORGET_SILENTLY     the receiver drops a message that was taken back, and does not say so
 * must fail: -DMUTATE_DISPOSE_AND_KEEP    it says so, and leaves the message in its list
 * must fail: -DMUTATE_TAKE_HELD_LAST      a held message is copied first, and its claim taken then
 * must fail: -DMUTATE_LOOK_AFTER_TAKE     the receiver uses the op of a synchronous message that it has taken
 * must fail: -DMUTATE_DONE_WHEN_TAKEN     a large send is complete when a receive has matched it
 */

#ifndef MESSAGES
#define MESSAGES 3
#endif
#ifndef ROOM
#define ROOM 1
#endif
#define OPS 2

/* A claim. */
#define OPEN 1
#define HELD 2
#define TAKEN 3
#define WITHDRAWN 4
#define DISPOSED 0

/* A stage of a send_op. */
#define DONE 0
#define QUEUED 1
#define OFFERED 2                  /* large: the rendezvous is in the ring */
#define UNMATCHED 3                /* synchronous: the message is in the ring */
#define BACK 4                     /* taken back, and not yet disposed */

/* A kind of message. */
#define SYNCHRONOUS 0
#define LARGE 1
#define FIRM 2                     /* synchronous, and its sender waits for it */

byte claim[OPS];
bool copied[OPS];                  /* rendezvous: taken */
chan ring = [ROOM] of { byte, byte, byte };  /* the op, the number of the message, its kind */

byte used_for[OPS];                /* ghosts: the message of the op, 0 if it is free; */
bool cancelled[MESSAGES + 1];
bool matched[MESSAGES + 1];        /* by a receive */
bool received[MESSAGES + 1];
byte last_matched;                 /* by a receive or a matched probe */

#define OWN(o) (used_for[o] == number)

/* ---- the sender ---- */

/* test() */
#ifndef MUTATE_DONE_WHEN_TAKEN
#define IS_DONE(q) (stage[q] == UNMATCHED && claim[q] == TAKEN || stage[q] == OFFERED && copied[q])
#else
#define IS_DONE(q) ((stage[q] == UNMATCHED || stage[q] == OFFERED) && claim[q] == TAKEN)
#endif
#define IS_AFTER(q, first) (stage[q] != QUEUED || used_for[q] >= used_for[first])
#define CAN_PUT(q) (stage[q] == QUEUED && len(ring) < ROOM && IS_AFTER(0, q) && IS_AFTER(1, q))
#define IS_FREE(q) (stage[q] == DONE)
#ifndef MUTATE_CANCEL_FIRM
#define MAY_CANCEL(q) (kind_of[q] != FIRM)
#else
#define MAY_CANCEL(q) true
#endif
#define CAN_CANCEL(q) \
  (MAY_CANCEL(q) && (stage[q] == QUEUED || (stage[q] == OFFERED || stage[q] == UNMATCHED) && !tried[q]))
#define CAN_FREE(q) (stage[q] == BACK && claim[q] == DISPOSED)
#define CAN_GO_ON(q) (IS_FREE(q) && next <= MESSAGES || CAN_PUT(q) || IS_DONE(q) || CAN_CANCEL(q) || CAN_FREE(q))
#define ALL(what) (what(0) && what(1))

inline free_op() {
  stage[o] = DONE;
  used_for[o] = 0;
  kind_of[o] = SYNCHRONOUS;
  tried[o] = false
}

/* put_record() */
inline put() {
#ifndef MUTATE_OPEN_LATE
  atomic {
    claim[o] = OPEN; copied[o] = false;
    ring ! o, used_for[o], kind_of[o];
    stage[o] = (kind_of[o] == LARGE -> OFFERED : UNMATCHED)
  }
#else
  ring ! o, used_for[o], kind_of[o];
  atomic {
    claim[o] = OPEN; copied[o] = false;
    stage[o] = (kind_of[o] == LARGE -> OFFERED : UNMATCHED)
  }
#endif
}

inline withdraw() {
#ifndef MUTATE_WITHDRAW_BLINDLY
  atomic { was = claim[o]; if :: was == OPEN -> claim[o] = WITHDRAWN :: else fi }
#else
  was = claim[o];
  if :: was == OPEN -> claim[o] = WITHDRAWN :: else fi
#endif
}

inline go_on() {
  if
  :: stage[o] == DONE ->  /* start() */
    atomic {
      used_for[o] = next; next++;
      stage[o] = QUEUED;
      if :: kind_of[o] = SYNCHRONOUS :: kind_of[o] = LARGE :: kind_of[o] = FIRM fi
    }
  :: CAN_PUT(o) -> put()
  :: IS_DONE(o) -> atomic { assert(matched[used_for[o]] && !cancelled[used_for[o]]); free_op() }
  :: CAN_FREE(o) -> atomic { free_op() }  /* end_freed_sends() */
  :: stage[o] == QUEUED && CAN_CANCEL(o) -> atomic { cancelled[used_for[o]] = true; free_op() }  /* cancel() */
  :: CAN_CANCEL(o) && stage[o] != QUEUED ->
    withdraw();
    if
    :: atomic { was == OPEN ->
        assert(!matched[used_for[o]]);
        cancelled[used_for[o]] = true;
        stage[o] = BACK
      }
#ifdef MUTATE_FREE_AT_ONCE
      atomic { free_op() }
#endif
    :: else -> tried[o] = true
    fi;
    was = 0
  fi;
  o = 0
}

proctype sender() {
  byte o, next = 1, was;
  byte stage[OPS];
  byte kind_of[OPS];
  bool tried[OPS];  /* tried: to cancel it; once, so that a sender that waits in vain is seen */

  do
  :: next > MESSAGES && ALL(IS_FREE) -> break
  :: CAN_GO_ON(0) -> o = 0; go_on()
  :: CAN_GO_ON(1) -> o = 1; go_on()
  od
}

/* ---- the receiver ---- */

inline dispose() {
#ifndef MUTATE_FORGET_SILENTLY
  assert(OWN(op));
  claim[op] = DISPOSED
#else
  skip
#endif
}

/* take() and hold(): `won` says whether the message is the receiver's. */
inline win(as, by_receive) {
  assert(OWN(op));
#ifdef MUTATE_TAKE_BLINDLY
#define LOOKS_FIRST by_receive
#elif defined(MUTATE_HOLD_BLINDLY)
#define LOOKS_FIRST !by_receive
#else
#define LOOKS_FIRST false
#endif
  if
  :: kind == FIRM ->  /* a store, or nothing at all */
    won = true;
    if
    :: by_receive -> atomic { claim[op] = TAKEN; matched[number] = true }
    :: else
    fi
  :: kind != FIRM && LOOKS_FIRST ->
    won = (claim[op] == OPEN);
    if
    :: won -> atomic { claim[op] = as; matched[number] = by_receive }
    :: else
    fi
  :: kind != FIRM && !(LOOKS_FIRST) ->
    atomic {
      won = (claim[op] == OPEN);
      if
      :: won -> claim[op] = as; matched[number] = by_receive
      :: else
      fi
    }
  fi;
  if :: !won -> dispose() :: else fi
}

/* was_withdrawn(): `gone`, and then the message must be dropped. */
inline look() {
  assert(OWN(op));
  gone = (kind != FIRM && claim[op] == WITHDRAWN);
  if :: gone -> dispose() :: else fi
}

inline note_match() {
  assert(number > last_matched && !cancelled[number]);
  last_matched = number
}

/* deliver(): of a synchronous message, which has been copied into the record, from there. */
inline deliver() {
  assert(!received[number] && !cancelled[number]);
  if
  :: kind == LARGE ->
    assert(OWN(op));
    atomic { assert(OWN(op) && !cancelled[number]); received[number] = true; copied[op] = true }
  :: else ->
#ifdef MUTATE_LOOK_AFTER_TAKE
    assert(OWN(op));
#endif
    received[number] = true
  fi
}

inline forget() { d_step { op = 0; number = 0; kind = SYNCHRONOUS; won = false; gone = false } }

#ifdef MUTATE_HOLD_NOTHING
#define HOLD OPEN
#elif defined(MUTATE_HOLD_IS_TAKE)
#define HOLD TAKEN
#else
#define HOLD HELD
#endif

proctype receiver() {
  byte op, number, held_op, held_number;
  byte kind, held_kind;
  bool won, gone;
  chan early = [MESSAGES] of { byte, byte, byte };

end:
  do
  :: nempty(ring) -> atomic { ring ? op, number, kind; early ! op, number, kind; forget() }  /* set_aside() */
  :: empty(early) && nempty(ring) ->  /* accept(): a receive is posted */
    ring ? <op, number, kind>;
    win(TAKEN, true);
    if
    :: won -> note_match(); deliver()
    :: else
    fi;
    atomic { ring ? op, number, kind; forget() }
  :: nempty(early) ->  /* take_early() */
    early ? <op, number, kind>;
    look();
#ifdef MUTATE_DISPOSE_AND_KEEP
    if
    :: gone -> skip
    :: else ->
#else
    atomic { early ? op, number, kind };
    if
    :: gone -> skip
    :: else ->
#endif
      win(TAKEN, true);
#ifdef MUTATE_DISPOSE_AND_KEEP
      early ? op, number, kind;
#endif
      if
      :: won -> note_match(); deliver()
      :: else
      fi
    fi;
    forget()
  :: nempty(early) ->  /* probe() */
    early ? <op, number, kind>;
    look();
    if :: gone -> early ? op, number, kind :: else fi;
    forget()
  :: empty(early) && nempty(ring) ->  /* probe(): the ring */
    ring ? <op, number, kind>;
    look();
    if :: gone -> ring ? op, number, kind :: else fi;
    forget()
  :: held_number == 0 && (nempty(early) || nempty(ring)) ->  /* take(): a matched probe */
    if
    :: nempty(early) -> early ? op, number, kind
    :: empty(early) -> ring ? op, number, kind  /* make_early() */
    fi;
    look();
    if
    :: gone
    :: else ->
      win(HOLD, false);
      if
      :: won -> d_step { note_match(); held_op = op; held_number = number; held_kind = kind }
      :: else
      fi
    fi;
    forget()
  :: held_number != 0 ->  /* receive() */
    d_step { op = held_op; number = held_number; kind = held_kind; held_op = 0; held_number = 0; held_kind = SYNCHRONOUS };
    assert(OWN(op));
#ifndef MUTATE_TAKE_HELD_LAST
    atomic { claim[op] = TAKEN; matched[number] = true }
    deliver();
#else
    matched[number] = true;
    deliver();
    assert(OWN(op));
    claim[op] = TAKEN;
#endif
    forget()
  od
}

init { atomic { run sender(); run receiver() } }
