// What one worker of a job has done: counts for --stats, and a timeline for --trace (DESIGN D13).
//
// A worker has one only where either is asked for. Otherwise rank_context::log() is null, and a predictable branch, on
// paths that are not those of short messages, is all that this costs.
//
// Written by the worker's own thread. Any thread may read meanwhile, for a job that fails is reported while its workers
// still run: an event is whole before it is counted, and numbers are those of a moment ago.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/call.hpp"
#include "base/clock.hpp"
#include "runtime/lost_cpu_time.hpp"
#include "runtime/wait_reason.hpp"

namespace pure::core {

/// Of aggregations (src/aggregation).
struct item_totals {
  std::uint64_t sent = 0, handled = 0, urgent = 0;
  std::uint64_t buffers = 0, room = 0;  // room: of items, in those buffers
  std::uint64_t over_credit = 0;
  std::uint64_t peak_bytes = 0;             // of one aggregation
  std::array<std::uint64_t, 40> latency{};  // buffers that took 2^index ns or more, until they were handled

  [[nodiscard]] bool has_any() const noexcept { return sent + handled > 0; }
  void add(const item_totals& one) noexcept {
    sent += one.sent;
    handled += one.handled;
    urgent += one.urgent;
    buffers += one.buffers;
    room += one.room;
    over_credit += one.over_credit;
    peak_bytes = peak_bytes > one.peak_bytes ? peak_bytes : one.peak_bytes;
    for (std::size_t i = 0; i < latency.size(); ++i) latency[i] += one.latency[i];
  }
};

struct activity_totals {
  std::int64_t lifetime_ns = 0;  // from the start of the rank's function until all of the job's have returned
  std::int64_t waiting_ns = 0;   // in waits, without what was stolen there
  std::int64_t stealing_ns = 0;
  std::int64_t taken_ns = 0;    // others had its cpu, while it could have gone on
  std::uint64_t preempted = 0;  // so often the cpu was taken from it
  std::uint64_t tasks = 0;
  std::uint64_t own_chunks = 0;  // of own tasks, by itself
  std::uint64_t sent = 0, sent_bytes = 0;
  std::uint64_t received = 0, received_bytes = 0;
  std::uint64_t collectives = 0;
  item_totals items;

  void add(const activity_totals& one) noexcept {
    lifetime_ns += one.lifetime_ns;
    waiting_ns += one.waiting_ns;
    stealing_ns += one.stealing_ns;
    taken_ns += one.taken_ns;
    preempted += one.preempted;
    tasks += one.tasks;
    own_chunks += one.own_chunks;
    sent += one.sent;
    sent_bytes += one.sent_bytes;
    received += one.received;
    received_bytes += one.received_bytes;
    collectives += one.collectives;
    items.add(one.items);
  }
};

/// A number that one thread changes, at the cost of a plain one, and others read.
template <class Number>
class own_number {
 public:
  void operator=(Number next) noexcept { now_.store(next, std::memory_order_relaxed); }  // relaxed: it orders nothing
  void operator+=(Number more) noexcept { *this = *this + more; }
  void operator++() noexcept { *this += 1; }
  operator Number() const noexcept { return now_.load(std::memory_order_relaxed); }

 private:
  std::atomic<Number> now_{0};
};

/// activity_totals in the making, but for its items.
struct activity_counts {
  own_number<std::int64_t> start_ns;     // of now_ns(); 0: it has not started
  own_number<std::int64_t> lifetime_ns;  // 0: it has not ended
  own_number<std::int64_t> waiting_ns, stealing_ns;
  own_number<std::int64_t> taken_ns;  // when it has ended; likewise the next one
  own_number<std::uint64_t> preempted;
  own_number<std::uint64_t> tasks, own_chunks, sent, sent_bytes, received, received_bytes, collectives;
};

/// The call of a wait, for a table: what is called, and where.
struct call_of_wait {
  const char* operation;
  const void* where;
  unsigned line;

  [[nodiscard]] site_of_call site() const noexcept { return {where, line}; }
  bool operator==(const call_of_wait&) const noexcept = default;
  struct hash {
    std::size_t operator()(const call_of_wait& of) const noexcept {
      return std::hash<const void*>()(of.operation) ^ std::hash<const void*>()(of.where) * 31 ^ of.line;
    }
  };
};

struct wait_totals {
  std::int64_t ns = 0;  // without what was stolen there
  std::uint64_t count = 0;
};

struct trace_event {
  enum class type : std::uint8_t { main, task, chunks, wait, send, receive, items, lost };

  std::int64_t start_ns = 0, end_ns = 0;  // of now_ns()
  type kind = type::main;
  std::int32_t peer = 0;              // chunks: their task's owner; messages, waits, items: the other rank
  const char* operation = nullptr;    // task, wait
  site_of_call site{};                // likewise
  const char* waiting_for = nullptr;  // wait: the words of its kind (wait_kind)
  const char* name = nullptr;         // wait: its subject's, or null; items: their aggregation's. Kept by the activity
  std::int32_t tag = 0;               // items: their channel
  std::uint32_t first = 0;            // chunks: the first; messages: the sender's count of them
  std::uint64_t amount = 0;           // chunks, task: the task's number; messages: their bytes; items: how many;
                                      // wait: its subject's number; lost: how much of the time others had the cpu, ns
  std::uint32_t last = 0;             // chunks: the last; task: the number of its chunks; wait: 1 if it was given up,
                                      // because the job had failed
};
static_assert(sizeof(trace_event) == 88, "PURE_TRACE_EVENTS and docs/tasks.md say what an event takes");

class activity {
 public:
  /// `most_events`: 0 keeps no timeline.
  explicit activity(std::size_t most_events);

  activity_counts counts;

  /// Appends an event; one too many is only counted. `name`: of what the event is about, or null.
  void add(const trace_event& event, const shared_name& name = {}) noexcept;
  /// Calls visit(event) for each, in the order of their ends. Any thread.
  template <class Visit>
  void for_each_event(Visit&& visit) const {
    // acquire: the events below the count are whole; pairs with the release in add()
    const std::size_t count = count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) visit(blocks_[i / events_in_block][i % events_in_block]);
  }
  /// How many events had no place.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

  /// From now on the timeline has, between its events, when others had the cpu of the calling thread, which is the
  /// worker's own: it looks after events, once in `look_every_ns` at most.
  void watch_lost_cpu() noexcept;
  static constexpr std::int64_t look_every_ns = 1'000'000;
  /// Less than that is left out.
  static constexpr std::int64_t worth_ns = 100'000;

  // ---- what happens; see wait_record and task_service ----

  void enter_wait() noexcept;
  /// `given_up`: what it waits for has not come.
  void leave_wait(const wait_reason& why, bool given_up) noexcept;
  /// Chunks of another worker, by its index.
  void add_stolen(int victim, std::uint64_t chunks);
  /// Of an aggregation that the worker has ended.
  void add_items(const item_totals& of_one) noexcept;

  // ---- what it comes to; any thread ----

  /// Up to now, `now_ns`; with a wait that has not ended.
  [[nodiscard]] activity_totals totals(std::int64_t now_ns) const;
  [[nodiscard]] std::unordered_map<int, std::uint64_t> stolen_from() const;  // of those that had some
  using waits_by_call = std::unordered_map<call_of_wait, wait_totals, call_of_wait::hash>;
  [[nodiscard]] waits_by_call waits() const;  // that have ended
  void add_send(std::int64_t start_ns, int to, int tag, std::size_t bytes, std::uint32_t number) noexcept;
  void add_receive(std::int64_t start_ns, int from, int tag, std::size_t bytes, std::uint32_t number) noexcept;

 private:
  [[nodiscard]] bool has_room_for_one() noexcept;
  void append(const trace_event& event, const shared_name& name) noexcept;
  void look_at_lost_cpu(std::int64_t now_ns) noexcept;
  [[nodiscard]] const char* keep(const shared_name& name);
  void add_wait(const call_of_wait& at, std::int64_t ns) noexcept;
  void add_message(trace_event::type kind, std::int64_t start_ns, int peer, int tag, std::size_t bytes,
                   std::uint32_t number) noexcept;

  static constexpr std::size_t events_in_block = 4096;

  lost_cpu_clock lost_;
  std::int64_t looked_ns_ = 0;  // at what others had of the cpu; 0: nobody has asked for it
  std::int64_t lost_ns_ = 0;    // of the whole life, then

  int wait_depth_ = 0;                      // a copy that is shared waits inside another wait
  own_number<std::int64_t> wait_start_ns_;  // 0: it does not wait
  own_number<std::int64_t> stealing_before_ns_;

  mutable std::mutex guard_;  // of what follows; for a moment
  std::unordered_map<int, std::uint64_t> stolen_from_;
  waits_by_call waits_;
  item_totals items_;

  const std::size_t most_events_;
  std::vector<std::unique_ptr<trace_event[]>> blocks_;  // as many as may be needed; made one after the other
  std::unordered_set<shared_name> names_;               // of events
  std::atomic<std::size_t> count_{0};
  std::atomic<std::uint64_t> dropped_{0};
};

/// A wait, as long as it lives. `log` may be null.
class wait_record {
 public:
  wait_record(activity* log, const wait_reason& why) noexcept : log_(log), why_(why) {
    if (log_ != nullptr) [[unlikely]] {
      exceptions_before_ = std::uncaught_exceptions();
      log_->enter_wait();
    }
  }
  wait_record(const wait_record&) = delete;
  wait_record& operator=(const wait_record&) = delete;
  ~wait_record() {
    if (log_ != nullptr) [[unlikely]]
      log_->leave_wait(why_, std::uncaught_exceptions() > exceptions_before_);
  }

 private:
  activity* const log_;
  const wait_reason& why_;
  int exceptions_before_ = 0;
};

}  // namespace pure::core
