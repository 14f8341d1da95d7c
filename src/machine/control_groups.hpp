// The control groups of this process: where the limits of a container or a batch system are written (cgroups(7)).
//
// Any thread may call these; they read a few files of /proc and /sys each time.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pure::core {

struct control_group {
  std::filesystem::path folder;
  bool is_unified = false;  // cgroup v2, whose files have other names
};

/// From this process's group up to the root of each hierarchy that can limit what `controller` ("cpu", "memory",
/// "pids") means. `root` replaces "/" in tests.
std::vector<control_group> own_control_groups(std::string_view controller, const std::filesystem::path& root = "/");

/// Empty if the file cannot be read: a missing file and no limit mean the same here.
std::string contents_of(const std::filesystem::path& file);

}  // namespace pure::core
