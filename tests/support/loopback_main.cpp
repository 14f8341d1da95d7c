// The main of the random programs of tests/net where their processes are threads of one process, over a loopback
// network that chance drives: PROGRAM PROCESSES SEED ARGUMENT...
//
// PURE_RANKS: of the job. SEED: the network's. The arguments are the program's.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "aggregation/aggregation_table.hpp"
#include "base/open_accounts.hpp"
#include "base/settings.hpp"
#include "match/match_engine.hpp"
#include "support/loopback_job.hpp"

int program_main(int argc, char** argv);

int main(int argc, char** argv) {
  using namespace pure::core;
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s PROCESSES SEED ARGUMENT...\n", argv[0]);
    return 2;
  }
  const settings values = read_settings();
  const int processes = std::atoi(argv[1]);
  test_support::loopback_limits limits;
  limits.message_bytes = values.net_message_bytes;
  limits.piece_bytes = 100'000;  // small, so that payloads of several pieces are common
  test_support::loopback_world world(processes, limits);
  world.play(std::strtoull(argv[2], nullptr, 10));
  return test_support::run_over_loopback(
      world, values.ranks != 0 ? values.ranks : 2 * processes, values, [&](rank_context& self) {
        std::vector<char*> arguments{argv[0]};
        arguments.insert(arguments.end(), argv + 3, argv + argc + 1);
        const int status = program_main(static_cast<int>(arguments.size()) - 1, arguments.data());
        if (status != 0) return status;
        open_accounts accounts;  // of what other processes have sent, some may still be on its way: not of this rank's
        match_engine::of(self).add_open_accounts(accounts);
        const open_accounts& of_items = aggregation_table::of(self).left_open();
        if (test_support::left_open("aggregations of rank " + std::to_string(self.number()), of_items) != 0) return 1;
        return test_support::left_open("rank " + std::to_string(self.number()), accounts);
      });
}
