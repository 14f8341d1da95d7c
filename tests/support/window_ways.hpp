// Programs that use windows of pure.h, run in every way in which ranks reach each other's memory: in one process; with
// a process for each rank, where processes map what the windows allocate; and by messages. What they see is the same.
#pragma once

#include <pure.h>

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "start/launch.hpp"
#include "start/services.hpp"
#include "support/job_over_world.hpp"
#include "support/loopback_network.hpp"
#include "support/pure_h.hpp"

namespace test_support {

struct window_way {
  const char* name;
  bool has_process_for_each;
  const char* transport;
};

inline const std::vector<window_way>& window_ways() {
  static const std::vector<window_way> all {
    {"in one process", false, "auto"}, {"by messages", true, "messages"},
    // The processes of the loopback network map the same memory at several addresses, and ThreadSanitizer does not know
    // that these are one place: it misses what orders accesses.
#if !defined(__SANITIZE_THREAD__)
        {"between processes, mapped", true, "auto"},
#endif
  };
  return all;
}

/// As the status of run_over().
enum class windows_at_end : int { freed = 0, left = 1 };

/// Runs program(rank) on ranks whose errors are returned.
inline void run_in(const window_way& way, int ranks, bool checks, windows_at_end how,
                   const std::function<void(int)>& program) {
  using namespace pure::core;
  SCOPED_TRACE(std::string(way.name) + (checks ? ", checked, " : ", ") + std::to_string(ranks) + " ranks");
  settings values;
  values.check = checks;
  values.window_transport = way.transport;
  const auto body = [&](rank_context& self) {
    EXPECT_OK(pure_set_errhandler(PURE_ERRORS_RETURN));
    program(self.number());
    return 0;
  };
  if (way.has_process_for_each) {
    loopback_world network(ranks);
    EXPECT_EQ(run_over(network, ranks, values, body), static_cast<int>(how));
    return;
  }
  const pure::core::outcome end = run_ranks({.values = values, .ranks = ranks}, attach_services, body);
  if (end.failure != nullptr) std::rethrow_exception(end.failure);
}

inline void run_in(const window_way& way, int ranks, bool checks, const std::function<void(int)>& program) {
  run_in(way, ranks, checks, windows_at_end::freed, program);
}

inline void run_in_every_way(int ranks, bool checks, const std::function<void(int)>& program) {
  for (const window_way& way : window_ways()) run_in(way, ranks, checks, program);
}

}  // namespace test_support
