// Where a program's thread-local variables lie: its code finds them at fixed distances from the thread pointer, right
// below it (x86-64; the ELF handling of thread-local storage, variant II). In a process that loads the program for each
// of its ranks the executable is the launcher, which leaves that room empty.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>

namespace pure::core {

/// How far below the thread pointer the block of such a segment begins; null: there is none, 0.
constexpr std::uint64_t bytes_of_thread_block(const Elf64_Phdr* segment) noexcept {
  if (segment == nullptr) return 0;
  const std::uint64_t align = segment->p_align < 1 ? 1 : segment->p_align;
  const std::uint64_t first = (align - (segment->p_vaddr & (align - 1))) & (align - 1);
  return (segment->p_memsz - first + align - 1) / align * align + first;
}

/// The calling thread's block of a program, so many bytes long, gets its first values; `values`: those of the segment.
void set_thread_block(std::uint64_t bytes, const Elf64_Phdr& segment, const void* values) noexcept;

/// How far below it that of this process's executable begins.
std::uint64_t bytes_of_launcher_block() noexcept;

}  // namespace pure::core
