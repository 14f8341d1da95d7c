// Modelled by tests/model/termination.pml.
#include "aggregation/aggregation_part.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pure::core {

namespace {

std::vector<std::vector<int>> ranks_by_process(const std::vector<item_home>& homes, int processes) {
  std::vector<std::vector<int>> ranks(static_cast<std::size_t>(processes));
  for (std::size_t rank = 0; rank < homes.size(); ++rank)
    ranks[static_cast<std::size_t>(homes[rank].process)].push_back(static_cast<int>(rank));
  return ranks;
}

}  // namespace

aggregation_part::aggregation_part(std::vector<item_home> homes, int process, int processes,
                                   aggregation_options options, item_transport* transport)
    : homes_(std::move(homes)),
      by_process_(ranks_by_process(homes_, processes)),
      process_(process),
      processes_(processes),
      options_(std::move(options)),
      transport_(processes > 1 ? transport : nullptr),
      members_(ranks_of(process).size()),
      counts_(members_.size()),
      delivered_(static_cast<std::size_t>(processes)),
      ways_(static_cast<std::size_t>(processes)),
      waves_(process, processes) {
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

// ---- channels -------------------------------------------------------------------------------------------------------

const channel_record& aggregation_part::agree(std::size_t number, const channel_record& made) {
  const std::lock_guard lock(registering_);
  if (number < channels_.size()) return channels_[number];
  channels_.push_back(made);
  auto& shared = shared_.emplace_back();
  if (shares()) {
    const std::size_t wanted = std::max<std::size_t>(options_.buffer_bytes / made.item_bytes, 1);
    const std::size_t most = packet_items(item_scheme::pp, made.item_bytes, 0);
    const std::size_t capacity = options_.buffer_bytes == 0 ? most : std::min(most, wanted);
    for (const std::vector<int>& ranks : by_process_)
      shared.push_back(std::make_unique<shared_items>(number, made.item_bytes, capacity, ranks.size(), filled_shares_));
  }
  return channels_.back();
}

std::size_t aggregation_part::channels() const {
  const std::lock_guard lock(registering_);
  return channels_.size();
}

channel_record aggregation_part::channel(std::size_t number) const {
  const std::lock_guard lock(registering_);
  return channels_[number];
}

shared_items& aggregation_part::shared_of(std::size_t number, int process) {
  const std::lock_guard lock(registering_);
  return *shared_[number][static_cast<std::size_t>(process)];
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
  if (next.pass_on) send_control(waves_.next_process(), packet_head::kind::token, phase, *next.pass_on);
  if (next.has_ended) {
    for (int other = 0; other < processes_; ++other) {
      if (other != process_) send_control(other, packet_head::kind::phase_end, phase, {});
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

// ---- other processes ------------------------------------------------------------------------------------------------

void aggregation_part::send_control(int process, packet_head::kind what, std::uint64_t phase, const wave_token& token) {
  std::vector<std::byte> packet(sizeof(packet_head) + sizeof token);
  packet_head head;
  head.what = what;
  head.phase = static_cast<std::uint32_t>(phase);
  std::memcpy(packet.data(), &head, sizeof head);
  std::memcpy(packet.data() + sizeof head, &token, sizeof token);
  send_packet(process, std::move(packet));
}

void aggregation_part::send_packet(int process, std::vector<std::byte> packet, int by) {
  const std::lock_guard lock(sending_);
  way& there = ways_[static_cast<std::size_t>(process)];
  if (there.waiting.empty() && transport_->try_send(process, packet)) return;
  const std::size_t bytes = packet.size();
  there.waiting.push_back({std::move(packet), by});
  if (by != nobody) at(by).waiting_bytes.fetch_add(bytes, std::memory_order_relaxed);
  there.count.fetch_add(1, std::memory_order_relaxed);
  waiting_count_.fetch_add(1, std::memory_order_relaxed);
}

bool aggregation_part::poll_transport() {
  if (transport_ == nullptr) return false;
  bool has_moved = transport_->poll();
  if (has_sent_all()) [[likely]]
    return has_moved;
  const std::lock_guard lock(sending_);
  for (int process = 0; process < processes_; ++process) {
    way& there = ways_[static_cast<std::size_t>(process)];
    while (!there.waiting.empty() && transport_->try_send(process, there.waiting.front().bytes)) {
      const waiting_packet sent = std::move(there.waiting.front());
      there.waiting.pop_front();
      there.count.fetch_sub(1, std::memory_order_relaxed);
      waiting_count_.fetch_sub(1, std::memory_order_relaxed);
      has_moved = true;
      if (sent.by == nobody) continue;
      member& sender = at(sent.by);
      sender.waiting_bytes.fetch_sub(sent.bytes.size(), std::memory_order_relaxed);
      if (sender.owner != nullptr) sender.owner->notify();  // it may wait for room
    }
  }
  return has_moved;
}

bool aggregation_part::push_shared(std::size_t channel, int process) {
  return shared_of(channel, process).push_rest([&](std::vector<std::byte> packet) {
    count_packet();
    send_packet(process, std::move(packet));
  });
}

std::uint64_t aggregation_part::push_shared() {
  if (filled_shares_.load(std::memory_order_relaxed) == 0) [[likely]]
    return 0;
  std::uint64_t packets = 0;
  for (std::size_t channel = 0; channel < channels(); ++channel) {
    for (int other = 0; other < processes_; ++other) packets += push_shared(channel, other) ? 1 : 0;
  }
  return packets;
}

std::uint64_t aggregation_part::unhandled_of(int process) noexcept {
  const auto index = static_cast<std::size_t>(process);
  std::uint64_t handled = 0;
  for (const member& each : members_) handled += each.of_processes[index].given_back().buffers;
  const std::uint64_t delivered = delivered_[index].load(std::memory_order_relaxed);
  return delivered > handled ? delivered - handled : 0;
}

void aggregation_part::deliver(int from, std::span<const std::byte> packet) {
  packet_head head;
  std::memcpy(&head, packet.data(), sizeof head);
  const std::span<const std::byte> body = packet.subspan(sizeof head);
  if (head.what == packet_head::kind::phase_end) return end_phase(head.phase);
  if (head.what != packet_head::kind::token) return deliver_items(from, head, body);
  wave_token token;
  std::memcpy(&token, body.data(), sizeof token);
  {
    const std::lock_guard lock(waving_);
    waves_.receive(token);
  }
  for (member& each : members_) {
    if (each.owner != nullptr) each.owner->notify();  // any of them passes it on
  }
}

/// Groups the items of a packet by their destinations.
void aggregation_part::deliver_items(int from, const packet_head& head, std::span<const std::byte> body) {
  using kind = packet_head::kind;
  const std::size_t count = head.count;
  const auto number_at = [&](std::size_t index) {
    std::uint16_t number;
    std::memcpy(&number, body.data() + 2 * index, sizeof number);
    return number;
  };
  const bool has_targets = head.what == kind::wps || head.what == kind::pp;
  const std::size_t tags = head.what == kind::wsp  ? members_.size()
                           : head.what == kind::pp ? 2 * count
                                                   : (has_targets ? count : 0);
  const std::byte* const items = body.data() + 2 * tags;
  const std::size_t item_bytes = (body.size() - 2 * tags) / count;

  std::vector<std::vector<const std::byte*>> of(members_.size());
  std::vector<std::vector<std::uint16_t>> sources(members_.size());
  for (std::size_t i = 0, target = 0, left = tags > 0 ? number_at(0) : 0; i < count; ++i) {
    if (head.what == kind::ww) {
      target = head.target;
    } else if (has_targets) {
      target = number_at(i);
    } else {
      while (left == 0) left = number_at(++target);
      --left;
    }
    of[target].push_back(items + i * item_bytes);
    if (head.what == kind::pp) sources[target].push_back(number_at(count + i));
  }
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (!of[i].empty()) push_slice(from, head, static_cast<int>(i), of[i], sources[i], item_bytes);
  }
}

void aggregation_part::push_slice(int from, const packet_head& head, int index, std::span<const std::byte* const> items,
                                  std::span<const std::uint16_t> sources, std::size_t item_bytes) {
  const std::size_t bytes = items.size() * item_bytes + 1 + 2 * sources.size();
  item_buffer& slice = arriving_.take(item_buffer::class_for(std::min(bytes, item_buffer::most_bytes)));
  member& target = at(index);
  slice.credit = &target.of_processes[static_cast<std::size_t>(from)];
  slice.from_process = from;
  delivered_[static_cast<std::size_t>(from)].fetch_add(1, std::memory_order_relaxed);
  slice.opened_ns = 0;
  slice.phase = head.phase;
  slice.count = static_cast<std::uint32_t>(items.size());
  slice.source = sources.empty() ? head.source : item_buffer::several_sources;
  slice.channel = head.channel;
  slice.is_urgent = head.is_urgent != 0;
  for (std::size_t i = 0; i < items.size(); ++i) std::memcpy(slice.items() + i * item_bytes, items[i], item_bytes);
  if (!sources.empty()) std::memcpy(slice.sources(item_bytes), sources.data(), 2 * sources.size());
  target.inbox.push(slice);
  if (target.owner != nullptr) target.owner->notify();
}

}  // namespace pure::core
