// The memory that the processes of a job on one machine share: what each tells the others, and a ring for each ordered
// pair of them. Made by purerun, which starts the processes (a memfd; it has no name, so nothing stays behind).
//
//   head       what is the same for all
//   rows       one a process: whether it sleeps, which rings it looks at, who has written to others, open transfers
//   rings      from (from, to): lines, then one page of counts. Mapped, and given pages, by who uses them first: a pair
//              that never talks costs nothing.
//   cells      of each two processes (net_shm/pair_cells.hpp): likewise, one by one
//
// Sizes follow from the number of processes, and every process computes them alike; the head holds them, too, and a
// segment of another version is refused.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/cache_line.hpp"
#include "net_shm/record.hpp"

namespace pure::net_shm {

/// Raised with every change of what lies in the segment.
inline constexpr std::uint32_t segment_version = 5;
inline constexpr int most_processes = 4096;
inline constexpr std::size_t transfers_per_process = 64;

/// Two processes have so many, half of them each to begin with.
inline constexpr std::uint32_t cells_of_a_process = 8;
inline constexpr std::uint32_t cells_of_a_pair = 2 * cells_of_a_process;
inline constexpr std::size_t cell_bytes = std::size_t{16} * 1024;

struct segment_head {
  std::array<char, 8> name{'p', 'u', 'r', 'e', ' ', 's', 'h', 'm'};
  std::uint32_t version = segment_version;
  std::uint32_t processes = 0;
  std::uint64_t key = 0;  // of this job's sockets, drawn by chance
  std::uint32_t ring_lines = 0;
  /// How many processes have come (net_shm/open.cpp).
  std::atomic<std::uint32_t> have_come{0};
  /// A process cannot make the others pass a fence (net_shm/doorbell.hpp): so each passes its own.
  std::atomic<std::uint32_t> needs_fences{0};
  /// A process has no socket to be woken by: none sleeps until it is.
  std::atomic<std::uint32_t> has_no_bells{0};
  /// A process has seen that purerun has ended (net_shm/starter.hpp), and says so: no other one need.
  std::atomic<std::uint32_t> is_end_of_starter_said{0};
  /// Somebody makes it ready for the next job (net_shm/successive_jobs.hpp), or was killed while it did.
  std::atomic<std::uint32_t> is_being_renewed{0};
};

/// A large payload that is under way, in pieces (net_shm/payloads.hpp).
struct alignas(core::line_bytes) transfer {
  std::atomic<std::uint64_t> claims{0};
  std::atomic<std::uint32_t> read{0};
};

/// How far a process is, for who has started it.
enum class process_stage : std::uint32_t { away, here, ended };

/// Which numbers of processes mean the same as here: of the caller's namespace (pid_namespaces(7)); 0: not known.
std::uint64_t own_pid_space() noexcept;

/// What one process writes, and all others read before they write to it.
struct alignas(core::pair_bytes) process_row {
  std::atomic<std::uint32_t> is_armed{0};  // it sleeps, or is about to: whoever has something for it rings
  std::atomic<std::int32_t> pid{0};
  std::atomic<std::uint64_t> pid_space{0};  // of which that is a number; 0: not known
  std::atomic<process_stage> stage{process_stage::away};
};

using bit_word = std::atomic<std::uint64_t>;

constexpr std::size_t word_of(int process) noexcept { return static_cast<std::size_t>(process) / 64; }
constexpr std::uint64_t bit_of(int process) noexcept {
  return std::uint64_t{1} << (static_cast<unsigned>(process) % 64);
}

/// Where things are. Pure functions of the number of processes.
class segment_plan {
 public:
  explicit segment_plan(int processes) noexcept;

  [[nodiscard]] int processes() const noexcept { return processes_; }
  [[nodiscard]] std::size_t ring_lines() const noexcept { return ring_lines_; }
  [[nodiscard]] std::size_t lines_bytes() const noexcept { return ring_lines_ * core::line_bytes; }
  [[nodiscard]] std::size_t ring_bytes() const noexcept { return lines_bytes() + page; }
  /// Words of one bit a process.
  [[nodiscard]] std::size_t words() const noexcept { return (static_cast<std::size_t>(processes_) + 63) / 64; }
  /// Head and rows: what each process maps at once.
  [[nodiscard]] std::size_t front_bytes() const noexcept;
  [[nodiscard]] std::size_t all_bytes() const noexcept;
  [[nodiscard]] std::size_t row_at(int process) const noexcept;
  [[nodiscard]] std::size_t ring_at(int from, int to) const noexcept;
  [[nodiscard]] std::size_t cells_at(int lower, int higher) const noexcept;
  [[nodiscard]] std::size_t row_bytes() const noexcept;

  static constexpr std::size_t page = 4096;
  static constexpr std::size_t cells_bytes = cells_of_a_pair * cell_bytes + page;

 private:
  int processes_;
  std::size_t ring_lines_;
};

/// Head and rows of a segment that is mapped, for as long as it is.
class segment_view {
 public:
  segment_view(std::byte* base, const segment_plan& plan) noexcept : base_(base), plan_(plan) {}

  [[nodiscard]] segment_head& head() const noexcept { return *reinterpret_cast<segment_head*>(base_); }
  [[nodiscard]] process_row& row(int process) const noexcept {
    return *reinterpret_cast<process_row*>(base_ + plan_.row_at(process));
  }
  /// Of the rings that `process` looks at again and again, by whose they are. Written by it.
  [[nodiscard]] bit_word* watched(int process) const noexcept {
    return reinterpret_cast<bit_word*>(base_ + plan_.row_at(process) + sizeof(process_row));
  }
  /// Of those in which something is that it does not look at. Set by the senders, cleared by it.
  [[nodiscard]] bit_word* announced(int process) const noexcept;
  /// Of payloads that it receives.
  [[nodiscard]] transfer* transfers(int process) const noexcept;

  /// Whether the pid of one names the same process for the other; when both have come. False where a space is not
  /// known: the pid might be that of anybody.
  [[nodiscard]] bool have_same_pid_space(int one, int other) const noexcept {
    const std::uint64_t space = row(one).pid_space.load(std::memory_order_relaxed);
    return space != 0 && space == row(other).pid_space.load(std::memory_order_relaxed);
  }

  [[nodiscard]] const segment_plan& plan() const noexcept { return plan_; }

 private:
  std::byte* base_;
  segment_plan plan_;
};

}  // namespace pure::net_shm
