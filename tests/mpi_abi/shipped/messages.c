/* Messages, their statuses and requests (constants.c). */
#include "checked.h"

void messages(void) {
  MPI_Status status, all[3];
  MPI_Request request = MPI_REQUEST_NULL, several[3];
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Fint numbers[8];
  int sent[4] = {1, 2, 3, 4}, got[4], count = -1, flag = -1, index = -1, indices[3], done = -1, other = 1 - rank;
  memset(&status, 0x55, sizeof status);
  CHECK(MPI_Recv(got, 4, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && status.MPI_ERROR == 0x55555555);
  CHECK(MPI_Get_count(&status, MPI_INT, &count) == MPI_SUCCESS && count == 0);
  CHECK(MPI_Isend(sent, 4, MPI_INT, other, 7, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  CHECK(MPI_Request_f2c(MPI_Request_c2f(request)) == request);
  CHECK(MPI_Recv(got, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  CHECK(status.MPI_SOURCE == other && status.MPI_TAG == 7 && got[3] == 4);
  CHECK(MPI_Get_count(&status, MPI_INT, &count) == MPI_SUCCESS && count == 4);
  CHECK(MPI_Get_elements(&status, MPI_BYTE, &count) == MPI_SUCCESS && count == 16);
  CHECK(MPI_Get_count(&status, MPI_DOUBLE_INT, &count) == MPI_SUCCESS && count == MPI_UNDEFINED);
  CHECK(MPI_Status_c2f(&status, numbers) == MPI_SUCCESS && MPI_Status_f2c(numbers, all) == MPI_SUCCESS);
  CHECK(all[0].MPI_SOURCE == other && all[0].MPI_TAG == 7 && MPI_Get_count(all, MPI_INT, &count) == MPI_SUCCESS &&
        count == 4);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
  CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS && status.MPI_SOURCE == MPI_ANY_SOURCE &&
        status.MPI_TAG == MPI_ANY_TAG);
  CHECK(MPI_Test_cancelled(&status, &flag) == MPI_SUCCESS && flag == 0);
  several[0] = several[1] = several[2] = MPI_REQUEST_NULL;
  CHECK(MPI_Waitany(3, several, &index, &status) == MPI_SUCCESS && index == MPI_UNDEFINED);
  CHECK(MPI_Waitsome(3, several, &done, indices, all) == MPI_SUCCESS && done == MPI_UNDEFINED);
  CHECK(MPI_Irecv(got, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, several + 1) == MPI_SUCCESS);
  CHECK(MPI_Waitany(3, several, &index, &status) == MPI_SUCCESS && index == 1 && status.MPI_SOURCE == MPI_PROC_NULL);
  CHECK(several[1] == MPI_REQUEST_NULL);
  CHECK(MPI_Recv_init(got, 4, MPI_INT, other, 3, MPI_COMM_WORLD, &request) == MPI_SUCCESS &&
        MPI_Start(&request) == MPI_SUCCESS);
  CHECK(MPI_Cancel(&request) == MPI_SUCCESS && MPI_Wait(&request, &status) == MPI_SUCCESS &&
        request != MPI_REQUEST_NULL);
  CHECK(MPI_Test_cancelled(&status, &flag) == MPI_SUCCESS && flag != 0);
  CHECK(MPI_Request_free(&request) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
  CHECK(MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status) == MPI_SUCCESS &&
        message == MPI_MESSAGE_NO_PROC);
  CHECK(MPI_Mrecv(got, 4, MPI_INT, &message, &status) == MPI_SUCCESS && message == MPI_MESSAGE_NULL);
  CHECK(MPI_Isend(sent, 2, MPI_INT, other, 8, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  CHECK(MPI_Mprobe(other, 8, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Message_f2c(MPI_Message_c2f(message)) == message && message != MPI_MESSAGE_NULL &&
        message != MPI_MESSAGE_NO_PROC);
  CHECK(MPI_Mrecv(got, 4, MPI_INT, &message, &status) == MPI_SUCCESS && status.MPI_TAG == 8 &&
        message == MPI_MESSAGE_NULL);
  CHECK(MPI_Waitall(1, &request, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, &status) == MPI_SUCCESS && flag == 0);
  {
    MPI_Datatype at_bottom;
    MPI_Aint place;
    int one = 1, mine = rank + 40;
    MPI_Get_address(&mine, &place);
    MPI_Type_create_hindexed(1, &one, &place, MPI_INT, &at_bottom);
    MPI_Type_commit(&at_bottom);
    CHECK(MPI_Sendrecv(MPI_BOTTOM, 1, at_bottom, other, 9, got, 1, MPI_INT, other, 9, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(got[0] == other + 40);
    MPI_Type_free(&at_bottom);
  }
  {
    /* As large as the header says that it has to be. */
    int bytes = (int)sizeof sent + MPI_BSEND_OVERHEAD, size = 0;
    void *memory = malloc((size_t)bytes), *back = NULL;
    CHECK(MPI_Buffer_attach(memory, bytes) == MPI_SUCCESS);
    CHECK(MPI_Bsend(sent, 4, MPI_INT, other, 10, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(MPI_Recv(got, 4, MPI_INT, other, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_Buffer_detach(&back, &size) == MPI_SUCCESS && back == memory && size == bytes);
    free(memory);
  }
}

/* Numbers of bytes that need every bit of what a status has for them. */
void statuses(void) {
  static const MPI_Count sizes[] = {0, 1, 0x7fffffff, 0x80000000LL, 0xffffffffLL, 0x100000000LL, 0x2345678901LL};
  MPI_Status status, copied;
  MPI_Fint numbers[8];
  MPI_Count many;
  int i, flag;
  memset(&status, 0, sizeof status);
  for (i = 0; i < (int)(sizeof sizes / sizeof *sizes); ++i) {
    CHECK(MPI_Status_set_elements_x(&status, MPI_BYTE, sizes[i]) == MPI_SUCCESS);
    CHECK(MPI_Status_set_cancelled(&status, i % 2) == MPI_SUCCESS);
    CHECK(MPI_Get_elements_x(&status, MPI_BYTE, &many) == MPI_SUCCESS && many == sizes[i]);
    CHECK(MPI_Test_cancelled(&status, &flag) == MPI_SUCCESS && flag == i % 2);
    CHECK(MPI_Status_c2f(&status, numbers) == MPI_SUCCESS && MPI_Status_f2c(numbers, &copied) == MPI_SUCCESS);
    CHECK(MPI_Get_elements_x(&copied, MPI_BYTE, &many) == MPI_SUCCESS && many == sizes[i]);
  }
#ifdef MPICH_VERSION
  {
    /* Which of several has failed, and how: MPI_ERR_IN_STATUS. */
    MPI_Request requests[2];
    MPI_Status both[2];
    int sent[2] = {1, 2}, got[2], code, class = -1;
    MPI_Request sends[2];
    MPI_Isend(sent, 1, MPI_INT, rank, 31, MPI_COMM_WORLD, sends);
    MPI_Isend(sent, 2, MPI_INT, rank, 32, MPI_COMM_WORLD, sends + 1);
    MPI_Irecv(got, 1, MPI_INT, rank, 31, MPI_COMM_WORLD, requests);
    MPI_Irecv(got + 1, 1, MPI_INT, rank, 32, MPI_COMM_WORLD, requests + 1);
    code = MPI_Waitall(2, requests, both);
    CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_IN_STATUS &&
          both[0].MPI_ERROR == MPI_SUCCESS);
    CHECK(MPI_Error_class(both[1].MPI_ERROR, &class) == MPI_SUCCESS && class == MPI_ERR_TRUNCATE);
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  }
#endif
}

/* As many requests as a door has room for at hand, one more, and many: which are complete, and where their statuses
 * lie. */
void many_requests(void) {
  static const int counts[] = {64, 65, 200};
  MPI_Request requests[200], sends[200];
  MPI_Status statuses[200];
  int received[200], sent[200], indices[200], i, c, done, left, other = 1 - rank;
  for (c = 0; c < 3; ++c) {
    const int count = counts[c];
    for (i = 0; i < count; ++i) {
      sent[i] = 1000 * rank + i;
      MPI_Irecv(received + i, 1, MPI_INT, other, i, MPI_COMM_WORLD, requests + i);
      MPI_Isend(sent + i, 1, MPI_INT, other, i, MPI_COMM_WORLD, sends + i);
    }
    CHECK(MPI_Waitall(count, requests, statuses) == MPI_SUCCESS);
    for (i = 0; i < count; ++i)
      CHECK(requests[i] == MPI_REQUEST_NULL && statuses[i].MPI_TAG == i && statuses[i].MPI_SOURCE == other &&
            received[i] == 1000 * other + i);
    for (left = count; left > 0; left -= done) {
      CHECK(MPI_Waitsome(count, sends, &done, indices, statuses) == MPI_SUCCESS && done > 0 && done <= left);
      if (done <= 0 || done > left) break;
      for (i = 0; i < done; ++i) CHECK(indices[i] >= 0 && indices[i] < count && sends[indices[i]] == MPI_REQUEST_NULL);
    }
    for (i = 0; i < count; ++i) CHECK(sends[i] == MPI_REQUEST_NULL);
  }
}
