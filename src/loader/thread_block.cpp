#include "loader/thread_block.hpp"

#include <sys/auxv.h>

#include <cstring>

#include "loader/machine.hpp"

namespace pure::core {

void set_thread_block(std::uint64_t bytes, const Elf64_Phdr& segment, const void* values) noexcept {
  char* const begin = thread_pointer() - bytes;
  std::memcpy(begin, values, segment.p_filesz);
  std::memset(begin + segment.p_filesz, 0, segment.p_memsz - segment.p_filesz);
}

std::uint64_t bytes_of_launcher_block() noexcept {
  const auto* const segments = reinterpret_cast<const Elf64_Phdr*>(getauxval(AT_PHDR));
  for (std::uint64_t i = 0; i < getauxval(AT_PHNUM); ++i)
    if (segments[i].p_type == PT_TLS) return bytes_of_thread_block(&segments[i]);
  return 0;
}

}  // namespace pure::core
