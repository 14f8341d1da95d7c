// loader/machine.hpp for x86-64 (System V ABI, AMD64 supplement; ELF handling of thread-local storage, variant II).
#pragma once

#include <elf.h>

#include <cstdint>

namespace pure::core {

constexpr bool can_load_programs = true;

enum class relocation : std::uint32_t {
  none = R_X86_64_NONE,
  relative = R_X86_64_RELATIVE,
  computed = R_X86_64_IRELATIVE,  // what a function of the object returns
  word = R_X86_64_64,
  data = R_X86_64_GLOB_DAT,
  call = R_X86_64_JUMP_SLOT,
  copy = R_X86_64_COPY,
  size = R_X86_64_SIZE64,
  module = R_X86_64_DTPMOD64,
  module_offset = R_X86_64_DTPOFF64,
  thread_offset = R_X86_64_TPOFF64,
  thread_descriptor = R_X86_64_TLSDESC,  // two words
};

/// Right behind the block of the executable.
inline char* thread_pointer() noexcept {
  char* pointer = nullptr;
  __asm__("mov %%fs:0, %0" : "=r"(pointer));
  return pointer;
}

/// Jumps to the first instruction of a program, as the kernel does: `stack` begins with the number of arguments, and is
/// 16 bytes aligned. There is no function that is to run at its end (rdx), and no frame above (rbp).
[[noreturn]] inline void enter_program(const std::uint64_t* stack, std::uint64_t entry) {
  __asm__ volatile(
      "mov %0, %%rsp\n\t"
      "xor %%edx, %%edx\n\t"
      "xor %%ebp, %%ebp\n\t"
      "jmp *%1"
      :
      : "r"(stack), "r"(entry)
      : "memory", "rdx");
  __builtin_unreachable();
}

/// Called by code that has the address of a descriptor in rax, and wants there the offset from the thread pointer; all
/// other registers are that code's own.
__attribute__((naked)) inline void offset_in_thread_descriptor() { __asm__("movq 8(%rax), %rax\n\tret"); }

/// For the first word of a descriptor whose second one is the offset.
inline std::uint64_t resolver_of_thread_descriptors() noexcept {
  return reinterpret_cast<std::uint64_t>(&offset_in_thread_descriptor);
}

}  // namespace pure::core
