/* Messages in all modes, probes, persistent ones; requests completed in all ways; what statuses say. */
#include "check.h"

static int to, from;

static void modes(void) {
  int sent[4] = {rank, rank + 1, rank + 2, rank + 3}, got[4], count, flag;
  char* const room = malloc(1000 + MPI_BSEND_OVERHEAD);
  void* back;
  MPI_Request requests[4];
  MPI_Status statuses[4];
  DO(MPI_Buffer_attach(room, 1000 + MPI_BSEND_OVERHEAD));
  for (int i = 0; i < 4; ++i) DO(MPI_Irecv(&got[i], 1, MPI_INT, from, i, MPI_COMM_WORLD, &requests[i]));
  DO(MPI_Barrier(MPI_COMM_WORLD)); /* a ready send needs a receive */
  DO(MPI_Rsend(&sent[0], 1, MPI_INT, to, 0, MPI_COMM_WORLD));
  DO(MPI_Bsend(&sent[1], 1, MPI_INT, to, 1, MPI_COMM_WORLD));
  DO(MPI_Ssend(&sent[2], 1, MPI_INT, to, 2, MPI_COMM_WORLD));
  DO(MPI_Send(&sent[3], 1, MPI_INT, to, 3, MPI_COMM_WORLD));
  DO(MPI_Waitall(4, requests, statuses));
  for (int i = 0; i < 4; ++i) {
    CHECK(got[i] == from + i && statuses[i].MPI_SOURCE == from && statuses[i].MPI_TAG == i && requests[i] == MPI_REQUEST_NULL);
    DO(MPI_Get_count(&statuses[i], MPI_INT, &count));
    CHECK(count == 1);
    DO(MPI_Test_cancelled(&statuses[i], &flag));
    CHECK(!flag);
  }
  for (int i = 0; i < 4; ++i) DO(MPI_Irecv(&got[i], 1, MPI_INT, from, i, MPI_COMM_WORLD, &requests[i]));
  DO(MPI_Barrier(MPI_COMM_WORLD));
  MPI_Request sends[4];
  DO(MPI_Irsend(&sent[0], 1, MPI_INT, to, 0, MPI_COMM_WORLD, &sends[0]));
  DO(MPI_Ibsend(&sent[1], 1, MPI_INT, to, 1, MPI_COMM_WORLD, &sends[1]));
  DO(MPI_Issend(&sent[2], 1, MPI_INT, to, 2, MPI_COMM_WORLD, &sends[2]));
  DO(MPI_Isend(&sent[3], 1, MPI_INT, to, 3, MPI_COMM_WORLD, &sends[3]));
  for (int done = 0; done < 4;) {
    int some, indices[4];
    DO(MPI_Waitsome(4, requests, &some, indices, statuses));
    CHECK(some >= 1);
    for (int k = 0; k < some; ++k) CHECK(got[indices[k]] == from + indices[k] && statuses[k].MPI_TAG == indices[k]);
    done += some;
  }
  DO(MPI_Waitsome(4, requests, &count, &flag, MPI_STATUSES_IGNORE));
  CHECK(count == MPI_UNDEFINED);
  DO(MPI_Waitall(4, sends, MPI_STATUSES_IGNORE));
  DO(MPI_Buffer_detach(&back, &count));
  CHECK(back == room && count == 1000 + MPI_BSEND_OVERHEAD);
  free(room);
}

static void probes(void) {
  double sent[3] = {1.5, 2.5, rank}, got[3] = {0, 0, 0};
  int flag = 0, count;
  MPI_Status status;
  MPI_Message message;
  MPI_Request request, other;
  DO(MPI_Isend(sent, 3, MPI_DOUBLE, to, 5, MPI_COMM_WORLD, &request));
  DO(MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status));
  CHECK(status.MPI_SOURCE == from && status.MPI_TAG == 5);
  DO(MPI_Get_count(&status, MPI_DOUBLE, &count));
  CHECK(count == 3);
  while (!flag) DO(MPI_Iprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
  DO(MPI_Mprobe(from, 5, MPI_COMM_WORLD, &message, &status));
  DO(MPI_Iprobe(from, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
  CHECK(!flag); /* it is taken out */
  DO(MPI_Mrecv(got, 3, MPI_DOUBLE, &message, &status));
  CHECK(message == MPI_MESSAGE_NULL && got[0] == 1.5 && got[2] == from && status.MPI_SOURCE == from);
  DO(MPI_Wait(&request, MPI_STATUS_IGNORE));

  DO(MPI_Isend(sent, 2, MPI_DOUBLE, to, 6, MPI_COMM_WORLD, &request));
  for (flag = 0; !flag;) DO(MPI_Improbe(from, 6, MPI_COMM_WORLD, &flag, &message, &status));
  DO(MPI_Imrecv(got, 2, MPI_DOUBLE, &message, &other));
  DO(MPI_Wait(&other, &status));
  CHECK(got[1] == 2.5 && status.MPI_TAG == 6);
  DO(MPI_Wait(&request, MPI_STATUS_IGNORE));

  DO(MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status));
  CHECK(message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
  DO(MPI_Mrecv(got, 3, MPI_DOUBLE, &message, &status));
  DO(MPI_Get_count(&status, MPI_DOUBLE, &count));
  CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL && count == 0);
}

static void persistent(void) {
  int sent = 0, got = -1, index, flag;
  MPI_Request both[2];
  MPI_Status status, statuses[2];
  DO(MPI_Recv_init(&got, 1, MPI_INT, from, 9, MPI_COMM_WORLD, &both[0]));
  DO(MPI_Send_init(&sent, 1, MPI_INT, to, 9, MPI_COMM_WORLD, &both[1]));
  DO(MPI_Waitany(2, both, &index, &status)); /* none is active */
  CHECK(index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
  for (int round = 0; round < 5; ++round) {
    sent = 100 * rank + round;
    DO(MPI_Startall(2, both));
    if (round % 2 == 0) {
      DO(MPI_Waitall(2, both, statuses));
    } else {
      for (flag = 0; !flag;) DO(MPI_Testall(2, both, &flag, statuses));
    }
    CHECK(got == 100 * from + round && statuses[0].MPI_SOURCE == from && both[0] != MPI_REQUEST_NULL);
  }
  DO(MPI_Start(&both[1]));
  DO(MPI_Start(&both[0]));
  for (int left = 2; left > 0; --left) {
    DO(MPI_Waitany(2, both, &index, &status));
    CHECK(index == 0 || index == 1);
  }
  DO(MPI_Testany(2, both, &index, &flag, &status));
  CHECK(flag && index == MPI_UNDEFINED);
  MPI_Request ended[2] = {both[0], MPI_REQUEST_NULL}; /* whose status is empty, and says that nothing failed */
  for (int i = 0; i < 6; ++i) {
    memset(&status, 99, sizeof status);
    flag = 1;
    if (i < 2) DO(MPI_Wait(&ended[i % 2], &status));
    if (i / 2 == 1) DO(MPI_Test(&ended[i % 2], &flag, &status));
    if (i / 2 == 2) DO(MPI_Request_get_status(ended[i % 2], &flag, &status));
    CHECK(flag && status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && status.MPI_ERROR == MPI_SUCCESS);
    DO(MPI_Get_count(&status, MPI_INT, &index));
    CHECK(index == 0);
  }
  DO(MPI_Request_free(&both[0]));
  DO(MPI_Request_free(&both[1]));
  CHECK(both[0] == MPI_REQUEST_NULL);
}

static void replace_and_cancel(void) {
  int value = rank, other = 7, flag;
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  for (int waits = 0; waits < 2; ++waits) { /* of no request: the empty status */
    memset(&status, 77, sizeof status);
    if (waits) DO(MPI_Wait(&request, &status));
    if (!waits) DO(MPI_Request_get_status(request, &flag, &status));
    CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && status.MPI_ERROR == MPI_SUCCESS);
  }
  DO(MPI_Sendrecv_replace(&value, 1, MPI_INT, to, 11, from, 11, MPI_COMM_WORLD, &status));
  CHECK(value == from && status.MPI_SOURCE == from);
  DO(MPI_Irecv(&other, 1, MPI_INT, from, 12, MPI_COMM_WORLD, &request));
  DO(MPI_Request_get_status(request, &flag, &status));
  CHECK(!flag);
  DO(MPI_Cancel(&request));
  DO(MPI_Wait(&request, &status));
  DO(MPI_Test_cancelled(&status, &flag));
  CHECK(flag && other == 7);
  DO(MPI_Status_set_cancelled(&status, 0));
  DO(MPI_Test_cancelled(&status, &flag));
  CHECK(!flag);
#if MPI_VERSION >= 4
  DO(MPI_Isendrecv(&rank, 1, MPI_INT, to, 13, &other, 1, MPI_INT, from, 13, MPI_COMM_WORLD, &request));
  DO(MPI_Wait(&request, &status));
  CHECK(other == from && status.MPI_TAG == 13);
  DO(MPI_Isendrecv_replace(&other, 1, MPI_INT, from, 14, to, 14, MPI_COMM_WORLD, &request));
  DO(MPI_Wait(&request, &status));
  CHECK(other == rank);
#endif
}

/* An error of a request is one of its communicator, and is noted in its status. */
static int called;
static void note(MPI_Comm* comm, int* code, ...) {
  int class;
  (void)comm;
  MPI_Error_class(*code, &class);
  called = class;
}

static void errors_of_requests(void) {
  int sent[2] = {1, 2}, got[2];
  MPI_Comm own;
  MPI_Errhandler handler;
  MPI_Request request, both[2];
  MPI_Status statuses[2];
  DO(MPI_Comm_dup(MPI_COMM_SELF, &own));
  DO(MPI_Comm_create_errhandler(note, &handler));
  DO(MPI_Comm_set_errhandler(own, handler));
  DO(MPI_Errhandler_free(&handler));
  DO(MPI_Irecv(got, 1, MPI_INT, 0, 1, own, &request));
  DO(MPI_Send(sent, 2, MPI_INT, 0, 1, own));
  FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
  CHECK(called == MPI_ERR_TRUNCATE);
  DO(MPI_Irecv(got, 1, MPI_INT, 0, 1, own, &both[0]));
  DO(MPI_Irecv(got + 1, 1, MPI_INT, 0, 2, own, &both[1]));
  DO(MPI_Send(sent, 2, MPI_INT, 0, 1, own));
  DO(MPI_Send(sent, 1, MPI_INT, 0, 2, own));
  FAILS(MPI_Waitall(2, both, statuses), MPI_ERR_IN_STATUS);
  FAILS(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE);
  CHECK(statuses[1].MPI_ERROR == MPI_SUCCESS && called == MPI_ERR_IN_STATUS);
  DO(MPI_Comm_free(&own));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  to = (rank + 1) % size;
  from = (rank + size - 1) % size;
  modes();
  probes();
  persistent();
  replace_and_cancel();
  errors_of_requests();
  return end();
}
