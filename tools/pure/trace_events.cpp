#include "pure/trace_events.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <fmt/core.h>

namespace pure::tool {
namespace {

constexpr std::string_view field_names[trace_fields] = {"ts",    "dur",   "pid",  "tid",  "id",    "task",    "chunks",
                                                        "owner", "first", "last", "from", "items", "percent", "open",
                                                        "ph",    "cat",   "name", "at",   "for",   "name"};

[[noreturn]] void refuse(trace_field field, std::string_view problem) {
  throw std::runtime_error(fmt::format("its \"{}\" {}", field_names[static_cast<std::size_t>(field)], problem));
}

double number_of(const trace_event& event, trace_field field) {
  if (!event.has(field)) refuse(field, "is missing, or no number");
  return event.numbers[static_cast<std::size_t>(field)];
}

std::uint32_t index_of(const trace_event& event, trace_field field) {
  const double number = number_of(event, field);
  constexpr double most = 4294967295.0;
  if (!(number >= 0 && number <= most) || number != std::floor(number)) refuse(field, "is no index");
  return static_cast<std::uint32_t>(number);
}

nanoseconds time_of(const trace_event& event, trace_field field) {
  const double microseconds = number_of(event, field);
  constexpr double ten_years = 3.2e14;
  if (!(microseconds > -ten_years && microseconds < ten_years)) refuse(field, "is no time");
  return std::llround(microseconds * 1000);
}

// An outer slice before what lies inside it.
bool begins_before(const time_span& a, const time_span& b) {
  return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
}

template <class Slice>
void sort(std::vector<Slice>& slices) {
  std::stable_sort(slices.begin(), slices.end(), begins_before);
  slices.shrink_to_fit();
}

}  // namespace

void trace_event::set(trace_field field, double number) {
  if (static_cast<std::size_t>(field) >= number_fields) return;
  numbers[static_cast<std::size_t>(field)] = number;
  given |= 1U << static_cast<unsigned>(field);
}

void trace_event::set(trace_field field, std::string text) {
  if (static_cast<std::size_t>(field) < number_fields) return;
  texts[static_cast<std::size_t>(field) - number_fields] = std::move(text);
  given |= 1U << static_cast<unsigned>(field);
}

void trace_event::clear() {
  given = 0;
  for (std::string& text : texts) text.clear();
}

text_index timeline_builder::stored(const std::string& text) {
  const auto [entry, is_new] = text_indices_.try_emplace(text, static_cast<text_index>(result_.texts.size()));
  if (is_new) result_.texts.push_back(text);
  return entry->second;
}

timeline_row& timeline_builder::row_of(const trace_event& event) {
  const std::uint32_t index = index_of(event, trace_field::tid);
  constexpr std::uint32_t most_threads = 1U << 20U;  // a wrong number must not cost all memory
  if (index >= most_threads) refuse(trace_field::tid, fmt::format("of {} is no thread of a job", index));
  if (index >= result_.rows.size()) result_.rows.resize(index + 1);
  return result_.rows[index];
}

void timeline_builder::add(const trace_event& event) {
  const std::string& kind = event.text(trace_field::ph);
  if (kind == "X") {
    add_slice(event);
  } else if (kind == "C") {
    if (event.text(trace_field::cat) == "lost" && event.has(trace_field::dur)) add_lost(event);
  } else if (kind == "M") {
    if (event.text(trace_field::name) != "thread_name") return;
    timeline_row& row = row_of(event);
    row.name = event.text(trace_field::thread);
    if (event.has(trace_field::pid)) row.process = index_of(event, trace_field::pid);
  } else if ((kind == "s" || kind == "f") && event.text(trace_field::cat) == "message") {
    row_of(event);
    const double id = number_of(event, trace_field::id);
    constexpr double most = 9007199254740992.0;  // 2^53: beyond, doubles miss integers
    if (!(id >= 0 && id <= most)) refuse(trace_field::id, "is no index");
    message_ends_.push_back({static_cast<std::uint64_t>(id), index_of(event, trace_field::tid), kind == "f",
                             time_of(event, trace_field::ts)});
    result_.end = std::max(result_.end, message_ends_.back().at);
  }
}

void timeline_builder::add_slice(const trace_event& event) {
  const std::string& category = event.text(trace_field::cat);
  const bool is_main = category == "rank";
  const bool is_task = category == "task";
  const bool is_chunk = category == "chunk";
  const bool is_items = category == "items";
  if (!is_main && !is_task && !is_chunk && !is_items && category != "wait") return;

  timeline_row& row = row_of(event);
  const time_span span = span_of(event);
  if (is_main) {
    row.mains.push_back(span);
  } else if (is_task) {
    const std::uint32_t chunks = event.has(trace_field::chunks) ? index_of(event, trace_field::chunks) : 0;
    row.tasks.push_back({span, index_of(event, trace_field::task), chunks, stored(event.text(trace_field::name)),
                         stored(event.text(trace_field::at))});
  } else if (is_chunk) {
    row.chunks.push_back({span, index_of(event, trace_field::owner), index_of(event, trace_field::task),
                          index_of(event, trace_field::first), index_of(event, trace_field::last)});
  } else if (is_items) {
    row.items.push_back({span, index_of(event, trace_field::from), index_of(event, trace_field::items)});
  } else {
    row.waits.push_back({span, stored(event.text(trace_field::name)), stored(event.text(trace_field::what)),
                         stored(event.text(trace_field::at)), event.has(trace_field::open)});
  }
}

time_span timeline_builder::span_of(const trace_event& event) {
  time_span span;
  span.begin = time_of(event, trace_field::ts);
  const nanoseconds length = time_of(event, trace_field::dur);
  if (length < 0) refuse(trace_field::dur, "is negative");
  span.end = span.begin + length;
  result_.end = std::max(result_.end, span.end);
  return span;
}

void timeline_builder::add_lost(const trace_event& event) {
  timeline_row& row = row_of(event);
  const double percent = number_of(event, trace_field::percent);
  if (!(percent >= 0 && percent <= 100)) refuse(trace_field::percent, "is no part of a time");
  row.lost.push_back({span_of(event), percent / 100});
}

void timeline_builder::pair_messages() {
  std::sort(message_ends_.begin(), message_ends_.end(),
            [](const auto& a, const auto& b) { return std::tie(a.id, a.receives) < std::tie(b.id, b.receives); });
  for (std::size_t i = 0; i + 1 < message_ends_.size(); ++i) {
    const message_end& sent = message_ends_[i];
    const message_end& received = message_ends_[i + 1];
    if (sent.id != received.id || sent.receives || !received.receives) continue;  // on its way when the job ended
    result_.messages.push_back({sent.row, received.row, sent.at, received.at});
  }
  message_ends_ = {};
  std::sort(result_.messages.begin(), result_.messages.end(),
            [](const auto& a, const auto& b) { return std::tie(a.sent, a.from) < std::tie(b.sent, b.from); });
}

void timeline_builder::find_begin() {
  result_.begin = result_.end;
  const auto look_at = [&](const auto& slices) {  // which are sorted
    if (!slices.empty()) result_.begin = std::min(result_.begin, slices.front().begin);
  };
  for (const timeline_row& row : result_.rows) {
    look_at(row.mains);
    look_at(row.tasks);
    look_at(row.chunks);
    look_at(row.waits);
    look_at(row.items);
  }
  for (const message_flow& message : result_.messages) {
    result_.begin = std::min({result_.begin, message.sent, message.received});
  }
}

timeline timeline_builder::finish() {
  const std::size_t threads = std::size_t{result_.ranks} + result_.helpers;
  if (result_.rows.size() > threads) {
    throw std::runtime_error(fmt::format("it has events of thread {}, but says that there are {} ranks and {} helpers",
                                         result_.rows.size() - 1, result_.ranks, result_.helpers));
  }
  result_.rows.resize(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    timeline_row& row = result_.rows[i];
    if (row.name.empty()) {
      row.name = i < result_.ranks ? fmt::format("rank {}", i) : fmt::format("helper {}", i - result_.ranks);
    }
    sort(row.mains);
    sort(row.tasks);
    sort(row.chunks);
    sort(row.waits);
    sort(row.items);
    sort(row.lost);
    for (const chunk_slice& chunk : row.chunks) {
      if (chunk.owner >= result_.ranks) {
        throw std::runtime_error(
            fmt::format("{} runs a chunk of rank {}, but there are {} ranks", row.name, chunk.owner, result_.ranks));
      }
    }
  }
  pair_messages();
  find_begin();
  return std::move(result_);
}

}  // namespace pure::tool
