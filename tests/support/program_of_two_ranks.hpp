// A program that a test makes, loaded for two ranks of this process; nobody runs main. At the end of each test what its
// ranks have opened is closed, and then nothing of it is left: no image, no handle, no descriptor.
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/open_accounts.hpp"
#include "loader/closure.hpp"
#include "loader/constructed_objects.hpp"
#include "loader/machine.hpp"
#include "loader/open_libraries.hpp"
#include "loader/program_model.hpp"
#include "loader/rank_images.hpp"
#include "support/made_objects.hpp"

namespace test_support {

using namespace pure::core;

inline pid_t pid_of_rank() { return 4711; }
inline const replacement replaced_pid = replaced_by("getpid", pid_of_rank);

/// What the dynamic linker and the kernel have for this process.
struct things_of_linker {
  int objects = 0, mappings = 0, descriptors = 0;

  static things_of_linker now() {
    things_of_linker all;
    dl_iterate_phdr([](dl_phdr_info*, std::size_t, void* count) { return ++*static_cast<int*>(count), 0; },
                    &all.objects);
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) all.mappings += line.find('/') != std::string::npos ? 1 : 0;
    for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) ++all.descriptors;
    return all;
  }
  friend bool operator==(const things_of_linker&, const things_of_linker&) = default;
  friend std::ostream& operator<<(std::ostream& to, const things_of_linker& its) {
    return to << its.objects << " objects, " << its.mappings << " mappings, " << its.descriptors << " descriptors";
  }
};

/// Whether this process maps the file.
inline bool is_mapped(const std::string& path) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.size() > path.size() && line.compare(line.size() - path.size(), path.size(), path) == 0) return true;
  return false;
}

/// A rank's program, as rank_program has it, without what libc keeps.
struct rank_of_test {
  explicit rank_of_test(program_model& model) : images(model, 0, variables) {
    variables.environment = &environ;
    images.load(model.program());
    images.begin_thread();
  }
  /// A symbol of whatever object has it first.
  template <class T>
  T* find(const char* name, void* handle = RTLD_DEFAULT) {
    void* const found = libraries.find(handle, name, nullptr, nullptr);
    if (found == nullptr) throw std::runtime_error(name);
    return reinterpret_cast<T*>(found);
  }
  int call(const char* name, void* handle = RTLD_DEFAULT) { return find<int()>(name, handle)(); }
  void construct() {
    for (const model_object* const each : images.model().program().constructors)
      constructed.construct(each->number, nullptr);
  }

  int own_optind = 1;
  libc_variables variables{};
  rank_images images;
  constructed_objects constructed{images};
  exit_handlers handlers;
  open_libraries libraries{images, constructed, handlers};
  std::vector<void*> opened{};  // by tests, once for each opening
};

class program_of_two_ranks : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_load_programs) GTEST_SKIP() << "loading programs: not on this processor";
  }
  void source(const char* name, const std::string& text) const { std::ofstream(files.path(name)) << text; }
  /// NAME.c becomes libNAME.so.
  void library(const std::string& name, const std::string& more = "") const {
    files.compile(fmt::format("-shared -fPIC {0}.c {1} -o lib{0}.so", name, more));
  }
  void load(const std::string& more = "") {
    files.program("app", "-rdynamic -Wl,-rpath,'$ORIGIN' -L. " + more);
    // As in a process that loads a program, they stay: the dynamic linker knows the copies by their names for ever.
    static auto* const models = new std::deque<program_model>;
    static auto* const ranks = new std::deque<rank_of_test>;
    static const auto* const replaced = new replaced_functions({{&replaced_pid, 1}});
    program_model& model = models->emplace_back(closure_of(files.path("app")), *replaced);
    first = &ranks->emplace_back(model);
    second = &ranks->emplace_back(model);
    loaded = things_of_linker::now();
  }
  /// What ranks have opened is closed; then nothing is left of it.
  void TearDown() override {
    if (first == nullptr) return;
    for (rank_of_test* const rank : {first, second})
      while (!rank->opened.empty()) close(*rank, rank->opened.back());
    if (stays) return;
    open_accounts left;
    first->images.model().add_open_accounts(left);
    for (rank_of_test* const rank : {first, second}) rank->libraries.add_open_accounts(left);
    EXPECT_EQ(left.text(), "");
    EXPECT_EQ(things_of_linker::now(), loaded);
  }
  void* open(rank_of_test& rank, const std::string& name, int mode = RTLD_NOW) const {
    void* const handle = rank.libraries.open(files.path("lib" + name + ".so").c_str(), mode, nullptr);
    if (handle != nullptr) rank.opened.push_back(handle);
    return handle;
  }
  static void close(rank_of_test& rank, void* handle) {
    const auto one = std::find(rank.opened.begin(), rank.opened.end(), handle);
    if (one != rank.opened.end()) rank.opened.erase(one);
    rank.libraries.close(*rank.libraries.known(handle));
  }

  const made_files files;
  rank_of_test *first = nullptr, *second = nullptr;
  things_of_linker loaded;  // by load()
  bool stays = false;       // something that is open for ever
};

}  // namespace test_support
