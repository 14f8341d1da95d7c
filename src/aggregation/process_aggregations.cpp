#include "aggregation/process_aggregations.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace pure::core {

namespace {

enum class message_kind : std::uint64_t { packet, acknowledgement };

/// What begins a message. A packet follows.
struct items_message {
  std::uint64_t key = 0;
  message_kind kind = message_kind::packet;
};
/// Nothing follows.
struct acknowledgement_message {
  items_message of;
  std::uint64_t packets = 0;
};

std::string bytes_of(const void* first, std::size_t count, std::span<const std::byte> rest = {}) {
  std::string bytes;
  bytes.reserve(count + rest.size());
  bytes.append(static_cast<const char*>(first), count);
  bytes.append(reinterpret_cast<const char*>(rest.data()), rest.size());
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
  items_message head;
  if (bytes.size() < sizeof head) return "they are none";
  std::memcpy(&head, bytes.data(), sizeof head);
  acknowledgement_message acknowledged;
  const bool is_packet = head.kind == message_kind::packet;
  if (!is_packet) {
    if (head.kind != message_kind::acknowledgement || bytes.size() != sizeof acknowledged) return "they are none";
    std::memcpy(&acknowledged, bytes.data(), sizeof acknowledged);
  }
  const std::lock_guard lock(guard_);
  const auto found = ways_.find(head.key);
  if (found == ways_.end()) return {};  // all its ranks here have left it
  if (is_packet) return found->second->packet_arrived(from, bytes.subspan(sizeof head));
  return found->second->acknowledged(from, acknowledged.packets);
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
  const items_message head{key_};
  std::string bytes = bytes_of(&head, sizeof head, packet);
  to.sent.store(sent + 1, std::memory_order_relaxed);  // first: it may be acknowledged at once
  try {
    others_.send_active_message(processes_[index], aggregation_messages, std::move(bytes));
  } catch (...) {
    to.sent.store(sent, std::memory_order_relaxed);
    throw;
  }
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
  if (std::string problem = part_->incoming().deliver(index, packet); !problem.empty()) return problem;
  peer& its = peers_[static_cast<std::size_t>(index)];
  // seq_cst: before it is looked what is handled; pairs with the fence in acknowledge()
  its.arrived.fetch_add(1, std::memory_order_seq_cst);
  acknowledge(index);
  return {};
}

/// By who has the network lock, and by ranks that have handled items of that process.
void network_items::acknowledge(int process) noexcept {
  peer& its = peers_[static_cast<std::size_t>(process)];
  // seq_cst: what the caller has handled, or sent off, comes before; so either it sees the packet that has arrived
  // meanwhile, or who counts that sees what is handled or gone; pairs with the fetch_add in packet_arrived()
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const std::uint64_t arrived = its.arrived.load(std::memory_order_relaxed);
  std::uint64_t told = its.told.load(std::memory_order_relaxed);
  if (arrived - told < acknowledged_together) return;
  if (part_->incoming().unhandled_of(process) > most_unhandled * part_->members().size()) return;
  if (!part_->outgoing().has_passed_on(process)) return;
  if (!its.told.compare_exchange_strong(told, arrived, std::memory_order_relaxed)) return;
  const acknowledgement_message told_to{{key_, message_kind::acknowledgement}, arrived};
  try {
    others_.send_active_message(processes_[static_cast<std::size_t>(process)], aggregation_messages,
                                bytes_of(&told_to, sizeof told_to));
  } catch (const std::bad_alloc&) {
    all_.end_without_memory(processes_[static_cast<std::size_t>(process)]);
  }
}

std::string network_items::acknowledged(int from, std::uint64_t packets) {
  const int index = index_of(from);
  if (static_cast<std::size_t>(index) == processes_.size()) return "it has no part in this aggregation";
  peer& its = peers_[static_cast<std::size_t>(index)];
  if (packets > its.sent.load(std::memory_order_relaxed)) return "it acknowledges more packets than were sent";
  // Two ranks of the receiver may have sent theirs in another order.
  its.acknowledged.store(std::max(its.acknowledged.load(std::memory_order_relaxed), packets),
                         std::memory_order_relaxed);
  part_->members().notify_all();
  return {};
}

}  // namespace pure::core
