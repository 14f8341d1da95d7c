// A job of several processes in one: each has its gateway and its ranks' threads, and an end of a loopback network.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/settings.hpp"
#include "gateway/gateway.hpp"
#include "machine/rank_placement.hpp"
#include "start/launch.hpp"
#include "start/services.hpp"
#include "support/loopback_network.hpp"

namespace test_support {

/// Runs `body` on every rank; the first status that is not 0, by process. A job that fails ends the test: its failures
/// end the process.
inline int run_over_loopback(loopback_world& world, int ranks, const pure::core::settings& values,
                             const std::function<int(pure::core::rank_context&)>& body) {
  using namespace pure::core;
  std::vector<int> status(static_cast<std::size_t>(world.processes()));
  std::vector<std::thread> processes;
  for (int process = 0; process < world.processes(); ++process) {
    processes.emplace_back([&, process] {
      gateway others(rank_placement::of(values.placement, ranks, world.processes()), world.end(process));
      launch_plan plan;
      plan.values = values;
      plan.others = &others;
      plan.shares_cores = true;
      plan.has_own_cores = false;
      status[static_cast<std::size_t>(process)] = run_ranks(plan, attach_services, body).status;
    });
  }
  for (std::thread& each : processes) each.join();
  for (const int each : status) {
    if (each != 0) return each;
  }
  return 0;
}

}  // namespace test_support
