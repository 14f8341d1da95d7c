/* Runs: messages without envelopes, src/gateway/run_receiver.cpp. One rank sends MESSAGES messages
 * to one rank of another process, each of one of STREAMS streams or another one; those of streams in packets or, in a
 * run, as the payloads of their places, whose TAGS tags come round. A run is of one stream, or of two in turn. The
 * receiver posts receives for each stream when it likes, which may be posted in the network, in a run or not, and be
 * taken back; where it posts none for the first message that is missing in a run, the gateway does. ASIDE messages more
 * have another context: runs go on while they travel. (What is foreseen outside runs is in streams.pml.)
 *
 * Checked:
 *   order      messages are handed over when all that were sent before have come, whatever their kind; those of a stream
 *              come in the order of sending, and so do those with another context;
 *   bytes      every receive in the network gets the message that it was posted for;
 *   the end    everything is received (no invalid end state), and nothing is held.
 *
 * A packet holds one message, and before it what it says of runs. Packets and payloads have no order between them, and a
 * receive may be taken back at once or late. What is told of packets that have been dealt with is read without delay: a
 * delay only forbids more.
 *
 * models: src/gateway/message_streams.hpp: next_tag, add_of_run, end_run, leave_next_tag, are_tags_free_for_run
 * models: src/gateway/run_receiver.cpp: stream_of_run, run_ends, take_up_run, add_to_run, pass_those_ahead, end_run
 * models: src/gateway/run_receiver.cpp: leave_behind_run, go_on_behind_run, message_has_come, look_after, kept_done
 * models: src/gateway/run_receiver.cpp: take_back_kept, leave_asked_back
 * models: src/gateway/stream_sender.cpp: note_for_run, begin_run, goes_on_with_run
 * models: src/gateway/outgoing.cpp: add_end_of_run
 * models: src/gateway/message_streams.hpp: next_run, same_run_behind, ends_before, streams_in_turn::current
 * models: src/gateway/message_streams.hpp: streams_in_turn::advance
 * must hold: -DMESSAGES=6 -DTAGS=1 -DSTREAMS=1
 * must hold: -DMESSAGES=6 -DTAGS=2 -DSTREAMS=1
 * must hold: -DMESSAGES=4 -DTAGS=2 -DASIDE=2 -DSTREAMS=1
 * must hold: -DMESSAGES=3 -DTAGS=1 -DSTREAMS=2
 * in soak, must hold: -DMESSAGES=4 -DTAGS=1 -DSTREAMS=2
 * must hold: -DMESSAGES=3 -DTAGS=2 -DSTREAMS=2
 * must fail: -DMUTATE_ANY_TAG       a message of a run uses a tag that the receiver has not told to be free
 * must fail: -DMUTATE_NO_END        a run goes on while another message of its context travels
 * must fail: -DMUTATE_NO_WAIT       what comes behind a run does not wait for its messages
 * must fail: -DMUTATE_NOT_BEHIND    what comes behind waits, but what comes after that does not
 * must fail: -DMUTATE_KEPT_STAYS    the gateway's receive stays when a run ends
 * must fail: -DMUTATE_KEPT_FORGOTTEN   it goes, but its tag is told to be free before it has gone
 * must fail: -DMUTATE_NO_HOLD       the same for a receive of the rank that gets its message from a packet
 * must fail: -DMUTATE_NOBODY        the gateway posts no receive
 * must fail: -DMUTATE_ALWAYS        it posts one outside runs, too
 * must fail: -DMUTATE_ANYBODY       it posts one for any stream of the run, and hands over what comes to it at once
 * must fail: -DMUTATE_NONE_EARLY    what comes of a run before the packet in which it begins is not counted in it
 * must fail: -DMUTATE_TAG_STAYS     the next tags of a run's streams are not left alone when it ends
 */

#ifndef MESSAGES
#define MESSAGES 4                            /* 6 at most */
#endif
#ifndef TAGS
#define TAGS 1
#endif
#ifndef ASIDE
#define ASIDE 0
#endif
#ifndef STREAMS
#define STREAMS 2                             /* 2 at most */
#endif

#define NONE 255
#define KEPT 6                                /* more than the place: a receive of the gateway, else of the rank */
#define RECEIVES 12                           /* of a stream */
#define PLACE_OF(r) ((r) >= KEPT -> (r) - KEPT : (r))
#define TAG(s, place) ((s) * TAGS + (place) % TAGS)

mtype = { another, of_stream, aside };        /* messages; aside: the number is that among their kind */
mtype = { open, in_network, done };           /* receives of the rank, by place */

/* Which runs begin behind a message: none, one of stream 0 or 1 alone, one of both that begins with 0 or 1. */
#define NO_RUN 0
#define ALONE 1
#define BOTH 3
#define FIRST_OF(r) (((r) - 1) % 2)
#define AFTER(s, r) ((r) >= BOTH -> 1 - (s) : (s))
#define IS_IN(s, r) ((r) >= BOTH || ((r) != NO_RUN && FIRST_OF(r) == (s)))

/* ---- the network ---- */

/* kind, stream, number among all, messages of the run that ends before it or NONE, the run that begins behind it */
chan packets = [MESSAGES + ASIDE] of { mtype, byte, byte, byte, byte };
chan payloads[STREAMS * TAGS] = [MESSAGES] of { byte, byte };   /* number, place */
chan receives[STREAMS * TAGS] = [MESSAGES] of { byte };
byte dealt_with;                                        /* what the sender has been told */

/* ---- the receiver's process ---- */

byte arrived, count[STREAMS], expected[STREAMS] = NONE;
bool come[MESSAGES];                                    /* by number; of a run or handed over */
byte in_run, turn, of_run, missing;                        /* turn: the stream of the first message that is missing */
byte ahead[STREAMS], owed[STREAMS];
byte early[STREAMS * MESSAGES];                         /* the numbers of the owed ones */
chan behind = [MESSAGES + ASIDE] of { mtype, byte, byte, byte, byte };
byte next_aside;
byte holds;                                             /* without those of `missing` */
byte going;                                             /* receives that are taken back late: */
bool is_going[STREAMS * RECEIVES];                      /* which, */
bool holds_back[STREAMS * RECEIVES];                    /* and whether messages wait for that */
mtype receive[STREAMS * MESSAGES] = open;
bool handed[STREAMS * MESSAGES];                        /* messages of the streams, by place */
byte posted[STREAMS], received, places[STREAMS] = NONE; /* places: of all messages, once that is known */

#define IS_HELD (holds > 0 || missing > 0)
#define ALL_BEFORE(n) (((n) < 1 || come[0]) && ((n) < 2 || come[1]) && ((n) < 3 || come[2]) && ((n) < 4 || come[3]) && \
                       ((n) < 5 || MESSAGES < 6 || come[MESSAGES - 2]))

/* ---- the sender ---- */

proctype sender() {
  byte sent, place[STREAMS], packet, sent_in_run = NONE, ended, in_packet[STREAMS * TAGS], sent_aside, s, begins;
  byte its_run, next;

  do
  :: sent_aside < ASIDE -> atomic { packets!aside, 0, sent_aside, NONE, NO_RUN; packet++; sent_aside++ }
  :: sent < MESSAGES ->
    atomic {
      if
#ifdef MUTATE_ANY_TAG
      :: sent_in_run != NONE ->
#else
      :: sent_in_run != NONE && in_packet[TAG(next, place[next])] <= dealt_with ->
#endif
        payloads[TAG(next, place[next])]!sent, place[next];
        in_packet[TAG(next, place[next])] = 0;
        sent_in_run++;
        place[next]++;
        next = AFTER(next, its_run)
      :: true ->
        packet++;
#ifdef MUTATE_NO_END
        if
        :: sent_in_run != NONE -> packets!another, 0, sent, NONE, NO_RUN; goto is_sent
        :: else
        fi;
#endif
        ended = sent_in_run;
#ifndef MUTATE_TAG_STAYS
        if
        :: ended != NONE ->
          if
          :: IS_IN(0, its_run) -> in_packet[TAG(0, place[0])] = packet
          :: else
          fi;
#if STREAMS > 1
          if
          :: IS_IN(1, its_run) -> in_packet[TAG(1, place[1])] = packet
          :: else
          fi
#endif
        :: else
        fi;
#endif
        sent_in_run = NONE;
        its_run = NO_RUN;
        if
        :: packets!another, 0, sent, ended, NO_RUN
        :: true ->
          if
          :: s = 0
#if STREAMS > 1
          :: s = 1
#endif
          fi;
          if
          :: begins = NO_RUN
          :: begins = ALONE + s                         /* as its messages have been alike */
#if STREAMS > 1
          :: begins = BOTH + 1 - s                      /* the other one's turn is next */
#endif
          fi;
          packets!of_stream, s, sent, ended, begins;
          in_packet[TAG(s, place[s])] = packet;
          place[s]++;
          if
          :: begins != NO_RUN -> its_run = begins; next = FIRST_OF(begins); sent_in_run = 0
          :: else
          fi
        fi;
        s = 0;
        begins = NO_RUN;
        ended = 0
      fi;
#ifdef MUTATE_NO_END
is_sent:
#endif
      sent++
    }
  :: sent == MESSAGES && sent_aside == ASIDE -> break
  od;
  atomic {
    places[0] = place[0];
#if STREAMS > 1
    places[1] = place[1]
#endif
  }
}

#include "runs_receiver.inc"

#define CLEAR each = 0; number = 0; place = 0; stream = 0; kind = 0; ended = 0; begins = NO_RUN; left = 0

#ifdef MUTATE_ALWAYS
#define MAY_BE_KEPT(s) (expected[s] == NONE && posted[s] < MESSAGES && holds == 0)
#elif defined(MUTATE_ANYBODY)
#define MAY_BE_KEPT(s) (IS_IN(s, in_run) && expected[s] == NONE && holds == 0)
#elif defined(MUTATE_NOBODY)
#define MAY_BE_KEPT(s) false
#else
#define MAY_BE_KEPT(s) (in_run != NO_RUN && turn == (s) && expected[s] == NONE && holds == 0)
#endif

/* The rank may post another one; may withdraw one; and gets what has been handed over. */
#define MAY_POST(s) (posted[s] < MESSAGES && (posted[s] == 0 || receive[(s) * MESSAGES + posted[s] - 1] == done))
#define IS_HANDED(s) (posted[s] > 0 && receive[(s) * MESSAGES + posted[s] - 1] == open && \
                      handed[(s) * MESSAGES + posted[s] - 1] && holds == 0)

proctype receiver() {
  byte each, stream, number, place, ended, left, begins;
  mtype kind;

  do
  :: atomic { len(packets) > 0 -> packet_arrives(); CLEAR }
  :: atomic { len(payloads[0]) > 0 && len(receives[0]) > 0 -> payload_arrives(0); CLEAR }
#if STREAMS * TAGS > 1
  :: atomic { len(payloads[1]) > 0 && len(receives[1]) > 0 -> payload_arrives(1); CLEAR }
#endif
#if STREAMS * TAGS > 2
  :: atomic { len(payloads[2]) > 0 && len(receives[2]) > 0 -> payload_arrives(2); CLEAR }
  :: atomic { len(payloads[3]) > 0 && len(receives[3]) > 0 -> payload_arrives(3); CLEAR }
#endif
  :: atomic { MAY_BE_KEPT(0) && count[0] < MESSAGES -> post_kept(0) }
  :: atomic { MAY_POST(0) -> post_receive(0); CLEAR }
  :: atomic { expected[0] < KEPT -> each = expected[0]; give_up(0, each); CLEAR }          /* the rank withdraws it */
  :: atomic { IS_HANDED(0) -> receive[posted[0] - 1] = done; received++ }
#if STREAMS > 1
  :: atomic { MAY_BE_KEPT(1) && count[1] < MESSAGES -> post_kept(1) }
  :: atomic { MAY_POST(1) -> post_receive(1); CLEAR }
  :: atomic { expected[1] < KEPT -> each = expected[1]; give_up(1, each); CLEAR }
  :: atomic { IS_HANDED(1) -> receive[MESSAGES + posted[1] - 1] = done; received++ }
#endif
  :: atomic { going > 0 -> end_late(); CLEAR }
  :: received == MESSAGES && next_aside == ASIDE && places[0] != NONE && len(packets) == 0 && going == 0 -> break
  od;
  assert(!IS_HELD && len(behind) == 0 && dealt_with == arrived && count[0] == places[0]);
#if STREAMS > 1
  assert(count[1] == places[1])
#endif
}

init {
  atomic {
    run sender();
    run receiver()
  }
}
