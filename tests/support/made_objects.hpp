// Programs and libraries that a test makes with the C compiler, in a folder that goes with the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <fmt/core.h>

namespace test_support {

namespace fs = std::filesystem;

class made_files {
 public:
  made_files() {
    std::string name = (fs::temp_directory_path() / "made_objects.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("there can be no folder " + name);
    folder_ = name;
    std::ofstream(folder_ / "lib.c") << "int NAME(void) { return 1; }\n";
    std::ofstream(folder_ / "app.c") << "int main(void) { return 0; }\n";
  }
  made_files(const made_files&) = delete;
  made_files& operator=(const made_files&) = delete;
  ~made_files() { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] const fs::path& folder() const noexcept { return folder_; }

  /// In the folder, by the C compiler; libraries are needed although nothing of them is used.
  void compile(const std::string& words) const {
    const std::string command = fmt::format("cd {} && cc -O0 -Wl,--no-as-needed {}", folder_.string(), words);
    if (std::system(command.c_str()) != 0) throw std::runtime_error(command);  // NOLINT(concurrency-mt-unsafe)
  }
  /// Of no SONAME but what `more` says. Its function, of libone.so: fone().
  void library(const std::string& name, const std::string& more = "") const {
    const std::string function = "f" + fs::path(name).stem().string().substr(3);
    compile(fmt::format("-shared -fPIC -DNAME={} lib.c {} -o {}", function, more, name));
  }
  void program(const std::string& name, const std::string& more = "") const {
    compile(fmt::format("-fPIE -pie app.c {} -o {}", more, name));
  }

 private:
  fs::path folder_;
};

}  // namespace test_support
