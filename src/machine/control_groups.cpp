#include "machine/control_groups.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace pure::core {
namespace {

namespace fs = std::filesystem;

bool contains(std::string_view comma_list, std::string_view word) {
  const auto parts = split(comma_list, ',');
  return std::find(parts.begin(), parts.end(), word) != parts.end();
}

// A hierarchy of control groups that can limit what is asked about.
struct hierarchy {
  bool unified = false;  // cgroup v2
  fs::path mount_point;
  fs::path mounted_part;  // which group of the hierarchy is seen at the mount point
  fs::path own_group;     // this process's group, in the same hierarchy
};

// Spaces and backslashes in /proc/self/mountinfo are octal escapes: "\040".
std::string unescaped(std::string_view text) {
  const auto octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) && octal(text[i + 3])) {
      result += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

// From lines such as "32 31 0:29 /part /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu" (proc(5)).
std::vector<hierarchy> mounted_hierarchies(std::string_view controller, const fs::path& root) {
  std::vector<hierarchy> found;
  const std::string table = contents_of(root / "proc/self/mountinfo");
  for (const std::string_view line : split(table, '\n')) {
    const auto dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    const auto mount = split(line.substr(0, dash), ' ');
    const auto system = split(line.substr(dash + 3), ' ');
    if (mount.size() < 5 || system.size() < 3) continue;
    const bool unified = system[0] == "cgroup2";
    if (!unified && !(system[0] == "cgroup" && contains(system[2], controller))) continue;
    found.push_back(
        {.unified = unified, .mount_point = unescaped(mount[4]), .mounted_part = unescaped(mount[3]), .own_group = {}});
  }
  return found;
}

// From lines "4:cpu,cpuacct:/group" and, for cgroup v2, "0::/group" (cgroups(7)).
void find_own_groups(std::vector<hierarchy>& hierarchies, std::string_view controller, const fs::path& root) {
  const std::string table = contents_of(root / "proc/self/cgroup");
  for (const std::string_view line : split(table, '\n')) {
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    for (hierarchy& h : hierarchies) {
      if (h.unified ? controllers.empty() : contains(controllers, controller)) h.own_group = line.substr(second + 1);
    }
  }
}

}  // namespace

std::string contents_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<control_group> own_control_groups(std::string_view controller, const fs::path& root) {
  std::vector<control_group> own;
  std::vector<hierarchy> hierarchies = mounted_hierarchies(controller, root);
  find_own_groups(hierarchies, controller, root);
  for (const hierarchy& h : hierarchies) {
    if (h.own_group.empty()) continue;
    // In a container the mount often shows only a part of the hierarchy, down to our own group ("/../.." if the group
    // is not below the part that is mounted: then all that can be read is the mount point itself).
    fs::path below = h.own_group.lexically_relative(h.mounted_part);
    if (below.empty() || below == "." || *below.begin() == "..") below.clear();
    const fs::path top = root / h.mount_point.relative_path();
    for (;;) {
      own.push_back({below.empty() ? top : top / below, h.unified});
      if (below.empty()) break;
      below = below.parent_path();
    }
  }
  return own;
}

}  // namespace pure::core
