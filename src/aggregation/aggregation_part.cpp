// Modelled by tests/model/termination.pml.
#include "aggregation/aggregation_part.hpp"

#include <algorithm>
#include <utility>

namespace pure::core {

namespace {

std::vector<std::vector<int>> ranks_by_process(const std::vector<item_home>& homes, std::size_t processes) {
  std::vector<std::vector<int>> ranks(processes);
  for (std::size_t rank = 0; rank < homes.size(); ++rank)
    ranks[static_cast<std::size_t>(homes[rank].process)].push_back(static_cast<int>(rank));
  return ranks;
}

}  // namespace

aggregation_part::aggregation_part(std::vector<item_home> homes, int process, std::span<const int> machines,
                                   aggregation_options options, item_transport* transport)
    : homes_(std::move(homes)),
      by_process_(ranks_by_process(homes_, machines.size())),
      process_(process),
      processes_(static_cast<int>(machines.size())),
      options_(std::move(options)),
      // The buffers of ww are packets, for one rank each: nobody would gain by passing them on.
      routes_(options_.scheme == item_scheme::ww ? item_hops::direct : options_.hops, process, machines),
      transport_(processes_ > 1 ? transport : nullptr),
      members_(ranks_of(process).size()),
      counts_(members_.size()),
      delivered_(machines.size()),
      ways_(machines.size()),
      waves_(process, processes_) {
  references_.store(static_cast<int>(members_.size()), std::memory_order_relaxed);
  for (std::size_t i = 0; i < members_.size(); ++i) members_[i].rank = ranks_of(process)[i];
  if (transport_ == nullptr) return;
  for (member& each : members_) each.of_processes = std::make_unique<pair_credit[]>(delivered_.size());
}

aggregation_part::~aggregation_part() {
  owned_transport_.reset();  // nothing is delivered from here on
  for (member& each : members_) delete_buffers(each.inbox.take());
}

void aggregation_part::leave(int index) noexcept {
  // release: which phases it has finished; pairs with first_gone()
  at(index).has_left.store(true, std::memory_order_release);
  left_.fetch_add(1, std::memory_order_relaxed);
  for (member& each : members_) {
    if (each.owner != nullptr) each.owner->notify();  // who waits in finish for this rank
  }
  release();
}

void aggregation_part::add_open_accounts(open_accounts& to) {
  to.add("packets that wait for the network", waiting_count_.load(std::memory_order_relaxed));
  to.add("packets that ranks fill together", filled_shares_.load(std::memory_order_relaxed));
  for (std::size_t process = 0; process < ways_.size(); ++process) {
    to.add("packets that wait for one process", ways_[process].count.load(std::memory_order_relaxed));
    std::uint64_t handled = 0;
    for (const member& each : members_) {
      if (each.of_processes != nullptr) handled += each.of_processes[process].given_back().buffers;
    }
    to.add("buffers of a process that are not handled", delivered_[process].load(std::memory_order_relaxed) - handled);
  }
  if (transport_ != nullptr) transport_->add_open_accounts(to);
}

// ---- channels -------------------------------------------------------------------------------------------------------

shared_items& aggregation_part::shared_of(std::size_t number, std::size_t item_bytes, int next) {
  const std::lock_guard lock(registering_);
  while (shared_.size() <= number) shared_.emplace_back(static_cast<std::size_t>(processes_));
  std::unique_ptr<shared_items>& found = shared_[number][static_cast<std::size_t>(next)];
  if (found == nullptr) {
    const packet_kind what = routes_.are_direct() ? packet_kind::pp : packet_kind::hop;
    const std::size_t most = packet_items(what, item_bytes);
    const std::size_t wanted = std::max<std::size_t>(options_.buffer_bytes / item_bytes, 1);
    const std::size_t capacity = options_.buffer_bytes == 0 ? most : std::min(most, wanted);
    found = std::make_unique<shared_items>(number, what, item_bytes, capacity, filled_shares_);
  }
  return *found;
}

// ---- the end of a phase ---------------------------------------------------------------------------------------------

void aggregation_part::end_phase(std::uint64_t phase) noexcept {
  // release: all that handlers have done, which the counts have shown; pairs with has_ended()
  ended_.store(phase, std::memory_order_release);
  for (member& each : members_) {
    if (each.owner != nullptr) each.owner->notify();
  }
}

void aggregation_part::look_for_end(std::uint64_t phase, std::size_t& first_active) {
  std::optional<phase_counts::sums> found = counts_.look(phase, first_active);
  if (!found) return;
  if (transport_ == nullptr) {
    if (found->are_equal()) end_phase(phase);
    return;
  }
  if (push_shared() > 0) return;  // these items are not handled yet
  termination_waves::step next;
  {
    const std::lock_guard lock(waving_);
    if (has_ended(phase)) return;
    // Once more, under the lock: the token's sums are of one look, behind the one that received it.
    found = counts_.look(phase, first_active);
    if (!found) return;
    next = waves_.quiet(phase, *found);
  }
  if (next.pass_on) send_control(waves_.next_process(), packet_bytes(token_packet{.token = *next.pass_on}));
  if (next.has_ended) {
    for (int other = 0; other < processes_; ++other) {
      if (other != process_) send_control(other, packet_bytes(phase_end_packet{.phase = phase}));
    }
    end_phase(phase);
  }
}

const aggregation_part::member* aggregation_part::first_missing(std::uint64_t phase) const noexcept {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!counts_.of(i).is_in_finish_of(phase)) return &members_[i];
  }
  return nullptr;
}

const aggregation_part::member* aggregation_part::first_gone(std::uint64_t phase) const noexcept {
  if (!somebody_has_left()) [[likely]]
    return nullptr;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const bool has_left = members_[i].has_left.load(std::memory_order_acquire);  // acquire: pairs with leave()
    if (has_left && !counts_.of(i).is_in_finish_of(phase)) return &members_[i];
  }
  return nullptr;
}

}  // namespace pure::core
