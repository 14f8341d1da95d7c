// What the processes of a window tell each other, as active messages (runtime/other_processes.hpp): operations on
// memory that the origin does not map, what observers ask, and what has changed in memory that both map. Each kind has
// a struct of its own.
//
//   message = rma_head, then the struct of its kind; of an operation on blocks, `where.rows` rows of blocks of the
//             target's part; then bytes of data, of a put or an accumulate those of the blocks, in their order
//
// Operations of one process on another are done in the order of sending, so what is asked for by a later message
// (unlock, flush) is answered when all before it is done. A message is read as what it is, or not at all
// (read_rma_message()): what its numbers say of itself holds then. What they say of a window the window's process looks
// at (process_windows.hpp).
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
#include "window/combination.hpp"
#include "window/lock_note.hpp"
#include "window/part_end.hpp"
#include "window/target_control.hpp"
#include "window/window_key.hpp"
#include "window/window_lock.hpp"

namespace pure::core {

inline constexpr active_message_kind window_messages{1};

enum class rma_kind : std::uint8_t {
  // operations, to the target's process
  put,
  get,
  accumulate,
  compare_swap,
  lock,
  unlock,
  flush,
  notify,
  end_epoch,
  large_put,
  large_get,
  question,
  // to the origin's process
  answer,
  large_answer,
  refused,
  held,
  // to all processes of the window
  wake,
  leave,
  last = leave
};

struct rma_head {
  window_key window;
  rma_kind kind{};
  std::uint8_t unused[7] = {};
};

/// Who asks, and whose memory or lock it is: their ranks in the window.
struct rma_ranks {
  std::int32_t origin = 0;
  std::int32_t target = 0;
};

/// Blocks of the target's part.
struct rma_blocks {
  std::uint64_t bytes = 0;  // of all of them together
  std::uint64_t rows = 0;
};

/// A request of the origin's process, which is answered by its number. 0 is none.
using rma_request = std::uint64_t;

/// Data of one message: so that who does the operations is never kept long, and no message needs much memory.
inline constexpr std::size_t most_bytes_of_message = 16 * 1024;
inline constexpr std::size_t most_rows_of_message = 256;

constexpr bool is_size_of_payload(std::uint64_t bytes) noexcept { return bytes > 0 && bytes >> 62 == 0; }

// ---- operations: `is_right(data)` says whether the numbers and that much data go together --------------------------

struct rma_put {
  static constexpr rma_kind kind = rma_kind::put;
  rma_ranks ranks{};
  rma_blocks where{};  // data: their bytes

  [[nodiscard]] bool is_right(std::size_t data) const noexcept { return data == where.bytes; }
};

/// Answered with the bytes of the blocks.
struct rma_get {
  static constexpr rma_kind kind = rma_kind::get;
  rma_ranks ranks{};
  rma_blocks where{};
  rma_request request = 0;

  [[nodiscard]] bool is_right(std::size_t data) const noexcept {
    return data == 0 && request != 0 && where.bytes <= most_bytes_of_message;
  }
};

struct rma_accumulate {
  static constexpr rma_kind kind = rma_kind::accumulate;
  rma_ranks ranks{};
  rma_blocks where{};         // data: the origin's elements; nothing of combination::kind::none
  rma_request request = 0;    // for what was there; 0: nobody wants it
  std::uint64_t reduction{};  // its identity, of combination::kind::combine
  std::uint32_t element_bytes = 0;
  combination::kind how{};
  std::uint8_t unused[3] = {};

  [[nodiscard]] bool is_right(std::size_t data) const noexcept {
    return element_bytes > 0 && element_bytes <= largest_element && where.bytes % element_bytes == 0 &&
           where.bytes <= most_bytes_of_message && how <= combination::kind::none &&
           data == (how == combination::kind::none ? 0 : where.bytes);
  }
};

/// Data: what is expected, and then what is desired. Answered with what was there.
struct rma_compare_swap {
  static constexpr rma_kind kind = rma_kind::compare_swap;
  rma_ranks ranks{};
  rma_request request = 0;
  std::int64_t offset = 0;  // in the target's part
  std::uint64_t element_bytes = 0;

  [[nodiscard]] bool is_right(std::size_t data) const noexcept {
    return request != 0 && element_bytes > 0 && element_bytes <= largest_element && data == 2 * element_bytes;
  }
};

/// Data: the text of the call, for reports. Answered when the origin has the lock.
struct rma_lock {
  static constexpr rma_kind kind = rma_kind::lock;
  rma_ranks ranks{};
  rma_request request = 0;
  lock_kind how{};
  std::uint8_t unused[7] = {};

  [[nodiscard]] bool is_right(std::size_t /*data*/) const noexcept {
    return request != 0 && how <= lock_kind::exclusive;
  }
};

struct rma_unlock {
  static constexpr rma_kind kind = rma_kind::unlock;
  rma_ranks ranks{};
  rma_request request = 0;
  lock_kind how{};  // as it was locked
  std::uint8_t unused[7] = {};

  [[nodiscard]] bool is_right(std::size_t data) const noexcept {
    return data == 0 && request != 0 && how <= lock_kind::exclusive;
  }
};

/// Of all ranks of the target's process.
struct rma_flush {
  static constexpr rma_kind kind = rma_kind::flush;
  rma_ranks ranks{};
  rma_request request = 0;

  [[nodiscard]] bool is_right(std::size_t data) const noexcept { return data == 0 && request != 0; }
};

/// Not answered.
struct rma_notify {
  static constexpr rma_kind kind = rma_kind::notify;
  rma_ranks ranks{};
  std::uint64_t counter = 0;

  [[nodiscard]] bool is_right(std::size_t data) const noexcept {
    return data == 0 && counter < target_control::notifications;
  }
};

/// The origin has completed the epoch that the target has posted to it. Not answered.
struct rma_end_epoch {
  static constexpr rma_kind kind = rma_kind::end_epoch;
  rma_ranks ranks{};

  [[nodiscard]] bool is_right(std::size_t data) const noexcept { return data == 0; }
};

/// The bytes come as a payload (runtime/active_message.hpp), into a row.
struct rma_large_put {
  static constexpr rma_kind kind = rma_kind::large_put;
  rma_ranks ranks{};
  std::int64_t offset = 0;  // in the target's part
  std::uint64_t bytes = 0;

  [[nodiscard]] bool is_right(std::size_t data) const noexcept { return data == 0 && is_size_of_payload(bytes); }
};

/// Of a row; answered with a payload.
struct rma_large_get {
  static constexpr rma_kind kind = rma_kind::large_get;
  rma_ranks ranks{};
  rma_request request = 0;
  std::int64_t offset = 0;  // in the target's part
  std::uint64_t bytes = 0;

  [[nodiscard]] bool is_right(std::size_t data) const noexcept {
    return data == 0 && request != 0 && is_size_of_payload(bytes);
  }
};

/// A question of the origin's observer about blocks, or about none (window_observer.hpp). Data: as observers understand
/// it. Answered.
struct rma_question {
  static constexpr rma_kind kind = rma_kind::question;
  rma_ranks ranks{};
  rma_blocks where{};
  rma_request request = 0;

  [[nodiscard]] bool is_right(std::size_t /*data*/) const noexcept { return request != 0; }
};

// ---- to the origin
// ---------------------------------------------------------------------------------------------------

/// Data: what was asked for.
struct rma_answer {
  static constexpr rma_kind kind = rma_kind::answer;
  rma_request request = 0;

  [[nodiscard]] bool is_right(std::size_t /*data*/) const noexcept { return request != 0; }
};

/// What was asked for comes as a payload.
struct rma_large_answer {
  static constexpr rma_kind kind = rma_kind::large_answer;
  rma_request request = 0;
  std::uint64_t bytes = 0;

  [[nodiscard]] bool is_right(std::size_t data) const noexcept {
    return data == 0 && request != 0 && is_size_of_payload(bytes);
  }
};

/// An operation is not possible.
struct rma_refused {
  static constexpr rma_kind kind = rma_kind::refused;
  rma_ranks ranks{};
  rma_request request = 0;  // that this answers; 0: the operation has none
  std::int64_t offset = 0;  // of the first block in the part; of dynamic windows, its address
  std::uint64_t bytes = 0;  // of all blocks
  part_end why{};           // none: they are not attached
  std::uint8_t unused[7] = {};

  [[nodiscard]] bool is_right(std::size_t data) const noexcept {
    return data == 0 && bytes > 0 && why <= part_end::main_ended;
  }
};

/// Who holds the lock that the origin has asked for, and still waits for.
struct rma_held {
  static constexpr rma_kind kind = rma_kind::held;
  rma_ranks ranks{};
  lock_note::seen who{};

  [[nodiscard]] bool is_right(std::size_t data) const noexcept { return data == 0 && who.rank >= -1; }
};

// ---- to all --------------------------------------------------------------------------------------------------------

/// Ranks that sleep may go on: memory that both processes map has changed.
struct rma_wake {
  static constexpr rma_kind kind = rma_kind::wake;
  [[nodiscard]] static bool is_right(std::size_t data) noexcept { return data == 0; }
};

/// No rank of the sender's process uses the window any more.
struct rma_leave {
  static constexpr rma_kind kind = rma_kind::leave;
  [[nodiscard]] static bool is_right(std::size_t data) noexcept { return data == 0; }
};

}  // namespace pure::core
