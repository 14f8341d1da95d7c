// What a rank needs that opens a library: where the library is found, and what of it is each rank's own.

#include "loader/closure.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "loader/loader_refusal.hpp"
#include "support/closure_text.hpp"
#include "support/made_objects.hpp"

namespace {

using namespace pure::core;
using test_support::made_files;
using test_support::text_of;
namespace fs = std::filesystem;

TEST(plug_in_closure, a_plug_in_is_found_as_dlopen_finds_it) {
  const made_files files;
  fs::create_directory(files.path("plugins"));
  files.library("libdeep.so");
  files.library("plugins/libplug.so", "-L. -ldeep");
  files.program("app", "-Wl,-rpath,'$ORIGIN/plugins'");
  const std::string search = "LD_LIBRARY_PATH=" + files.folder().string();
  const char* const environment[] = {search.c_str(), nullptr};
  for (const std::string& name : {std::string("libplug.so"), files.path("plugins/libplug.so")}) {
    const program_closure closure = closure_of_plug_in(name, files.path("app"), environment);
    EXPECT_EQ(text_of(closure), "libplug.so:private libdeep.so:private libc.so.6:shared");
    EXPECT_EQ(closure.objects[0].name, name);
    EXPECT_EQ(closure.objects[0].needs, (std::vector<std::size_t>{1, 2}));
  }
  EXPECT_EQ(text_of(closure_of_plug_in("libm.so.6", files.path("app"), environment)), "libm.so.6:shared");
  EXPECT_THROW(closure_of_plug_in("libnowhere.so", files.path("app"), environment), loader_refusal);
  fs::create_directory(files.path("a folder"));
  fs::copy_file(files.path("plugins/libplug.so"), files.path("a folder/libplug.so"));
  EXPECT_EQ(text_of(closure_of_plug_in(files.path("a folder/libplug.so"), files.path("app"), environment)),
            "libplug.so:private libdeep.so:private libc.so.6:shared");
}

TEST(plug_in_closure, a_plug_in_may_need_the_library_that_opens_it) {
  const made_files files;
  files.library("libopener.so");
  files.library("libplug.so", "-L. -lopener");
  files.program("app", "-L. -lopener");
  const std::string search = "LD_LIBRARY_PATH=" + files.folder().string();
  const char* const environment[] = {search.c_str(), nullptr};
  for (const char* const opener : {"app", "libopener.so"}) {
    const program_closure closure = closure_of_plug_in(files.path("libplug.so"), files.path(opener), environment);
    EXPECT_EQ(text_of(closure), "libplug.so:private libopener.so:private libc.so.6:shared") << opener;
  }
}

TEST(plug_in_closure, a_library_beside_libc_that_is_no_part_of_it_is_each_rank_s) {
  const made_files files;
  files.program("app");
  const char* const environment[] = {nullptr};
  // The result of crypt() is in memory of its library.
  EXPECT_EQ(text_of(closure_of_plug_in("libcrypt.so.1", files.path("app"), environment)),
            "libcrypt.so.1:private libc.so.6:shared");
}

}  // namespace
