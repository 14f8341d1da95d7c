// A process with a window, to which a test sends what another process might: message by message, and with payloads.
#pragma once

#include <pure.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/two_processes.hpp"
#include "window/element_operations.hpp"
#include "window/process_windows.hpp"
#include "window/window_table.hpp"

namespace test_support {

using namespace pure::core;

/// A window of ranks 0 and 1, of which the process of rank 0 has rank 0, with memory of its own.
class asked_process {
 public:
  static constexpr std::size_t bytes = 64;

  /// `in_part`: what of `memory` is rank 0's part.
  explicit asked_process(std::size_t in_part = bytes) : windows_(window_table::of(both_.rank(0)).of_all_processes()) {
    window_options options;
    group_ = new window_group(7, 2, window_flavor::create, options, "asked");
    auto part = std::make_unique<window_group::spanning_part>();
    part->windows = &windows_;
    part->key = {0, 7};
    part->processes = {1};
    part->here = {&both_.rank(0)};
    group_->span(std::move(part), 1, 7, "asked");
    window_group::target& own = group_->at(0);
    own.base = memory;
    own.bytes = in_part;
    own.control = &target_control::make(room_, in_part);
    own.owner = &both_.rank(0);
    windows_.add(*group_);
  }

  void observe_by(std::unique_ptr<group_observer> observer) { group_->observe_by(std::move(observer)); }
  void come(const std::string& message) { windows_.handle(1, std::as_bytes(std::span(message))); }
  [[nodiscard]] open_accounts accounts() {
    open_accounts open;
    windows_.add_open_accounts(open);
    return open;
  }

  void leave() { windows_.leave(*group_); }
  void poll() { windows_.resume(); }
  /// The part of rank 0 ends.
  void end_part() { windows_.end_part(*group_, 0, part_end::given_up); }

  /// By the other process's gateway, over a network that the test drives (processes().settle()).
  void send(const std::string& message, active_payload* with = nullptr) {
    both_.gateway_of(1).send_active_message(0, window_messages, message, with);
  }
  [[nodiscard]] two_processes& processes() { return both_; }
  [[nodiscard]] std::uint64_t ended_epochs() { return group_->at(0).control->ended_epochs.count(); }
  [[nodiscard]] bool is_locked() { return group_->at(0).control->lock.is_held(); }
  [[nodiscard]] std::size_t messages_sent() { return both_.world.messages_sent(0); }
  [[nodiscard]] stripe& stripe_of(std::size_t offset) { return group_->at(0).control->stripe_of(offset); }

  static constexpr std::size_t most_bytes = 2 * target_control::stripe_bytes;
  alignas(largest_element) std::byte memory[most_bytes] = {};

 private:
  two_processes both_;
  process_windows& windows_;
  window_group* group_;
  alignas(line_bytes) std::byte room_[target_control::bytes_for(most_bytes)] = {};
};

inline std::vector<std::byte> ones(std::size_t bytes) { return std::vector<std::byte>(bytes, std::byte{1}); }

inline constexpr window_key key{0, 7};
inline constexpr rma_ranks rank_0_by_1{.origin = 1, .target = 0};

template <class Message>
std::string message_of(Message what, const std::vector<block_row>& rows = {}, const std::vector<std::byte>& data = {}) {
  if constexpr (requires { what.ranks; }) what.ranks = rank_0_by_1;
  if constexpr (rma::has_blocks<Message>) {
    what.where.rows = rows.size();
    for (const block_row& each : rows) what.where.bytes += each.packed_bytes();
  }
  return packed(key, what, rows, data);
}
/// A put of such blocks alone.
inline std::string put_of(const block_row& row) { return message_of(rma_put{}, {row}, ones(row.packed_bytes())); }

/// Adds 1 to so many 64-bit numbers from `offset` on.
inline std::string addition_at(std::size_t offset, std::size_t numbers) {
  const rma_accumulate what{.reduction = std::uint64_t{PURE_SUM} << 32 | std::uint64_t{PURE_UINT64_T},
                            .element_bytes = 8,
                            .how = combination::kind::combine};
  std::vector<std::byte> data(8 * numbers);
  for (std::size_t i = 0; i < numbers; ++i) data[8 * i] = std::byte{1};
  return message_of(what, {{static_cast<std::ptrdiff_t>(offset), 8 * numbers, 0, 1, 0}}, data);
}

}  // namespace test_support
