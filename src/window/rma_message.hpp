// What the processes of a window tell each other, as active messages (runtime/other_processes.hpp): operations on
// memory that the origin does not map, and what has changed in memory that both map.
//
// A message is a header, `rows` rows of blocks of the target's memory, and bytes of data, in the order of the blocks.
// Operations of one process on another are done in the order of sending, so what is asked for by a later message
// (unlock, flush) is answered when all before it is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "layout/layout.hpp"
#include "runtime/active_message.hpp"
#include "runtime/other_processes.hpp"
#include "window/combination.hpp"
#include "window/window_key.hpp"

namespace pure::core {

inline constexpr active_message_kind window_messages{1};

enum class rma_message_kind : std::uint8_t {
  // to the target's process
  put,           // rows, data
  get,           // rows; answered with the data
  accumulate,    // rows, data; answered with what was there if `wants_before`
  compare_swap,  // one row; data: expected, desired; answered with what was there
  // questions of PURE_CHECK, all answered (remote_checks.hpp)
  check_access,     // rows; data: the operation that is about to be done
  check_read,       // rows; data: the number of the request that has read them
  check_written,    // rows, whose bytes are written; data: what, or nothing, if it is much
  check_completed,  // `detail`: 0: of the target, 1: of all ranks of its process
  check_orderings,
  // and again operations
  lock,    // `detail`: lock_kind; data: the text of the call; answered when the origin has it
  unlock,  // the same; answered
  flush,   // answered
  notify,  // `detail`: which counter
  // to the origin's process
  answer,   // data
  refused,  // the operation is not possible: `bytes` at `reduction` (an address); `detail`: part_end; if it has a
            // request, that is answered
  held,     // the lock it has asked for; data: lock_note::seen, for reports
  // to all processes of the window
  wake,   // ranks that sleep may go on: memory that both processes map has changed
  leave,  // no rank of the sender's process uses the window any more
};

struct rma_message {
  window_key window;
  std::uint64_t request = 0;    // of the origin's process; 0: nothing to be answered
  std::uint64_t bytes = 0;      // of all blocks together
  std::uint64_t reduction = 0;  // its identity
  std::int32_t origin = 0;      // rank in the window
  std::int32_t target = 0;      // likewise
  std::uint32_t rows = 0;
  std::uint16_t element_bytes = 0;
  rma_message_kind kind = rma_message_kind::flush;
  combination::kind how = combination::kind::none;
  std::uint8_t detail = 0;
  std::uint8_t wants_before = 0;
  std::uint8_t unused[6] = {};
};
static_assert(sizeof(rma_message) == 56 && std::is_trivially_copyable_v<rma_message>);

/// A message in the making.
inline std::string packed(const rma_message& header, std::span<const block_row> rows = {},
                          std::span<const std::byte> data = {}) {
  std::string bytes;
  bytes.reserve(sizeof header + rows.size_bytes() + data.size());
  bytes.append(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(rows.data()), rows.size_bytes());
  bytes.append(reinterpret_cast<const char*>(data.data()), data.size());
  return bytes;
}

/// Nothing for what wants no answer.
inline void send_answer(other_processes& by, int process, const rma_message& to, std::span<const std::byte> data = {}) {
  if (to.request == 0) return;
  rma_message told;
  told.kind = rma_message_kind::answer;
  told.window = to.window;
  told.request = to.request;
  told.bytes = data.size();
  by.send_active_message(process, window_messages, packed(told, {}, data));
}

/// One that has come. Whole only if all that the header speaks of is there.
class arrived_rma_message {
 public:
  explicit arrived_rma_message(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {
    if (bytes.size() < sizeof header) return;
    std::memcpy(&header, bytes.data(), sizeof header);
    is_whole_ = header.rows <= (bytes.size() - sizeof header) / sizeof(block_row);
  }

  [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }
  [[nodiscard]] block_row row(std::size_t number) const noexcept {
    block_row read;
    std::memcpy(&read, bytes_.data() + sizeof header + number * sizeof read, sizeof read);
    return read;
  }
  [[nodiscard]] std::vector<block_row> rows() const {
    std::vector<block_row> all;
    for (std::size_t i = 0; i < header.rows; ++i) all.push_back(row(i));
    return all;
  }
  [[nodiscard]] std::span<const std::byte> data() const noexcept {
    return bytes_.subspan(sizeof header + header.rows * sizeof(block_row));
  }

  rma_message header;

 private:
  std::span<const std::byte> bytes_;
  bool is_whole_ = false;
};

}  // namespace pure::core
