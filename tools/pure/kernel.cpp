#include "pure/kernel.hpp"

#include <sys/utsname.h>

#include <fstream>
#include <string_view>

#include <fmt/core.h>

#include "base/text.hpp"
#include "runtime/heavy_fence.hpp"

namespace pure::tool {
namespace {

// Without its end of line; empty if it cannot be read.
std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The kernel's list of choices, with the one in force in brackets: "always [madvise] never".
std::string_view chosen(std::string_view choices) {
  const auto open = choices.find('[');
  const auto close = choices.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return "unknown";
  return choices.substr(open + 1, close - open - 1);
}

std::string huge_pages_text() {
  const std::string transparent = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
  const std::string reserved = first_line("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages");
  const std::string free = first_line("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
  return fmt::format("transparent: {}; reserved, 2 MiB: {}", transparent.empty() ? "not offered" : chosen(transparent),
                     reserved.empty() ? "not offered" : fmt::format("{}, {} free", reserved, free));
}

}  // namespace

kernel_facts look_at_kernel() {
  kernel_facts facts;
  utsname name{};
  if (uname(&name) == 0) facts.release = fmt::format("{} {} {}", name.sysname, name.release, name.machine);
  core::prepare_heavy_fence();
  facts.has_membarrier = core::light_fence_is_free;
  facts.huge_pages = huge_pages_text();
  return facts;
}

}  // namespace pure::tool
