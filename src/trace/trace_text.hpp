// The events of a process as the lines of a timeline (docs/trace.md): JSON text, which goes in pieces to whoever writes
// or sends it. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "runtime/job.hpp"
#include "trace/common_clock.hpp"

namespace pure::core {

/// Where the events of a process stand among those of all.
struct trace_part {
  std::string process_name;
  int process = 0;
  int processes = 1;
  int first_helper = 0;                 // the row of this process's first helper
  std::int64_t start_ns = 0;            // of the job, by the common clock
  const common_clock* clock = nullptr;  // null: this machine's
};

/// What a timeline says before its events.
struct trace_head {
  std::string program;  // here and below: JSON
  int ranks = 0;
  int helpers = 0;
  std::uint64_t dropped_events = 0;
  std::string more;  // ,"name":value,...
};

class trace_text {
 public:
  using taker = std::function<void(std::string_view piece)>;

  /// `is_first`: no event comes before those of this text.
  trace_text(taker take, trace_part part, bool is_first);

  void begin(const trace_head& head);
  /// The names of the process's threads, and what they have recorded. They may still run: waits in which they sleep go
  /// on until now.
  void add_all(const job& recorded);
  void end();
  /// Hands on what is left.
  void flush();

 private:
  static constexpr std::size_t piece_bytes = 1 << 20;

  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments);
  void add_event(const job& recorded, int thread, const trace_event& event);
  void add_lost(int thread, const trace_event& event);
  void add_open_wait(int thread, const rank_context& worker);
  [[nodiscard]] double us(std::int64_t ns) const noexcept;
  [[nodiscard]] std::string slice(int thread, const trace_event& event, std::string_view category,
                                  std::string_view name) const;
  const std::string& quoted(const char* text);

  taker take_;
  const trace_part part_;
  fmt::memory_buffer buffer_;
  std::unordered_map<const char*, std::string> quoted_;
  bool is_first_;
};

}  // namespace pure::core
