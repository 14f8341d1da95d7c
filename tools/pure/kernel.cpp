#include "pure/kernel.hpp"

#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string_view>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/text.hpp"
#include "net_shm/doorbell.hpp"
#include "net_shm/job_segment.hpp"
#include "net_shm/peer_memory.hpp"
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

// A child reads its parent, which it has no more right to than one process of a job to another.
bool may_read_peers() {
  const int known = 4711;
  net_shm::allow_peers();
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) {
    int read = 0;
    const auto how = net_shm::copy_from(self, reinterpret_cast<std::uintptr_t>(&known), &read, sizeof read);
    _exit(how == net_shm::copy_outcome::done && read == known ? 0 : 1);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

void look_at_processes(kernel_facts& facts) {
  facts.may_read_peers = may_read_peers();
  try {
    const net_shm::job_segment segment(1);
    const net_shm::doorbell bell(segment.front(), 0);
    facts.has_doorbells = segment.front().head().has_no_bells.load(std::memory_order_relaxed) == 0;
    facts.has_common_fence = segment.front().head().needs_fences.load(std::memory_order_relaxed) == 0;
  } catch (const Error& error) {
    facts.why_no_segment = error.what();
  }
}

}  // namespace

kernel_facts look_at_kernel() {
  kernel_facts facts;
  utsname name{};
  if (uname(&name) == 0) facts.release = fmt::format("{} {} {}", name.sysname, name.release, name.machine);
  core::prepare_heavy_fence();
  facts.has_membarrier = core::light_fence_is_free;
  facts.huge_pages = huge_pages_text();
  look_at_processes(facts);
  return facts;
}

}  // namespace pure::tool
