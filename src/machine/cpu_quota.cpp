#include "machine/cpu_quota.hpp"

#include <string>

#include "base/text.hpp"
#include "machine/control_groups.hpp"

namespace pure::core {
namespace {

namespace fs = std::filesystem;

// The quota of one group, in cores.
std::optional<double> quota_of(const fs::path& group, bool unified) {
  std::string quota_text, period_text;
  if (unified) {
    const std::string limit = contents_of(group / "cpu.max");  // "150000 100000" or "max 100000"
    const auto parts = split(trimmed(limit), ' ');
    quota_text = parts[0];
    period_text = parts.size() > 1 ? parts[1] : "100000";
  } else {
    quota_text = trimmed(contents_of(group / "cpu.cfs_quota_us"));  // -1: no limit
    period_text = trimmed(contents_of(group / "cpu.cfs_period_us"));
  }
  const auto quota = parse_number(quota_text);
  const auto period = parse_number(period_text);
  if (!quota || !period || *quota == 0 || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

}  // namespace

std::optional<double> cpu_quota(const fs::path& root) {
  std::optional<double> smallest;
  for (const control_group& each : own_control_groups("cpu", root)) {
    const auto quota = quota_of(each.folder, each.is_unified);
    if (quota && (!smallest || *quota < *smallest)) smallest = quota;
  }
  return smallest;
}

}  // namespace pure::core
