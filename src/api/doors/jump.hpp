// A function of a door that is another one of the core: a jump, so that the core finds the arguments, the results and
// the caller's address as if the program had called it. One instruction, and no runtime of a language.
#pragma once

#if defined(__x86_64__)
// endbr64: where a program that was compiled with -fcf-protection may come from. It does nothing elsewhere.
#define PURE_JUMP_INSTRUCTIONS(to) "\tendbr64\n\tjmp *" #to "@GOTPCREL(%rip)\n"
#elif defined(__aarch64__)
#define PURE_JUMP_INSTRUCTIONS(to) \
  "\thint 34\n\tadrp x16, :got:" #to "\n\tldr x16, [x16, :got_lo12:" #to "]\n\tbr x16\n"  // hint 34: bti c
#else
#error "the doors have no jump for this processor"
#endif

#define PURE_JUMP(name, to)                                                                                \
  asm(".pushsection .text, \"ax\"\n\t.balign 16\n\t.globl " #name "\n\t.type " #name ", %function\n" #name \
      ":\n" PURE_JUMP_INSTRUCTIONS(to) "\t.size " #name ", . - " #name "\n\t.popsection\n")

/// One that a tool may stand in front of (MPI 5.0, 15.2): PMPI_NAME, and MPI_NAME as its weak alias.
#define PURE_JUMP_OF_MPI(name)     \
  PURE_JUMP(P##name, pure_##name); \
  asm("\t.weak " #name "\n\t.set " #name ", P" #name "\n")

#define PURE_JUMP_OF_LIBC(name) PURE_JUMP(name, pure_libc_##name)
