/* Large messages, and what comes behind them: between processes they travel in pieces through the ring of small ones. */
#include "check.h"

static int to, from;

/* The last piece is a short one, and behind it come messages of one line for more than a lap of the ring: there lies
 * payload of old, and so do messages of old, each with another number. */
static void small_ones_behind(int bytes) {
  char* const data = malloc(bytes);
  int wrong = 0;
  for (long round = 0; round < 50; ++round) {
    for (int i = 0; i < bytes; ++i) data[i] = rank == 0 ? (char)(i * 7 + round) : 0;
    if (rank == 0) DO(MPI_Send(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD));
    if (rank == 1) DO(MPI_Recv(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < bytes; ++i) wrong += rank < 2 && data[i] != (char)(i * 7 + round);
    for (long i = 0; i < 1100 + round % 5; ++i) {
      const long number = round * 10000 + i;
      long got = -1;
      if (rank == 0) DO(MPI_Send(&number, 1, MPI_LONG, 1, 1, MPI_COMM_WORLD));
      if (rank == 1) DO(MPI_Recv(&got, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      wrong += rank == 1 && got != number;
    }
  }
  CHECK(wrong == 0);
  free(data);
}

/* All send as much as they receive: either end of a pair sends pieces, and reads them, at once. */
static void exchanged(int bytes, int times) {
  char* const out = malloc(bytes);
  char* const in = malloc(bytes);
  int wrong = 0;
  for (int i = 0; i < times; ++i) {
    MPI_Request request;
    memset(out, i * 3 + rank, bytes);
    memset(in, 0, bytes);
    DO(MPI_Irecv(in, bytes, MPI_CHAR, from, 0, MPI_COMM_WORLD, &request));
    DO(MPI_Send(out, bytes, MPI_CHAR, to, 0, MPI_COMM_WORLD));
    DO(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int k = 0; k < bytes; ++k) wrong += in[k] != (char)(i * 3 + from);
  }
  CHECK(wrong == 0);
  free(out);
  free(in);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  to = (rank + 1) % size;
  from = (rank + size - 1) % size;
  if (size > 1) small_ones_behind(48968);
  exchanged(200000, 200);
  if (size > 1) small_ones_behind(48976);
  return end();
}
