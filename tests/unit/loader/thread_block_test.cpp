// Where a program's thread-local variables begin: judged by where the linker has put them, in programs made here that
// tell the distance of their first variable from the thread pointer.
#include "loader/thread_block.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include <fmt/core.h>

#include "loader/object_file.hpp"
#include "support/made_objects.hpp"

namespace {

using namespace pure::core;
using test_support::made_files;

// "DISTANCE VALUE_OF_FIRST": of a program's own.
std::string printed_by(const std::string& path) {
  std::FILE* const pipe = popen(path.c_str(), "r");
  char text[64] = "";
  if (pipe == nullptr || std::fgets(text, sizeof text, pipe) == nullptr) return "nothing";
  pclose(pipe);
  return text;
}

TEST(thread_block, begins_where_the_linker_has_put_it) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "the thread pointer: on this processor it lies elsewhere";
#endif
  const made_files files;
  for (const char* const each : {
           "_Thread_local char first = 'f';",
           "_Thread_local char first = 'f'; _Thread_local long more[100];",
           "_Thread_local char first = 'f'; _Thread_local char more[5] __attribute__((aligned(256)));",
           "_Thread_local char first __attribute__((aligned(4096))) = 'f'; _Thread_local char more[3];",
       }) {
    std::ofstream(files.path("app.c")) << "#include <stdio.h>\n"
                                       << each << R"(
      int main(void) {
        char* pointer;
        __asm__("mov %%fs:0, %0" : "=r"(pointer));
        printf("%ld %c", (long)(pointer - &first), first);
      })";
    files.program("app");
    const object_file file(files.path("app"));
    const Elf64_Phdr* const block = file.segment(PT_TLS);
    ASSERT_NE(block, nullptr);
    std::uint64_t value = 0;  // of `first`, in the block
    const auto* const values = reinterpret_cast<const char*>(file.content().data() + block->p_offset);
    while (value < block->p_filesz && values[value] != 'f') ++value;
    EXPECT_EQ(fmt::format("{} f", bytes_of_thread_block(block) - value), printed_by(files.path("app")))
        << each << " at " << block->p_vaddr << " aligned " << block->p_align;
  }
}

TEST(thread_block, of_no_variables_is_empty) {
  EXPECT_EQ(bytes_of_thread_block(nullptr), 0U);
  Elf64_Phdr block{};
  EXPECT_EQ(bytes_of_thread_block(&block), 0U);
  block.p_memsz = 1, block.p_align = 0;
  EXPECT_EQ(bytes_of_thread_block(&block), 1U);
  block.p_memsz = 1, block.p_align = 16;
  EXPECT_EQ(bytes_of_thread_block(&block), 16U);
}

// Variant II: the block ends at the thread pointer, rounded up, and begins where its address has the same remainder.
// (GNU's linker makes none whose address is not aligned; others may.)
TEST(thread_block, keeps_the_remainder_of_its_address) {
  for (std::uint64_t align = 1; align <= 64; align *= 2) {
    for (std::uint64_t address = 0; address < 130; ++address) {
      for (const std::uint64_t bytes : {1u, 7u, 8u, 63u, 64u, 65u, 200u}) {
        Elf64_Phdr block{};
        block.p_vaddr = address, block.p_memsz = bytes, block.p_align = align;
        const std::uint64_t begin = bytes_of_thread_block(&block);
        EXPECT_GE(begin, bytes);
        EXPECT_LT(begin, bytes + align);
        EXPECT_EQ((0 - begin) % align, address % align) << align << " " << address << " " << bytes;
      }
    }
  }
}

}  // namespace
