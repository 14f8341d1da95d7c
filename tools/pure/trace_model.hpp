// A timeline in memory: what purerun --trace has written, as `pure trace` needs it.
//
// Plain data, filled by trace_read.hpp and never changed afterwards. Times are nanoseconds from the start of the job.
// The slices of a row are sorted by their beginning, an outer one before what lies inside it. Texts that come again and
// again are stored once: a slice has their index in timeline::texts. So an event takes some 40 bytes, a third of its
// line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pure::tool {

using nanoseconds = std::int64_t;
using text_index = std::uint32_t;  ///< into timeline::texts; 0 is the empty text

struct time_span {
  nanoseconds begin = 0;
  nanoseconds end = 0;

  [[nodiscard]] nanoseconds length() const noexcept { return end - begin; }
  /// True if some of it, or a point of it, lies inside.
  [[nodiscard]] bool touches(const time_span& other) const noexcept { return begin < other.end && end > other.begin; }
  friend bool operator==(const time_span&, const time_span&) = default;
};

/// An execution of a task or a loop, on the row of its owner.
struct task_slice : time_span {
  std::uint32_t id = 0;      ///< counts from 1 on each rank
  std::uint32_t chunks = 0;  ///< 0: not known
  text_index name = 0;       ///< of the operation
  text_index at = 0;         ///< place of the call
};

/// Neighbouring chunks that one thread has run together.
struct chunk_slice : time_span {
  std::uint32_t owner = 0;  ///< rank whose task it is
  std::uint32_t task = 0;   ///< task_slice::id of the owner
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

struct wait_slice : time_span {
  text_index name = 0;  ///< of the operation
  text_index what = 0;  ///< what is waited for
  text_index at = 0;
  bool open = false;  ///< the job failed before its end
};

/// A buffer of an aggregation whose items were handled.
struct item_slice : time_span {
  std::uint32_t from = 0;  ///< rank of the aggregation's communicator
  std::uint32_t items = 0;
};

/// A time in which others had the thread's cpu now and then.
struct lost_slice : time_span {
  double share = 0;  ///< of that time: 0 to 1
};

/// One thread: a rank, or a helper.
struct timeline_row {
  std::string name;
  std::uint32_t process = 0;
  std::vector<time_span> mains;  ///< of a rank's main; a rank has one
  std::vector<task_slice> tasks;
  std::vector<chunk_slice> chunks;
  std::vector<wait_slice> waits;
  std::vector<item_slice> items;
  std::vector<lost_slice> lost;
};

struct message_flow {
  std::uint32_t from = 0;  ///< rows
  std::uint32_t to = 0;
  nanoseconds sent = 0;
  nanoseconds received = 0;
};

struct timeline {
  std::string program;
  std::string version;  ///< of the Pure that has written it
  std::uint32_t ranks = 0;
  std::uint32_t helpers = 0;
  std::uint64_t dropped_events = 0;
  nanoseconds begin = 0;               ///< of the first slice or message
  nanoseconds end = 0;                 ///< of the last event
  std::vector<timeline_row> rows;      ///< the ranks, then the helpers
  std::vector<message_flow> messages;  ///< in the order of sending
  std::vector<std::string> texts{""};

  [[nodiscard]] const std::string& text(text_index index) const { return texts[index]; }
};

}  // namespace pure::tool
