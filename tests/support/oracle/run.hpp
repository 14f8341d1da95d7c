// Runs a program on Pure, through either door, and notes what every receive got.
#pragma once

#include <atomic>
#include <barrier>
#include <cstdint>
#include <utility>
#include <vector>

#include <pure/pure.hpp>

#include "support/oracle/c_runner.hpp"
#include "support/oracle/pure_h_door.hpp"
#include "support/oracle/run_pure_hpp.hpp"

namespace oracle {

enum class door { pure_h, pure_hpp };

struct observed {
  std::vector<outcome> outcomes;         // by receive
  std::vector<std::uint64_t> completed;  // by message
};

/// The ranks are threads, and their clock a counter. It orders nothing (relaxed), so that it hides no race.
class thread_run final : public rank_runner::shared {
 public:
  explicit thread_run(const program& of) : shared(of), meeting_(of.ranks()) {}
  void meet() override { meeting_.arrive_and_wait(); }
  std::uint64_t tick() noexcept override { return 1 + clock_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> clock_{0};
  std::barrier<> meeting_;
};

/// Throws what pure::run throws.
inline observed run_on_pure(const program& p, door through) {
  thread_run run(p);
  pure::run(p.ranks(), [&](pure::comm world) {
    if (through == door::pure_h) {
      pure_h_door door(p);
      c_runner rank(run, door);
      rank.run(world.rank());
      rank.end();
    } else {
      pure_hpp_runner rank(world, run);
      rank.run(world.rank());
      rank.end();
    }
  });
  return {std::move(run.outcomes), std::move(run.completed)};
}

}  // namespace oracle
