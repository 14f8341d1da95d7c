// tests/net/checked.cpp over the loopback network (support/loopback_main.cpp).
#undef PURE_MAIN_RUNS_ONCE  // the program defines it, too
#define main main_over_mpi
#include "net/checked.cpp"
#undef main

#include "comm/communicator_table.hpp"
#include "runtime/rank.hpp"

int program_main(int, char**) {
  using namespace pure::core;
  return run_on(pure::comm(communicator_table::of(*self()).world()));
}
