// The cells of a process and another one: as those of two ranks (transport/cells.hpp), in memory that both map when a
// record of theirs is first long enough. Each holds what a record may hold, in a row; the record says which.
//
// By whoever is inside the network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/settings.hpp"
#include "net_shm/segment.hpp"
#include "net_shm/segment_file.hpp"
#include "transport/cells.hpp"

namespace pure::net_shm {

/// In the segment behind the cells: those given back to the process with the lower number, and to the other one.
struct cell_counts {
  core::returned_cells<> returned[2];
};

/// Throws pure::Error (no_memory) if they cannot be mapped.
class mapped_cells {
 public:
  mapped_cells(int descriptor, std::size_t at);
  mapped_cells(const mapped_cells&) = delete;
  mapped_cells& operator=(const mapped_cells&) = delete;
  ~mapped_cells();

  [[nodiscard]] std::byte* cell(std::size_t number) const noexcept { return base_ + number * cell_bytes; }
  [[nodiscard]] core::returned_cells<>& returned_to(int end) const noexcept {
    return reinterpret_cast<cell_counts*>(base_ + cells_of_a_pair * cell_bytes)->returned[end];
  }

 private:
  std::byte* base_;
};

struct cell_manner {
  bool are_used = true;
  bool takes_lines = true;  // a process writes to lines that it has read, of a cell that it gives back

  /// As the settings say.
  static cell_manner of(const core::settings& values) noexcept {
    return {.are_used = values.cells != "off", .takes_lines = core::takes_lines(values)};
  }
};

class pair_cells {
 public:
  using number = std::uint8_t;

  /// For process `own`. Throws pure::Error (no_memory).
  pair_cells(segment_file& file, const segment_plan& plan, int own, int other, bool takes_lines);

  /// Copies `bytes` <= cell_bytes bytes into a cell that this process has; none: it has none. Throws pure::Error where
  /// there is no memory for one.
  std::optional<number> put(const std::byte* data, std::size_t bytes);
  /// Gets one, of those that have come back, for the next put(), if this process has none. False: none has.
  [[nodiscard]] bool gather_room() noexcept { return numbers_.gather(1); }

  /// The other process has put it there.
  [[nodiscard]] const std::byte* contents(number cell) const noexcept { return memory_.cell(cell); }
  /// The cell has been read. True if it was given back: the other process may wait for it.
  [[nodiscard]] bool has_read(number cell, std::size_t bytes) noexcept;

 private:
  void need_pages(number cell, std::size_t bytes);

  segment_file& file_;
  const std::size_t at_;  // in it
  const int end_;         // which of the two this process is
  const bool takes_lines_;
  mapped_cells memory_;
  core::cell_numbers<cells_of_a_process> numbers_;
  std::uint64_t known_pages_ = 0;  // of all cells, a bit each: to ask for one that is there does no harm
};

/// The cells of a process with each other one.
class all_cells {
 public:
  all_cells(const segment_plan& plan, segment_file& file, int process, bool takes_lines)
      : plan_(plan), file_(file), process_(process), takes_lines_(takes_lines) {
    with_.resize(static_cast<std::size_t>(plan.processes()));
  }

  /// Made when they are first asked for. Throws pure::Error (no_memory).
  pair_cells& with(int other) {
    std::unique_ptr<pair_cells>& its = with_[static_cast<std::size_t>(other)];
    if (its == nullptr) [[unlikely]]
      its = std::make_unique<pair_cells>(file_, plan_, process_, other, takes_lines_);
    return *its;
  }

 private:
  segment_plan plan_;
  segment_file& file_;
  int process_;
  bool takes_lines_;
  std::vector<std::unique_ptr<pair_cells>> with_;  // by process; null: not needed yet
};

}  // namespace pure::net_shm
