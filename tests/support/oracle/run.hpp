// Runs a program on Pure, through either door, and notes what every receive got.
#pragma once

#include <utility>
#include <vector>

#include <pure/pure.hpp>

#include "support/oracle/run_pure_h.hpp"
#include "support/oracle/run_pure_hpp.hpp"

namespace oracle {

enum class door { pure_h, pure_hpp };

struct observed {
  std::vector<outcome> outcomes;         // by receive
  std::vector<std::uint64_t> completed;  // by message
};

/// Throws what pure::run throws.
inline observed run_on_pure(const program& p, door through) {
  rank_runner::shared run(p);
  pure::run(p.ranks(), [&](pure::comm world) {
    if (through == door::pure_h) {
      pure_h_runner rank(run);
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
