// One rank's wrong argument in a call by which all ranks make something, where the ranks are in several processes: all
// of them get the error, and can then make the same thing rightly. Which calls and arguments:
// support/wrong_creations.hpp.
//
// usage: creations            each rank is the one that errs, in turn
//        creations share      ranks that are split by machine can make shared windows
#include <pure.h>

#include <cstdio>
#include <cstring>
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

}  // namespace

int main(int argc, char** argv) {
  pure_set_errhandler(PURE_ERRORS_RETURN);
  const int wrong = argc > 1 && std::strcmp(argv[1], "share") == 0 ? share() : try_all();
  return wrong == 0 ? 0 : 1;
}
