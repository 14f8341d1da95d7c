#include "machine/room_for_ranks.hpp"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "machine/control_groups.hpp"

namespace pure::core {

namespace {

namespace fs = std::filesystem;

/// The number after `name` in a file of lines such as "MemAvailable:  24000000 kB", as it is.
std::optional<std::uint64_t> number_after(const std::string& text, std::string_view name) {
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(name)) continue;
    return parse_number(split(trimmed(line.substr(name.size())), ' ').front());
  }
  return std::nullopt;
}

std::optional<std::uint64_t> number_in(const fs::path& file) {
  const std::string text = contents_of(file);
  return parse_number(split(trimmed(text), ' ').front());
}

std::uint64_t less(std::uint64_t a, std::uint64_t b) noexcept { return a > b ? a - b : 0; }

void add_memory(std::vector<scarce_thing>& to, std::uint64_t each, const fs::path& root) {
  const std::string machine = contents_of(root / "proc/meminfo");
  if (const auto free_kb = number_after(machine, "MemAvailable:")) {
    const std::uint64_t swap_kb = number_after(machine, "SwapFree:").value_or(0);
    to.push_back(
        {.what = "memory", .whose = "on this machine", .remedy = "", .left = (*free_kb + swap_kb) << 10, .each = each});
  }
  for (const control_group& group : own_control_groups("memory", root)) {
    const bool unified = group.is_unified;
    const auto most = number_in(group.folder / (unified ? "memory.max" : "memory.limit_in_bytes"));
    const auto used = number_in(group.folder / (unified ? "memory.current" : "memory.usage_in_bytes"));
    if (!most || !used) continue;  // "max": no limit
    // The cache of files that the group has read counts as used, and makes way.
    const std::string parts = contents_of(group.folder / "memory.stat");
    const std::uint64_t cache = number_after(parts, unified ? "inactive_file" : "total_inactive_file").value_or(0);
    to.push_back({.what = "memory",
                  .whose = "under the memory limit of the container or batch job",
                  .remedy = "raise that limit",
                  .left = less(*most, less(*used, cache)),
                  .each = each});
  }
}

void add_threads(std::vector<scarce_thing>& to, const fs::path& root) {
  for (const control_group& group : own_control_groups("pids", root)) {
    const auto most = number_in(group.folder / "pids.max");
    const auto used = number_in(group.folder / "pids.current");
    if (!most || !used) continue;
    to.push_back({.what = "threads",
                  .whose = "under the limit of the container or batch job (pids.max)",
                  .remedy = "raise that limit",
                  .left = less(*most, *used),
                  .each = 1,
                  .is_bytes = false});
  }
  // "0.5 0.4 0.3 2/345 6789": 345 threads.
  const std::string load = contents_of(root / "proc/loadavg");
  const auto words = split(load, ' ');
  const std::uint64_t running = words.size() < 4 ? 0 : parse_number(split(words[3], '/').back()).value_or(0);
  for (const char* const name : {"threads-max", "pid_max"}) {
    const auto most = number_in(root / "proc/sys/kernel" / name);
    if (!most) continue;
    to.push_back({.what = "threads",
                  .whose = fmt::format("under kernel.{}", name),
                  .remedy = fmt::format("raise it (sysctl kernel.{})", name),
                  .left = less(*most, running),
                  .each = 1,
                  .is_bytes = false});
  }
}

void add_mappings(std::vector<scarce_thing>& to, const fs::path& root) {
  const auto most = number_in(root / "proc/sys/vm/max_map_count");
  if (!most) return;
  const std::string maps = contents_of(root / "proc/self/maps");
  to.push_back({.what = "memory mappings",
                .whose = "under vm.max_map_count",
                .remedy = "raise it (sysctl vm.max_map_count)",
                .left = less(*most, static_cast<std::uint64_t>(std::count(maps.begin(), maps.end(), '\n'))),
                .each = 2,  // a stack, and the page that guards it
                .is_bytes = false});
}

void add_addresses(std::vector<scarce_thing>& to, std::uint64_t stack_bytes, const fs::path& root) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const std::uint64_t used_kb = number_after(contents_of(root / "proc/self/status"), "VmSize:").value_or(0);
  to.push_back({.what = "address space",
                .whose = "under ulimit -v",
                .remedy = "lower PURE_STACK_BYTES (or ulimit -s)",
                .left = less(limit.rlim_cur, used_kb << 10),
                .each = stack_bytes});
}

std::string amount(const scarce_thing& of, std::uint64_t number) {
  return of.is_bytes ? rounded_bytes(number) : fmt::format("{}", number);
}

}  // namespace

std::vector<scarce_thing> what_ranks_take(std::uint64_t stack_bytes, std::uint64_t page_bytes, const fs::path& root) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::vector<scarce_thing> all;
  add_memory(all, least_bytes_of_rank + less(page_bytes, page), root);
  add_addresses(all, stack_bytes, root);
  add_threads(all, root);
  add_mappings(all, root);
  return all;
}

std::uint64_t memory_left(const fs::path& root) {
  std::vector<scarce_thing> all;
  add_memory(all, 1, root);
  std::uint64_t least = ~std::uint64_t{0};
  for (const scarce_thing& each : all) least = std::min(least, each.left);
  return least;
}

std::string why_too_many(std::uint64_t workers, const std::vector<scarce_thing>& all) {
  const scarce_thing* tightest = nullptr;
  for (const scarce_thing& each : all) {
    if (tightest == nullptr || each.left / each.each < tightest->left / tightest->each) tightest = &each;
  }
  if (tightest == nullptr || workers <= tightest->left / tightest->each) return {};
  const std::uint64_t fit = tightest->left / tightest->each;
  return fmt::format(
      "{} take at least {}{}{}, {} each, before the program's own data, but {} are left {}: at most {} "
      "fit. Lower the number of ranks (purerun -n, PURE_RANKS){}",
      counted(workers, "rank"), amount(*tightest, workers * tightest->each), tightest->is_bytes ? " of " : " ",
      tightest->what, amount(*tightest, tightest->each), amount(*tightest, tightest->left), tightest->whose, fit,
      tightest->remedy.empty() ? std::string() : ", or " + tightest->remedy);
}

}  // namespace pure::core
