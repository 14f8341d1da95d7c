/* Receives that are posted before the envelope of their message is here: src/gateway/message_streams.hpp
 * and foreseen_receives.hpp. One rank sends MESSAGES messages in STREAMS streams to one rank of
 * another process, each foreseen (its payload under the tag of its place) or any other one. TAGS tags of a stream come
 * round. The receiver posts its receives when it likes, may expect, may be told late that a receive is taken back, may
 * cancel one that expects, and may receive payloads that nobody has asked for.
 *
 * Checked:
 *   order      the n-th receive of a stream gets its n-th message;
 *   bytes      every receive in the network gets the payload that it was posted for;
 *   holds      are over when no receive is being taken back;
 *   the end    everything is received (no invalid end state).
 *
 * A step is what is done in one turn of the network, or by the rank between two looks at what the gateway has decided.
 * What a packet tells of the packets that have been dealt with is read without delay: a delay only forbids more. A
 * packet holds one envelope.
 *
 * models: src/gateway/foreseen_receives.cpp: prepare_to_expect, start_expecting, count_in_stream, announce, hold, end_hold
 * models: src/gateway/foreseen_receives.cpp: one_hold_less, give_up, foreseen_receives::done
 * models: src/gateway/payload_receiver.cpp: post, post_all_of
 * models: src/gateway/open_sends.cpp: send_apart
 * models: src/gateway/message_streams.hpp: next_tag, has_grown, out_stream::add, leave_next_tag, may_use_next_tag
 * must hold: -DMESSAGES=5 -DSTREAMS=1 -DTAGS=2
 * in soak, must hold: -DMESSAGES=6 -DSTREAMS=1 -DTAGS=2
 * must hold: -DMESSAGES=5 -DSTREAMS=1 -DTAGS=1
 * must hold: -DMESSAGES=3 -DSTREAMS=2 -DTAGS=1
 * must fail: -DMUTATE_ANY_TAG           the sender uses a tag again without knowing that it is free
 * must fail: -DMUTATE_DEALT_WITH_EARLY  the receiver says so while a receive with that tag is being taken back
 * must fail: -DMUTATE_NO_HOLD           messages are handed over while the receive that they are for still expects
 * must fail: -DMUTATE_ONE_HOLD -DMESSAGES=3 -DSTREAMS=2 -DTAGS=1   a second one that is taken back replaces the first
 * must fail: -DMUTATE_NOT_EMPTY         a receive expects though there are messages that it may get
 * must fail: -DMUTATE_NO_OWED           it expects the first message after the envelopes, though that is here
 * must fail: -DMUTATE_ANNOUNCED_ANYHOW  the tag of a receive that may be posted again is told to be free
 * must fail: -DMUTATE_NO_REPOST         a receive that was taken back when its message is announced is not posted again
 */

#ifndef MESSAGES
#define MESSAGES 4
#endif
#ifndef STREAMS
#define STREAMS 1
#endif
#ifndef TAGS
#define TAGS 2
#endif

#define NONE 255
#define OF_MESSAGE 32                     /* a receive in the network for a message; less: of a receive that expects */
#define AT(stream, place) ((stream) * MESSAGES + (place))
#define TAG_OF(stream, place) ((stream) * TAGS + (place) % TAGS)
#define ALL (STREAMS * MESSAGES)          /* 6 at most; and 2 streams, and 2 tags in all */

/* ---- the network ---- */

chan envelopes = [MESSAGES] of { byte, bool };               /* the stream; whether it is foreseen */
chan payloads[STREAMS * TAGS] = [MESSAGES] of { byte };      /* places */
chan receives[STREAMS * TAGS] = [MESSAGES] of { byte };
byte dealt_with;                                             /* what the sender has been told */

/* ---- the receiver's gateway ---- */

byte arrived, holds;
byte count[STREAMS], owed[STREAMS], unposted[STREAMS], expected[STREAMS] = NONE;
chan waiting = [MESSAGES] of { byte, byte, bool };           /* stream, place, foreseen */
chan ring = [MESSAGES] of { byte, byte, bool };
chan not_posted[STREAMS * TAGS] = [MESSAGES] of { byte };    /* payloads, in the order of sending */
byte being_taken_back;
bool is_taken_back[6];                                       /* and the network has not said what came of it */
bool is_given_up[6], is_announced[6], holds_back[6];
#if defined(MUTATE_ONE_HOLD)
byte held_by = NONE;
#define IS_HELD (held_by != NONE)
#elif defined(MUTATE_NO_HOLD)
#define IS_HELD false
#else
#define IS_HELD (holds > 0)
#endif

/* ---- the receiving rank: its receives of a stream by number, which is that of the message that each has to get ---- */

mtype = { open, waits, taken, done };
mtype receive[6] = open;
byte posted[STREAMS];
byte stops = NONE;                                           /* the receive that it cancels, until that is decided */
chan unexpected[STREAMS] = [MESSAGES] of { byte, bool };
bool is_posted[ALL], is_requested[ALL], is_here[ALL];        /* payloads of messages */
byte received;

byte next, each, tag;                                        /* of the present step; 0 between steps */

/* ---- the sender ---- */

proctype sender() {
  byte sent, stream;
  byte sends[STREAMS], in_packet[STREAMS * TAGS];
  bool is_foreseen;

  do
  :: sent < MESSAGES ->
    atomic {
      stream = 0;
      do
      :: stream + 1 < STREAMS -> stream++
      :: true -> break
      od;
      if
      :: true
#ifdef MUTATE_ANY_TAG
      :: true -> is_foreseen = true
#else
      :: in_packet[TAG_OF(stream, sends[stream])] <= dealt_with -> is_foreseen = true
#endif
      fi;
      if
      :: is_foreseen -> payloads[TAG_OF(stream, sends[stream])]!sends[stream]
      :: !is_foreseen
      fi;
      sent++;
      in_packet[TAG_OF(stream, sends[stream])] = sent;
      envelopes!stream, is_foreseen;
      sends[stream]++;
      is_foreseen = false
    }
  :: else -> break
  od
}

/* ---- the gateway's steps ---- */

inline tell() {
#ifdef MUTATE_DEALT_WITH_EARLY
  dealt_with = arrived
#else
  dealt_with = (holds == 0 -> arrived : dealt_with)
#endif
}

inline hold(r) {
  holds_back[r] = true;
#ifdef MUTATE_ONE_HOLD
  held_by = r;
#endif
  holds++
}

inline end_hold(r) {
  if
#ifdef MUTATE_ONE_HOLD
  :: held_by == r -> held_by = NONE; holds--; tell()
#else
  :: holds_back[r] -> holds_back[r] = false; holds--; tell()
#endif
  :: else
  fi
}

/* The network has taken back the receive of r, the receive `place` of the stream: foreseen_receives::done(). */
inline taken_back(stream, place, r) {
  is_given_up[r] = false;
  end_hold(r);
  if
#ifndef MUTATE_NO_REPOST
  :: is_announced[r] -> receives[TAG_OF(stream, place)]!place
#endif
  :: else ->
    expected[stream] = (expected[stream] == place -> NONE : expected[stream]);
    receive[r] = open
  fi
}

inline give_up(stream, place, r) {
  if
  :: is_given_up[r]
  :: else ->
    is_given_up[r] = true;
    if
    :: true -> receives[TAG_OF(stream, place)]??eval(place); taken_back(stream, place, r)
    :: true -> is_taken_back[r] = true; being_taken_back++
    fi
  fi
}

inline hand_over(stream, place, is_foreseen) {
  if
  :: is_foreseen -> unposted[stream]++; not_posted[TAG_OF(stream, place)]!place
  :: else
  fi;
  if
  :: IS_HELD || len(waiting) > 0 -> waiting!stream, place, is_foreseen
  :: else -> ring!stream, place, is_foreseen
  fi
}

inline envelope_arrives() {
  envelopes?stream, is_foreseen;
  arrived++;
  place = count[stream];
  count[stream]++;
  if
  :: owed[stream] > 0 -> owed[stream]--
  :: owed[stream] == 0 && expected[stream] == NONE -> hand_over(stream, place, is_foreseen)
  :: owed[stream] == 0 && expected[stream] != NONE ->
    next = expected[stream];
    expected[stream] = NONE;
    assert(next == place);
    if
    :: is_foreseen ->
      is_announced[AT(stream, next)] = true;
      receive[AT(stream, next)] = taken;
#ifndef MUTATE_ANNOUNCED_ANYHOW
      if
      :: is_given_up[AT(stream, next)] -> hold(AT(stream, next))
      :: else
      fi
#endif
    :: else ->
      give_up(stream, next, AT(stream, next));
      if
      :: receive[AT(stream, next)] == waits -> hold(AT(stream, next))
      :: else
      fi;
      hand_over(stream, place, is_foreseen)
    fi
  fi;
  tell();
  stream = 0; place = 0; is_foreseen = false; next = 0
}

inline put_waiting() {
  waiting?stream, place, is_foreseen;
  ring!stream, place, is_foreseen;
  stream = 0; place = 0; is_foreseen = false
}

/* The network says what has come of a receive that is to be taken back. */
inline end_late(r) {
  is_taken_back[r] = false;
  being_taken_back--;
  stream = r / MESSAGES;
  place = r % MESSAGES;
  receives[TAG_OF(stream, place)]??eval(place);
  taken_back(stream, place, r);
  stream = 0; place = 0
}

/* A payload meets the receive that was posted first for its tag. */
inline payload_arrives(t) {
  payloads[t]?place;
  receives[t]?next;
  stream = t / TAGS;
  if
  :: next >= OF_MESSAGE ->
    assert(next - OF_MESSAGE == place);
    is_here[AT(stream, place)] = true;
    if
    :: is_requested[AT(stream, place)] -> receive[AT(stream, place)] = done; received++
    :: else
    fi
  :: else ->
    assert(next == place);
    assert(!holds_back[AT(stream, place)] || is_announced[AT(stream, place)]);
    being_taken_back = being_taken_back - is_taken_back[AT(stream, place)];
    is_taken_back[AT(stream, place)] = false;
    end_hold(AT(stream, place));
    expected[stream] = (expected[stream] == place -> NONE : expected[stream]);
    owed[stream] = owed[stream] + !is_announced[AT(stream, place)];
    receive[AT(stream, place)] = done;
    received++
  fi;
  stream = 0; place = 0; next = 0
}

/* Posts the receives of payloads with that tag in the order of sending, up to that of `last`. */
inline post(t, last) {
  do
  :: not_posted[t]?each ->
    receives[t]!each + OF_MESSAGE;
    is_posted[AT((t) / TAGS, each)] = true;
    unposted[(t) / TAGS]--;
    if
    :: each == last -> break
    :: else
    fi
  od;
  each = 0
}

/* ---- the rank's steps ---- */

inline match(stream, place, is_foreseen) {
  assert(receive[AT(stream, place)] == open);
  if
  :: !is_foreseen || is_here[AT(stream, place)] -> receive[AT(stream, place)] = done; received++
  :: else ->
    is_requested[AT(stream, place)] = true;
    receive[AT(stream, place)] = taken;
    if
    :: !is_posted[AT(stream, place)] -> post(TAG_OF(stream, place), place)
    :: is_posted[AT(stream, place)]
    fi
  fi
}

/* To the first posted receive that is open. */
inline take_record() {
  ring?stream, place, is_foreseen;
  next = 0;
  do
  :: next < posted[stream] && receive[AT(stream, next)] != open -> next++
  :: else -> break
  od;
  if
  :: next < posted[stream] -> assert(next == place); match(stream, place, is_foreseen)
  :: else -> unexpected[stream]!place, is_foreseen
  fi;
  stream = 0; place = 0; is_foreseen = false; next = 0
}

#ifdef MUTATE_NOT_EMPTY
#define IS_EMPTY true
#else
#define IS_EMPTY (!IS_HELD && len(waiting) == 0 && len(ring) == 0)
#endif

#ifdef MUTATE_NO_OWED
#define NEXT_PLACE(s) count[s]
#else
#define NEXT_PLACE(s) (count[s] + owed[s])
#endif

inline post_receive(s) {
  posted[s]++;
  if
  :: len(unexpected[s]) > 0 ->
    unexpected[s]?place, is_foreseen;
    assert(place == posted[s] - 1);
    match(s, place, is_foreseen)
  :: else ->
    place = posted[s] - 1;
    do
    :: next < place && receive[AT(s, next)] == done -> next++
    :: else -> break
    od;
    if
    :: next == place && expected[s] == NONE && unposted[s] == 0 && IS_EMPTY ->
      tag = TAG_OF(s, NEXT_PLACE(s));
      receive[AT(s, place)] = waits;
      expected[s] = place;
      is_announced[AT(s, place)] = false;
      receives[tag]!place
    :: true
    fi
  fi;
  place = 0; is_foreseen = false; next = 0; tag = 0
}

proctype receiver() {
  byte stream, place;
  bool is_foreseen;

  do
  :: atomic { len(envelopes) > 0 -> envelope_arrives() }
  :: atomic { !IS_HELD && len(waiting) > 0 -> put_waiting() }
  :: atomic { stops == NONE && len(ring) > 0 -> take_record() }
#define STEPS_OF_TAG(t) \
  :: atomic { len(payloads[t]) > 0 && len(receives[t]) > 0 -> payload_arrives(t) } \
  :: atomic { len(not_posted[t]) > 0 -> not_posted[t]?<next>; post(t, next); next = 0 }
#define STEPS_OF_STREAM(s) \
  :: atomic { stops == NONE && posted[s] < MESSAGES && (posted[s] < 2 || receive[AT(s, posted[s] - 2)] == done) -> \
       post_receive(s) } \
  :: atomic { stops == NONE && posted[s] > 0 && receive[AT(s, posted[s] - 1)] == waits -> \
       stops = AT(s, posted[s] - 1); give_up(s, posted[s] - 1, stops) } \
  :: atomic { stops != NONE && stops / MESSAGES == s && receive[stops] != waits -> \
       assert(receive[stops] != open || stops == AT(s, posted[s] - 1)); \
       posted[s] = posted[s] - (receive[stops] == open); \
       stops = NONE }
  STEPS_OF_TAG(0)
  STEPS_OF_STREAM(0)
#if STREAMS * TAGS > 1
  STEPS_OF_TAG(1)
#endif
#if STREAMS > 1
  STEPS_OF_STREAM(1)
#endif
  :: atomic { being_taken_back > 0 ->
       if
       :: is_taken_back[0] -> end_late(0)
       :: is_taken_back[1] -> end_late(1)
       :: is_taken_back[2] -> end_late(2)
       :: is_taken_back[3] -> end_late(3)
       :: is_taken_back[4] -> end_late(4)
       :: is_taken_back[5] -> end_late(5)
       fi }
  :: received == MESSAGES && stops == NONE && len(envelopes) == 0 && being_taken_back == 0 -> break
  od;
  assert(holds == 0 && dealt_with == MESSAGES)
}
init {
  atomic { run sender(); run receiver() }
}
