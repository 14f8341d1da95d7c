// How much processor time the control groups of this process grant it.
//
// A container that may use two cores' worth of time on a machine of 64 sees all 64: its affinity mask says nothing.
// Only the quota of its cgroup does (cgroup v2: cpu.max; v1: cpu.cfs_quota_us and cpu.cfs_period_us).
// Any thread may call this; it reads a few files of /proc and /sys each time.
#pragma once

#include <filesystem>
#include <optional>

namespace pure::core {

/// The smallest quota on the way from this process's cgroup to the root, in cores (1.5: one and a half); empty if
/// there is none, or if nothing can be found out. `root` replaces "/" in tests.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

}  // namespace pure::core
