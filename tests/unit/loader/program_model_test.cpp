// A program's objects, once for each of two ranks: what each has for itself, to what its parts are bound, and libraries
// that ranks open. The programs are made here, with the C compiler; the ranks are two sets of images in this process,
// and nobody runs main.
#include "loader/program_model.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "loader/machine.hpp"
#include "support/program_of_two_ranks.hpp"

namespace {

using namespace pure::core;

using test_support::rank_of_test;
using program_model_test = test_support::program_of_two_ranks;

TEST_F(program_model_test, each_rank_has_its_own_globals) {
  source("one.c", "static int calls; int* where = &calls; int bump(void) { return ++*where; }");
  library("one");
  source("app.c",
         "int own = 5; int more(void) { return ++own; } int bump(void); int both(void) { return bump() + more(); }"
         "int main(void) { return 0; }");
  load("-lone");
  EXPECT_EQ(first->call("bump"), 1);
  EXPECT_EQ(first->call("bump"), 2);
  EXPECT_EQ(second->call("bump"), 1);
  EXPECT_EQ(first->call("more"), 6);
  EXPECT_EQ(first->call("both"), 3 + 7);
  EXPECT_EQ(second->call("both"), 2 + 6);
  EXPECT_NE(first->find<int>("own"), second->find<int>("own"));
}

// A COPY relocation: the program has the variable of its library.
TEST_F(program_model_test, a_copied_variable_is_one_for_a_rank) {
  source("one.c", "int shared_by_both[3] = {1, 2, 3}; int* of_library(void) { return shared_by_both; }");
  library("one");
  source("app.c",
         "extern int shared_by_both[3]; int* of_program(void) { return shared_by_both; }\n"
         "int main(void) { return 0; }");
  load("-lone");
  int* const in_first = first->find<int*()>("of_program")();
  EXPECT_EQ(in_first, first->find<int*()>("of_library")());
  EXPECT_EQ(in_first[2], 3);
  int* const in_second = second->find<int*()>("of_program")();
  EXPECT_EQ(in_second, second->find<int*()>("of_library")());
  EXPECT_NE(in_first, in_second);
}

// STT_GNU_IFUNC: who chooses it may change a variable, of the rank.
TEST_F(program_model_test, functions_are_chosen_by_each_rank) {
  source("one.c",
         "int chosen = 1; static int two(void) { return 2; }\n"
         "static void* choose(void) { chosen += 6; return two; }\n"
         "int which(void) __attribute__((ifunc(\"choose\")));\n"
         "static int own(void) __attribute__((ifunc(\"choose\")));\n"
         "int call_own(void) { return own(); }");
  library("one");
  source("app.c", "int which(void); int call_which(void) { return which(); } int main(void) { return 0; }");
  load("-lone");
  for (rank_of_test* const rank : {first, second}) {
    EXPECT_EQ(rank->call("call_which"), 2);
    EXPECT_EQ(rank->call("call_own"), 2);
    EXPECT_EQ(*rank->find<int>("chosen"), 1 + 2 * 6) << "by the program, and by the library";
  }
}

// Behind the end of the file the memory of a segment is zero, also where nobody writes.
TEST_F(program_model_test, constants_may_be_longer_than_the_file) {
  source("one.c", "int one(void) { return 1; }");
  library("one");
  source("app.c", "int one(void); int main(void) { return one(); }");
  const std::string path = files.path("libone.so");
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const object_file object(path);
    std::size_t place = 0, index = 0;
    for (const Elf64_Phdr& each : object.segments()) {
      if (each.p_type == PT_LOAD && (each.p_flags & (PF_W | PF_X)) == 0 && each.p_filesz % 4096 < 4000) place = index;
      ++index;
    }
    Elf64_Phdr longer = object.segments()[place];
    longer.p_memsz = longer.p_filesz + 16;
    Elf64_Ehdr header{};
    std::memcpy(&header, object.content().data(), sizeof header);
    file.seekp(static_cast<std::streamoff>(header.e_phoff + place * sizeof longer));
    file.write(reinterpret_cast<const char*>(&longer), sizeof longer);
  }
  load("-lone");
  EXPECT_EQ(first->call("one"), 1);
}

TEST_F(program_model_test, the_program_s_functions_come_first) {
  source("one.c",
         "int which(void) { return 2; } int call_which(void) { return which(); }"
         "int (*kept)(void) = which; int call_kept(void) { return kept(); }");
  library("one");
  source("app.c", "int which(void) { return 1; } int call_which(void); int main(void) { return call_which(); }");
  load("-lone");
  EXPECT_EQ(first->call("call_which"), 1);
  EXPECT_EQ(second->call("call_kept"), 1);
}

// libc's abs is there before the program is.
TEST_F(program_model_test, the_program_comes_before_what_is_shared) {
  source("one.c", "int abs(int); int call_abs(void) { int (*volatile function)(int) = abs; return function(-3); }");
  library("one", "-fno-builtin");
  source("app.c", "int abs(int x) { return x * 100; } int main(void) { return 0; }");
  load("-lone -fno-builtin");
  EXPECT_EQ(first->call("call_abs"), -300);
}

TEST_F(program_model_test, functions_of_libc_are_replaced_for_private_objects) {
  source("one.c",
         "#include <unistd.h>\nint pid(void) { return getpid(); } pid_t (*kept)(void) = getpid;"
         "int kept_pid(void) { return kept(); }");
  library("one");
  source("app.c", "#include <unistd.h>\nint program_pid(void) { return getpid(); } int main(void) { return 0; }");
  load("-lone");
  for (const char* const each : {"pid", "kept_pid", "program_pid"}) EXPECT_EQ(first->call(each), 4711) << each;
  EXPECT_NE(getpid(), 4711);
  EXPECT_EQ(first->find<int()>("getpid")(), 4711) << "by dlsym";
}

TEST_F(program_model_test, each_thread_has_a_library_s_thread_local_variables_of_its_rank) {
  source("one.c",
         "#include <unistd.h>\n"
         "static int global = 7; static _Thread_local int* to = &global; static _Thread_local int own = 3;"
         "static _Thread_local pid_t (*pid)(void) = getpid; int call_pid(void) { return pid(); }"
         "int bump(void) { return ++own * 100 + ++*to; }");
  library("one");
  source("app.c", "int bump(void); int main(void) { return bump(); }");
  load("-lone");
  const auto in_thread_of = [](rank_of_test& rank, const char* name = "bump") {
    int result = 0;
    std::thread([&] {
      rank.images.begin_thread();
      result = rank.call(name);
    }).join();
    return result;
  };
  EXPECT_EQ(in_thread_of(*first), 408);
  EXPECT_EQ(in_thread_of(*first), 409);
  EXPECT_EQ(in_thread_of(*second), 408);
  EXPECT_EQ(in_thread_of(*first, "call_pid"), 4711) << "the function in place of libc's";
}

TEST_F(program_model_test, constructors_run_what_is_needed_first_and_destructors_the_other_way) {
  source("deep.c",
         "char log_of_all[100]; static char* next = log_of_all; void note(char c) { *next++ = c; }\n"
         "__attribute__((constructor)) static void b(void) { note('d'); }\n"
         "__attribute__((destructor)) static void e(void) { note('D'); }");
  library("deep");
  for (const char* const name : {"left", "right"}) {
    source(
        (std::string(name) + ".c").c_str(),
        fmt::format("void note(char); __attribute__((constructor)) static void b(void) {{ note('{0}'); }}\n"
                    "__attribute__((destructor)) static void e(void) {{ note('{1}'); }} int {2}(void) {{ return 0; }}",
                    name[0], name[0] == 'l' ? 'L' : 'R', name));
    library(name, "-L. -ldeep");
  }
  source(
      "app.c",
      "void note(char); __attribute__((constructor)) static void b(int n, char** v) { note(n == 2 ? v[1][0] : '?'); }\n"
      "__attribute__((destructor)) static void e(void) { note('A'); } int main(void) { return 0; }");
  load("-ldeep -lleft -lright");
  char name[] = "app", argument[] = "x";
  char* arguments[] = {name, argument, nullptr};
  first->constructed.set_arguments(2, arguments);
  first->construct();
  first->construct();
  EXPECT_STREQ(first->find<char>("log_of_all"), "drlx");
  EXPECT_STREQ(second->find<char>("log_of_all"), "");
  first->libraries.destroy_all();
  first->libraries.destroy_all();
  EXPECT_STREQ(first->find<char>("log_of_all"), "drlxALRD");
}

// As libc, which waits at exit for whoever is opening something.
TEST_F(program_model_test, destructors_wait_for_constructors_that_another_thread_runs) {
  source("app.c", "int begun, may_end, ended = -1; int main(void) { return 0; }");
  source("plug.c",
         "extern int begun, may_end, ended; static int is_whole;\n"
         "__attribute__((constructor)) static void b(void) {\n"
         "  __atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);\n"
         "  while (!__atomic_load_n(&may_end, __ATOMIC_SEQ_CST)) continue;\n"
         "  is_whole = 1;\n"
         "}\n"
         "__attribute__((destructor)) static void e(void) { ended = is_whole; }");
  library("plug");
  load();
  int& begun = *first->find<int>("begun");
  int& may_end = *first->find<int>("may_end");
  std::thread opening([&] { open(*first, "plug"); });
  while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) == 0) std::this_thread::yield();
  std::future<void> end = std::async(std::launch::async, [&] { first->libraries.destroy_all(); });
  // Nobody can tell that it waits: but if it does not, this is long enough.
  EXPECT_EQ(end.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
  __atomic_store_n(&may_end, 1, __ATOMIC_SEQ_CST);
  opening.join();
  end.get();
  EXPECT_EQ(*first->find<int>("ended"), 1);
}

TEST_F(program_model_test, a_plug_in_is_the_rank_s_and_begins_anew) {
  source("app.c", "int calls; int bump(void) { return ++calls; } int main(void) { return 0; }");
  source("plug.c",
         "int bump(void); static int own; int plugged(void) { return bump() * 10 + ++own; }\n"
         "__attribute__((constructor)) static void b(void) { bump(); }\n"
         "__attribute__((destructor)) static void e(void) { bump(); }");
  library("plug");
  load();
  EXPECT_EQ(open(*first, "plug", RTLD_NOW | RTLD_NOLOAD), nullptr);
  void* const handle = open(*first, "plug");
  ASSERT_NE(handle, nullptr);
  EXPECT_EQ(open(*first, "plug", RTLD_NOW | RTLD_NOLOAD), handle);
  EXPECT_EQ(open(*second, "plug", RTLD_NOW | RTLD_NOLOAD), nullptr);
  EXPECT_EQ(first->call("plugged", handle), 21);
  EXPECT_EQ(first->libraries.find(RTLD_DEFAULT, "plugged", nullptr, nullptr), nullptr) << "RTLD_LOCAL";
  EXPECT_EQ(first->libraries.find(handle, "bump", nullptr, nullptr), nullptr)
      << "the plug-in does not need the program";
  void* const in_second = open(*second, "plug", RTLD_NOW | RTLD_GLOBAL);
  EXPECT_EQ(second->call("plugged", in_second), 21);
  EXPECT_EQ(second->call("plugged"), 32) << "RTLD_GLOBAL";
  stays = true;  // as the program has got its address by RTLD_DEFAULT
  close(*first, handle);
  EXPECT_EQ(*first->find<int>("calls"), 2) << "it was opened twice";
  close(*first, handle);
  EXPECT_EQ(*first->find<int>("calls"), 3) << "its destructor has run";
  EXPECT_EQ(open(*first, "plug", RTLD_NOW | RTLD_NOLOAD), nullptr);
  void* const again = open(*first, "plug");
  EXPECT_EQ(first->call("plugged", again), 51);
}

// The library of both is new to the process with the first one; the second rank opens only the other.
TEST_F(program_model_test, a_library_of_two_plug_ins_is_there_with_either) {
  source("app.c", "int main(void) { return 0; }");
  source(
      "deep.c",
      "int calls; int deep(void) { return ++calls; } __attribute__((constructor)) static void b(void) { calls = 10; }");
  library("deep");
  for (const char* const name : {"left", "right"}) {
    source((std::string(name) + ".c").c_str(), fmt::format("int deep(void); int {}(void) {{ return deep(); }}", name));
    library(name, "-L. -ldeep -Wl,-rpath,'$ORIGIN'");
  }
  load();
  void* const left = open(*first, "left");
  EXPECT_EQ(first->call("left", left), 11);
  void* const right = open(*second, "right");
  EXPECT_EQ(second->call("right", right), 11);
  void* const both = open(*first, "right");
  EXPECT_EQ(first->call("right", both), 12);
  close(*first, left);
  EXPECT_EQ(first->call("right", both), 13) << "the library is needed still";
}

TEST_F(program_model_test, a_plug_in_that_is_refused_leaves_nothing_behind) {
  source("app.c", "int main(void) { return 0; }");
  source("plug.c", "int nowhere(void); int (*pointer)(void) = nowhere; int plugged(void) { return pointer(); }");
  library("plug");
  load();
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW({ open(*first, "plug"); }, std::runtime_error);
  }
  source("other.c", "int other(void) { return 8; }");
  library("other");
  EXPECT_EQ(first->call("other", open(*first, "other")), 8);
  source("plug.c", "int plugged(void) { return 9; }");
  std::filesystem::remove(files.path("libplug.so"));
  library("plug");
  EXPECT_EQ(first->call("plugged", open(*first, "plug")), 9);
  EXPECT_EQ(second->call("plugged", open(*second, "plug")), 9);
}

TEST_F(program_model_test, ranks_may_open_at_the_same_time) {
  source("app.c", "int main(void) { return 0; }");
  constexpr int number = 4;
  for (int i = 0; i < number; ++i) {
    const std::string name = fmt::format("p{}", i);
    source((name + ".c").c_str(), fmt::format("static int own; int f(void) {{ return ++own * 10 + {}; }}", i));
    library(name);
  }
  load();
  const auto open_all = [&](rank_of_test& rank, int begin) {
    rank.images.begin_thread();
    for (int i = 0; i < number; ++i) {
      const int which = (begin + i) % number;
      EXPECT_EQ(rank.call("f", open(rank, fmt::format("p{}", which))), 10 + which);
    }
  };
  std::thread other([&] { open_all(*second, 2); });
  open_all(*first, 0);
  other.join();
}

TEST_F(program_model_test, relocations_that_it_does_not_know_are_refused) {
  source("app.c", "int main(void) { return 0; }");
  source("plug.c", "int own; int* pointer = &own; int plugged(void) { return *pointer; }");
  library("plug");
  load();
  std::uint64_t offset = 0;
  {
    const loadable_object object(files.path("libplug.so"));
    object.each_relocation([&](const Elf64_Rela& each) {
      if (type_of(each) == relocation::word)
        offset = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(&each.r_info) - object.content().data());
    });
  }
  ASSERT_NE(offset, 0U);
  std::fstream file(files.path("libplug.so"), std::ios::in | std::ios::out | std::ios::binary);
  const std::uint32_t unknown = 0x77;
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(reinterpret_cast<const char*>(&unknown), sizeof unknown);
  file.close();
  EXPECT_THROW({ open(*first, "plug"); }, std::runtime_error);
}

}  // namespace
