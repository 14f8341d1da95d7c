// Whether the ranks of a job fit into what the machine, the container and the shell's limits leave to this process.
//
// Asked before the first thread of a job is made: a job that is too large ends with a text in place of an end by the
// kernel's out-of-memory killer, or in the middle of its start. What is counted is the least that a rank takes, before
// the program's own data: a job that is refused here would not have started. The thread that starts a job; it reads
// some files of /proc and /sys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pure::core {

/// Something that every rank takes some of.
struct scarce_thing {
  std::string what;        ///< "memory", "threads"; after "take at least 12 MiB of"
  std::string whose;       ///< after "but only 3 MiB are left": "the limit of ...", or empty
  std::string remedy;      ///< what to do besides fewer ranks, or empty
  std::uint64_t left = 0;  ///< bytes, or a count
  std::uint64_t each = 0;  ///< that a rank takes
  bool is_bytes = true;
};

/// What a rank takes of the least plentiful things. By measurement (docs/benchmarks.md, "What a rank takes").
inline constexpr std::uint64_t least_bytes_of_rank = 40U << 10;

/// Of this process, for ranks with such stacks, each of which takes at least `page_bytes` when it is touched. `root`
/// replaces "/" in tests.
std::vector<scarce_thing> what_ranks_take(std::uint64_t stack_bytes, std::uint64_t page_bytes,
                                          const std::filesystem::path& root = "/");

/// Bytes that this process may touch before the kernel, or the container's limit, has none left.
std::uint64_t memory_left(const std::filesystem::path& root = "/");

/// Why so many workers do not fit, with the estimate, and how many do; empty if they may.
std::string why_too_many(std::uint64_t workers, const std::vector<scarce_thing>& all);

}  // namespace pure::core
