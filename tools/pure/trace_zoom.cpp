#include "pure/trace_zoom.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace pure::tool {
namespace {

constexpr double readable_chunks = 48;  // slices of a task that a picture can show with their numbers

constexpr std::size_t readable_buffers = 16;

time_span with_margin(const timeline& all, const time_span& window) {
  const nanoseconds margin = std::max<nanoseconds>(window.length() / 12, 1);
  return {std::max<nanoseconds>(0, window.begin - margin), std::min(all.end, window.end + margin)};
}

// What is known of one task from the chunks of all rows.
struct sharing {
  time_span span{INT64_MAX, INT64_MIN};
  std::uint32_t slices = 0;
  std::uint32_t stolen = 0;
  std::uint32_t thieves = 0;
  std::uint32_t last_thief = UINT32_MAX;  // rows are looked at one after the other
  nanoseconds first_steal = INT64_MAX;

  [[nodiscard]] double score() const {
    const double all = slices;
    return std::min(thieves, 16U) * std::min(1.0, readable_chunks / all) * std::min(0.5, stolen / all);
  }
};

constexpr std::uint64_t key_of(std::uint32_t owner, std::uint32_t task) { return std::uint64_t{owner} << 32U | task; }

}  // namespace

nanoseconds begin_of_interest(const timeline& all) {
  if (all.begin <= all.end / 20) return 0;
  return all.begin - std::min(all.begin, (all.end - all.begin) / 50);
}

std::optional<time_span> window_of_sharing(const timeline& all) {
  std::unordered_map<std::uint64_t, sharing> tasks;
  for (std::uint32_t row = 0; row < all.rows.size(); ++row) {  // only shared tasks are kept: most are not
    for (const chunk_slice& chunk : all.rows[row].chunks) {
      if (chunk.owner == row) continue;
      sharing& task = tasks[key_of(chunk.owner, chunk.task)];
      ++task.stolen;
      if (task.last_thief != row) ++task.thieves;
      task.last_thief = row;
      task.first_steal = std::min(task.first_steal, chunk.begin);
    }
  }
  if (tasks.empty()) return std::nullopt;
  const auto add = [&](std::uint32_t owner, std::uint32_t id, const time_span& span, std::uint32_t slices) {
    const auto found = tasks.find(key_of(owner, id));
    if (found == tasks.end()) return;
    found->second.slices += slices;
    found->second.span.begin = std::min(found->second.span.begin, span.begin);
    found->second.span.end = std::max(found->second.span.end, span.end);
  };
  for (std::uint32_t row = 0; row < all.rows.size(); ++row) {
    for (const chunk_slice& chunk : all.rows[row].chunks) add(chunk.owner, chunk.task, chunk, 1);
    for (const task_slice& task : all.rows[row].tasks) add(row, task.id, task, 0);
  }

  // The first of the best ones, so that a trace always gives the same picture.
  const sharing* best = nullptr;
  for (const auto& [key, task] : tasks) {
    if (best == nullptr || task.score() > best->score() ||
        (task.score() == best->score() && task.span.begin < best->span.begin)) {
      best = &task;
    }
  }
  time_span window = best->span;
  if (best->slices > 2 * readable_chunks) {
    const auto length = static_cast<nanoseconds>(static_cast<double>(window.length()) * readable_chunks / best->slices);
    window.begin = std::max(window.begin, best->first_steal - length / 4);
    window.end = std::min(window.end, window.begin + length);
  }
  return with_margin(all, window);
}

std::optional<time_span> window_of_items(const timeline& all) {
  std::vector<time_span> buffers;
  for (const timeline_row& row : all.rows) buffers.insert(buffers.end(), row.items.begin(), row.items.end());
  if (buffers.empty()) return std::nullopt;
  std::sort(buffers.begin(), buffers.end(),
            [](const time_span& a, const time_span& b) { return std::tie(a.begin, a.end) < std::tie(b.begin, b.end); });
  const std::size_t shown = std::min(buffers.size(), readable_buffers);
  std::size_t best = 0;
  const auto length = [&](std::size_t first) { return buffers[first + shown - 1].end - buffers[first].begin; };
  for (std::size_t first = 1; first + shown <= buffers.size(); ++first) {
    if (length(first) < length(best)) best = first;
  }
  return with_margin(all, {buffers[best].begin, std::max(buffers[best + shown - 1].end, buffers[best].begin + 1)});
}

}  // namespace pure::tool
