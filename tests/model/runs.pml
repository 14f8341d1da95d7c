/* Runs: messages without envelopes, src/match/message_streams.hpp and gateway_runs.cpp. One rank sends MESSAGES messages
 * to one rank of another process, each of a stream or another one; those of the stream in packets or, in a run, as the
 * payloads of their places, whose TAGS tags come round. The receiver posts receives for the stream when it likes, which
 * may be posted in the network, in a run or not, and be taken back; where it posts none in a run, the gateway does.
 * ASIDE messages more have another context: runs go on while they travel. (What is foreseen outside runs is in
 * streams.pml.)
 *
 * Checked:
 *   order      messages are handed over, or come to their receives, in the order of sending, whatever their kind, and
 *              so are those with another context among themselves;
 *   bytes      every receive in the network gets the message that it was posted for;
 *   the end    everything is received (no invalid end state), and nothing is held.
 *
 * A packet holds one message, and before it what it says of runs. Packets and payloads have no order between them, and a
 * receive may be taken back at once or late. What is told of packets that have been dealt with is read without delay: a
 * delay only forbids more.
 *
 * must hold: -DMESSAGES=6 -DTAGS=1
 * must hold: -DMESSAGES=6 -DTAGS=2
 * must hold: -DMESSAGES=4 -DTAGS=2 -DASIDE=2
 * must fail: -DMUTATE_ANY_TAG       a message of a run uses a tag that the receiver has not told to be free
 * must fail: -DMUTATE_NO_END        a run goes on while another message of its context travels
 * must fail: -DMUTATE_NO_WAIT       what comes behind a run does not wait for its messages
 * must fail: -DMUTATE_NOT_BEHIND    what comes behind waits, but what comes after that does not
 * must fail: -DMUTATE_KEPT_STAYS    the gateway's receive stays when a run ends
 * must fail: -DMUTATE_KEPT_FORGOTTEN -DMESSAGES=6 -DTAGS=2   it goes, but its tag is told to be free before it has gone
 * must fail: -DMUTATE_NO_HOLD       the same for a receive of the rank that gets its message from a packet
 * must fail: -DMUTATE_NOBODY        the gateway posts no receive
 * must fail: -DMUTATE_ALWAYS        it posts one outside runs, too
 */

#ifndef MESSAGES
#define MESSAGES 6                            /* 6 at most */
#endif
#ifndef TAGS
#define TAGS 1
#endif
#ifndef ASIDE
#define ASIDE 0
#endif

#define NONE 255
#define KEPT 6                                /* more than the place: a receive of the gateway, else of the rank */
#define RECEIVES 12
#define PLACE_OF(r) ((r) >= KEPT -> (r) - KEPT : (r))
#define TAG_OF(r) (PLACE_OF(r) % TAGS)

mtype = { another, of_stream, aside };        /* messages; aside: the number is that among their kind */
mtype = { open, in_network, done };           /* receives of the rank, by place */

/* ---- the network ---- */

/* kind, number among all, messages of the run that ends before it or NONE, whether one begins behind it */
chan packets = [MESSAGES + ASIDE] of { mtype, byte, byte, bool };
chan payloads[TAGS] = [MESSAGES] of { byte, byte };     /* number, place */
chan receives[TAGS] = [MESSAGES] of { byte };
byte dealt_with;                                        /* what the sender has been told */

/* ---- the receiver's process ---- */

byte arrived, next_number, count, expected = NONE;
bool in_run;
byte of_run, missing;
chan behind = [MESSAGES + ASIDE] of { mtype, byte, byte, bool };
byte next_aside;
byte holds;                                             /* without those of `missing` */
byte going;                                             /* receives that are taken back late: */
bool is_going[RECEIVES], holds_back[RECEIVES];          /* which, and whether messages wait for that */
mtype receive[MESSAGES] = open;
bool handed[MESSAGES];                                  /* messages of the stream, by place */
byte posted, received, places = NONE;                   /* places: of all messages, once that is known */

#define IS_HELD (holds > 0 || missing > 0)

/* ---- the sender ---- */

proctype sender() {
  byte sent, place, packet, sent_in_run = NONE, ended, in_packet[TAGS], sent_aside;
  bool begins;

  do
  :: sent_aside < ASIDE -> atomic { packets!aside, sent_aside, NONE, false; packet++; sent_aside++ }
  :: sent < MESSAGES ->
    atomic {
      if
#ifdef MUTATE_ANY_TAG
      :: sent_in_run != NONE ->
#else
      :: sent_in_run != NONE && in_packet[place % TAGS] <= dealt_with ->
#endif
        payloads[place % TAGS]!sent, place;
        in_packet[place % TAGS] = 0;
        sent_in_run++;
        place++
      :: true ->
        packet++;
#ifdef MUTATE_NO_END
        if
        :: sent_in_run != NONE -> packets!another, sent, NONE, false; goto is_sent
        :: else
        fi;
#endif
        ended = sent_in_run;
        sent_in_run = NONE;
        if
        :: packets!another, sent, ended, false
        :: begins = true
        :: begins = false; packets!of_stream, sent, ended, false; in_packet[place % TAGS] = packet; place++
        fi;
        if
        :: begins ->
          packets!of_stream, sent, ended, true;
          in_packet[place % TAGS] = packet;
          place++;
          sent_in_run = 0
        :: else
        fi;
        begins = false;
        ended = 0
      fi;
#ifdef MUTATE_NO_END
is_sent:
#endif
      sent++
    }
  :: sent == MESSAGES && sent_aside == ASIDE -> break
  od;
  places = place
}

/* ---- the gateway's steps ---- */

inline tell() { dealt_with = (IS_HELD -> dealt_with : arrived) }

/* The network has taken a receive back. */
inline is_back(r) {
  expected = (expected == r -> NONE : expected);
  if
  :: r < KEPT -> receive[r] = open
  :: else
  fi
}

inline give_up(r) {
  if
  :: is_going[r]                                        /* already */
  :: else ->
    if
    :: true -> receives[TAG_OF(r)]??eval(r); is_back(r)
    :: true -> is_going[r] = true; going++
    fi
  fi
}

/* Nothing that comes is handed over, and no tag is free, until r is back. */
inline hold(r) {
  if
  :: is_going[r] && !holds_back[r] -> holds_back[r] = true; holds++
  :: else
  fi
}

inline is_no_more_going(r) {
  going = going - is_going[r];
  holds = holds - holds_back[r];
  is_going[r] = false;
  holds_back[r] = false
}

inline hand_over(kind, number, begins) {
  if
  :: kind == aside -> assert(number == next_aside); next_aside++
  :: else -> assert(number == next_number); next_number++
  fi;
  in_run = in_run || begins;
  if
  :: kind == aside
  :: kind == another -> received++
  :: kind == of_stream ->
    handed[count] = true;
    count++;
    if
    :: expected != NONE ->
      assert(expected == count - 1);                    /* a receive of the rank, for this message */
      each = expected;
      expected = NONE;
      give_up(each);
#ifndef MUTATE_NO_HOLD
      hold(each)
#endif
    :: else
    fi
  fi
}

inline take_entry(kind, number, ended, begins) {
  missing = (ended == NONE -> 0 : ended - of_run);
#ifdef MUTATE_NO_WAIT
  missing = 0;
#endif
  if
  :: missing > 0 -> behind!kind, number, NONE, begins
  :: else ->
    if
    :: ended != NONE -> end_run()
    :: else
    fi;
    hand_over(kind, number, begins)
  fi
}

inline end_run() {
  in_run = false;
  of_run = 0;
  if
  :: expected != NONE && expected >= KEPT ->
#ifndef MUTATE_KEPT_STAYS
    each = expected;
    expected = NONE;
    give_up(each);
#ifndef MUTATE_KEPT_FORGOTTEN
    hold(each)
#endif
#endif
  :: else
  fi
}

inline packet_arrives() {
  packets?kind, number, ended, begins;
  arrived++;
  if
#ifndef MUTATE_NOT_BEHIND
  :: missing > 0 -> behind!kind, number, ended, begins
  :: missing == 0 -> take_entry(kind, number, ended, begins)
#else
  :: true -> take_entry(kind, number, ended, begins)
#endif
  fi;
  tell()
}

/* All of the run has come: what is behind it, up to the end of the next one of which something is missing. */
inline go_on() {
  end_run();
  do
  :: missing == 0 && len(behind) > 0 ->
    behind?kind, number, ended, begins;
    if
    :: ended == NONE || ended == of_run ->
      if
      :: ended != NONE -> end_run()
      :: else
      fi;
      hand_over(kind, number, begins)
    :: else ->                                          /* it stays the first */
      missing = ended - of_run;
      left = len(behind);
      behind!kind, number, NONE, begins;
      do
      :: left > 0 -> behind?kind, number, ended, begins; behind!kind, number, ended, begins; left--
      :: else -> break
      od
    fi
  :: else -> break
  od;
  tell()
}

/* A payload meets the receive that was posted first for its tag. */
inline payload_arrives(t) {
  payloads[t]?number, place;
  receives[t]?each;
  assert(PLACE_OF(each) == place && in_run && place == count && number == next_number);
  next_number++;
  count++;
  expected = (expected == each -> NONE : expected);
  is_no_more_going(each);
  if
  :: each >= KEPT -> handed[place] = true
  :: else -> receive[each] = done; received++
  fi;
  of_run++;
  if
  :: missing == 1 -> missing = 0; go_on()
  :: missing > 1 -> missing--
  :: else
  fi
}

inline end_late() {
  if
  :: is_going[0] -> each = 0 :: is_going[1] -> each = 1 :: is_going[2] -> each = 2 :: is_going[3] -> each = 3
  :: is_going[4] -> each = 4 :: is_going[5] -> each = 5 :: is_going[6] -> each = 6 :: is_going[7] -> each = 7
  :: is_going[8] -> each = 8 :: is_going[9] -> each = 9 :: is_going[10] -> each = 10 :: is_going[11] -> each = 11
  fi;
  receives[TAG_OF(each)]??eval(each);
  is_back(each);
  is_no_more_going(each);
  tell()
}

/* ---- the rank's steps ---- */

inline post_receive() {
  posted++;
  if
  :: expected != NONE && expected >= KEPT && in_run -> each = expected; give_up(each)
  :: else
  fi;
  if
  :: posted - 1 == count && expected == NONE && holds == 0 ->
    receive[count] = in_network;
    expected = count;
    receives[count % TAGS]!count
  :: true
  fi
}

#define CLEAR each = 0; number = 0; place = 0; kind = 0; ended = 0; begins = false; left = 0

proctype receiver() {
  byte each, number, place, ended, left;
  mtype kind;
  bool begins;

  do
  :: atomic { len(packets) > 0 -> packet_arrives(); CLEAR }
  :: atomic { len(payloads[0]) > 0 && len(receives[0]) > 0 -> payload_arrives(0); CLEAR }
#if TAGS > 1
  :: atomic { len(payloads[1]) > 0 && len(receives[1]) > 0 -> payload_arrives(1); CLEAR }
#endif
#ifndef MUTATE_NOBODY
#ifdef MUTATE_ALWAYS
  :: atomic { expected == NONE && count < MESSAGES && posted < MESSAGES ->
#else
  :: atomic { in_run && expected == NONE && count < MESSAGES ->
#endif
       expected = KEPT + count; receives[count % TAGS]!expected }
#endif
  :: atomic { posted < MESSAGES && (posted == 0 || receive[posted - 1] == done) -> post_receive(); CLEAR }
  :: atomic { expected < KEPT -> each = expected; give_up(each); CLEAR }          /* the rank withdraws it */
  :: atomic { posted > 0 && receive[posted - 1] == open && handed[posted - 1] && holds == 0 ->
       receive[posted - 1] = done; received++ }
  :: atomic { going > 0 -> end_late(); CLEAR }
  :: received == MESSAGES && next_aside == ASIDE && places != NONE && len(packets) == 0 && going == 0 -> break
  od;
  assert(!IS_HELD && len(behind) == 0 && dealt_with == arrived && count == places)
}

init {
  atomic {
    run sender();
    run receiver()
  }
}
