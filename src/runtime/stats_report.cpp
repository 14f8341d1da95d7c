#include "runtime/stats_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

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
/// "1.2 MiB": bytes_text() is exact, this is for reading.
std::string rounded_bytes(std::uint64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::uint64_t sum(const std::vector<std::uint64_t>& numbers) {
  std::uint64_t all = 0;
  for (const std::uint64_t each : numbers) all += each;
  return all;
}

row row_of(const activity_counts& counts, std::uint64_t given) {
  const std::int64_t computing = counts.lifetime_ns - counts.waiting_ns - counts.stealing_ns;
  return {seconds(computing),
          seconds(counts.waiting_ns),
          seconds(counts.stealing_ns),
          fmt::format("{}", counts.tasks),
          fmt::format("{}", counts.own_chunks),
          fmt::format("{}", given),
          fmt::format("{}", sum(counts.stolen_from)),
          fmt::format("{}", counts.sent),
          rounded_bytes(counts.sent_bytes),
          fmt::format("{}", counts.received),
          rounded_bytes(counts.received_bytes),
          fmt::format("{}", counts.collectives)};
}

void add(activity_counts& all, const activity_counts& one) {
  all.lifetime_ns += one.lifetime_ns;
  all.waiting_ns += one.waiting_ns;
  all.stealing_ns += one.stealing_ns;
  all.tasks += one.tasks;
  all.own_chunks += one.own_chunks;
  all.sent += one.sent;
  all.sent_bytes += one.sent_bytes;
  all.received += one.received;
  all.received_bytes += one.received_bytes;
  all.collectives += one.collectives;
  all.stolen_from.resize(one.stolen_from.size());
  for (std::size_t i = 0; i < one.stolen_from.size(); ++i) all.stolen_from[i] += one.stolen_from[i];
}

}  // namespace

std::string stats_report(const job& ended) {
  activity_counts all;
  for (int i = 0; i < ended.workers(); ++i) add(all, ended.worker(i).log()->counts);

  std::vector<std::string> names{""};
  std::vector<row> rows(1);
  std::copy(headings.begin(), headings.end(), rows.front().begin());
  for (int i = 0; i < ended.workers(); ++i) {
    const rank_context& worker = ended.worker(i);
    const bool has_tasks = !ended.is_helper(worker);
    names.push_back(ended.name_of(worker));
    rows.push_back(row_of(worker.log()->counts, has_tasks ? all.stolen_from[static_cast<std::size_t>(i)] : 0));
  }
  if (ended.workers() > 1) {
    names.emplace_back("all");
    rows.push_back(row_of(all, sum(all.stolen_from)));
    names.emplace_back("");
    rows.push_back({percent(all.lifetime_ns - all.waiting_ns - all.stealing_ns, all.lifetime_ns),
                    percent(all.waiting_ns, all.lifetime_ns), percent(all.stealing_ns, all.lifetime_ns)});
  }

  std::size_t name_width = 0;
  std::array<std::size_t, headings.size()> widths{};
  for (const std::string& name : names) name_width = std::max(name_width, name.size());
  for (const row& cells : rows) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text = fmt::format(
      "pure: what {}{}{} did\n", counted(static_cast<unsigned>(ended.ranks_here()), "rank"),
      ended.workers() == ended.ranks_here()
          ? std::string()
          : " and " + counted(static_cast<unsigned>(ended.workers() - ended.ranks_here()), "helper"),
      ended.others() == nullptr ? std::string() : fmt::format(" of process {}", ended.others()->process()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string line = fmt::format("  {:<{}}", names[i], name_width);
    for (std::size_t j = 0; j < headings.size(); ++j) line += fmt::format("  {:>{}}", rows[i][j], widths[j]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace pure::core
