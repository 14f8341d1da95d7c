// One event of a timeline file, and what becomes of it in a timeline. The JSON around it is read by trace_read.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pure/trace_model.hpp"

namespace pure::tool {

/// The fields of events and of their "args" that are of use here.
enum class trace_field : std::uint8_t {
  // numbers
  ts,
  dur,
  pid,
  tid,
  id,
  task,
  chunks,
  owner,
  first,
  last,
  from,
  items,
  percent,
  open,  ///< true is 1
  // texts
  ph,
  cat,
  name,
  at,
  what,    ///< "for"
  thread,  ///< "name" in the args of a thread_name event
  unknown
};
constexpr auto number_fields = static_cast<std::size_t>(trace_field::ph);
constexpr auto trace_fields = static_cast<std::size_t>(trace_field::unknown);

struct trace_event {
  double numbers[number_fields];
  std::string texts[trace_fields - number_fields];
  std::uint32_t given = 0;  ///< one bit for each field

  [[nodiscard]] bool has(trace_field field) const noexcept { return (given >> static_cast<unsigned>(field) & 1U) != 0; }
  [[nodiscard]] const std::string& text(trace_field field) const {
    return texts[static_cast<std::size_t>(field) - number_fields];
  }
  /// A number for a text, or a text for a number, counts as missing: other people's events may have them.
  void set(trace_field field, double number);
  void set(trace_field field, std::string text);
  void clear();
};

/// Collects events in any order of the threads, and makes the timeline of them.
class timeline_builder {
 public:
  /// Throws std::runtime_error if a field is missing or cannot be right.
  void add(const trace_event& event);

  /// When all is known, also what stands outside the events. Throws if the threads are not those of a job.
  timeline finish();

  timeline& result() noexcept { return result_; }

 private:
  // One end of a message; the other has the same id, and may be far away in the file.
  struct message_end {
    std::uint64_t id;
    std::uint32_t row;
    bool receives;
    nanoseconds at;
  };

  timeline_row& row_of(const trace_event& event);
  void add_slice(const trace_event& event);
  void add_lost(const trace_event& event);
  time_span span_of(const trace_event& event);
  text_index stored(const std::string& text);
  void pair_messages();
  void find_begin();

  timeline result_;
  std::vector<message_end> message_ends_;
  std::unordered_map<std::string, text_index> text_indices_{{"", 0}};
};

}  // namespace pure::tool
