// Records out: into the ring of their process, or, while that is full, into a queue behind it. In the order of their
// sending. One thread at a time.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "net_shm/doorbell.hpp"
#include "net_shm/pair_cells.hpp"
#include "net_shm/pair_ring.hpp"
#include "net_shm/record.hpp"
#include "net_shm/segment.hpp"
#include "net_shm/segment_file.hpp"
#include "network/network.hpp"

namespace pure::net_shm {

/// A record to be: a few bytes that are copied at once, then bytes that stay where they are until it has left.
struct record_out {
  record_kind kind = record_kind::message;
  std::int32_t tag = 0;
  const void* body = nullptr;
  std::size_t body_bytes = 0;
  core::network_operation* op = nullptr;  // done when it has left; null: nobody asks
};

class outgoing {
 public:
  static constexpr std::size_t most_head_bytes = 32;

  /// `cells`: of the same process; null: records go through the rings whole.
  outgoing(const segment_view& front, const doorbell& bell, segment_file& file, int process,
           all_cells* cells = nullptr);

  /// PURE_CHECK: each record has a sum of its contents, as they are in the ring: what its receiver finds there is that.
  /// Without cells.
  void sum_records() noexcept { sums_records_ = true; }
  /// The largest number of bytes in one record.
  [[nodiscard]] std::size_t largest_record() const noexcept {
    return front_.plan().ring_lines() / 4 * core::line_bytes - record::header_bytes;
  }

  /// True if it has left. Throws pure::Error if there is no memory for a ring.
  bool send(int process, const record_out& what) {
    return is_nothing_before(process) ? try_put(process, nullptr, 0, what) || keep(process, nullptr, 0, what)
                                      : keep(process, nullptr, 0, what);
  }
  /// With a head of at most most_head_bytes before the body.
  template <class Head>
  bool send(int process, const Head& head, const record_out& what) {
    static_assert(sizeof head <= most_head_bytes);
    return is_nothing_before(process)
               ? try_put(process, &head, sizeof head, what) || keep(process, &head, sizeof head, what)
               : keep(process, &head, sizeof head, what);
  }
  /// Only if there is room now; nothing is kept.
  template <class Head>
  bool try_send(int process, const Head& head, const record_out& what) {
    return is_nothing_before(process) && try_put(process, &head, sizeof head, what);
  }

  /// The largest body behind a head of so many bytes: in cells, where there are some.
  [[nodiscard]] std::size_t largest_body(std::size_t head_bytes) const noexcept {
    return cells_ != nullptr ? cell_bytes : largest_record() - head_bytes;
  }
  /// Finds room for a record with such a head and body, which then leaves at once: in a cell, if there are any, which
  /// are made if it is the first. False: there is none now, or it is longer than any record. Throws as send().
  [[nodiscard]] bool find_room(int process, std::size_t head_bytes, std::size_t body_bytes) {
    const destination& to = to_[static_cast<std::size_t>(process)];
    if (!to.waiting.empty() || to.ring == nullptr || body_bytes > largest_body(head_bytes)) return false;
    return cells_ != nullptr ? to.ring->end.has_room(record::lines_for(head_bytes + worth_a_cell)) &&
                                   cells_->with(process).gather_room()
                             : to.ring->end.has_room(record::lines_for(head_bytes + body_bytes));
  }

  [[nodiscard]] bool is_anything_kept() const noexcept { return !full_.empty(); }
  /// Puts what has been kept where there is room now. Calls done(operation) for each that has left. True if one has.
  template <class Done>
  bool send_kept(Done done) {
    bool moved = false;
    for (std::size_t i = full_.size(); i-- > 0;) {
      std::deque<kept>& waiting = to_[static_cast<std::size_t>(full_[i])].waiting;
      while (!waiting.empty()) {
        const kept& next = waiting.front();
        if (!try_put(full_[i], next.head.data(), next.head_bytes, next.what)) break;
        core::network_operation* const op = next.what.op;
        waiting.pop_front();
        moved = true;
        if (op != nullptr) done(*op);
      }
      if (waiting.empty()) full_.erase(full_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return moved;
  }

 private:
  /// A record of more than one line takes less time through a cell than in the lines of its ring (D-cells).
  static constexpr std::size_t worth_a_cell = sizeof(record::contents);

  struct kept {
    record_out what;
    std::size_t head_bytes;
    std::array<std::byte, most_head_bytes> head;
  };
  struct destination {
    std::unique_ptr<outgoing_ring> ring;
    std::deque<kept> waiting;
  };

  [[nodiscard]] bool is_nothing_before(int process) const noexcept {
    return to_[static_cast<std::size_t>(process)].waiting.empty();
  }
  bool try_put(int process, const void* head, std::size_t head_bytes, const record_out& what) {
    destination& to = to_[static_cast<std::size_t>(process)];
    if (to.ring == nullptr) [[unlikely]]
      connect(process);
    if (what.body_bytes > worth_a_cell && try_put_in_cell(process, head, head_bytes, what)) return true;
    const std::size_t bytes = head_bytes + what.body_bytes;
    const std::size_t lines = record::lines_for(bytes);
    record* const made = reserve(*to.ring, lines, bytes, what);
    if (made == nullptr) [[unlikely]]
      return false;
    if (head_bytes != 0) std::memcpy(made->contents, head, head_bytes);
    copy_body(made->contents + head_bytes, what.body, what.body_bytes);
    if (sums_records_) [[unlikely]]
      made->sum = made->sum_now();
    to.ring->end.publish(*made, lines, static_cast<std::uint32_t>(what.kind));
    tell(process);
    return true;
  }
  /// A record of so many lines, without its contents; null: there is no room.
  static record* reserve(outgoing_ring& ring, std::size_t lines, std::size_t bytes, const record_out& what) noexcept {
    record* const made = ring.end.try_reserve(lines);
    if (made == nullptr) [[unlikely]]
      return nullptr;
    assert(bytes <= record::most_bytes);
    made->bytes = static_cast<std::uint32_t>(bytes) & record::most_bytes;
    made->cell = 0;
    made->tag = what.tag;
    made->sum = 0;
    return made;
  }
  bool try_put_in_cell(int process, const void* head, std::size_t head_bytes, const record_out& what);
  static void copy_body(std::byte* to, const void* body, std::size_t bytes) noexcept {
    if (bytes == sizeof(std::uint64_t)) [[likely]] {
      std::memcpy(to, body, sizeof(std::uint64_t));
    } else if (bytes != 0) {
      std::memcpy(to, body, bytes);
    }
  }
  void tell(int process) const noexcept;
  bool keep(int process, const void* head, std::size_t head_bytes, const record_out& what);
  void connect(int process);

  segment_view front_;
  const doorbell& bell_;
  segment_file& file_;
  const int process_;
  bool sums_records_ = false;
  all_cells* const cells_;
  std::vector<destination> to_;
  std::vector<int> full_;  // those with something waiting
};

}  // namespace pure::net_shm
