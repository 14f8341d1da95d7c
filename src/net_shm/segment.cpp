#include "net_shm/segment.hpp"

#include <sys/stat.h>

#include <algorithm>

namespace pure::net_shm {

namespace {

constexpr std::size_t padded(std::size_t bytes, std::size_t to) noexcept { return (bytes + to - 1) / to * to; }

/// Few processes: rings in which many messages find room. Many: small ones, for the rings of all pairs together are the
/// square of their number.
std::size_t ring_lines_for(int processes) noexcept {
  constexpr std::size_t kilobyte = 1024 / core::line_bytes;
  return (processes <= 16 ? 64 : processes <= 64 ? 32 : 16) * kilobyte;
}

}  // namespace

std::uint64_t own_pid_space() noexcept {
  struct stat space {};
  return stat("/proc/self/ns/pid", &space) == 0 ? space.st_ino : 0;
}

segment_plan::segment_plan(int processes) noexcept : processes_(processes), ring_lines_(ring_lines_for(processes)) {}

std::size_t segment_plan::row_bytes() const noexcept {
  const std::size_t bits = words() * sizeof(bit_word);
  return padded(sizeof(process_row) + bits, core::pair_bytes) + padded(bits, core::pair_bytes) +
         padded(transfers_per_process * sizeof(transfer), core::pair_bytes);
}

std::size_t segment_plan::row_at(int process) const noexcept {
  return padded(sizeof(segment_head), core::pair_bytes) + static_cast<std::size_t>(process) * row_bytes();
}

std::size_t segment_plan::front_bytes() const noexcept { return padded(row_at(processes_), page); }

std::size_t segment_plan::ring_at(int from, int to) const noexcept {
  const auto all = static_cast<std::size_t>(processes_);
  return front_bytes() + (static_cast<std::size_t>(from) * all + static_cast<std::size_t>(to)) * ring_bytes();
}

std::size_t segment_plan::cells_at(int lower, int higher) const noexcept {
  const auto before = static_cast<std::size_t>(higher) * static_cast<std::size_t>(higher - 1) / 2;  // pairs
  return ring_at(processes_, 0) + (before + static_cast<std::size_t>(lower)) * cells_bytes;
}

std::size_t segment_plan::all_bytes() const noexcept { return cells_at(0, processes_); }

bit_word* segment_view::announced(int process) const noexcept {
  const std::size_t bits = plan_.words() * sizeof(bit_word);
  return reinterpret_cast<bit_word*>(base_ + plan_.row_at(process) +
                                     padded(sizeof(process_row) + bits, core::pair_bytes));
}

transfer* segment_view::transfers(int process) const noexcept {
  const std::size_t bits = plan_.words() * sizeof(bit_word);
  return reinterpret_cast<transfer*>(base_ + plan_.row_at(process) +
                                     padded(sizeof(process_row) + bits, core::pair_bytes) +
                                     padded(bits, core::pair_bytes));
}

}  // namespace pure::net_shm
