// The main of the random programs of tests/net where their processes are threads of one process:
// PROGRAM NETWORK PROCESSES SEED ARGUMENT...
//
// NETWORK: loopback, which chance drives, by the seed; or the network over shared memory, and how it moves payloads:
//   shm      by its own sizes
//   pieces   likewise, but smaller payloads travel in pieces, which are small, and receivers soon read them themselves
//   rings    as where the kernel lets no process read another one's memory
//
// PURE_RANKS: of the job. The arguments are the program's.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "aggregation/aggregation_table.hpp"
#include "base/open_accounts.hpp"
#include "base/settings.hpp"
#include "match/match_engine.hpp"
#include "support/job_over_world.hpp"
#include "support/loopback_network.hpp"
#include "support/shm_world.hpp"

int program_main(int argc, char** argv);

namespace {

using namespace pure::core;
using namespace test_support;

/// Null: there is no such network.
std::unique_ptr<network_world> world_of(const std::string& name, int processes, std::uint64_t seed,
                                        std::size_t message_bytes) {
  if (name == "loopback") {
    loopback_limits limits;
    limits.message_bytes = message_bytes;
    limits.piece_bytes = 100'000;  // small, so that payloads of several pieces are common
    auto made = std::make_unique<loopback_world>(processes, limits);
    made->play(seed);
    return made;
  }
  pure::net_shm::payload_ways ways;
  if (name == "pieces") {
    ways.most_inside = 200;
    ways.piece = 1024;
    ways.most_read = 3000;
    ways.patience = 2;
  } else if (name == "rings") {
    ways.may_reach_peers = false;
  } else if (name != "shm") {
    return nullptr;
  }
  auto made = std::make_unique<shm_world>(processes, ways, message_bytes);
  made->does_failure_end_process = true;
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int own = 3;  // arguments that are not the program's
  const settings values = read_settings();
  const int processes = argc > 2 ? std::atoi(argv[2]) : 0;
  const auto world = argc > own
                         ? world_of(argv[1], processes, std::strtoull(argv[3], nullptr, 10), values.net_message_bytes)
                         : nullptr;
  if (world == nullptr) {
    std::fprintf(stderr, "usage: %s loopback|shm|pieces|rings PROCESSES SEED ARGUMENT...\n", argv[0]);
    return 2;
  }
  return run_over(*world, values.ranks != 0 ? values.ranks : 2 * processes, values, [&](rank_context& self) {
    std::vector<char*> arguments{argv[0]};
    arguments.insert(arguments.end(), argv + own + 1, argv + argc + 1);
    const int status = program_main(static_cast<int>(arguments.size()) - 1, arguments.data());
    if (status != 0) return status;
    open_accounts accounts;  // of what other processes have sent, some may still be on its way: not of this rank's
    match_engine::of(self).add_open_accounts(accounts);
    const open_accounts& of_items = aggregation_table::of(self).left_open();
    if (left_open("aggregations of rank " + std::to_string(self.number()), of_items) != 0) return 1;
    return left_open("rank " + std::to_string(self.number()), accounts);
  });
}
