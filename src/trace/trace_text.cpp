#include "trace/trace_text.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <pure/version.hpp>

#include "base/clock.hpp"
#include "base/json_text.hpp"

namespace pure::core {

namespace {

std::string what_for(const trace_event& wait) {
  return text_of_words(wait.waiting_for, wait.name != nullptr ? wait.name : "", wait.amount) +
         text_of_peer(wait.peer, wait.tag);
}

/// `sender` and `number` together name a message.
std::uint64_t flow(int sender, std::uint32_t number) noexcept {
  return static_cast<std::uint64_t>(sender) << 32 | number;
}

}  // namespace

trace_text::trace_text(taker take, trace_part part, bool is_first)
    : take_(std::move(take)), part_(std::move(part)), is_first_(is_first) {}

/// An event, in a line of its own.
template <class... Arguments>
void trace_text::add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  if (!std::exchange(is_first_, false)) buffer_.append(std::string_view(",\n"));
  fmt::format_to(std::back_inserter(buffer_), format, std::forward<Arguments>(arguments)...);
  if (buffer_.size() > piece_bytes) flush();
}

void trace_text::flush() {
  if (buffer_.size() > 0) take_({buffer_.data(), buffer_.size()});
  buffer_.clear();
}

double trace_text::us(std::int64_t ns) const noexcept {
  return static_cast<double>((part_.clock == nullptr ? ns : part_.clock->from_here(ns)) - part_.start_ns) * 1e-3;
}

/// The head of a slice: `name` is JSON.
std::string trace_text::slice(int thread, const trace_event& event, std::string_view category,
                              std::string_view name) const {
  return fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"cat":"{}","name":{})", part_.process,
                     thread, us(event.start_ns), us(event.end_ns) - us(event.start_ns), category, name);
}

/// Static texts of the library and the program, in JSON; there are few of them.
const std::string& trace_text::quoted(const char* text) {
  std::string& known = quoted_[text];
  if (known.empty()) known = json_text(text);
  return known;
}

void trace_text::begin(const trace_head& head) {
  fmt::format_to(
      std::back_inserter(buffer_),
      R"({{"displayTimeUnit":"ns","otherData":{{"program":{},"pure":"{}","ranks":{},"helpers":{},"dropped_events":{}{}}},"traceEvents":[)"
      "\n",
      head.program, PURE_VERSION, head.ranks, head.helpers, head.dropped_events, head.more);
}

void trace_text::end() {
  buffer_.append(std::string_view("\n]}\n"));
  flush();
}

void trace_text::add_all(const job& recorded) {
  const int process = part_.process;
  add(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})", process, part_.process_name);
  if (part_.processes > 1) {
    add(R"({{"ph":"M","pid":{},"name":"process_sort_index","args":{{"sort_index":{}}}}})", process, process);
  }
  const auto row_of_worker = [&](int index) {
    const rank_context& worker = recorded.worker(index);
    return recorded.is_helper(worker) ? part_.first_helper + index - recorded.ranks_here() : worker.number();
  };
  for (int i = 0; i < recorded.workers(); ++i) {
    const rank_context& worker = recorded.worker(i);
    const bool needs_process = part_.processes > 1 && recorded.is_helper(worker);
    const std::string name = recorded.name_of(worker) + (needs_process ? fmt::format(" of process {}", process) : "");
    const int thread = row_of_worker(i);
    add(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})", process, thread, name);
    add(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})", process, thread,
        thread);
  }
  for (int i = 0; i < recorded.workers(); ++i) {
    const int thread = row_of_worker(i);
    recorded.worker(i).log()->for_each_event([&](const trace_event& event) { add_event(recorded, thread, event); });
    add_open_wait(thread, recorded.worker(i));
  }
}

/// A wait is recorded when it ends, or is given up: those that nobody ends are what a job that hangs has failed of.
void trace_text::add_open_wait(int thread, const rank_context& worker) {
  if (worker.has_ended()) return;
  const std::optional<waiter::sleep> sleep = worker.thread().look();
  if (!sleep) return;
  const trace_event event{.start_ns = sleep->wait.since_ns, .end_ns = now_ns()};
  const std::string site = to_text(sleep->wait.what.site);
  add(R"({},"args":{{"for":{}{},"open":true}}}})", slice(thread, event, "wait", json_text(sleep->wait.what.operation)),
      json_text(text_of_condition(sleep->wait.reason())),
      site.empty() ? std::string() : fmt::format(R"(,"at":{})", json_text(site)));
}

void trace_text::add_event(const job& recorded, int thread, const trace_event& event) {
  const std::string site = to_text(event.site);
  const std::string at = site.empty() ? std::string() : fmt::format(R"(,"at":{})", json_text(site));
  switch (event.kind) {
    case trace_event::type::main: add("{}}}", slice(thread, event, "rank", R"("main")")); return;
    case trace_event::type::task:
      add(R"({},"args":{{"task":{},"chunks":{}{}}}}})", slice(thread, event, "task", quoted(event.operation)),
          event.amount, event.last, at);
      return;
    case trace_event::type::chunks: {
      const std::string name = event.first == event.last ? fmt::format(R"("chunk {}")", event.first)
                                                         : fmt::format(R"("chunks {}-{}")", event.first, event.last);
      const int owner = recorded.worker(event.peer).number();  // who steals knows it by its index
      add(R"({},"args":{{"owner":{},"task":{},"first":{},"last":{}}}}})", slice(thread, event, "chunk", name), owner,
          event.amount, event.first, event.last);
      return;
    }
    case trace_event::type::wait:
      add(R"({},"args":{{"for":{}{}{}}}}})", slice(thread, event, "wait", quoted(event.operation)),
          json_text(what_for(event)), at, event.last != 0 ? R"(,"open":true)" : "");
      return;
    case trace_event::type::send:
      add(R"({},"args":{{"to":{},"bytes":{},"tag":{}}}}})", slice(thread, event, "message", R"("send")"), event.peer,
          event.amount, event.tag);
      add(R"({{"ph":"s","pid":{},"tid":{},"ts":{:.3f},"cat":"message","name":"message","id":{}}})", part_.process,
          thread, us(event.start_ns), flow(thread, event.first));
      return;
    case trace_event::type::receive:
      add(R"({},"args":{{"from":{},"bytes":{},"tag":{}}}}})", slice(thread, event, "message", R"("receive")"),
          event.peer, event.amount, event.tag);
      add(R"({{"ph":"f","bp":"e","pid":{},"tid":{},"ts":{:.3f},"cat":"message","name":"message","id":{}}})",
          part_.process, thread, us(event.end_ns), flow(event.peer, event.first));
      return;
    case trace_event::type::items:
      add(R"({},"args":{{"from":{},"items":{},"channel":{}}}}})", slice(thread, event, "items", json_text(event.name)),
          event.peer, event.amount, event.tag);
      return;
    case trace_event::type::lost: add_lost(thread, event); return;
  }
}

/// A counter: Perfetto draws it as a row of its own, from one change to the next.
void trace_text::add_lost(int thread, const trace_event& event) {
  const double length_ns = static_cast<double>(event.end_ns - event.start_ns);
  const double percent = std::min(100.0, 100 * static_cast<double>(event.amount) / length_ns);
  const auto change = [&](std::int64_t at_ns, const std::string& length, double to) {
    add(R"({{"ph":"C","pid":{},"tid":{},"ts":{:.3f}{},"cat":"lost","name":"cpu taken, row {}","args":{{"percent":{:.1f}}}}})",
        part_.process, thread, us(at_ns), length, thread, to);
  };
  change(event.start_ns, fmt::format(R"(,"dur":{:.3f})", us(event.end_ns) - us(event.start_ns)), percent);
  change(event.end_ns, "", 0);
}

}  // namespace pure::core
