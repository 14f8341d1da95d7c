#include "runtime/trace_file.hpp"

#include <errno.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <unordered_map>

#include <fmt/format.h>

#include <pure/error.hpp>
#include <pure/version.hpp>

#include "base/clock.hpp"
#include "base/json_text.hpp"

namespace pure::core {

namespace {

/// `process`: -1 for the only one.
std::string path_of_job(const std::string& path, int process) {
  static std::atomic<int> jobs{0};
  const int number = jobs.fetch_add(1, std::memory_order_relaxed) + 1;
  std::string ending = number == 1 ? "" : fmt::format(".{}", number);
  if (process >= 0) ending += fmt::format(".process{}", process);
  if (ending.empty()) return path;
  const std::filesystem::path asked(path);
  return (asked.parent_path() / (asked.stem().string() + ending + asked.extension().string())).string();
}

/// Writes events, one per line.
class writer {
 public:
  writer(std::FILE* file, std::int64_t start_ns) : file_(file), start_ns_(start_ns) {}

  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    if (!std::exchange(is_first_, false)) buffer_.append(std::string_view(",\n"));
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Arguments>(arguments)...);
    if (buffer_.size() > flush_bytes) flush();
  }
  void flush() {
    is_good_ = is_good_ && std::fwrite(buffer_.data(), 1, buffer_.size(), file_) == buffer_.size();
    buffer_.clear();
  }
  template <class... Arguments>
  void raw(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Arguments>(arguments)...);
  }
  [[nodiscard]] bool is_good() const noexcept { return is_good_; }

  [[nodiscard]] double us(std::int64_t ns) const noexcept { return static_cast<double>(ns - start_ns_) * 1e-3; }
  /// The head of a slice: `name` is JSON.
  std::string slice(int thread, const trace_event& event, std::string_view category, std::string_view name) const {
    return fmt::format(R"({{"ph":"X","pid":0,"tid":{},"ts":{:.3f},"dur":{:.3f},"cat":"{}","name":{})", thread,
                       us(event.start_ns), static_cast<double>(event.end_ns - event.start_ns) * 1e-3, category, name);
  }
  /// Static texts of the library and the program, in JSON; there are few of them.
  const std::string& quoted(const char* text) {
    std::string& known = quoted_[text];
    if (known.empty()) known = json_text(text);
    return known;
  }

 private:
  static constexpr std::size_t flush_bytes = 1 << 20;

  std::FILE* file_;
  std::int64_t start_ns_;
  fmt::memory_buffer buffer_;
  std::unordered_map<const char*, std::string> quoted_;
  bool is_first_ = true;
  bool is_good_ = true;
};

std::string what_for(const trace_event& wait) {
  const call none{"", {}};
  return text_of_condition({none, wait.waiting_for, wait.peer, wait.tag});
}

/// `sender` and `number` together name a message.
std::uint64_t flow(int sender, std::uint32_t number) noexcept {
  return static_cast<std::uint64_t>(sender) << 32 | number;
}

void write_event(writer& out, const job& recorded, int thread, const trace_event& event) {
  const std::string site = to_text(event.site);
  const std::string at = site.empty() ? std::string() : fmt::format(R"(,"at":{})", json_text(site));
  switch (event.kind) {
    case trace_event::type::main: out.add("{}}}", out.slice(thread, event, "rank", R"("main")")); return;
    case trace_event::type::task:
      out.add(R"({},"args":{{"task":{},"chunks":{}{}}}}})",
              out.slice(thread, event, "task", out.quoted(event.operation)), event.amount, event.last, at);
      return;
    case trace_event::type::chunks: {
      const std::string name = event.first == event.last ? fmt::format(R"("chunk {}")", event.first)
                                                         : fmt::format(R"("chunks {}-{}")", event.first, event.last);
      out.add(R"({},"args":{{"owner":{},"task":{},"first":{},"last":{}}}}})", out.slice(thread, event, "chunk", name),
              event.peer, event.amount, event.first, event.last);
      return;
    }
    case trace_event::type::wait:
      out.add(R"({},"args":{{"for":{}{}}}}})", out.slice(thread, event, "wait", out.quoted(event.operation)),
              json_text(what_for(event)), at);
      return;
    case trace_event::type::send:
      out.add(R"({},"args":{{"to":{},"bytes":{},"tag":{}}}}})", out.slice(thread, event, "message", R"("send")"),
              event.peer, event.amount, event.tag);
      out.add(R"({{"ph":"s","pid":0,"tid":{},"ts":{:.3f},"cat":"message","name":"message","id":{}}})", thread,
              out.us(event.start_ns), flow(thread, event.first));
      return;
    case trace_event::type::receive:
      out.add(R"({},"args":{{"from":{},"bytes":{},"tag":{}}}}})", out.slice(thread, event, "message", R"("receive")"),
              event.peer, event.amount, event.tag);
      out.add(R"({{"ph":"f","bp":"e","pid":0,"tid":{},"ts":{:.3f},"cat":"message","name":"message","id":{}}})", thread,
              out.us(event.end_ns), flow(event.peer, event.first));
      return;
  }
  (void)recorded;
}

}  // namespace

trace_file::trace_file(const std::string& path, int process)
    : path_(path_of_job(path, process)), file_(std::fopen(path_.c_str(), "we")), start_ns_(now_ns()) {
  if (file_ == nullptr) {
    throw Error(errc::argument, fmt::format("PURE_TRACE={}: the file cannot be written: {}", path_,
                                            std::generic_category().message(errno)));
  }
}

void trace_file::write(const job& recorded) noexcept {
  const std::lock_guard lock(writing_);
  if (file_ == nullptr) return;
  try {
    std::uint64_t dropped = 0;
    for (int i = 0; i < recorded.workers(); ++i) dropped += recorded.worker(i).log()->dropped();
    writer out(file_.get(), start_ns_);
    const std::string program = json_text(program_invocation_short_name);
    out.raw(
        R"({{"displayTimeUnit":"ns","otherData":{{"program":{},"pure":"{}","ranks":{},"helpers":{},"dropped_events":{}}},"traceEvents":[)"
        "\n",
        program, PURE_VERSION, recorded.ranks_here(), recorded.workers() - recorded.ranks_here(), dropped);
    out.add(R"({{"ph":"M","pid":0,"name":"process_name","args":{{"name":{}}}}})", program);
    for (int i = 0; i < recorded.workers(); ++i) {
      out.add(R"({{"ph":"M","pid":0,"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})", i,
              recorded.name_of(recorded.worker(i)));
      out.add(R"({{"ph":"M","pid":0,"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})", i, i);
    }
    for (int i = 0; i < recorded.workers(); ++i) {
      recorded.worker(i).log()->for_each_event([&](const trace_event& event) { write_event(out, recorded, i, event); });
    }
    out.raw("\n]}}\n");
    out.flush();
    const bool is_written = std::fclose(file_.release()) == 0 && out.is_good();
    if (!is_written) fmt::print(stderr, "pure: warning: {}: writing the timeline failed; it is not complete\n", path_);
    if (dropped > 0) {
      fmt::print(
          stderr,
          "pure: warning: the timeline is full and ends early ({} more events); raise PURE_TRACE_EVENTS ({}), or "
          "run fewer steps\n",
          dropped, recorded.values().trace_events);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "pure: warning: {}: writing the timeline failed: {}\n", path_, error.what());
  }
}

}  // namespace pure::core
