/* Random messages between ranks: all modes, persistent ones, probes, wildcards, receives with room for more or for
 * less, exchanges, cancelled receives; and each end has its own datatype with the signature of the message.
 *
 * All ranks go through the messages of a step in one order, so that nothing waits for ever. Of one pair of ranks the
 * receive of a message is posted in that order, too: it matches that message, with wildcards, too. From any source is
 * received only where no other message has the tag. */
#include "random_elements.h"

enum { MOST_MESSAGES = 8, BUFFER = 1 << 23 };
enum { SEND, SSEND, BSEND, ISEND, ISSEND, IBSEND, SEND_INIT, SSEND_INIT, BSEND_INIT, RSEND, IRSEND, RSEND_INIT, MODES };
enum { RECV, PROBE_RECV, MPROBE_MRECV, IPROBE_IRECV, IMPROBE_IMRECV, IRECV, RECV_INIT, RECEIVES };

typedef struct {
  int from, to, tag, mode, receive, times;
  bool any_source, any_tag, is_short, is_twice;
  MPI_Comm over;
  signature carries, wanted;
} message;

/* What goes on in this rank, to be completed and said at the end of the step. */
typedef struct {
  MPI_Request request;
  elements of;
  room at;
  int number; /* of the message */
  bool is_receive, is_persistent;
} pending;

RANK_OWN MPI_Comm comms[2], ready; /* messages go over the first two; over the third: a receive is posted */
RANK_OWN pending open[2 * MOST_MESSAGES + 2];
RANK_OWN int opened;

static message random_message(choices* by, int number) {
  message made = {
      .from = below(by, size), .to = below(by, size), .tag = between(by, 0, 3), .over = comms[below(by, 2)]};
  made.mode = below(by, MODES);
  made.receive = below(by, RECEIVES);
  if (made.from == made.to || made.mode >= RSEND) made.receive = chance(by, 50) ? IRECV : RECV_INIT;
  if ((made.any_source = chance(by, 25))) made.tag = 100 + number;
  made.any_tag = !made.any_source && chance(by, 25);
  made.carries = random_signature(by, 24);
  made.times = chance(by, 60) ? 1 : 1 << between(by, 1, 9);
  made.wanted = made.carries;
  made.is_short = chance(by, 6) && made.from != made.to && (made.receive == RECV || made.receive == IRECV);
  made.is_twice = chance(by, 50) && made.from != made.to && !made.is_short && made.receive == RECV_INIT &&
                  (made.mode == SEND_INIT || made.mode == SSEND_INIT || made.mode == BSEND_INIT);
  if (made.is_short) {
    made.times = 1;
    made.wanted.n = 1;
    if (made.carries.n == 1) made.carries = repeated(&made.carries, 2);
  } else if (made.times == 1) {
    while (chance(by, 25)) made.wanted.basics[made.wanted.n++] = below(by, BASICS);
  }
  return made;
}

static uint64_t salt_of(int number, bool is_receive) { return (uint64_t)number * 2 + is_receive; }

/* The elements of one end, and memory for them. */
static pending end_of(const message* of, int number, bool is_receive) {
  choices by = choices_of((uint64_t)step, (uint64_t)number, is_receive ? 1 : 2);
  pending made = {
      .of = elements_of(&by, is_receive ? &of->wanted : &of->carries), .number = number, .is_receive = is_receive};
  made.of.count *= of->times;
  made.at = room_for(&made.of.of, 0, made.of.count, salt_of(number, is_receive));
  made.request = MPI_REQUEST_NULL;
  return made;
}
static void done_with(pending* with) {
  free_room(&with->at);
  free_typed(&with->of.of);
}

static void send(choices* by, const message* of, int number) {
  pending to = end_of(of, number, false);
  MPI_Comm over = of->over;
  const MPI_Datatype type = to.of.of.type;
  void* data = to.at.data;
  const int count = to.of.count, dest = of->to, tag = of->tag;
  if (of->mode >= RSEND && of->from != of->to) DO(MPI_Recv(NULL, 0, MPI_BYTE, dest, number, ready, MPI_STATUS_IGNORE));
  switch (of->mode) {
    case SEND: EITHER_FORM(by, MPI_Send, data, count, type, dest, tag, over); break;
    case SSEND: EITHER_FORM(by, MPI_Ssend, data, count, type, dest, tag, over); break;
    case BSEND: EITHER_FORM(by, MPI_Bsend, data, count, type, dest, tag, over); break;
    case RSEND: EITHER_FORM(by, MPI_Rsend, data, count, type, dest, tag, over); break;
    case ISEND: EITHER_FORM(by, MPI_Isend, data, count, type, dest, tag, over, &to.request); break;
    case ISSEND: EITHER_FORM(by, MPI_Issend, data, count, type, dest, tag, over, &to.request); break;
    case IBSEND: EITHER_FORM(by, MPI_Ibsend, data, count, type, dest, tag, over, &to.request); break;
    case IRSEND: EITHER_FORM(by, MPI_Irsend, data, count, type, dest, tag, over, &to.request); break;
    case SEND_INIT: EITHER_FORM(by, MPI_Send_init, data, count, type, dest, tag, over, &to.request); break;
    case SSEND_INIT: EITHER_FORM(by, MPI_Ssend_init, data, count, type, dest, tag, over, &to.request); break;
    case BSEND_INIT: EITHER_FORM(by, MPI_Bsend_init, data, count, type, dest, tag, over, &to.request); break;
    default: EITHER_FORM(by, MPI_Rsend_init, data, count, type, dest, tag, over, &to.request); break;
  }
  to.is_persistent = to.request != MPI_REQUEST_NULL && of->mode != ISEND && of->mode != ISSEND && of->mode != IBSEND &&
                     of->mode != IRSEND;
  if (to.is_persistent) DO(MPI_Start(&to.request));
  if (of->is_twice) {
    DO(MPI_Wait(&to.request, MPI_STATUS_IGNORE));
    DO(MPI_Start(&to.request));
  }
  open[opened++] = to;
}

static void say_received(const message* of, const pending* to, uint64_t salt, const MPI_Status* status) {
  pending from = end_of(of, to->number, false);
  say_status(status, &to->of.of, of->carries.n * of->times);
  say_came(&to->at, salt, &from.of.of, from.of.count, &from.at, &to->of);
  done_with(&from);
}
static void receive(choices* by, const message* of, int number) {
  pending to = end_of(of, number, true);
  MPI_Comm over = of->over;
  MPI_Status status;
  MPI_Message probed = MPI_MESSAGE_NULL;
  const MPI_Datatype type = to.of.of.type;
  void* data = to.at.data;
  const int count = to.of.count, source = of->any_source ? MPI_ANY_SOURCE : of->from,
            tag = of->any_tag ? MPI_ANY_TAG : of->tag;
  int found = 0;
  switch (of->receive) {
    case RECV:
      if (of->is_short) {
        say("too short: %s", class_name(MPI_Recv(data, count, type, source, tag, over, &status)));
        return done_with(&to);
      }
      EITHER_FORM(by, MPI_Recv, data, count, type, source, tag, over, &status);
      break;
    case PROBE_RECV:
      DO(MPI_Probe(source, tag, over, &status));
      say_status(&status, &to.of.of, of->carries.n * of->times);
      EITHER_FORM(by, MPI_Recv, data, count, type, status.MPI_SOURCE, status.MPI_TAG, over, &status);
      break;
    case MPROBE_MRECV:
      DO(MPI_Mprobe(source, tag, over, &probed, &status));
      say_status(&status, &to.of.of, of->carries.n * of->times);
      EITHER_FORM(by, MPI_Mrecv, data, count, type, &probed, &status);
      break;
    case IPROBE_IRECV:
      while (!found) DO(MPI_Iprobe(source, tag, over, &found, &status));
      say_status(&status, &to.of.of, of->carries.n * of->times);
      EITHER_FORM(by, MPI_Irecv, data, count, type, source, tag, over, &to.request);
      break;
    case IMPROBE_IMRECV:
      while (!found) DO(MPI_Improbe(source, tag, over, &found, &probed, &status));
      EITHER_FORM(by, MPI_Imrecv, data, count, type, &probed, &to.request);
      break;
    case IRECV: EITHER_FORM(by, MPI_Irecv, data, count, type, source, tag, over, &to.request); break;
    default:
      EITHER_FORM(by, MPI_Recv_init, data, count, type, source, tag, over, &to.request);
      to.is_persistent = true;
      DO(MPI_Start(&to.request));
      if (of->is_twice) {
        DO(MPI_Wait(&to.request, &status));
        say_received(of, &to, salt_of(number, true), &status);
        fill(to.at.whole, to.at.bytes, salt_of(number, true));
        DO(MPI_Start(&to.request));
      }
  }
  if (probed != MPI_MESSAGE_NULL) say("a message that was received is not null");
  if (of->mode >= RSEND && of->from != of->to) DO(MPI_Send(NULL, 0, MPI_BYTE, of->from, number, ready));
  if (to.request == MPI_REQUEST_NULL) {
    say_received(of, &to, salt_of(number, true), &status);
    return done_with(&to);
  }
  open[opened++] = to;
}

/* Completes all that goes on, in one of many ways; says it in the order in which it was started. */
static void complete(choices* by, const message* all) {
  MPI_Request requests[2 * MOST_MESSAGES + 2];
  MPI_Status statuses[2 * MOST_MESSAGES + 2], some[2 * MOST_MESSAGES + 2];
  int indices[2 * MOST_MESSAGES + 2], left = 0, how = below(by, 7);
  for (int i = 0; i < opened; ++i) {
    const message* of = &all[open[i].number];
    requests[i] = open[i].request;
    left += requests[i] != MPI_REQUEST_NULL;
    if (!open[i].is_receive || !of->is_short) continue;
    say("too short: %s", class_name(MPI_Wait(&requests[i], &statuses[i])));
    --left;
  }
  const int expected = left;
  if (how == 0) {
    DO(MPI_Waitall(opened, requests, statuses));
  } else if (how == 1) {
    for (int flag = 0; !flag;) DO(MPI_Testall(opened, requests, &flag, statuses));
  } else if (how == 2) {
    for (int i = 0; i < opened; ++i) DO(MPI_Wait(&requests[i], &statuses[i]));
  } else if (how == 3) {
    for (int i = 0; i < opened; ++i)
      for (int flag = 0; !flag;) {
        /* MPICH's has none of a persistent request any more after this */
        if (requests[i] != MPI_REQUEST_NULL && !(OF_MPICH && open[i].is_persistent))
          DO(MPI_Request_get_status(requests[i], &flag, &statuses[i]));
        DO(MPI_Test(&requests[i], &flag, &statuses[i]));
      }
  } else {
    while (left > 0) {
      int done = 1, flag = 1;
      if (how == 4) DO(MPI_Waitany(opened, requests, indices, some));
      if (how == 5) DO(MPI_Waitsome(opened, requests, &done, indices, some));
      if (how == 6)
        DO(chance(by, 50) ? MPI_Testany(opened, requests, indices, &flag, some)
                          : MPI_Testsome(opened, requests, &done, indices, some));
      if (!flag || done == 0) continue;
      if (done == MPI_UNDEFINED || indices[0] == MPI_UNDEFINED) {
        say("completed only %d of %d", expected - left, expected);
        break;
      }
      for (int i = 0; i < done; ++i) statuses[indices[i]] = some[i];
      left -= done;
    }
  }
  int index = 0, flag = 0;
  MPI_Status empty;
  DO(MPI_Waitany(opened, requests, &index, &empty)); /* all are null, or inactive */
  say("then none: %d, source %d tag %d", index == MPI_UNDEFINED, empty.MPI_SOURCE == MPI_ANY_SOURCE,
      empty.MPI_TAG == MPI_ANY_TAG);
  DO(MPI_Testall(opened, requests, &flag, MPI_STATUSES_IGNORE));
  for (int i = 0; i < opened; ++i) {
    const message* of = &all[open[i].number];
    if (open[i].is_receive && !of->is_short) say_received(of, &open[i], salt_of(open[i].number, true), &statuses[i]);
    if ((requests[i] != MPI_REQUEST_NULL) != open[i].is_persistent) say("a request is there, or not: %d", flag);
    if (requests[i] != MPI_REQUEST_NULL) DO(MPI_Request_free(&requests[i]));
    done_with(&open[i]);
  }
  opened = 0;
}

/* ---- exchanges in a ring, with gaps in it ---- */

static void exchange(choices* by) {
  const int shift = below(by, size), kind = below(by, 4), gap = chance(by, 30) ? below(by, size) : -1;
  const int right = (rank + shift) % size, left = (rank + size - shift) % size;
  const int dest = rank == gap ? MPI_PROC_NULL : right, source = left == gap ? MPI_PROC_NULL : left;
  const signature carries = random_signature(by, 24);
  choices own = choices_of((uint64_t)step, (uint64_t)rank, 3);
  elements there = elements_of(&own, &carries), here = elements_of(&own, &carries);
  room from = room_for(&there.of, 0, there.count, 10 + (uint64_t)rank), into = room_for(&here.of, 0, here.count, 20);
  const MPI_Datatype sent = there.of.type, received = here.of.type;
  MPI_Request request;
  MPI_Status status;
  if (kind < 2) {
#ifdef HAS_PERSISTENT
    if (kind == 1 && !OF_MPICH) { /* whose does not set the status */
      DO(MPI_Isendrecv(from.data, there.count, sent, dest, 1, into.data, here.count, received, source, 1, comms[0],
                       &request));
      DO(MPI_Wait(&request, &status));
    } else
#endif
      EITHER_FORM(&own, MPI_Sendrecv, from.data, there.count, sent, dest, 1, into.data, here.count, received, source, 1,
                  comms[0], &status);
  } else {
#ifdef HAS_PERSISTENT
    if (kind == 3 && !OF_MPICH) { /* whose does not set the status, and changes bytes of gaps */
      DO(MPI_Isendrecv_replace(from.data, there.count, sent, dest, 1, source, 1, comms[0], &request));
      DO(MPI_Wait(&request, &status));
    } else
#endif
      EITHER_FORM(&own, MPI_Sendrecv_replace, from.data, there.count, sent, dest, 1, source, 1, comms[0], &status);
  }
  (void)request;
  if (source == MPI_PROC_NULL)
    say("from nobody: %d %d", status.MPI_SOURCE == MPI_PROC_NULL, status.MPI_TAG == MPI_ANY_TAG);
  else
    say_status(&status, kind < 2 ? &here.of : &there.of, carries.n);
  say("exchanged: %016llx %016llx %zu", (unsigned long long)hash_of_room(&from),
      (unsigned long long)hash_of_room(&into), from.bytes);
  free_room(&from);
  free_room(&into);
  free_typed(&there.of);
  free_typed(&here.of);
}

static void take_back(void) {
  int value, is_cancelled = -1;
  MPI_Request request;
  MPI_Status status;
  DO(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 999, comms[1], &request));
  DO(MPI_Cancel(&request));
  DO(MPI_Wait(&request, &status));
  DO(MPI_Test_cancelled(&status, &is_cancelled));
  say("taken back: %d", is_cancelled);
}

static void wrong_calls(void) {
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Datatype fresh;
  FAILS(MPI_Send(&value, 1, MPI_INT, size, 0, comms[0]));
  FAILS(MPI_Send(&value, 1, MPI_INT, -77, 0, comms[0]));
  FAILS(MPI_Send(&value, -1, MPI_INT, 0, 0, comms[0]));
  FAILS(MPI_Isend(&value, 1, MPI_DATATYPE_NULL, 0, 0, comms[0], &request));
  FAILS(MPI_Irecv(&value, 1, MPI_INT, 0, -77, comms[0], &request));
  FAILS(MPI_Recv(&value, 1, MPI_INT, size, 0, comms[0], MPI_STATUS_IGNORE));
  FAILS(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
  DO(MPI_Type_contiguous(1, MPI_INT, &fresh));
  FAILS(MPI_Send(&value, 1, fresh, 0, 0, comms[0])); /* not committed */
  DO(MPI_Type_free(&fresh));
}

static void program(void) {
  void* buffer = malloc(BUFFER);
  int bytes;
  for (int i = 0; i < 2; ++i) DO(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
  DO(MPI_Comm_dup(MPI_COMM_WORLD, &ready));
  DO(MPI_Buffer_attach(buffer, BUFFER));
  for (step = 1; step <= 4; ++step) {
    choices by = choices_of((uint64_t)step, 0, 0), own = choices_of((uint64_t)step, (uint64_t)rank, 1000);
    const int messages = between(&by, 1, MOST_MESSAGES);
    message all[MOST_MESSAGES];
    for (int i = 0; i < messages; ++i) all[i] = random_message(&by, i);
    for (int i = 0; i < messages; ++i) {
      if (all[i].to == rank && all[i].from == rank) receive(&own, &all[i], i);
      if (all[i].from == rank) send(&own, &all[i], i);
      if (all[i].to == rank && all[i].from != rank) receive(&own, &all[i], i);
    }
    complete(&own, all);
    exchange(&by);
    if (chance(&by, 20)) take_back();
    if (chance(&by, 5)) wrong_calls();
  }
  DO(MPI_Buffer_detach(&buffer, &bytes));
  say("detached %d", bytes);
  free(buffer);
  for (int i = 0; i < 2; ++i) DO(MPI_Comm_free(&comms[i]));
  DO(MPI_Comm_free(&ready));
}
