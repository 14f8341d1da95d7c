#include "aggregation/incoming_packets.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace pure::core {

namespace {

std::string senseless(std::string_view what) { return fmt::format("{}: are both of the same version of Pure?", what); }

}  // namespace

/// What of a packet is for one rank here.
struct incoming_packets::slice {
  item_buffer* buffer = nullptr;
  std::size_t count = 0, filled = 0;
};

/// All of a packet. Those that are not pushed in the end, for lack of memory, go back.
class incoming_packets::slices {
 public:
  slices(std::size_t members, spare_buffers& spare) : all_(members), spare_(spare) {}
  slices(const slices&) = delete;
  slices& operator=(const slices&) = delete;
  ~slices() {
    for (const slice& each : all_) {
      if (each.buffer == nullptr) continue;
      each.buffer->credit = nullptr;
      each.buffer->from_process = item_buffer::here;
      spare_.give(*each.buffer);
    }
  }

  void count(const item_run& run) noexcept { all_[run.tag.target].count += run.count; }
  /// Throws std::bad_alloc.
  template <class Prepare>
  void take_buffers(const packet_reader& packet, Prepare prepare) {
    for (std::size_t index = 0; index < all_.size(); ++index) {
      slice& its = all_[index];
      if (its.count == 0) continue;
      const std::size_t bytes = its.count * packet.item_bytes() +
                                (packet.has_several_sources() ? 1 + 2 * its.count : 0);
      its.buffer = &spare_.take(item_buffer::class_for(std::min(bytes, item_buffer::most_bytes)));
      its.buffer->count = static_cast<std::uint32_t>(its.count);
      prepare(index, *its.buffer);
    }
  }
  void copy(const item_run& run, const std::byte* items, const packet_reader& packet) noexcept {
    const std::size_t item_bytes = packet.item_bytes();
    slice& to = all_[run.tag.target];
    std::memcpy(to.buffer->items() + to.filled * item_bytes, items, run.count * item_bytes);
    if (packet.has_several_sources()) {
      std::byte* const sources = to.buffer->sources(item_bytes) + 2 * to.filled;
      for (std::size_t i = 0; i < run.count; ++i) std::memcpy(sources + 2 * i, &run.tag.source, 2);
    }
    to.filled += run.count;
  }
  template <class Push>
  void push_all(Push push) {
    for (std::size_t index = 0; index < all_.size(); ++index) {
      if (all_[index].buffer != nullptr) push(index, *std::exchange(all_[index].buffer, nullptr));
    }
  }

 private:
  std::vector<slice> all_;  // by member
  spare_buffers& spare_;
};

/// What becomes of each kind.
struct incoming_packets::visitor {
  std::string operator()(no_packet) const { return senseless("a packet is of no kind, or has not its length"); }
  std::string operator()(const items_for_rank& what, std::span<const std::byte> rest) const {
    return to.items_have_come(from, {what, rest, bounds});
  }
  std::string operator()(const items_in_runs& what, std::span<const std::byte> rest) const {
    return to.items_have_come(from, {what, rest, bounds});
  }
  std::string operator()(const channel_packet& what, std::span<const std::byte> rest) const {
    return to.channel_has_come(what, rest);
  }
  std::string operator()(const token_packet& what, std::span<const std::byte> rest) const {
    return control(rest.empty() ? to.phases_.token_has_come(from, what.token) : "a token is too long");
  }
  std::string operator()(const phase_end_packet& what, std::span<const std::byte> rest) const {
    return control(rest.empty() ? to.phases_.end_has_come(from, what.phase) : "a phase ends at length");
  }
  static std::string control(const std::string& problem) { return problem.empty() ? problem : senseless(problem); }

  incoming_packets& to;
  const int from;
  const packet_bounds bounds;
};

incoming_packets::incoming_packets(const aggregation_layout& layout, part_members& members, channel_records& channels,
                                   shared_packets& shared, part_phases& phases, common_buffers& spare)
    : layout_(layout),
      members_(members),
      channels_(channels),
      shared_(shared),
      phases_(phases),
      delivered_(static_cast<std::size_t>(layout.processes())),
      handled_(std::make_unique<pair_credit[]>(members.size() * delivered_.size())),
      spare_(spare) {}

std::string incoming_packets::deliver(int from, std::span<const std::byte> packet) {
  return read_packet(packet, visitor{*this,
                                     from,
                                     {.process = layout_.process(),
                                      .ranks_here = members_.size(),
                                      .processes = static_cast<std::size_t>(layout_.processes()),
                                      .ranks = static_cast<std::size_t>(layout_.ranks())}});
}

std::uint64_t incoming_packets::handled_of(int process) const noexcept {
  std::uint64_t handled = 0;
  for (std::size_t index = 0; index < members_.size(); ++index)
    handled += credit_of(index, process).given_back().buffers;
  return handled;
}

std::uint64_t incoming_packets::unhandled_of(int process) const noexcept {
  const std::uint64_t handled = handled_of(process);
  const std::uint64_t delivered = delivered_[static_cast<std::size_t>(process)].load(std::memory_order_relaxed);
  return delivered > handled ? delivered - handled : 0;
}

void incoming_packets::add_open_accounts(open_accounts& to) const {
  for (int process = 0; process < layout_.processes(); ++process) {
    to.add("buffers of a process that are not handled",
           delivered_[static_cast<std::size_t>(process)].load(std::memory_order_relaxed) - handled_of(process));
  }
}

/// Comes before the first items of that channel.
std::string incoming_packets::channel_has_come(const channel_packet& what, std::span<const std::byte> rest) {
  const std::optional<channel_record> told = channel_told_by(what, rest, static_cast<std::size_t>(layout_.ranks()));
  if (!told || what.channel > channels_.size()) return senseless("a channel is none, or none of the next");
  const std::string problem = difference(what.channel, *told, channels_.agree(what.channel, *told));
  if (problem.empty()) return {};
  return fmt::format("rank {} of aggregation \"{}\": {}", told->by, layout_.options().name, problem);
}

std::string incoming_packets::problem_of(int from, const packet_reader& packet, std::uint64_t phase) const {
  if (!packet.is_sound()) return senseless(packet.problem());
  if (packet.channel() >= channels_.size()) return senseless("they are of a channel of which nothing is known");
  if (channels_.at(packet.channel()).item_bytes != packet.item_bytes())
    return senseless("they have not the size of their channel's items");
  if (!phases_.may_be_under_way(phase)) return senseless("they are not of the phase");
  const item_routes& routes = layout_.routes();
  for (const item_run& each : packet.runs()) {
    if (each.tag.process != layout_.process() && !routes.may_pass_on(from, routes.next(each.tag.process)))
      return senseless("some have to be passed on to where their way does not lead");
  }
  return {};
}

/// Copies the items for each rank here together, and pushes them to it.
std::string incoming_packets::items_have_come(int from, const packet_reader& packet) {
  const std::uint64_t phase = phases_.phase_of(packet.phase());
  if (std::string problem = problem_of(from, packet, phase); !problem.empty()) return problem;
  slices of_ranks(members_.size(), spare_);
  for (const item_run& each : packet.runs()) {
    if (each.tag.process == layout_.process()) of_ranks.count(each);
  }
  of_ranks.take_buffers(packet, [&](std::size_t index, item_buffer& slice) {
    slice.credit = &credit_of(index, from);
    slice.from_process = from;
    slice.opened_ns = 0;
    slice.phase = phase;
    slice.source = packet.has_several_sources() ? item_buffer::several_sources : packet.source();
    slice.channel = static_cast<std::uint32_t>(packet.channel());
    slice.is_urgent = packet.is_urgent();
  });
  const std::byte* items = packet.items().data();
  for (const item_run& each : packet.runs()) {
    if (each.tag.process == layout_.process()) {
      of_ranks.copy(each, items, packet);
    } else {
      pass_on(packet, each, items);
    }
    items += each.count * packet.item_bytes();
  }
  of_ranks.push_all([&](std::size_t index, item_buffer& slice) {
    part_member& target = members_.at(static_cast<int>(index));
    delivered_[static_cast<std::size_t>(from)].fetch_add(1, std::memory_order_relaxed);
    target.inbox.push(slice);
    target.notify();
  });
  return {};
}

void incoming_packets::pass_on(const packet_reader& packet, const item_run& run, const std::byte* items) {
  shared_.add(
      {.first = items,
       .count = run.count,
       .tag = run.tag,
       .channel = packet.channel(),
       .item_bytes = packet.item_bytes(),
       .phase = packet.phase()},
      layout_.routes().next(run.tag.process), outgoing_packets::nobody, [](std::size_t) {}, [] {});
}

}  // namespace pure::core
