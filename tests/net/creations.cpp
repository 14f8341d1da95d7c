// One rank's wrong argument in a call by which all ranks make something, where the ranks are in several processes: all
// of them get the error, and can then make the same thing rightly. Which calls and arguments:
// support/wrong_creations.hpp.
//
// usage: creations            each rank is the one that errs, in turn
//        creations share      ranks that are split by machine can make shared windows
//        creations refused    a collective that is refused on rank 1, and what the ranks can do then
#include <pure.h>

#include <cstdio>
#include <string>

#include "support/wrong_creations.hpp"

namespace {

int try_all() {
  int wrong = 0;
  for (int errs = 0; errs < pure_size(); ++errs) {
    test_support::try_wrong_creations(errs, [&](const std::string& text) {
      ++wrong;
      std::fprintf(stderr, "wrong: %s\n", text.c_str());
    });
  }
  return wrong;
}

/// Says how many ranks each communicator has that a split by machine makes. Every one must be able to have a shared
/// window, and world cannot have one if there are several.
int share() {
  pure_comm machine = PURE_COMM_NULL;
  int code = pure_comm_split_type(PURE_COMM_WORLD, PURE_COMM_TYPE_MACHINE, 0, &machine);
  int size = 0, rank = 0;
  pure_comm_size(machine, &size);
  pure_comm_rank(machine, &rank);
  if (rank == 0) std::printf("machine of %d\n", size);
  void* base = nullptr;
  pure_win win = PURE_WIN_NULL;
  if (code == PURE_SUCCESS) code = pure_win_allocate_shared(8, 8, PURE_INFO_NULL, machine, &base, &win);
  if (code != PURE_SUCCESS) std::fprintf(stderr, "wrong: %s\n", pure_last_error());
  if (code == PURE_SUCCESS) pure_win_free(&win);
  const int of_all = pure_win_allocate_shared(8, 8, PURE_INFO_NULL, PURE_COMM_WORLD, &base, &win);
  const int expected = size == pure_size() ? PURE_SUCCESS : PURE_ERR_RMA_SHARED;
  if (of_all != expected) std::fprintf(stderr, "wrong: a shared window of world: %d, not %d\n", of_all, expected);
  if (of_all == PURE_SUCCESS) pure_win_free(&win);
  return (code != PURE_SUCCESS ? 1 : 0) + (of_all != expected ? 1 : 0);
}

int expect(int code, int expected, const char* what) {
  if (code == expected) return 0;
  std::fprintf(stderr, "wrong: rank %d: %s: %d, not %d: %s\n", pure_rank(), what, code, expected, pure_last_error());
  return 1;
}

int add_up(pure_comm comm, const char* what) {
  int rank = 0, size = 0, sum = 0;
  pure_comm_rank(comm, &rank);
  pure_comm_size(comm, &size);
  const int mask = 1 << rank;
  const int code = pure_allreduce(&mask, &sum, 1, PURE_INT, PURE_SUM, comm);
  return expect(code, PURE_SUCCESS, what) + expect(sum, (1 << size) - 1, what);
}

/// Rank 1 is refused a broadcast, of which the others need nothing from it. Is it alone in its process, its next
/// collective is the next one of all; else there are no more for it, but on a communicator that is made then.
int refused() {
  constexpr pure_comm world = PURE_COMM_WORLD;
  const bool errs = pure_rank() == 1;
  int data = 5;
  pure_comm process = PURE_COMM_NULL;
  pure_comm_split_type(world, PURE_COMM_TYPE_PROCESS, 0, &process);
  int here = 0;
  pure_comm_size(process, &here);
  int wrong = expect(pure_bcast(errs ? nullptr : &data, 1, PURE_INT, 0, world), errs ? PURE_ERR_BUFFER : PURE_SUCCESS,
                     "the broadcast");
  if (here == 1) {
    wrong += add_up(world, "the next call");
  } else if (errs) {
    pure_request request = PURE_REQUEST_NULL;
    wrong += expect(pure_barrier(world), PURE_ERR_STATE, "the next call");
    wrong += expect(pure_iallreduce(&data, &data, 0, PURE_INT, PURE_SUM, world, &request), PURE_ERR_STATE,
                    "another one");
  }
  wrong += add_up(process, "inside the process");
  pure_comm fresh = PURE_COMM_NULL;
  wrong += expect(pure_comm_dup(world, &fresh), PURE_SUCCESS, "dup");
  return wrong + add_up(fresh, "on the copy");
}

}  // namespace

int main(int argc, char** argv) {
  pure_set_errhandler(PURE_ERRORS_RETURN);
  const std::string what = argc > 1 ? argv[1] : "";
  const int wrong = what == "share" ? share() : what == "refused" ? refused() : try_all();
  return wrong == 0 ? 0 : 1;
}
