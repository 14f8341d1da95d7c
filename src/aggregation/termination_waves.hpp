// The end of a phase over several processes: waves that collect what all have handled and sent (Mattern, Algorithms for
// distributed termination detection, Distributed Computing 2, 1987: the four counter method).
//
// A token goes from process 0 through all others and back. Each adds what its ranks have handled and sent, when all of
// them are quiet. The phase has ended if a wave has found as many items sent as the wave *before* had found handled:
// all `sent` were read after all those `handled`, which is what phase_counts.hpp needs, too. So the first wave never
// decides.
//
// Not thread-safe: aggregation_part has a lock around it.
#pragma once

#include <cstdint>
#include <optional>

#include "aggregation/phase_counts.hpp"

namespace pure::core {

struct wave_token {
  std::uint64_t phase = 0;
  std::uint64_t wave = 0;  // in its phase, from 1
  std::uint64_t handled = 0;
  std::uint64_t sent = 0;
};

class termination_waves {
 public:
  termination_waves(int process, int processes) noexcept : process_(process), processes_(processes) {}

  void receive(const wave_token& token) noexcept { here_ = token; }

  struct step {
    std::optional<wave_token> pass_on;  // to the next process
    bool has_ended = false;             // process 0: tell all others
  };
  /// All ranks of this process were quiet in `phase`, and this is what they had handled and sent.
  [[nodiscard]] step quiet(std::uint64_t phase, const phase_counts::sums& own) noexcept {
    step next;
    if (process_ == 0 && started_ != phase) {
      started_ = phase;
      handled_before_.reset();
      next.pass_on = begin(phase, 1, own);
    } else if (here_ && here_->phase == phase) {
      wave_token token = *here_;
      here_.reset();
      if (process_ != 0) {
        token.handled += own.handled;
        token.sent += own.sent;
        next.pass_on = token;
      } else if (handled_before_ == token.sent) {
        next.has_ended = true;
      } else {
        handled_before_ = token.handled;
        next.pass_on = begin(phase, token.wave + 1, own);
      }
    }
    return next;
  }

  [[nodiscard]] int next_process() const noexcept { return (process_ + 1) % processes_; }

 private:
  static wave_token begin(std::uint64_t phase, std::uint64_t wave, const phase_counts::sums& own) noexcept {
    return {phase, wave, own.handled, own.sent};
  }

  const int process_;
  const int processes_;
  std::optional<wave_token> here_;
  std::uint64_t started_ = 0;                    // process 0: the phase of the last first wave
  std::optional<std::uint64_t> handled_before_;  // process 0: by the wave before
};

}  // namespace pure::core
