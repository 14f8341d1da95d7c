#include "aggregation/process_aggregations.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace pure::core {

namespace {

/// Before a packet, or by itself.
struct items_head {
  std::uint64_t key = 0;
  std::uint64_t acknowledged = 0;  // packets, where no packet follows
};

std::string with_head(const items_head& head, std::span<const std::byte> packet = {}) {
  std::string bytes;
  bytes.reserve(sizeof head + packet.size());
  bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
  bytes.append(reinterpret_cast<const char*>(packet.data()), packet.size());
  return bytes;
}

}  // namespace

void process_aggregations::add(std::uint64_t key, network_items& way) {
  const std::lock_guard lock(guard_);
  ways_.emplace(key, &way);
}

void process_aggregations::remove(std::uint64_t key) noexcept {
  const std::lock_guard lock(guard_);
  ways_.erase(key);
}

bool process_aggregations::handle(int from, std::span<const std::byte> bytes) noexcept {
  try {
    if (const std::string problem = take(from, bytes); !problem.empty())
      job_.fail(fmt::format("items of process {} for process {}: {}", from, job_.others()->process(), problem), 1);
  } catch (const std::bad_alloc&) {
    end_without_memory(from);
  }
  return false;
}

std::string process_aggregations::take(int from, std::span<const std::byte> bytes) {
  items_head head;
  if (bytes.size() < sizeof head) return "they are none";
  std::memcpy(&head, bytes.data(), sizeof head);
  const std::lock_guard lock(guard_);
  const auto found = ways_.find(head.key);
  if (found == ways_.end()) return {};  // all its ranks here have left it
  if (bytes.size() > sizeof head) return found->second->packet_arrived(from, bytes.subspan(sizeof head));
  found->second->acknowledged(from, head.acknowledged);
  return {};
}

void process_aggregations::end_without_memory(int from) noexcept {
  job_.fail_without_memory([&] {
    return fmt::format("process {}: out of memory, where items of process {} have come, or are acknowledged",
                       job_.others()->process(), from);
  });
}

network_items::~network_items() {
  if (part_ != nullptr) all_.remove(key_);
}

void network_items::connect(std::uint64_t key, aggregation_part& part) {
  key_ = key;
  part_ = &part;
  all_.add(key, *this);
}

int network_items::index_of(int process) const noexcept {
  return static_cast<int>(std::find(processes_.begin(), processes_.end(), process) - processes_.begin());
}

bool network_items::try_send(int process, std::span<const std::byte> packet) {
  const auto index = static_cast<std::size_t>(process);
  peer& to = peers_[index];
  const std::uint64_t sent = to.sent.load(std::memory_order_relaxed);
  if (sent - to.acknowledged.load(std::memory_order_relaxed) >= most_under_way) return false;
  others_.send_active_message(processes_[index], active_message_for::aggregation, with_head({key_}, packet));
  to.sent.store(sent + 1, std::memory_order_relaxed);  // it has left; read under the same lock only
  return true;
}

void network_items::add_open_accounts(open_accounts& to) {
  for (const peer& each : peers_) {
    // Less than what is acknowledged together may be left; one more while it arrives.
    const std::uint64_t told = each.told.load(std::memory_order_relaxed);
    const std::uint64_t untold = each.arrived.load(std::memory_order_relaxed) - told;
    to.add("packets that are not acknowledged", untold > acknowledged_together ? untold : 0);
    const std::uint64_t acknowledged = each.acknowledged.load(std::memory_order_relaxed);
    const std::uint64_t under_way = each.sent.load(std::memory_order_relaxed) - acknowledged;
    to.add("packets beyond the credit", under_way > most_under_way ? under_way : 0);
  }
}

std::string network_items::packet_arrived(int from, std::span<const std::byte> packet) {
  const int index = index_of(from);
  if (static_cast<std::size_t>(index) == processes_.size()) return "it has no part in this aggregation";
  if (std::string problem = part_->deliver(index, packet); !problem.empty()) return problem;
  peer& its = peers_[static_cast<std::size_t>(index)];
  // seq_cst: before it is looked what is handled; pairs with the fence in acknowledge()
  its.arrived.fetch_add(1, std::memory_order_seq_cst);
  acknowledge(index);
  return {};
}

/// By who has the network lock, and by ranks that have handled items of that process.
void network_items::acknowledge(int process) noexcept {
  peer& its = peers_[static_cast<std::size_t>(process)];
  // seq_cst: what the caller has handled comes before; so either it sees the packet that has arrived meanwhile, or who
  // counts that sees what is handled; pairs with the fetch_add in packet_arrived()
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const std::uint64_t arrived = its.arrived.load(std::memory_order_relaxed);
  std::uint64_t told = its.told.load(std::memory_order_relaxed);
  if (arrived - told < acknowledged_together) return;
  if (part_->unhandled_of(process) > most_unhandled * part_->members().size()) return;
  if (!part_->has_passed_on(process)) return;
  if (!its.told.compare_exchange_strong(told, arrived, std::memory_order_relaxed)) return;
  try {
    others_.send_active_message(processes_[static_cast<std::size_t>(process)], active_message_for::aggregation,
                                with_head({key_, arrived}));
  } catch (const std::bad_alloc&) {
    all_.end_without_memory(processes_[static_cast<std::size_t>(process)]);
  }
}

void network_items::acknowledged(int from, std::uint64_t packets) noexcept {
  const int index = index_of(from);
  if (static_cast<std::size_t>(index) == processes_.size()) return;
  std::atomic<std::uint64_t>& known = peers_[static_cast<std::size_t>(index)].acknowledged;
  // Two ranks of the receiver may have sent theirs in another order.
  known.store(std::max(known.load(std::memory_order_relaxed), packets), std::memory_order_relaxed);
  for (aggregation_part::member& each : part_->members()) {
    if (each.owner != nullptr) each.owner->notify();
  }
}

}  // namespace pure::core
