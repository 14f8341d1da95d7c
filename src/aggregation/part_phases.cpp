// Modelled by tests/model/termination.pml.
#include "aggregation/part_phases.hpp"

#include <optional>

namespace pure::core {

void part_phases::end_phase(std::uint64_t phase) noexcept {
  // release: all that handlers have done, which the counts have shown; pairs with has_ended()
  ended_.store(phase, std::memory_order_release);
  members_.notify_all();
}

void part_phases::look_for_end(std::uint64_t phase, std::size_t& first_active) {
  std::optional<phase_counts::sums> found = counts_.look(phase, first_active);
  if (!found) return;
  if (outgoing_ == nullptr) {
    if (found->are_equal()) end_phase(phase);
    return;
  }
  if (shared_->push() > 0) return;  // these items are not handled yet
  termination_waves::step next;
  {
    const std::lock_guard lock(waving_);
    if (has_ended(phase)) return;
    // Once more, under the lock: the token's sums are of one look, behind the one that received it.
    found = counts_.look(phase, first_active);
    if (!found) return;
    next = waves_.quiet(phase, *found);
  }
  if (next.pass_on) outgoing_->send_control(waves_.next_process(), packet_bytes(token_packet{.token = *next.pass_on}));
  if (next.has_ended) {
    for (int other = 0; other < layout_.processes(); ++other) {
      if (other != layout_.process()) outgoing_->send_control(other, packet_bytes(phase_end_packet{.phase = phase}));
    }
    end_phase(phase);
  }
}

std::string part_phases::token_has_come(int from, const wave_token& token) {
  if ((from + 1) % layout_.processes() != layout_.process()) return "a token is not of the process before this one";
  if (!may_be_under_way(token.phase) || token.wave == 0) return "a token is not of the phase";
  {
    const std::lock_guard lock(waving_);
    waves_.receive(token);
  }
  members_.notify_all();  // any of them passes it on
  return {};
}

std::string part_phases::end_has_come(int from, std::uint64_t phase) {
  if (from != 0) return "a phase ends, but not by process 0";
  if (phase != ended_.load(std::memory_order_relaxed) + 1) return "a phase ends that is not the present one";
  end_phase(phase);
  return {};
}

const part_member* part_phases::first_missing(std::uint64_t phase) const noexcept {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!counts_.of(i).is_in_finish_of(phase)) return &members_.all()[i];
  }
  return nullptr;
}

const part_member* part_phases::first_gone(std::uint64_t phase) const noexcept {
  if (!members_.somebody_has_left()) [[likely]]
    return nullptr;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const part_member& each = members_.all()[i];
    const bool has_left = each.has_left.load(std::memory_order_acquire);  // acquire: pairs with part_members::leave()
    if (has_left && !counts_.of(i).is_in_finish_of(phase)) return &each;
  }
  return nullptr;
}

}  // namespace pure::core
