#include "gateway/end_of_job.hpp"

namespace pure::core {

bool end_of_job::has_nothing_to_send() const noexcept {
  return packets_.is_empty() && !control_.has_unsent() && packets_.on_their_way() == 0 && !context_.has_unfinished &&
         !context_.has_work.load(std::memory_order_relaxed);
}

bool end_of_job::all_have_arrived() const noexcept {
  std::uint64_t arrived = 0;
  for (const peer& each : context_.peers) arrived += each.arrived + each.arrived_in_runs;
  return arrived == sent_to_all_[static_cast<std::size_t>(context_.process)];
}

bool end_of_job::move_on() {
  if (context_.step == end_step::mains_run) {
    // acquire: pairs with the release in own_mains_have_returned()
    if (!own_mains_ended_.load(std::memory_order_acquire)) return false;
    context_.step = end_step::gathering;
    if (!together_.start_barrier()) return true;
  }
  if (context_.step == end_step::gathering && !together_.is_under_way() && has_nothing_to_send()) {
    context_.step = end_step::counting;
    for (const peer& each : context_.peers) sent_to_all_.push_back(each.sent + each.sent_in_runs);
    together_.start_sum(sent_to_all_);
  }
  if (context_.step == end_step::counting && !together_.is_under_way() && all_have_arrived()) {
    context_.step = end_step::draining;
    foreseen_.give_up_all();
    payloads_.drop_unreceived();
  }
  if (context_.step == end_step::draining && context_.payloads_on_their_way.read() == 0 && foreseen_.count() == 0) {
    context_.step = end_step::leaving;
    together_.start_barrier();
  }
  if (context_.step == end_step::leaving && !together_.is_under_way()) {
    context_.step = end_step::ended;
    has_ended_.store(true, std::memory_order_release);  // release: pairs with the acquire in end_of_job::has_ended()
    for (int index = 0; index < context_.running->workers(); ++index) context_.running->worker(index).notify();
    return true;
  }
  return false;
}

}  // namespace pure::core
