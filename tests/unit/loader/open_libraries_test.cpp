// Libraries that ranks of a process open: each rank in an order and a way of its own, from files that change; and what
// is left of them when they are closed, which is nothing. tests/loader/opening.c compares with processes.
#include "loader/open_libraries.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>

#include "support/program_of_two_ranks.hpp"

namespace {

using open_libraries_test = test_support::program_of_two_ranks;

TEST_F(open_libraries_test, are_shared_by_ranks_that_bind_them_alike) {
  source("app.c", "int main(void) { return 0; }");
  source("plug.c", "static int own; int plugged(void) { return ++own; }");
  library("plug");
  load();
  EXPECT_EQ(first->call("plugged", open(*first, "plug")), 1);
  const int objects = test_support::things_of_linker::now().objects;
  EXPECT_EQ(second->call("plugged", open(*second, "plug")), 1);
  EXPECT_EQ(test_support::things_of_linker::now().objects, objects + 1) << "an image, and no model";
}

TEST_F(open_libraries_test, are_bound_to_those_that_their_rank_has) {
  source("app.c", "int main(void) { return 0; }");
  source("user.c", "int which(void); int user(void) { return which(); }");
  library("user");
  for (const int each : {1, 2}) {
    const std::string name = fmt::format("p{}", each);
    source((name + ".c").c_str(), fmt::format("int which(void) {{ return {}; }}", each));
    library(name);
  }
  load();
  open(*first, "p1", RTLD_NOW | RTLD_GLOBAL), open(*first, "p2", RTLD_NOW | RTLD_GLOBAL);
  open(*second, "p2", RTLD_NOW | RTLD_GLOBAL), open(*second, "p1", RTLD_NOW | RTLD_GLOBAL);
  EXPECT_EQ(first->call("user", open(*first, "user")), 1);
  EXPECT_EQ(second->call("user", open(*second, "user")), 2);
}

/// The number of one that has been closed is another one's: what a library was bound to while the first was open says
/// nothing of a rank that has the second.
TEST_F(open_libraries_test, are_bound_anew_beside_another_that_has_the_number_of_one_that_is_closed) {
  source("app.c", "int main(void) { return 0; }");
  source("user.c", "int which(void) { return 1; } int user(void) { return which(); }");
  library("user");
  source("unrelated.c", "int unrelated(void) { return 0; }");
  library("unrelated");
  source("chosen.c", "int which(void) { return 2; }");
  library("chosen");
  load();
  void* const unrelated = open(*first, "unrelated", RTLD_NOW | RTLD_GLOBAL);
  void* const user = open(*first, "user");
  EXPECT_EQ(first->call("user", user), 1);
  close(*first, unrelated);
  open(*second, "chosen", RTLD_NOW | RTLD_GLOBAL);
  EXPECT_EQ(second->call("user", open(*second, "user")), 2) << "it is bound as in the first rank";
  EXPECT_EQ(first->call("user", user), 1);
}

/// A call that was linked when its library had no versions, and is bound when it is made, gets the oldest, as any other
/// such call; dlsym, the newest.
TEST_F(open_libraries_test, give_the_oldest_version_to_a_late_call_that_asks_for_none) {
  source("app.c", "int main(void) { return 0; }");
  source("user.c", "int which(void); int user(void) { return which(); }");
  library("user");
  source("versions.c",
         "__asm__(\".symver before, which@ONE\\n.symver now, which@@TWO\");\n"
         "int before(void) { return 1; } int now(void) { return 2; }");
  source("map", "ONE { global: which; }; TWO { global: which; } ONE;");
  library("versions", "-Wl,--version-script=map");
  load();
  void* const user = open(*first, "user", RTLD_LAZY);
  void* const versions = open(*first, "versions", RTLD_NOW | RTLD_GLOBAL);
  const int number = first->images.object_at(reinterpret_cast<std::uint64_t>(first->find<int()>("user", user)));
  const auto& file = first->images.object(number).file;
  std::uint64_t relocation = 0;
  const auto name = [&] { return file.name_of(file.symbols()[ELF64_R_SYM(file.calls()[relocation].r_info)]); };
  while (relocation < file.calls().size() && name() != "which") ++relocation;
  ASSERT_LT(relocation, file.calls().size());
  const std::uint64_t bound = first->libraries.bind_late(number, relocation);
  EXPECT_EQ(reinterpret_cast<int (*)()>(bound)(), 1);
  EXPECT_EQ(first->call("which", versions), 2);
}

/// Names by which a library was opened go with it: another has its number then, and has not its names.
TEST_F(open_libraries_test, are_not_known_by_names_of_those_that_are_closed) {
  source("app.c", "int main(void) { return 0; }");
  source("closed.c", "int which(void) { return 1; }");
  library("closed");
  source("next.c", "int which(void) { return 2; }");
  library("next");
  load();
  close(*first, open(*first, "closed"));
  void* const next = open(*first, "next");
  EXPECT_EQ(first->call("which", open(*first, "closed")), 1);
  EXPECT_EQ(first->call("which", next), 2);
}

/// What one has found in another keeps that, as long as both are there; others have their numbers then.
TEST_F(open_libraries_test, are_kept_by_what_has_found_something_in_them_and_by_nothing_else) {
  source("app.c", "int main(void) { return 0; }");
  for (const char* const each : {"finder", "found", "third", "fourth"}) {
    source((std::string(each) + ".c").c_str(), fmt::format("int of_{}(void) {{ return 1; }}", each));
    library(each);
  }
  load();
  const auto is_loaded = [&](const char* name) {
    return std::filesystem::exists(files.path(name)) && test_support::is_mapped(files.path(name));
  };
  void* const finder = open(*first, "finder");
  void* const found = open(*first, "found", RTLD_NOW | RTLD_GLOBAL);
  const auto* const caller = reinterpret_cast<const void*>(first->find<int()>("of_finder", finder));
  ASSERT_NE(first->libraries.find(RTLD_DEFAULT, "of_found", nullptr, caller), nullptr);
  close(*first, found);
  EXPECT_TRUE(is_loaded("libfound.so")) << "the finder may call it";
  close(*first, finder);
  EXPECT_FALSE(is_loaded("libfound.so"));
  void* const third = open(*first, "third");
  void* const fourth = open(*first, "fourth");
  close(*first, fourth);
  EXPECT_FALSE(is_loaded("libfourth.so")) << "it has the number of what was found, and the third that of the finder";
  close(*first, third);
}

TEST_F(open_libraries_test, are_read_anew_when_the_file_is_another) {
  source("app.c", "int main(void) { return 0; }");
  source("plug.c", "int plugged(void) { return 1; }");
  library("plug");
  load();
  void* const before = open(*first, "plug");
  source("plug.c", "int plugged(void) { return 2; }");
  std::filesystem::remove(files.path("libplug.so"));
  library("plug");
  EXPECT_EQ(second->call("plugged", open(*second, "plug")), 2);
  EXPECT_EQ(open(*first, "plug"), before) << "as dlopen, which has one of that name";
  EXPECT_EQ(first->call("plugged", before), 1);
  close(*first, before), close(*first, before);
  EXPECT_EQ(first->call("plugged", open(*first, "plug")), 2);
}

TEST_F(open_libraries_test, have_new_thread_locals_each_time) {
  source("app.c", "int main(void) { return 0; }");
  source("plug.c", "static _Thread_local int own = 5, none; int plugged(void) { return ++own * 10 + ++none; }");
  library("plug");
  load();
  open(*second, "plug");  // they share the model, until one of the two has had its variables
  for (int i = 0; i < 3; ++i) {
    void* const handle = open(*first, "plug");
    EXPECT_EQ(first->call("plugged", handle), 61) << i;
    EXPECT_EQ(first->call("plugged", handle), 72) << i;
    close(*first, handle);
  }
}

TEST_F(open_libraries_test, are_open_before_their_constructors_run) {
  source("app.c", "int main(void) { return 0; }");
  source("plug.c",
         "static int is_whole; int plugged(void) { return is_whole; }\n"
         "extern void (*meanwhile)(void);\n"
         "__attribute__((constructor)) static void b(void) { meanwhile(); is_whole = 1; }");
  library("plug");
  source("other.c", "int other(void) { return 7; }");
  library("other");
  source("app.c", "void (*meanwhile)(void); int main(void) { return 0; }");
  load();
  static std::function<void()> opens_and_closes;
  opens_and_closes = [&] { close(*first, open(*first, "other")); };
  *first->find<void (*)()>("meanwhile") = [] { opens_and_closes(); };
  EXPECT_EQ(first->call("plugged", open(*first, "plug")), 1);
}

TEST_F(open_libraries_test, leave_nothing_behind_when_they_are_closed) {
  source("app.c", "int main(void) { return 0; }");
  source("deep.c", "_Thread_local int of_thread; int deep(void) { return ++of_thread; }");
  library("deep");
  source("plug.c", "int deep(void); int plugged(void) { return deep(); }");
  library("plug", "-L. -ldeep -Wl,-rpath,'$ORIGIN'");
  load();
  for (int i = 0; i < 3; ++i) {
    void* const handle = open(*first, "plug");
    void* const in_second = open(*second, "plug");
    EXPECT_EQ(first->call("plugged", handle), 1);
    void* const deep = open(*first, "deep");
    close(*first, handle);
    EXPECT_EQ(first->call("deep", deep), 2) << "opened by itself, too";
    close(*first, deep), close(*second, in_second);
    EXPECT_EQ(test_support::things_of_linker::now(), loaded) << i;
  }
}

}  // namespace
