#include "network/process_collective.hpp"

#include <algorithm>
#include <cstring>

namespace pure::core {

process_collective::process_collective(network& over, void* owner) noexcept : network_(over) { going_.owner = owner; }

int process_collective::first_not_below() const noexcept {
  const int process = network_.peers().process;
  const int all = network_.peers().processes;
  return process == 0 ? all : std::min(all, process + (process & -process));
}

int process_collective::parent() const noexcept {
  const int process = network_.peers().process;
  return process - (process & -process);
}

bool process_collective::start_barrier() { return start_sum({}); }

bool process_collective::start_sum(std::span<std::uint64_t> values) {
  const int process = network_.peers().process;
  auto* const data = reinterpret_cast<std::byte*>(values.data());
  sums_ = values;
  theirs_.resize(values.size());
  auto* const theirs = reinterpret_cast<std::byte*>(theirs_.data());
  for (int away = 1; process + away < first_not_below(); away *= 2)
    transfers_.push_back({direction::in_to_be_added, process + away, theirs, values.size_bytes()});
  if (process != 0) transfers_.push_back({direction::out, parent(), data, values.size_bytes()});
  plan_down(data, values.size_bytes());
  return start();
}

bool process_collective::start_all_gather(const void* mine, std::size_t bytes, void* all) {
  const network_peers& peers = network_.peers();
  auto* const data = static_cast<std::byte*>(all);
  const auto block = [&](int process) { return data + static_cast<std::size_t>(process) * bytes; };
  const auto bytes_from = [&](int first, int end) { return static_cast<std::size_t>(end - first) * bytes; };
  const int process = peers.process;
  if (bytes > 0) std::memcpy(block(process), mine, bytes);
  for (int away = 1; process + away < first_not_below(); away *= 2) {
    const int child = process + away;
    const int end = std::min(child + away, peers.processes);
    transfers_.push_back({direction::in, child, block(child), bytes_from(child, end)});
  }
  if (process != 0)
    transfers_.push_back({direction::out, parent(), block(process), bytes_from(process, first_not_below())});
  plan_down(data, bytes_from(0, peers.processes));
  return start();
}

bool process_collective::start_broadcast(void* data, std::size_t bytes) {
  plan_down(static_cast<std::byte*>(data), bytes);
  return start();
}

/// The largest subtree first: it has the longest way.
void process_collective::plan_down(std::byte* data, std::size_t bytes) {
  const int process = network_.peers().process;
  if (process != 0) transfers_.push_back({direction::in, parent(), data, bytes});
  int away = 1;
  while (process + away < first_not_below()) away *= 2;
  for (away /= 2; away > 0; away /= 2) transfers_.push_back({direction::out, process + away, data, bytes});
}

bool process_collective::start() {
  while (is_under_way()) {
    if (!start_next()) return false;
    take_in();
  }
  transfers_.clear();
  next_ = 0;
  return true;
}

bool process_collective::start_next() {
  const transfer& next = transfers_[next_];
  const int tag = tag_of(network_.peers());
  return next.way == direction::out ? network_.send(going_, next.process, tag, next.data, next.bytes)
                                    : network_.receive(going_, next.process, tag, next.data, next.bytes);
}

void process_collective::take_in() {
  if (transfers_[next_].way == direction::in_to_be_added) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += theirs_[i];
  }
  ++next_;
}

void process_collective::one_is_done() {
  take_in();
  start();
}

}  // namespace pure::core
