// Memory at an address that the program chooses (MAP_FIXED), as some allocators have it: the ranks of a process have
// one space of addresses, and there the memory of one rank would become that of another. The rank that comes second is
// refused with words, and the job ends; MAP_FIXED_NOREPLACE fails as the kernel has it fail.
//
// Any thread.
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "libc/hidden_state.hpp"
#include "libc/replacement_parts.hpp"
#include "libc/shared_things.hpp"
#include "runtime/job.hpp"

namespace pure::core {

namespace {

struct fixed_range {
  std::uint64_t begin, end;
  const hidden_state* rank;
};

/// What ranks have mapped so, and not unmapped.
struct fixed_ranges {
  std::mutex lock;
  std::vector<fixed_range> all;
};
fixed_ranges& known_ranges() {
  static auto* const all = new fixed_ranges;
  return *all;
}
constinit std::atomic<bool> are_there{false};

std::string name_of(const hidden_state& rank) {
  return rank.rank < 0 ? "another rank" : fmt::format("rank {}", rank.rank);
}

/// Takes a range away from what the rank has. With the lock.
void forget(std::vector<fixed_range>& all, std::uint64_t begin, std::uint64_t end, const hidden_state* rank) {
  std::vector<fixed_range> left;
  for (const fixed_range& each : all) {
    if (each.rank != rank || each.end <= begin || each.begin >= end) {
      left.push_back(each);
      continue;
    }
    if (each.begin < begin) left.push_back({each.begin, begin, rank});
    if (each.end > end) left.push_back({end, each.end, rank});
  }
  all = std::move(left);
}

void* map_fixed(void* address, std::size_t size, int protection, int flags, int descriptor, off_t offset) {
  const hidden_state* const rank = &hidden_state_here();
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  const std::uint64_t end = begin + size;
  fixed_ranges& known = known_ranges();
  const std::lock_guard held(known.lock);
  for (const fixed_range& each : known.all) {
    if (each.rank == rank || each.end <= begin || each.begin >= end || (flags & MAP_FIXED) == 0) continue;
    end_process(fmt::format("rank {} maps memory at {:#x} (MAP_FIXED), where {} has its own: as threads the ranks\n"
                            "  have one space of addresses. `purerun --ranks-as processes` gives each rank its own.",
                            rank->rank, begin, name_of(*each.rank)),
                1);
  }
  void* const mapped = mmap(address, size, protection, flags, descriptor, offset);
  if (mapped == MAP_FAILED) return mapped;
  const int error = errno;
  forget(known.all, begin, end, rank);
  known.all.push_back({begin, end, rank});
  are_there.store(true, std::memory_order_relaxed);  // relaxed: who unmaps the memory has been told of it
  errno = error;
  return mapped;
}

void* rank_mmap(void* address, std::size_t size, int protection, int flags, int descriptor, off_t offset) {
  const bool is_fixed = (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0;
  if (!is_fixed || !has_other_ranks()) return mmap(address, size, protection, flags, descriptor, offset);
  return map_fixed(address, size, protection, flags, descriptor, offset);
}

int rank_munmap(void* address, std::size_t size) {
  if (!are_there.load(std::memory_order_relaxed) || !has_other_ranks()) return munmap(address, size);  // as above
  fixed_ranges& known = known_ranges();
  const std::lock_guard held(known.lock);
  const int result = munmap(address, size);
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  if (result == 0) forget(known.all, begin, begin + size, &hidden_state_here());
  return result;
}

}  // namespace

std::span<const replacement> memory_parts() noexcept {
  static const replacement table[] = {
      replaced_by("mmap", rank_mmap),
      replaced_by("mmap64", rank_mmap),
      replaced_by("munmap", rank_munmap),
  };
  return table;
}

}  // namespace pure::core
