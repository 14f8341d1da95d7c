// Writes and reads the messages of rma_message.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "window/rma_message.hpp"

namespace pure::core {

namespace rma {

template <class Message>
concept has_blocks = requires(const Message& of) {
  of.where;
};
/// Concerns bytes of a rank's part.
template <class Message>
concept has_place = has_blocks<Message> || std::is_same_v<Message, rma_compare_swap> ||
    std::is_same_v<Message, rma_large_put> || std::is_same_v<Message, rma_large_get>;

/// Of the struct, as it travels.
template <class Message>
inline constexpr std::size_t bytes_of = std::is_empty_v<Message> ? 0 : sizeof(Message);

template <class... Each>
constexpr bool are_messages = ((std::is_trivially_copyable_v<Each> && bytes_of<Each> % 4 == 0) && ...);
static_assert(sizeof(rma_head) == 16);
static_assert(are_messages<rma_put, rma_get, rma_accumulate, rma_compare_swap, rma_lock, rma_unlock, rma_flush,
                           rma_notify, rma_end_epoch, rma_large_put, rma_large_get, rma_question, rma_answer,
                           rma_large_answer, rma_refused, rma_held, rma_wake, rma_leave>);

}  // namespace rma

/// A message in the making. `fill(to)` writes its data, `data_bytes` bytes.
template <class Message, class Fill>
[[nodiscard]] std::string packed(window_key window, const Message& what, std::span<const block_row> rows,
                                 std::size_t data_bytes, Fill fill) {
  const rma_head head{.window = window, .kind = Message::kind};
  std::string bytes;
  bytes.reserve(sizeof head + rma::bytes_of<Message> + rows.size_bytes() + data_bytes);
  bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
  bytes.append(reinterpret_cast<const char*>(&what), rma::bytes_of<Message>);
  bytes.append(reinterpret_cast<const char*>(rows.data()), rows.size_bytes());
  const std::size_t before = bytes.size();
  bytes.resize(before + data_bytes);
  fill(reinterpret_cast<std::byte*>(bytes.data() + before));
  return bytes;
}
template <class Message>
[[nodiscard]] std::string packed(window_key window, const Message& what, std::span<const block_row> rows = {},
                                 std::span<const std::byte> data = {}) {
  return packed(window, what, rows, data.size(), [&](std::byte* to) {
    if (!data.empty()) std::memcpy(to, data.data(), data.size());
  });
}

/// The rows of a message that has come: `bytes` of blocks in all.
class arrived_rows {
 public:
  arrived_rows() = default;
  explicit arrived_rows(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() / sizeof(block_row); }
  [[nodiscard]] block_row operator[](std::size_t number) const noexcept {
    block_row read;
    std::memcpy(&read, bytes_.data() + number * sizeof read, sizeof read);
    return read;
  }
  [[nodiscard]] std::vector<block_row> all() const {
    std::vector<block_row> made;
    for (std::size_t i = 0; i < size(); ++i) made.push_back((*this)[i]);
    return made;
  }
  /// Goes over the blocks: visit(offset, bytes before it, bytes).
  template <class Visit>
  void for_each_block(Visit visit) const {
    std::size_t done = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const block_row row = (*this)[i];
      for (std::size_t block = 0; block < row.count; ++block) {
        visit(row.offset_of(block), done, row.bytes);
        done += row.bytes;
      }
    }
  }
  /// Each has a block, each block has bytes, they are so many in all, and no number on the way is too large.
  [[nodiscard]] bool are_right(std::uint64_t bytes) const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const block_row row = (*this)[i];
      std::uint64_t its = 0;
      std::ptrdiff_t last = 0, behind = 0;
      if (row.count == 0 || row.bytes == 0 || __builtin_mul_overflow(row.bytes, row.count, &its) ||
          __builtin_add_overflow(sum, its, &sum) || __builtin_mul_overflow(row.stride, row.count - 1, &last) ||
          __builtin_add_overflow(row.offset, last, &last) || __builtin_add_overflow(last, row.bytes, &behind) ||
          __builtin_add_overflow(row.offset, row.bytes, &behind))
        return false;
    }
    return sum == bytes;
  }

 private:
  std::span<const std::byte> bytes_;
};

/// A message that has come. It points to where it came.
template <class Message>
struct arrived_rma {
  window_key window;
  Message what;
  arrived_rows rows;
  std::span<const std::byte> data;
};

namespace rma {

template <class Message, class Visit>
bool take(window_key window, std::span<const std::byte> bytes, Visit& visit) {
  arrived_rma<Message> came{.window = window, .what = {}, .rows = {}, .data = {}};
  if (bytes.size() < bytes_of<Message>) return false;
  std::memcpy(static_cast<void*>(&came.what), bytes.data(), bytes_of<Message>);
  bytes = bytes.subspan(bytes_of<Message>);
  if constexpr (has_blocks<Message>) {
    const std::uint64_t rows = came.what.where.rows;
    if (rows > bytes.size() / sizeof(block_row)) return false;  // first: it may be anything
    came.rows = arrived_rows(bytes.first(rows * sizeof(block_row)));
    bytes = bytes.subspan(rows * sizeof(block_row));
    if (!came.rows.are_right(came.what.where.bytes)) return false;
  }
  came.data = bytes;
  return came.what.is_right(bytes.size()) && visit(came);
}

}  // namespace rma

/// Calls visit(arrived_rma<KIND>), and returns what that does. False without a call: the bytes are no message.
template <class Visit>
[[nodiscard]] bool read_rma_message(std::span<const std::byte> bytes, Visit visit) {
  rma_head head;
  if (bytes.size() < sizeof head) return false;
  std::memcpy(&head, bytes.data(), sizeof head);
  bytes = bytes.subspan(sizeof head);
  switch (head.kind) {
    case rma_kind::put: return rma::take<rma_put>(head.window, bytes, visit);
    case rma_kind::get: return rma::take<rma_get>(head.window, bytes, visit);
    case rma_kind::accumulate: return rma::take<rma_accumulate>(head.window, bytes, visit);
    case rma_kind::compare_swap: return rma::take<rma_compare_swap>(head.window, bytes, visit);
    case rma_kind::lock: return rma::take<rma_lock>(head.window, bytes, visit);
    case rma_kind::unlock: return rma::take<rma_unlock>(head.window, bytes, visit);
    case rma_kind::flush: return rma::take<rma_flush>(head.window, bytes, visit);
    case rma_kind::notify: return rma::take<rma_notify>(head.window, bytes, visit);
    case rma_kind::end_epoch: return rma::take<rma_end_epoch>(head.window, bytes, visit);
    case rma_kind::large_put: return rma::take<rma_large_put>(head.window, bytes, visit);
    case rma_kind::large_get: return rma::take<rma_large_get>(head.window, bytes, visit);
    case rma_kind::question: return rma::take<rma_question>(head.window, bytes, visit);
    case rma_kind::answer: return rma::take<rma_answer>(head.window, bytes, visit);
    case rma_kind::large_answer: return rma::take<rma_large_answer>(head.window, bytes, visit);
    case rma_kind::refused: return rma::take<rma_refused>(head.window, bytes, visit);
    case rma_kind::held: return rma::take<rma_held>(head.window, bytes, visit);
    case rma_kind::wake: return rma::take<rma_wake>(head.window, bytes, visit);
    case rma_kind::leave: return rma::take<rma_leave>(head.window, bytes, visit);
  }
  return false;
}

}  // namespace pure::core
