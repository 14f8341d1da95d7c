// A job of several processes in one: each has its gateway and its ranks' threads, and an end of a network.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/open_accounts.hpp"
#include "base/settings.hpp"
#include "gateway/gateway.hpp"
#include "machine/rank_placement.hpp"
#include "start/launch.hpp"
#include "start/services.hpp"
#include "support/network_world.hpp"
#include "window/process_windows.hpp"
#include "window/window_table.hpp"

namespace test_support {

/// Says on stderr which accounts are open. 1 if there are any.
inline int left_open(const std::string& whose, const pure::core::open_accounts& accounts) {
  if (accounts.empty()) return 0;
  std::fprintf(stderr, "%s: not given back at the end: %s\n", whose.c_str(), accounts.text().c_str());
  return 1;
}

/// Runs `body` on every rank; the first status that is not 0, by process. A job that fails ends the test: its failures
/// end the process. So does what a process has counted and not got back when all is done. The world is used up.
inline int run_over(network_world& world, int ranks, const pure::core::settings& values,
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
      int& its = status[static_cast<std::size_t>(process)];
      std::shared_ptr<process_windows> windows;  // lasts longer than the job
      const auto attach = [&](rank_context& self) {
        attach_services(self);
        windows = window_table::of(self).shared_of_all_processes();
      };
      its = run_ranks(plan, attach, body).status;
      open_accounts accounts;
      windows->add_open_accounts(accounts);
      others.add_open_accounts(accounts);
      if (its == 0) its = left_open("process " + std::to_string(process), accounts);
      world.end(process).finalize(its);
    });
  }
  for (std::thread& each : processes) each.join();
  for (const int each : status) {
    if (each != 0) return each;
  }
  return 0;
}

}  // namespace test_support
