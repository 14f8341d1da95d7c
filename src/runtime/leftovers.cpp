#include "runtime/leftovers.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/say.hpp"
#include "base/text.hpp"
#include "runtime/job.hpp"

namespace pure::core {

namespace {

constexpr std::size_t most_lines = 10;

std::string lines_of(const std::vector<std::string>& all, const char* noun) {
  std::string text;
  const std::size_t shown = std::min(all.size(), most_lines);
  for (std::size_t i = 0; i < shown; ++i) text += fmt::format("  {}\n", all[i]);
  if (all.size() > shown) text += fmt::format("  and {} more\n", counted(all.size() - shown, noun));
  return text;
}

}  // namespace

bool report_leftovers(const job& ended) {
  leftovers all;
  for (int index = 0; index < ended.ranks_here(); ++index) ended.worker(index).services().add_leftovers(all);
  if (all.findings.empty() && all.requests.empty() && all.messages.empty() && all.windows.empty() &&
      all.aggregations.empty())
    return false;
  say([&] {
    return "pure: check: the program has ended, and has left behind what follows\n" + lines_of(all.findings, "error") +
           lines_of(all.requests, "request") + lines_of(all.messages, "message") + lines_of(all.windows, "window") +
           lines_of(all.aggregations, "aggregation");
  });
  return true;
}

}  // namespace pure::core
