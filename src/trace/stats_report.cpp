#include "trace/stats_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/clock.hpp"
#include "base/say.hpp"
#include "base/text.hpp"

namespace pure::core {

namespace {

constexpr std::array headings{"computing", "waiting", "stealing", "tasks",    "own chunks", "given",
                              "stolen",    "sent",    "bytes",    "received", "bytes",      "collectives"};
using row = std::array<std::string, headings.size()>;

std::string seconds(std::int64_t ns) { return fmt::format("{:.3f} s", static_cast<double>(ns) * 1e-9); }
std::string percent(std::int64_t part, std::int64_t whole) {
  return fmt::format("{:.1f} %", whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0);
}

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

/// Those of all processes at process 0, the ranks in their order, then the helpers; nothing elsewhere.
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

row row_of(const worker_counts& counts) {
  return {seconds(counts.lifetime_ns - counts.waiting_ns - counts.stealing_ns),
          seconds(counts.waiting_ns),
          seconds(counts.stealing_ns),
          fmt::format("{}", counts.tasks),
          fmt::format("{}", counts.own_chunks),
          fmt::format("{}", counts.given),
          fmt::format("{}", counts.stolen),
          fmt::format("{}", counts.sent),
          rounded_bytes(counts.sent_bytes),
          fmt::format("{}", counts.received),
          rounded_bytes(counts.received_bytes),
          fmt::format("{}", counts.collectives)};
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

/// In columns, the first row their headings; each with its name before it.
template <class Row>
std::string text_of_rows(const std::vector<std::string>& names, const std::vector<Row>& rows) {
  std::size_t name_width = 0;
  std::array<std::size_t, std::tuple_size_v<Row>> widths{};
  for (const std::string& name : names) name_width = std::max(name_width, name.size());
  for (const Row& cells : rows) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string line = fmt::format("  {:<{}}", names[i], name_width);
    for (std::size_t j = 0; j < widths.size(); ++j) line += fmt::format("  {:>{}}", rows[i][j], widths[j]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

/// `when`: the end of the heading.
std::string table_of(const std::vector<worker_counts>& workers, int processes, const std::string& when = {}) {
  std::vector<std::string> names{""};
  std::vector<row> rows(1);
  std::copy(headings.begin(), headings.end(), rows.front().begin());
  for (const worker_counts& worker : workers) {
    names.push_back(name_of(worker, processes > 1));
    rows.push_back(row_of(worker));
  }
  if (workers.size() > 1) {
    const worker_counts all = sum_of(workers);
    names.emplace_back("all");
    rows.push_back(row_of(all));
    names.emplace_back("");
    rows.push_back({percent(all.lifetime_ns - all.waiting_ns - all.stealing_ns, all.lifetime_ns),
                    percent(all.waiting_ns, all.lifetime_ns), percent(all.stealing_ns, all.lifetime_ns)});
  }

  return fmt::format("pure: what {} did{}\n", who_did(workers, processes), when) + text_of_rows(names, rows);
}

// ---- aggregations ---------------------------------------------------------------------------------------------------

constexpr std::array item_headings{"items sent",  "handled",     "urgent",      "buffers",    "fill",
                                   "over credit", "peak memory", "half within", "99 % within"};
using item_row = std::array<std::string, item_headings.size()>;

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

item_row item_row_of(const item_totals& items) {
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
  std::vector<std::string> names{""};
  std::vector<item_row> rows(1);
  std::copy(item_headings.begin(), item_headings.end(), rows.front().begin());
  for (const worker_counts& worker : workers) {
    if (!worker.items.has_any()) continue;
    names.push_back(name_of(worker, processes > 1));
    rows.push_back(item_row_of(worker.items));
  }
  if (rows.size() == 1) return "";
  if (rows.size() > 2) {
    names.emplace_back("all");
    rows.push_back(item_row_of(sum_of(workers).items));
  }
  return "pure: items of aggregations\n" + text_of_rows(names, rows);
}

}  // namespace

void report_stats_of_failed(const job& failed) {
  say([&] {
    const other_processes* const others = failed.others();
    const int process = others != nullptr ? others->process() : 0;
    const std::vector<worker_counts> workers = workers_here(failed, process);
    const std::string where = others != nullptr ? fmt::format(" in process {}", process) : "";
    return table_of(workers, 1, where + " until the job failed") + item_table_of(workers, 1);
  });
}

void report_stats(const job& ended, process_meeting* all) {
  if (ended.ending()) return report_stats_of_failed(ended);
  if (all == nullptr) {
    say([&] {
      const std::vector<worker_counts> workers = workers_here(ended, 0);
      return table_of(workers, 1) + item_table_of(workers, 1);
    });
    return;
  }
  const std::vector<worker_counts> workers = workers_of_all(workers_here(ended, all->process()), *all);
  if (all->process() != 0) return;
  say([&] { return table_of(workers, all->processes()) + item_table_of(workers, all->processes()); });
}

}  // namespace pure::core
