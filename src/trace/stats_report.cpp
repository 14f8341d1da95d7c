#include "trace/stats_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/say.hpp"
#include "base/text.hpp"
#include "trace/longest_waits.hpp"
#include "trace/stats_table.hpp"

namespace pure::core {

namespace {

enum class unit { time, count, bytes };
struct column {
  const char* heading;
  unit its;
};
constexpr std::array columns{
    column{"computing", unit::time},   column{"waiting", unit::time},     column{"stealing", unit::time},
    column{"cpu taken", unit::time},   column{"preempted", unit::count},  column{"tasks", unit::count},
    column{"own chunks", unit::count}, column{"given", unit::count},      column{"stolen", unit::count},
    column{"sent", unit::count},       column{"bytes", unit::bytes},      column{"received", unit::count},
    column{"bytes", unit::bytes},      column{"collectives", unit::count}};
constexpr std::array<std::size_t, 4> column_groups{3, 2, 4, 5};
constexpr std::int64_t least_shown_ns = 500'000;  // less is 0.000 s
using numbers = std::array<std::int64_t, columns.size()>;

/// From this many workers on, totals are a table of their own, printed last: a terminal shows the end.
constexpr std::size_t many_workers = 17;

/// What a worker did, as it travels to process 0.
struct worker_counts : activity_totals {
  std::uint64_t given = 0, stolen = 0;  // chunks
  std::int32_t process = 0;
  std::int32_t number = 0;  // a rank's in the job, a helper's in its process
  bool is_helper = false;
};

/// The workers of this process; chunks are stolen inside it.
std::vector<worker_counts> workers_here(const job& ended, int process) {
  const std::int64_t now = now_ns();
  std::vector<worker_counts> all(static_cast<std::size_t>(ended.workers()));
  for (int i = 0; i < ended.workers(); ++i) {
    const rank_context& worker = ended.worker(i);
    worker_counts& made = all[static_cast<std::size_t>(i)];
    made.process = process;
    made.is_helper = ended.is_helper(worker);
    made.number = made.is_helper ? worker.number() - ended.size() : worker.number();
    made.add(worker.log()->totals(now));
    for (const auto& [victim, chunks] : worker.log()->stolen_from()) {
      made.stolen += chunks;
      all[static_cast<std::size_t>(victim)].given += chunks;
    }
  }
  return all;
}

/// At process 0 the workers of all processes: the ranks in their order, then the helpers; nothing elsewhere.
std::vector<worker_counts> workers_of_all(std::vector<worker_counts> here, process_meeting& all) {
  if (all.process() != 0) {
    all.send_value(0, std::uint64_t{here.size()});
    all.send(0, here.data(), here.size() * sizeof here.front());
    return {};
  }
  for (int process = 1; process < all.processes(); ++process) {
    const auto count = static_cast<std::size_t>(all.receive_value<std::uint64_t>(process));
    here.resize(here.size() + count);
    all.receive(process, &here[here.size() - count], count * sizeof here.front());
  }
  std::sort(here.begin(), here.end(), [](const worker_counts& a, const worker_counts& b) {
    if (a.is_helper != b.is_helper) return b.is_helper;
    return a.is_helper && a.process != b.process ? a.process < b.process : a.number < b.number;
  });
  return here;
}

std::string name_of(const worker_counts& worker, bool has_processes) {
  if (!worker.is_helper) return fmt::format("rank {}", worker.number);
  return fmt::format("helper {}{}", worker.number,
                     has_processes ? fmt::format(" of process {}", worker.process) : std::string());
}

numbers numbers_of(const worker_counts& counts) {
  const auto whole = [](std::uint64_t number) { return static_cast<std::int64_t>(number); };
  return {counts.lifetime_ns - counts.waiting_ns - counts.stealing_ns,
          counts.waiting_ns,
          counts.stealing_ns,
          counts.taken_ns,
          whole(counts.preempted),
          whole(counts.tasks),
          whole(counts.own_chunks),
          whole(counts.given),
          whole(counts.stolen),
          whole(counts.sent),
          whole(counts.sent_bytes),
          whole(counts.received),
          whole(counts.received_bytes),
          whole(counts.collectives)};
}

/// The columns that say something: those in which somebody has a number; computing and waiting always.
class shown_columns {
 public:
  explicit shown_columns(const std::vector<worker_counts>& workers) {
    is_shown_[0] = is_shown_[1] = true;
    for (const worker_counts& each : workers) {
      const numbers its = numbers_of(each);
      for (std::size_t i = 0; i < columns.size(); ++i)
        is_shown_[i] = is_shown_[i] || its[i] >= (columns[i].its == unit::time ? least_shown_ns : 1);
    }
    std::size_t next = 0;
    for (const std::size_t count : column_groups) {
      const auto shown = std::count(is_shown_.begin() + static_cast<std::ptrdiff_t>(next),
                                    is_shown_.begin() + static_cast<std::ptrdiff_t>(next + count), true);
      if (shown > 0) groups_.push_back(static_cast<std::size_t>(shown));
      next += count;
    }
  }
  [[nodiscard]] bool has(std::size_t column) const { return is_shown_[column]; }
  [[nodiscard]] const std::vector<std::size_t>& groups() const noexcept { return groups_; }

 private:
  std::array<bool, columns.size()> is_shown_{};
  std::vector<std::size_t> groups_;
};

row row_of(const numbers& of, const shown_columns& shown) {
  row cells;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!shown.has(i)) continue;
    switch (columns[i].its) {
      case unit::time: cells.push_back(seconds(of[i])); break;
      case unit::count: cells.push_back(fmt::format("{}", of[i])); break;
      case unit::bytes: cells.push_back(rounded_bytes(static_cast<std::uint64_t>(of[i]))); break;
    }
  }
  return cells;
}

/// Of each column the smallest number (0), the one in the middle (0.5), the largest (1).
numbers at_share(const std::vector<worker_counts>& workers, double share) {
  std::vector<numbers> all;
  all.reserve(workers.size());
  for (const worker_counts& each : workers) all.push_back(numbers_of(each));
  numbers chosen{};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto place = all.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(all.size() - 1));
    std::nth_element(all.begin(), place, all.end(), [i](const numbers& a, const numbers& b) { return a[i] < b[i]; });
    chosen[i] = (*place)[i];
  }
  return chosen;
}

worker_counts sum_of(const std::vector<worker_counts>& workers) {
  worker_counts all;
  for (const worker_counts& one : workers) {
    all.add(one);
    all.given += one.given;
    all.stolen += one.stolen;
  }
  return all;
}

/// "3 ranks and 1 helper in 2 processes".
std::string who_did(const std::vector<worker_counts>& workers, int processes) {
  const auto helpers = static_cast<std::size_t>(
      std::count_if(workers.begin(), workers.end(), [](const worker_counts& each) { return each.is_helper; }));
  std::string text = counted(workers.size() - helpers, "rank");
  if (helpers > 0) text += " and " + counted(helpers, "helper");
  if (processes > 1) text += " in " + counted(static_cast<std::uint64_t>(processes), "process");
  return text;
}

named_rows with_headings(const shown_columns& shown) {
  row headings;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (shown.has(i)) headings.emplace_back(columns[i].heading);
  }
  return named_rows(std::move(headings));
}

void add_sums(named_rows& table, const std::vector<worker_counts>& workers, const shown_columns& shown) {
  const worker_counts all = sum_of(workers);
  const numbers its = numbers_of(all);
  table.add("all", row_of(its, shown));
  row shares;
  for (std::size_t i = 0; i < column_groups.front(); ++i) {
    if (shown.has(i)) shares.push_back(percent(its[i], all.lifetime_ns));
  }
  table.add("", std::move(shares));
}

/// `when`: the end of the heading.
std::string table_of(const std::vector<worker_counts>& workers, int processes, const std::string& when = {}) {
  const shown_columns shown(workers);
  named_rows table = with_headings(shown);
  for (const worker_counts& worker : workers) {
    table.add(name_of(worker, processes > 1), row_of(numbers_of(worker), shown));
  }
  const bool are_many = workers.size() >= many_workers;
  if (workers.size() > 1 && !are_many) add_sums(table, workers, shown);
  const std::string who = who_did(workers, processes);
  std::string text = fmt::format("pure: what {} did{}\n", who, when) + text_of_rows(table, shown.groups());
  if (!are_many) return text;
  named_rows together = with_headings(shown);
  add_sums(together, workers, shown);
  together.add("least", row_of(at_share(workers, 0), shown));
  together.add("median", row_of(at_share(workers, 0.5), shown));
  together.add("most", row_of(at_share(workers, 1), shown));
  return text + fmt::format("pure: {} together\n", who) + text_of_rows(together, shown.groups());
}

// ---- aggregations ---------------------------------------------------------------------------------------------------

constexpr std::array item_headings{"items sent",  "handled",     "urgent",      "buffers",    "fill",
                                   "over credit", "peak memory", "half within", "99 % within"};
constexpr std::array<std::size_t, 2> item_groups{5, 4};

/// The time within which that share of the buffers has been handled; empty if none were timed.
std::string time_of_share(const item_totals& items, double share) {
  std::uint64_t all = 0;
  for (const std::uint64_t each : items.latency) all += each;
  if (all == 0) return "";
  std::uint64_t until = 0;
  std::size_t step = 0;
  while (step + 1 < items.latency.size()) {
    until += items.latency[step];
    if (static_cast<double>(until) >= share * static_cast<double>(all)) break;
    ++step;
  }
  const double us = static_cast<double>(std::uint64_t{2} << step) * 1e-3;
  return us < 1000 ? fmt::format("{:.1f} us", us) : fmt::format("{:.1f} ms", us * 1e-3);
}

row item_row_of(const item_totals& items) {
  return {fmt::format("{}", items.sent),
          fmt::format("{}", items.handled),
          fmt::format("{}", items.urgent),
          fmt::format("{}", items.buffers),
          percent(static_cast<std::int64_t>(items.sent - items.urgent), static_cast<std::int64_t>(items.room)),
          fmt::format("{}", items.over_credit),
          rounded_bytes(items.peak_bytes),
          time_of_share(items, 0.5),
          time_of_share(items, 0.99)};
}

/// Of those that had any; empty if none had.
std::string item_table_of(const std::vector<worker_counts>& workers, int processes) {
  named_rows table({item_headings.begin(), item_headings.end()});
  for (const worker_counts& worker : workers) {
    if (worker.items.has_any()) table.add(name_of(worker, processes > 1), item_row_of(worker.items));
  }
  if (table.rows.size() == 1) return "";
  if (table.rows.size() > 2) table.add("all", item_row_of(sum_of(workers).items));
  return "pure: items of aggregations\n" + text_of_rows(table, item_groups);
}

}  // namespace

void report_stats_of_failed(const job& failed) {
  say([&] {
    const other_processes* const others = failed.others();
    const int process = others != nullptr ? others->process() : 0;
    const std::vector<worker_counts> workers = workers_here(failed, process);
    const std::string where = others != nullptr ? fmt::format(" in process {}", process) : "";
    return table_of(workers, 1, where + " until the job failed") + table_of_longest_waits(waits_here(failed)) +
           item_table_of(workers, 1);
  });
}

void report_stats(const job& ended, process_meeting* all) {
  if (ended.ending()) return report_stats_of_failed(ended);
  if (all == nullptr) {
    say([&] {
      const std::vector<worker_counts> workers = workers_here(ended, 0);
      return table_of(workers, 1) + table_of_longest_waits(waits_here(ended)) + item_table_of(workers, 1);
    });
    return;
  }
  const std::vector<worker_counts> workers = workers_of_all(workers_here(ended, all->process()), *all);
  const std::vector<waits_at_line> waits = waits_of_all(waits_here(ended), *all);
  if (all->process() != 0) return;
  say([&] {
    return table_of(workers, all->processes()) + table_of_longest_waits(waits) +
           item_table_of(workers, all->processes());
  });
}

}  // namespace pure::core
