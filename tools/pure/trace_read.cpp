#include "pure/trace_read.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/output.hpp"
#include "base/printable_text.hpp"
#include "pure/trace_events.hpp"
#include "pure/trace_source.hpp"

namespace pure::tool {
namespace {

using json = nlohmann::json;

[[noreturn]] void refuse(const std::string& problem) {
  throw std::runtime_error("no timeline of Pure: " + problem + " (`purerun --trace FILE PROGRAM` writes them)");
}

trace_field field_of_event(std::string_view key) {
  using enum trace_field;
  for (const auto& [name, field] :
       std::initializer_list<std::pair<std::string_view, trace_field>>{{"ph", ph},
                                                                       {"pid", pid},
                                                                       {"tid", tid},
                                                                       {"ts", ts},
                                                                       {"dur", dur},
                                                                       {"cat", cat},
                                                                       {"name", trace_field::name},
                                                                       {"id", id}}) {
    if (name == key) return field;
  }
  return unknown;
}

trace_field field_of_args(std::string_view key) {
  using enum trace_field;
  for (const auto& [name, field] : std::initializer_list<std::pair<std::string_view, trace_field>>{{"owner", owner},
                                                                                                   {"task", task},
                                                                                                   {"first", first},
                                                                                                   {"last", last},
                                                                                                   {"chunks", chunks},
                                                                                                   {"from", from},
                                                                                                   {"items", items},
                                                                                                   {"percent", percent},
                                                                                                   {"open", open},
                                                                                                   {"at", at},
                                                                                                   {"for", what},
                                                                                                   {"name", thread}}) {
    if (name == key) return field;
  }
  return unknown;
}

// Called by nlohmann-json for each thing in the file; holds one event at a time.
class reader final : public nlohmann::json_sax<json> {
 public:
  reader(const char_source& source, const read_progress& progress) : source_(source), progress_(progress) {}

  timeline result() {
    if (!has_events_) refuse("it has no \"traceEvents\"");
    if (!has_version_) refuse("its \"otherData\" does not say which \"pure\" has written it");
    if (builder_.result().ranks == 0) refuse("its \"otherData\" does not say how many \"ranks\" there were");
    try {
      return builder_.finish();
    } catch (const std::runtime_error& error) {
      refuse(error.what());
    }
  }

  bool key(string_t& name) override {
    key_.swap(name);
    return true;
  }

  bool start_object(std::size_t /*elements*/) override {
    if (place_ == place::events && ignored_ == 0) {
      event_.clear();
      place_ = place::event;
    } else if (place_ == place::event && ignored_ == 0 && key_ == "args") {
      place_ = place::args;
    } else if (place_ == place::outside && ignored_ == 0) {
      place_ = place::file;
    } else if (place_ == place::file && ignored_ == 0 && key_ == "otherData") {
      place_ = place::other_data;
    } else {
      ++ignored_;
    }
    return true;
  }

  bool end_object() override {
    if (ignored_ > 0) {
      --ignored_;
      return true;
    }
    switch (place_) {
      case place::args: place_ = place::event; break;
      case place::event: finish_event(); break;
      case place::other_data: place_ = place::file; break;
      default: place_ = place::outside;
    }
    return true;
  }

  bool start_array(std::size_t /*elements*/) override {
    if (place_ == place::outside && ignored_ == 0) refuse("it is a list");
    if (place_ == place::file && ignored_ == 0 && key_ == "traceEvents") {
      has_events_ = true;
      place_ = place::events;
    } else {
      ++ignored_;
    }
    return true;
  }

  bool end_array() override {
    if (ignored_ > 0) {
      --ignored_;
    } else {
      place_ = place::file;
    }
    return true;
  }

  bool null() override { return true; }
  bool boolean(bool value) override {
    if (value && key_ == "open" && ignored_ == 0) set_field(1.0);
    return true;
  }
  bool binary(binary_t& /*value*/) override { return true; }
  bool number_integer(number_integer_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return number(value); }

  bool string(string_t& value) override {
    if (ignored_ > 0) return true;
    if (place_ == place::other_data) {
      if (key_ == "program") builder_.result().program = value;
      if (key_ == "pure") builder_.result().version = value;
      has_version_ = has_version_ || key_ == "pure";
    } else {
      set_field(std::move(value));
    }
    return true;
  }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/, const json::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 3, column 7: syntax error while ..."
    std::string_view text = error.what();
    if (const auto at = text.find("] "); at != std::string_view::npos) text.remove_prefix(at + 2);
    throw std::runtime_error(fmt::format(
        "not JSON: {}{}", text, source_.was_exhausted() ? "; was the program ended while it wrote the file?" : ""));
  }

 private:
  enum class place { outside, file, other_data, events, event, args };

  bool number(double value) {
    if (ignored_ > 0) return true;
    if (place_ == place::other_data) {
      timeline& all = builder_.result();
      constexpr double most_threads = 1U << 20U;
      const bool is_count = value >= 0 && value <= most_threads;
      if ((key_ == "ranks" || key_ == "helpers") && !is_count) refuse("its number of " + key_ + " cannot be right");
      if (key_ == "ranks") all.ranks = static_cast<std::uint32_t>(value);
      if (key_ == "helpers") all.helpers = static_cast<std::uint32_t>(value);
      if (key_ == "dropped_events" && value >= 0) all.dropped_events = static_cast<std::uint64_t>(value);
    } else {
      set_field(value);
    }
    return true;
  }

  template <class Value>
  void set_field(Value&& value) {
    if (place_ != place::event && place_ != place::args) return;
    const trace_field field = place_ == place::event ? field_of_event(key_) : field_of_args(key_);
    if (field != trace_field::unknown) event_.set(field, std::forward<Value>(value));
  }

  void finish_event() {
    place_ = place::events;
    ++events_;
    try {
      builder_.add(event_);
    } catch (const std::runtime_error& error) {
      const std::string& name = event_.text(trace_field::name);
      refuse(fmt::format("event {}{}: {}", events_, name.empty() ? "" : fmt::format(", \"{}\"", name), error.what()));
    }
    constexpr std::uint64_t mask = (1U << 16U) - 1;
    if (progress_ && (events_ & mask) == 0) progress_(source_.position());
  }

  const char_source& source_;
  const read_progress& progress_;
  timeline_builder builder_;
  trace_event event_;
  std::string key_;
  place place_ = place::outside;
  std::size_t ignored_ = 0;  // depth inside something unknown
  std::uint64_t events_ = 0;
  bool has_events_ = false;
  bool has_version_ = false;
};

// "reading run.json: 40 %", over and over in one line.
class progress_line {
 public:
  progress_line(const std::string& path, std::uint64_t size) : path_(path), size_(size) {
    constexpr std::uint64_t large = 20'000'000;  // half a second
    shown_ = size >= large && isatty(STDERR_FILENO) == 1;
  }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;
  ~progress_line() {
    if (shown_) core::write_all(STDERR_FILENO, "\r\033[K");
  }

  void show(std::uint64_t bytes) {
    const std::uint64_t percent = bytes * 100 / size_;
    if (!shown_ || percent == last_) return;
    last_ = percent;
    core::write_all(STDERR_FILENO, fmt::format("\rreading {}: {} %", core::printable_word(path_), percent));
  }

 private:
  const std::string& path_;
  std::uint64_t size_;
  std::uint64_t last_ = 0;
  bool shown_ = false;
};

}  // namespace

timeline read_timeline(std::istream& file, const read_progress& progress) {
  char_source source(file);
  reader events(source, progress);
  json::sax_parse(char_iterator(source), char_iterator(), &events);
  return events.result();
}

timeline read_timeline_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw std::runtime_error(path + ": it is a directory");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const std::error_code why(errno, std::generic_category());
    throw std::runtime_error(fmt::format("{}: it cannot be read: {}", path, why.message()));
  }
  const std::uintmax_t size = std::filesystem::file_size(path, ignored);
  progress_line line(path, ignored ? 0 : size);
  try {
    return read_timeline(file, [&](std::uint64_t bytes) { line.show(bytes); });
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace pure::tool
