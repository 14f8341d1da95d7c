#include "trace/longest_waits.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "trace/stats_table.hpp"

namespace pure::core {

namespace {

constexpr std::size_t most_lines = 10;
constexpr std::int64_t least_ns = 500'000;  // of a line: less is 0.000 s

/// As many of its bytes as another process needs, and no more than a line of a terminal shows.
struct travelling_waits {
  std::array<char, 112> call{};
  std::int64_t ns = 0;
  std::uint64_t count = 0;
};

class sums_by_call {
 public:
  void add(const std::string& call, std::int64_t ns, std::uint64_t count) {
    waits_at_line& its = all_[call];
    its.call = call;
    its.ns += ns;
    its.count += count;
  }
  [[nodiscard]] std::vector<waits_at_line> take() {
    std::vector<waits_at_line> made;
    for (auto& [call, its] : all_) made.push_back(std::move(its));
    return made;
  }

 private:
  std::map<std::string, waits_at_line> all_;
};

/// So long is a name in the table at most, beside whose columns a line has 80.
constexpr std::size_t longest_name = 50;

std::string shortened(std::string name) {
  if (name.size() <= longest_name) return name;
  name.resize(longest_name - 3);
  return name + "...";
}

/// The file without its folders: "pure_recv_msg at halo.cpp:12".
std::string text_of_call(const char* operation, const site_of_call& site) {
  const std::string where = to_text(site);
  if (where.empty()) return operation;
  const std::size_t folders = where.substr(0, where.find(' ')).rfind('/');
  return fmt::format("{} at {}", operation, folders == std::string::npos ? where : where.substr(folders + 1));
}

}  // namespace

std::vector<waits_at_line> waits_here(const job& ended) {
  sums_by_call sums;
  for (int i = 0; i < ended.workers(); ++i) {
    if (ended.is_helper(ended.worker(i))) continue;
    for (const auto& [at, its] : ended.worker(i).log()->waits())
      sums.add(text_of_call(at.operation, at.site()), its.ns, its.count);
  }
  return sums.take();
}

std::vector<waits_at_line> waits_of_all(std::vector<waits_at_line> here, process_meeting& all) {
  std::vector<travelling_waits> own(here.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    own[i].ns = here[i].ns;
    own[i].count = here[i].count;
    here[i].call.resize(std::min(here[i].call.size(), own[i].call.size()));
    std::memcpy(own[i].call.data(), here[i].call.data(), here[i].call.size());
  }
  if (all.process() != 0) {
    all.send_value(0, std::uint64_t{own.size()});
    all.send(0, own.data(), own.size() * sizeof own.front());
    return {};
  }
  sums_by_call sums;
  for (int process = 0; process < all.processes(); ++process) {
    if (process > 0) {
      own.resize(static_cast<std::size_t>(all.receive_value<std::uint64_t>(process)));
      all.receive(process, own.data(), own.size() * sizeof own.front());
    }
    for (const travelling_waits& each : own)
      sums.add(std::string(each.call.data(), strnlen(each.call.data(), each.call.size())), each.ns, each.count);
  }
  return sums.take();
}

std::string table_of_longest_waits(std::vector<waits_at_line> waits) {
  std::sort(waits.begin(), waits.end(), [](const waits_at_line& a, const waits_at_line& b) { return a.ns > b.ns; });
  std::int64_t all_ns = 0;
  for (const waits_at_line& each : waits) all_ns += each.ns;
  std::erase_if(waits, [](const waits_at_line& each) { return each.ns < least_ns; });
  if (waits.empty()) return "";
  named_rows table({"waiting", "of all", "waits"});
  const std::size_t shown = std::min(waits.size(), most_lines);
  for (std::size_t i = 0; i < shown; ++i)
    table.add(shortened(waits[i].call),
              {seconds(waits[i].ns), percent(waits[i].ns, all_ns), fmt::format("{}", waits[i].count)});
  const std::size_t more = waits.size() - shown;
  return fmt::format("pure: calls that waited longest{}\n", more > 0 ? fmt::format(", of {}", waits.size()) : "") +
         text_of_rows(table, std::array<std::size_t, 1>{3});
}

}  // namespace pure::core
