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

/// What an object's procedure linkage table finds in the second word of its global offset table: an address of this; in
/// the third there is the address of enter_late_call.
struct late_calls {
  std::uint64_t (*bind)(late_calls*, std::uint64_t relocation);  // gives the function's address
  std::uint64_t has_wide_registers = __builtin_cpu_supports("avx") != 0 ? 1 : 0;
};

/// Entered with the address of late_calls and the number of the relocation on the stack, in place of a function: finds
/// out which one, and goes there, with all registers as they are.
__attribute__((naked)) inline void enter_late_call() {
  __asm__(
      "push %rbx\n\t"
      "mov %rsp, %rbx\n\t"
      "and $-64, %rsp\n\t"
      "sub $4224, %rsp\n\t"  // what vector registers take, by their states 1, 2, 5, 6, 7, and behind it all others
      "mov %rax, 4096(%rsp)\n\t"
      "mov %rcx, 4104(%rsp)\n\t"
      "mov %rdx, 4112(%rsp)\n\t"
      "mov %rsi, 4120(%rsp)\n\t"
      "mov %rdi, 4128(%rsp)\n\t"
      "mov %r8, 4136(%rsp)\n\t"
      "mov %r9, 4144(%rsp)\n\t"
      "mov %r10, 4152(%rsp)\n\t"
      "xor %eax, %eax\n\t"
      "mov %rax, 512(%rsp)\n\t"
      "mov %rax, 520(%rsp)\n\t"
      "mov %rax, 528(%rsp)\n\t"
      "mov %rax, 536(%rsp)\n\t"
      "mov %rax, 544(%rsp)\n\t"
      "mov %rax, 552(%rsp)\n\t"
      "mov %rax, 560(%rsp)\n\t"
      "mov %rax, 568(%rsp)\n\t"
      "mov 8(%rbx), %rdi\n\t"
      "mov 16(%rbx), %rsi\n\t"
      "cmpq $0, 8(%rdi)\n\t"
      "je 1f\n\t"
      "mov $0xe6, %eax\n\t"
      "xor %edx, %edx\n\t"
      "xsave (%rsp)\n\t"
      "jmp 2f\n"
      "1: fxsave64 (%rsp)\n"
      "2: call *(%rdi)\n\t"
      "mov %rax, %r11\n\t"
      "mov 8(%rbx), %rdi\n\t"
      "cmpq $0, 8(%rdi)\n\t"
      "je 3f\n\t"
      "mov $0xe6, %eax\n\t"
      "xor %edx, %edx\n\t"
      "xrstor (%rsp)\n\t"
      "jmp 4f\n"
      "3: fxrstor64 (%rsp)\n"
      "4: mov 4096(%rsp), %rax\n\t"
      "mov 4104(%rsp), %rcx\n\t"
      "mov 4112(%rsp), %rdx\n\t"
      "mov 4120(%rsp), %rsi\n\t"
      "mov 4128(%rsp), %rdi\n\t"
      "mov 4136(%rsp), %r8\n\t"
      "mov 4144(%rsp), %r9\n\t"
      "mov 4152(%rsp), %r10\n\t"
      "mov %rbx, %rsp\n\t"
      "pop %rbx\n\t"
      "add $16, %rsp\n\t"
      "jmp *%r11");
}

}  // namespace pure::core
