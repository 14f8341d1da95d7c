#include "net_shm/pair_cells.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/row_copy.hpp"

namespace pure::net_shm {

namespace {

[[noreturn]] void refuse(const char* what, int error) {
  throw Error(errc::no_memory, fmt::format("the memory through which two processes hand each other long messages {}: "
                                           "{}",
                                           what, std::generic_category().message(error)));
}

/// Where there is none, the first touch would be a signal.
void get_memory(int descriptor, std::size_t at, std::size_t bytes) {
  while (fallocate(descriptor, 0, static_cast<off_t>(at), static_cast<off_t>(bytes)) != 0) {
    if (errno != EINTR) refuse("cannot be had (is there a limit, or too little of it?)", errno);
  }
}

}  // namespace

mapped_cells::mapped_cells(int descriptor, std::size_t at) {
  get_memory(descriptor, at + cells_of_a_pair * cell_bytes, segment_plan::page);
  void* const mapped = mmap(nullptr, segment_plan::cells_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor,
                            static_cast<off_t>(at));
  if (mapped == MAP_FAILED) refuse("cannot be mapped (ulimit -v?)", errno);
  base_ = static_cast<std::byte*>(mapped);
}

mapped_cells::~mapped_cells() { munmap(base_, segment_plan::cells_bytes); }

pair_cells::pair_cells(segment_file& file, const segment_plan& plan, int own, int other, bool takes_lines)
    : file_(file),
      at_(plan.cells_at(std::min(own, other), std::max(own, other))),
      end_(own < other ? 0 : 1),
      takes_lines_(takes_lines),
      memory_(file.number(), at_),
      numbers_(end_ == 0 ? 0 : cells_of_a_process, memory_.returned_to(end_), memory_.returned_to(1 - end_)) {}

/// The first `bytes` of a cell have memory from here on: many messages are short.
void pair_cells::need_pages(number cell, std::size_t bytes) {
  constexpr std::size_t of_a_cell = cell_bytes / segment_plan::page;
  static_assert(cells_of_a_pair * of_a_cell <= 64);
  const std::size_t count = (bytes + segment_plan::page - 1) / segment_plan::page;
  const std::uint64_t needed = ((std::uint64_t{1} << count) - 1) << (cell * of_a_cell);
  if ((needed & ~known_pages_) == 0) [[likely]]
    return;
  get_memory(file_.number(), at_ + cell * cell_bytes, count * segment_plan::page);
  known_pages_ |= needed;
}

std::optional<pair_cells::number> pair_cells::put(const std::byte* data, std::size_t bytes) {
  number into = 0;
  if (!numbers_.take(1, &into)) return std::nullopt;
  need_pages(into, bytes);
  core::copy_row(memory_.cell(into), data, bytes);
  return into;
}

bool pair_cells::has_read(number cell, std::size_t bytes) noexcept {
  if (numbers_.keep(cell)) return false;
  if (takes_lines_) core::take_lines(memory_.cell(cell), bytes);
  memory_.returned_to(1 - end_).add(std::uint32_t{1} << cell);
  return true;
}

}  // namespace pure::net_shm
