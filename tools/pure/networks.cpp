#include "pure/networks.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "base/printable_text.hpp"
#include "network/network_plugin.hpp"

namespace pure::tool {
namespace {

constexpr const char* digits = "0123456789";

// "4.1.4" of "Open MPI v4.1.4, package: ..."
std::string number_in(const std::string& text) {
  const auto first = text.find_first_of(digits);
  if (first == std::string::npos) return {};
  const auto last = text.find_first_not_of("0123456789.", first);
  return core::printable_word(text.substr(first, last == std::string::npos ? last : last - first));
}

// MPI_Get_library_version may be called before MPI_Init (MPI 4.1, 9.1.1), and is the same in all ABIs. The longest text
// is MPICH's, of 8192 bytes.
std::string version_of(void* plugin) {
  const auto ask = reinterpret_cast<int (*)(char*, int*)>(dlsym(plugin, "MPI_Get_library_version"));
  if (ask == nullptr) return {};
  std::vector<char> text(64 * 1024);
  int length = 0;
  ask(text.data(), &length);
  return number_in(std::string(text.data(), static_cast<std::size_t>(std::clamp(length, 0, 64 * 1024))));
}

}  // namespace

std::vector<found_network> networks_between_machines(const core::settings& values) {
  std::vector<found_network> found;
  const std::vector<std::string> folders = core::plugin_folders(values);
  for (const std::string& name : core::networks_found(folders)) {
    found.push_back({name, {}, {}});
    // Never closed: MPIs leave threads and handlers behind.
    void* const plugin = dlopen(core::plugin_path(name, folders).c_str(), RTLD_LAZY | RTLD_LOCAL);
    const char* const why = plugin == nullptr ? dlerror() : nullptr;  // NOLINT(concurrency-mt-unsafe): per thread
    if (plugin != nullptr) found.back().version = version_of(plugin);
    if (found.back().version.empty()) found.back().problem = why != nullptr ? core::printable_word(why) : "no version";
  }
  return found;
}

std::string networks_text(const std::vector<found_network>& networks) {
  std::string text;
  for (const found_network& each : networks) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", each.name,
                        each.problem.empty() ? each.version : fmt::format("(cannot be loaded: {})", each.problem));
  }
  if (!text.empty()) return text;
  return "none: install MPICH (Debian: mpich libmpich-dev) or Open MPI (openmpi-bin libopenmpi-dev), and build Pure again";
}

}  // namespace pure::tool
