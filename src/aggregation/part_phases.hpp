// The phases of an aggregation in one process: what its ranks publish for the end of the present one
// (phase_counts.hpp), that it has ended, and the waves between processes that find this out (termination_waves.hpp).
//
// What always holds: `ended_` grows by one, and says so when every item of that phase is handled by every rank. Until
// all ranks of a process have learned of an end, processes that have are one phase ahead, and never two: the next end
// needs the ranks here, too. Any thread.
// Modelled by tests/model/termination.pml.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

#include "aggregation/aggregation_layout.hpp"
#include "aggregation/outgoing_packets.hpp"
#include "aggregation/part_members.hpp"
#include "aggregation/phase_counts.hpp"
#include "aggregation/shared_packets.hpp"
#include "aggregation/termination_waves.hpp"
#include "base/cache_line.hpp"

namespace pure::core {

class part_phases {
 public:
  /// `outgoing`, `shared`: null for an aggregation in one process.
  part_phases(const aggregation_layout& layout, const part_members& members, outgoing_packets* outgoing,
              shared_packets* shared)
      : layout_(layout),
        members_(members),
        outgoing_(outgoing),
        shared_(shared),
        counts_(members.size()),
        waves_(layout.process(), layout.processes()) {}

  [[nodiscard]] phase_counts& counts() noexcept { return counts_; }
  [[nodiscard]] const phase_counts& counts() const noexcept { return counts_; }

  /// Sticky: whoever finds the end of a phase says so for all. (Counts go on: who leaves sends items of the next phase,
  /// and those who come later would find sums that differ. tests/model/termination.pml, MUTATE_NO_STICKY_END.)
  [[nodiscard]] bool has_ended(std::uint64_t phase) const noexcept {
    return ended_.load(std::memory_order_acquire) >= phase;  // acquire: pairs with end_phase()
  }
  /// By ranks that are quiet in `phase`: looks whether all are, and whether that was all. `first_active` as in
  /// phase_counts::look(). Throws std::bad_alloc, between processes.
  void look_for_end(std::uint64_t phase, std::size_t& first_active);

  /// Of the ranks here, the first that is not in its finish of that phase; null if all are.
  [[nodiscard]] const part_member* first_missing(std::uint64_t phase) const noexcept;
  /// Of the ranks here, the first that has left before its finish of that phase: it will never end. Usually null, which
  /// costs a load.
  [[nodiscard]] const part_member* first_gone(std::uint64_t phase) const noexcept;
  /// True once: of the ranks here one says that a finish lasts long.
  [[nodiscard]] bool is_first_to_note_long_finish() noexcept {
    return !has_noted_long_finish_.exchange(true, std::memory_order_relaxed);
  }

  // ---- from other processes. Return what is wrong; empty: nothing ----

  [[nodiscard]] std::string token_has_come(int from, const wave_token& token);
  [[nodiscard]] std::string end_has_come(int from, std::uint64_t phase);
  /// The phase with these last 32 bits, if another process may be in it: the present one here, or the next.
  [[nodiscard]] std::uint64_t phase_of(std::uint32_t last_bits) const noexcept {
    const std::uint64_t ended = ended_.load(std::memory_order_relaxed);
    return ended + static_cast<std::uint32_t>(last_bits - static_cast<std::uint32_t>(ended));
  }
  [[nodiscard]] bool may_be_under_way(std::uint64_t phase) const noexcept {
    return phase - ended_.load(std::memory_order_relaxed) - 1 <= 1;
  }

 private:
  void end_phase(std::uint64_t phase) noexcept;

  const aggregation_layout& layout_;
  const part_members& members_;
  outgoing_packets* const outgoing_;
  shared_packets* const shared_;
  phase_counts counts_;
  alignas(pair_bytes) std::atomic<std::uint64_t> ended_{0};  // read by those who wait, written once a phase
  std::atomic<bool> has_noted_long_finish_{false};
  std::mutex waving_;  // for a moment
  termination_waves waves_;
};

}  // namespace pure::core
