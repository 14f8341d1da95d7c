// Which objects a program consists of: those that the dynamic linker takes, in its order, each private or shared, and
// why some programs have to be refused. The programs are made here, with the C compiler.
#include "loader/closure.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "loader/dynamic_linker.hpp"
#include "loader/object_file.hpp"
#include "support/closure_text.hpp"
#include "support/made_objects.hpp"

namespace {

using namespace pure::core;
using test_support::made_files;
using test_support::text_of;
namespace fs = std::filesystem;

// By number: "1 2 2".
std::string needs_of(const program_object& object) {
  std::string text;
  for (const std::size_t each : object.needs) text += fmt::format("{}{}", text.empty() ? "" : " ", each);
  return text;
}

program_closure in_folder(const made_files& files, const std::string& program) {
  const std::string search = "LD_LIBRARY_PATH=" + files.folder().string();
  const char* const environment[] = {search.c_str(), nullptr};
  return closure_of(files.path(program), environment);
}

loader_refusal refusal_of(const made_files& files, const std::string& program) {
  try {
    in_folder(files, program);
  } catch (const loader_refusal& refusal) {
    return refusal;
  }
  throw std::runtime_error(program + " was not refused");
}

/// Many ranks may look at the same time for what they open.
TEST(closure, takes_few_descriptors_however_many_libraries_there_are) {
  const made_files files;
  std::string options = "-L. -Wl,--no-as-needed";
  constexpr int libraries = 20;
  for (int i = 0; i < libraries; ++i) {
    files.library(fmt::format("libone{}.so", i));
    options += fmt::format(" -lone{}", i);
  }
  files.program("app", options);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = dup(0);
  ASSERT_GE(next, 0);
  close(next);
  rlimit few = before;
  few.rlim_cur = static_cast<rlim_t>(next) + 8;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  std::string failed;
  try {
    EXPECT_GE(in_folder(files, "app").objects.size(), static_cast<std::size_t>(libraries));
  } catch (const std::exception& error) {
    failed = error.what();
  }
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(failed, "");
}

TEST(closure, libraries_come_breadth_first) {
  const made_files files;
  files.library("libdeep.so");
  files.library("libleft.so", "-L. -ldeep");
  files.library("libright.so");
  files.program("app", "-L. -lleft -lright -Wl,-rpath-link,.");
  const program_closure closure = in_folder(files, "app");
  const std::string libc = fs::path(closure.objects[3].path).filename().string();
  EXPECT_EQ(text_of(closure),
            fmt::format("app:private libleft.so:private libright.so:private {}:shared libdeep.so:private", libc));
  EXPECT_EQ(needs_of(closure.objects[0]), "1 2 3");
  EXPECT_EQ(needs_of(closure.objects[1]), "4 3");
  EXPECT_EQ(closure.objects[1].name, "libleft.so");
  EXPECT_EQ(closure.objects[0].path, files.path("app"));
  EXPECT_TRUE(fs::equivalent(closure.interpreter, own_dynamic_linker()));
  EXPECT_TRUE(closure.preloads.empty());
}

TEST(closure, stripped_files_are_as_good) {
  const made_files files;
  files.library("libone.so", "-s");
  files.program("app", "-s -L. -lone -lm");
  EXPECT_EQ(text_of(in_folder(files, "app")), "app:private libone.so:private libm.so.6:shared libc.so.6:shared");
}

TEST(closure, origin_is_where_the_file_is) {
  const made_files files;
  fs::create_directory(files.path("lib"));
  fs::create_directory(files.path("elsewhere"));
  files.library("lib/libdeep.so");
  files.library("lib/libone.so", "-Llib -ldeep -Wl,--enable-new-dtags,-rpath,'$ORIGIN'");
  for (const char* const tags : {"--enable-new-dtags", "--disable-new-dtags"}) {
    files.program("app", fmt::format("-Llib -lone -Wl,{},-rpath-link,lib,-rpath,'$ORIGIN/lib'", tags));
    fs::remove(files.path("elsewhere/link"));
    fs::create_symlink("../app", files.path("elsewhere/link"));
    for (const char* const name : {"app", "elsewhere/link"}) {
      const program_closure closure = closure_of(files.path(name));
      EXPECT_EQ(text_of(closure), "app:private libone.so:private libc.so.6:shared libdeep.so:private") << tags;
    }
  }
}

TEST(closure, a_library_may_be_needed_by_its_path) {
  const made_files files;
  files.library("libone.so");
  files.program("app", files.path("libone.so"));
  const program_closure closure = closure_of(files.path("app"));
  EXPECT_EQ(text_of(closure), "app:private libone.so:private libc.so.6:shared");
  EXPECT_EQ(closure.objects[1].name, files.path("libone.so"));
}

TEST(closure, one_file_of_two_names_is_one_object) {
  const made_files files;
  files.library("libone.so");
  fs::create_symlink("libone.so", files.path("libother.so"));
  files.program("app", "-L. -lone -lother");
  const program_closure closure = in_folder(files, "app");
  EXPECT_EQ(text_of(closure), "app:private libone.so:private libc.so.6:shared");
  EXPECT_EQ(needs_of(closure.objects[0]), "1 1 2");
}

// No file has that name.
TEST(closure, a_soname_is_a_name) {
  const made_files files;
  files.library("libone.so");
  files.compile("-fPIE -pie app.c -c -o app.o");
  files.library("libone.so", "-Wl,-soname,libreal.so.3");
  files.library("libtwo.so", "-L. -lone");
  files.library("libone.so");
  files.compile(
      "-pie app.o ./libone.so -L. -ltwo -o app -Wl,-rpath-link,. -Wl,--allow-shlib-undefined -Wl,-rpath,'$ORIGIN'"
      " -Wl,--unresolved-symbols=ignore-all");
  files.library("libone.so", "-Wl,-soname,libreal.so.3");
  const fs::path before = fs::current_path();
  fs::current_path(files.folder());  // where ./libone.so is meant
  const program_closure closure = in_folder(files, "app");
  fs::current_path(before);
  EXPECT_EQ(closure.objects[1].name, "./libone.so");
  EXPECT_EQ(closure.objects[2].needs.front(), 1U);
}

// By way of a shared library as well: ranks need only what others need besides, but in that order.
TEST(closure, the_order_is_the_dynamic_linker_s) {
  const made_files files;
  std::ofstream(files.path("malloc.c")) << "#include <stddef.h>\nvoid* malloc(size_t n) { (void)n; return 0; }\n"
                                           "void free(void* p) { (void)p; }\n";
  files.library("libboth.so");
  files.library("libown.so");
  files.compile("-shared -fPIC -fno-builtin malloc.c -L. -lboth -o liballoc.so");
  files.library("libleft.so", "-L. -lown -lboth");
  files.program("app", "-L. -lalloc -lleft -Wl,-rpath-link,.");
  EXPECT_EQ(text_of(in_folder(files, "app")),
            "app:private liballoc.so:shared libleft.so:private libc.so.6:shared libboth.so:private libown.so:private");
}

// Variables that have the dynamic linker say more than what it loads.
TEST(closure, the_environment_s_questions_are_not_answered) {
  const made_files files;
  files.library("libone.so");
  files.program("app", "-L. -lone");
  const std::string search = "LD_LIBRARY_PATH=" + files.folder().string();
  const std::string output = "LD_DEBUG_OUTPUT=" + files.path("debug");  // a file for each process, debug.PID
  const char* const environment[] = {"LD_VERBOSE=1",  "LD_DEBUG=all", output.c_str(), "LD_TRACE_LOADED_OBJECTS=1",
                                     "LD_BIND_NOW=1", "LD_WARN=1",    search.c_str(), nullptr};
  EXPECT_EQ(text_of(closure_of(files.path("app"), environment)), "app:private libone.so:private libc.so.6:shared");
  for (const auto& each : fs::directory_iterator(files.folder()))
    EXPECT_NE(each.path().stem(), "debug") << each.path() << ": the dynamic linker has written it";
}

volatile std::sig_atomic_t children_ended = 0;

// A program may have children of its own, and wait for them.
TEST(closure, nobody_hears_of_the_child) {
  const made_files files;
  files.program("app");
  struct sigaction counting {
  }, before{};
  counting.sa_handler = [](int) { children_ended = children_ended + 1; };
  sigaction(SIGCHLD, &counting, &before);
  EXPECT_EQ(in_folder(files, "app").objects.size(), 2U);
  EXPECT_EQ(children_ended, 0);
  errno = 0;
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  sigaction(SIGCHLD, &before, nullptr);
}

// What only a shared library needs, no rank needs; what the program needs as well, each has for itself.
TEST(closure, an_allocator_is_shared_and_comes_first) {
  const made_files files;
  std::ofstream(files.path("malloc.c")) << "#include <stddef.h>\nvoid* malloc(size_t n) { (void)n; return 0; }\n"
                                           "void free(void* p) { (void)p; }\n";
  files.library("libdeep.so");
  files.library("libboth.so");
  files.compile("-shared -fPIC -fno-builtin malloc.c -L. -ldeep -lboth -o liballoc.so");
  files.library("libone.so", "-L. -lalloc -lboth");
  files.program("app", "-L. -lone -Wl,-rpath-link,.");
  const program_closure closure = in_folder(files, "app");
  EXPECT_EQ(text_of(closure), "app:private libone.so:private libc.so.6:shared liballoc.so:shared libboth.so:private");
  ASSERT_EQ(closure.preloads.size(), 1U);
  EXPECT_EQ(closure.preloads[0], files.path("liballoc.so"));
}

// The dynamic linker would take the path for two, as LD_PRELOAD has it.
TEST(closure, an_allocator_that_cannot_come_first_is_refused) {
  const made_files files;
  std::ofstream(files.path("malloc.c")) << "#include <stddef.h>\nvoid* malloc(size_t n) { (void)n; return 0; }\n"
                                           "void free(void* p) { (void)p; }\n";
  fs::create_directory(files.path("a folder"));
  files.compile("-shared -fPIC -fno-builtin malloc.c -o 'a folder/liballoc.so'");
  files.program("app", "-L'a folder' -lalloc -Wl,-rpath,'$ORIGIN/a folder'");
  EXPECT_NE(refusal_of(files, "app").reason().find("a space or a colon"), std::string::npos);
}

// A library with the name of a part of libc is that part only if it lies beside libc.
TEST(closure, a_library_may_have_the_name_of_a_part_of_libc) {
  const made_files files;
  files.compile("-shared -fPIC -DNAME=futil lib.c -Wl,-soname,libutil.so.1 -o libutil.so.1");
  files.library("librt.so");
  files.program("app", "libutil.so.1 -L. -lrt");
  EXPECT_EQ(text_of(in_folder(files, "app")), "app:private libutil.so.1:private librt.so:private libc.so.6:shared");
  EXPECT_EQ(text_of(closure_of_plug_in("librt.so.1", files.path("app"))), "librt.so.1:shared");
}

TEST(closure, filters_of_other_libraries_are_refused) {
  const made_files files;
  files.library("libone.so", "-Wl,-f,libdeep.so");
  files.program("app", "-L. -lone");
  EXPECT_NE(refusal_of(files, "app").reason().find("is a filter of another library"), std::string::npos);
}

TEST(closure, what_is_missing_is_named_with_who_needs_it) {
  const made_files files;
  files.library("libdeep.so");
  files.library("libone.so", "-L. -ldeep");
  files.program("app", "-L. -lone -Wl,-rpath-link,.");
  fs::remove(files.path("libdeep.so"));
  const loader_refusal deep = refusal_of(files, "app");
  EXPECT_TRUE(deep.is_for_all());
  EXPECT_EQ(deep.reason(), "libdeep.so: not found; it is needed by " + files.path("libone.so"));
  fs::remove(files.path("libone.so"));
  EXPECT_EQ(refusal_of(files, "app").reason(), "libone.so: not found; it is needed by " + files.path("app"));
}

TEST(closure, a_version_that_is_missing_is_the_dynamic_linker_s_complaint) {
  const made_files files;
  std::ofstream(files.path("one.map")) << "ONE { *; };\n";
  std::ofstream(files.path("two.map")) << "TWO { *; };\n";
  std::ofstream(files.path("app.c")) << "int fone(void);\nint main(void) { return fone(); }\n";
  files.library("libone.so", "-Wl,--version-script=one.map");
  files.program("app", "-L. -lone");
  files.library("libone.so", "-Wl,--version-script=two.map");
  const loader_refusal refusal = refusal_of(files, "app");
  EXPECT_TRUE(refusal.is_for_all());
  EXPECT_NE(refusal.reason().find("version `ONE' not found"), std::string::npos) << refusal.reason();
}

TEST(closure, programs_that_cannot_be_there_twice_are_refused) {
  const made_files files;
  files.compile("-no-pie -fno-pie app.c -o fixed");
  files.compile("-static -no-pie app.c -o static");
  files.compile("-static-pie -fPIE app.c -o static_pie");
  files.library("libone.so");
  std::ofstream(files.path("script")) << "#!/bin/sh\n";
  std::ofstream(files.path("text")) << "hello\n";
  std::ofstream(files.path("malloc.c")) << "#include <stddef.h>\nvoid* malloc(size_t n) { (void)n; return 0; }\n"
                                           "void free(void* p) { (void)p; }\nint main(void) { return 0; }\n";
  files.compile("-fPIE -pie -fno-builtin -rdynamic malloc.c -o own_malloc");
  std::ofstream(files.path("inside.c"))
      << "const char* volatile name = \"PURE_LAUNCH_FD\";\nint main(void) { return name == 0; }\n";
  files.compile("-fPIE -pie inside.c -o inside");
  files.program("other_libc", "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1");
  struct {
    const char *name, *part;
  } constexpr cases[] = {{"fixed", "it is not position independent"},
                         {"static", "it is linked statically"},
                         {"static_pie", "it is linked statically"},
                         {"libone.so", "it is a library"},
                         {"script", "it is a script"},
                         {"text", "it is not an ELF file"},
                         {"own_malloc", "it has a malloc of its own"},
                         {"inside", "it has Pure inside"},
                         {"other_libc", "its dynamic linker is /lib/ld-musl-x86_64.so.1"}};
  for (const auto& [name, part] : cases) {
    const loader_refusal refusal = refusal_of(files, name);
    EXPECT_EQ(refusal.reason().rfind(part, 0), 0U) << name << ": " << refusal.reason();
    EXPECT_NE(std::string_view(refusal.what()).find("--ranks-as processes"), std::string_view::npos) << refusal.what();
    EXPECT_FALSE(refusal.is_for_all()) << name;
  }
  EXPECT_THROW(closure_of(files.path("nothing")), std::runtime_error);
}

#if defined(__x86_64__)
TEST(closure, text_relocations_are_refused_in_libraries_too) {
  const made_files files;
  std::ofstream(files.path("text.s")) << ".text\n.globl ftext\n.type ftext,@function\nftext: movabs $ftext, %rax\nret\n"
                                         ".section .note.GNU-stack,\"\"\n";
  files.compile("-shared -Wl,-z,notext text.s -o libtext.so");
  files.program("app", "-L. -ltext");
  EXPECT_EQ(refusal_of(files, "app").reason(), files.path("libtext.so") + " has text relocations");
}
#endif

// However a file is cut off, that is said, and the dynamic linker, whom it would kill, is not asked.
TEST(closure, damaged_files_are_refused) {
  const made_files files;
  files.program("app");
  const auto bytes = fs::file_size(files.path("app"));
  for (std::uintmax_t left : {bytes / 2, bytes / 4, std::uintmax_t{100}, std::uintmax_t{10}, std::uintmax_t{0}}) {
    fs::copy_file(files.path("app"), files.path("cut"), fs::copy_options::overwrite_existing);
    fs::resize_file(files.path("cut"), left);
    const loader_refusal refusal = refusal_of(files, "cut");
    EXPECT_FALSE(refusal.is_for_all()) << left;
    EXPECT_EQ(refusal.reason(), left >= 100 ? "its file is damaged, or cut off" : "it is not an ELF file") << left;
  }
}

// All that is read of it is there, but for the end of what its thread-local variables begin with.
TEST(closure, a_file_that_is_cut_off_in_its_thread_local_data_is_refused) {
  const made_files files;
  std::ofstream(files.path("app.c")) << "_Thread_local int data = 1;\nint main(void) { return data; }\n";
  files.program("app");
  std::fstream file(files.path("app"), std::ios::in | std::ios::out | std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  for (int i = 0; i < header.e_phnum; ++i) {
    const auto at = static_cast<std::streamoff>(header.e_phoff + static_cast<std::uint64_t>(i) * sizeof(Elf64_Phdr));
    Elf64_Phdr segment{};
    file.seekg(at);
    file.read(reinterpret_cast<char*>(&segment), sizeof segment);
    if (segment.p_type != PT_TLS) continue;
    segment.p_filesz += 1'000'000;
    segment.p_memsz += 1'000'000;
    file.seekp(at);
    file.write(reinterpret_cast<const char*>(&segment), sizeof segment);
  }
  ASSERT_TRUE(file.good());
  file.close();
  EXPECT_EQ(refusal_of(files, "app").reason(), "its file is damaged, or cut off");
}

TEST(closure, thread_local_variables_are_counted) {
  const made_files files;
  std::ofstream(files.path("app.c")) << "_Thread_local char pad[5000] __attribute__((aligned(128)));\n"
                                        "int main(void) { return pad[1]; }\n";
  std::ofstream(files.path("lib.c")) << "static _Thread_local int own;\nint NAME(void) { return ++own; }\n";
  files.library("libone.so", "-ftls-model=initial-exec");
  files.program("app", "-L. -lone");
  const program_closure closure = in_folder(files, "app");
  EXPECT_EQ(closure.tls_bytes, 5000U);
  EXPECT_EQ(closure.tls_alignment, 128U);
  EXPECT_GE(closure.static_tls_bytes, sizeof(int));
  EXPECT_LE(closure.static_tls_bytes, 64U);
}

TEST(closure, symbols_are_counted_with_either_hash_table) {
  const made_files files;
  std::ofstream(files.path("lib.c")) << "int other(void);\nint NAME(void) { return other(); }\n";
  for (const char* const style : {"gnu", "sysv", "both"}) {
    files.library("libone.so", fmt::format("-Wl,--hash-style={}", style));
    const object_file file(files.path("libone.so"));
    EXPECT_TRUE(file.defines("fone")) << style;
    EXPECT_FALSE(file.defines("other")) << style;
    const auto symbols = file.symbols();
    EXPECT_TRUE(std::any_of(symbols.begin(), symbols.end(), [&](auto& each) { return file.name_of(each) == "other"; }))
        << style;
  }
}

}  // namespace
