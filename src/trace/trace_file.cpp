#include "trace/trace_file.hpp"

#include <errno.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <pure/error.hpp>

#include "base/clock.hpp"
#include "base/json_text.hpp"
#include "base/output.hpp"
#include "base/printable_text.hpp"
#include "base/say.hpp"

namespace pure::core {

namespace {

int next_job() noexcept {
  static std::atomic<int> jobs{0};
  return jobs.fetch_add(1, std::memory_order_relaxed) + 1;
}

/// `process`: for a file of its own; -1 for the job's.
std::string path_of_job(const std::string& path, int number, int process) {
  std::string ending = number == 1 ? "" : fmt::format(".{}", number);
  if (process >= 0) ending += fmt::format(".process{}", process);
  if (ending.empty()) return path;
  const std::filesystem::path asked(path);
  return (asked.parent_path() / (asked.stem().string() + ending + asked.extension().string())).string();
}

void warn_of_failed_write(const std::string& path, std::string_view why) noexcept {
  say("pure: warning: {}: writing the timeline failed: {}\n", printable_word(path), why);
}

void warn_of_dropped(const job& recorded, std::uint64_t dropped) noexcept {
  if (dropped == 0) return;
  say("pure: warning: the timeline is full and ends early ({} more events); raise PURE_TRACE_EVENTS ({}), or run fewer "
      "steps\n",
      dropped, recorded.values().trace_events);
}

/// What process 0 has to know of each before it writes.
struct part_summary {
  std::int32_t helpers = 0;
  std::uint64_t dropped_events = 0;
};

part_summary summary_of(const job& recorded) {
  part_summary made{.helpers = recorded.workers() - recorded.ranks_here()};
  for (int i = 0; i < recorded.workers(); ++i) made.dropped_events += recorded.worker(i).log()->dropped();
  return made;
}

std::string program_name() { return json_text(program_invocation_short_name); }

/// Of one of several.
std::string process_name(const process_meeting& all) {
  return json_text(fmt::format("{}, process {} on {}", program_invocation_short_name, all.process(),
                               all.host_names()[static_cast<std::size_t>(all.host_of(all.process()))]));
}

std::string in_us(std::int64_t ns) { return fmt::format("{:.3f}", static_cast<double>(ns) * 1e-3); }

}  // namespace

trace_file::trace_file(const std::string& path, process_meeting* all)
    : all_(all), number_(next_job()), asked_(path), path_(path_of_job(path, number_, -1)) {
  int error = 0;
  if (all_ == nullptr || all_->process() == 0) {
    file_.reset(std::fopen(path_.c_str(), "we"));
    if (file_ == nullptr) error = errno;
  }
  if (all_ != nullptr) all_->broadcast(&error, sizeof error);
  if (error != 0) {
    throw Error(errc::argument, fmt::format("PURE_TRACE={}: the file cannot be written: {}", printable_word(path_),
                                            std::generic_category().message(error)));
  }
  if (all_ != nullptr) clock_.look(*all_);
  start_ns_ = now_ns();
  if (all_ != nullptr) all_->broadcast(&start_ns_, sizeof start_ns_);
}

/// The events of this process, and then those that add_others(take) adds; `head` counts all of them.
template <class AddOthers>
void trace_file::write_file(const job& recorded, const std::string& path, open_file file, const trace_head& head,
                            trace_part part, AddOthers add_others) {
  int error = 0;  // a file that cannot be written does not keep other processes from sending
  const auto note_error = [&] { error = error != 0 ? error : errno != 0 ? errno : EIO; };
  const trace_text::taker take = [&](std::string_view piece) {
    errno = 0;
    if (error == 0 && std::fwrite(piece.data(), 1, piece.size(), file.get()) != piece.size()) note_error();
  };
  trace_text text(take, std::move(part), true);
  text.begin(head);
  text.add_all(recorded);
  text.flush();
  add_others(take);
  text.end();
  errno = 0;
  if (std::fclose(file.release()) != 0) note_error();
  if (error != 0) warn_of_failed_write(path, std::generic_category().message(error) + "; it is not complete");
  warn_of_dropped(recorded, head.dropped_events);
}

void trace_file::write(job& recorded) {
  const no_output_signals quiet;
  if (all_ == nullptr) return write_own(recorded);
  try {
    clock_.look(*all_);
    write_together(recorded);
  } catch (const std::exception& error) {  // the other processes wait for this one: the job cannot end well
    recorded.fail(fmt::format("process {}: writing the timeline failed: {}", all_->process(), error.what()), 1);
  }
}

void trace_file::write_own(const job& recorded) noexcept {
  const no_output_signals quiet;
  const std::lock_guard lock(writing_);
  if (std::exchange(is_written_, true)) return;
  try {
    trace_head head = head_of(recorded);
    head.helpers = recorded.workers() - recorded.ranks_here();
    head.dropped_events = summary_of(recorded).dropped_events;
    const auto no_others = [](const trace_text::taker&) {};
    if (all_ == nullptr) return write_file(recorded, path_, std::move(file_), head, part_of(recorded), no_others);

    const std::string path = path_of_job(asked_, number_, all_->process());
    open_file file(std::fopen(path.c_str(), "we"));
    if (file == nullptr) {
      return warn_of_failed_write(path, std::generic_category().message(errno));
    }
    head.more += fmt::format(R"(,"process":{})", all_->process());
    write_file(recorded, path, std::move(file), head, part_of(recorded), no_others);
    say("pure: note: the job ends badly, so the timeline of process {} is in a file of its own, {}; {} stays empty\n",
        all_->process(), printable_word(path), printable_word(path_));
  } catch (const std::exception& error) {
    warn_of_failed_write(path_, error.what());
  }
}

/// The events of all processes. Process 0 holds a piece of them at a time.
void trace_file::write_together(const job& recorded) {
  is_written_ = true;
  const int process = all_->process();
  const std::vector<part_summary> parts = all_->gather_all(summary_of(recorded));
  trace_head head = head_of(recorded);
  trace_part part = part_of(recorded);
  for (int each = 0; each < all_->processes(); ++each) {
    const part_summary& of = parts[static_cast<std::size_t>(each)];
    head.helpers += of.helpers;
    head.dropped_events += of.dropped_events;
    if (each < process) part.first_helper += of.helpers;
  }
  if (process != 0) {
    const auto send = [this](std::string_view piece) {
      all_->send_value(0, std::uint64_t{piece.size()});
      all_->send(0, piece.data(), piece.size());
    };
    trace_text text(send, std::move(part), false);
    text.add_all(recorded);
    text.flush();
    all_->send_value(0, std::uint64_t{0});
    return;
  }
  write_file(recorded, path_, std::move(file_), head, std::move(part),
             [this](const trace_text::taker& take) { receive_all(take); });
}

/// Without what the processes have to tell each other: helpers, dropped events.
trace_head trace_file::head_of(const job& recorded) const {
  trace_head head;
  head.program = program_name();
  head.ranks = recorded.size();
  if (all_ != nullptr) head.more = text_of_processes();
  return head;
}

/// Of this process; its helpers are the first ones.
trace_part trace_file::part_of(const job& recorded) const {
  trace_part part;
  part.process_name = all_ == nullptr ? program_name() : process_name(*all_);
  part.first_helper = recorded.size();
  part.start_ns = start_ns_;
  if (all_ == nullptr) return part;
  part.process = all_->process();
  part.processes = all_->processes();
  part.clock = &clock_;
  return part;
}

/// The pieces of the other processes, one process after the other. Each ends with an empty one.
void trace_file::receive_all(const trace_text::taker& take) {
  std::vector<char> piece;
  for (int process = 1; process < all_->processes(); ++process) {
    while (const auto bytes = static_cast<std::size_t>(all_->receive_value<std::uint64_t>(process))) {
      piece.resize(std::max(piece.size(), bytes));
      all_->receive(process, piece.data(), bytes);
      take({piece.data(), bytes});
    }
  }
}

/// How many there are, and how well their clocks are known: more members of "otherData".
std::string trace_file::text_of_processes() const {
  std::string text = fmt::format(R"(,"processes":{},"clock_uncertainty_us":{},"machines":[)", all_->processes(),
                                 in_us(clock_.uncertainty_ns()));
  const auto& first = clock_.first_look();
  const auto& last = clock_.last_look().empty() ? first : clock_.last_look();
  for (std::size_t host = 0; host < first.size(); ++host) {
    text += fmt::format(R"({}{{"name":{},"clock_ahead_us":[{},{}],"uncertainty_us":[{},{}]}})", host == 0 ? "" : ",",
                        json_text(all_->host_names()[host]), in_us(first[host].ahead_ns), in_us(last[host].ahead_ns),
                        in_us(first[host].uncertainty_ns), in_us(last[host].uncertainty_ns));
  }
  return text + "]";
}

}  // namespace pure::core
