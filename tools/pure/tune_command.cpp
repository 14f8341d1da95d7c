#include "pure/tune_command.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <fmt/core.h>

#include "base/settings.hpp"
#include "runtime/topology.hpp"

namespace pure::tool {

namespace {

[[noreturn]] void refuse(const std::string& path) {
  const std::error_code why(errno, std::generic_category());
  throw std::runtime_error(fmt::format("--output {}: it cannot be written: {}", path, why.message()));
}

// Before minutes are spent on what then cannot be kept. Leaves no file, and leaves a file as it is.
void expect_writable(const std::string& path) {
  std::error_code ignored;
  const bool was_there = std::filesystem::exists(path, ignored);
  errno = 0;
  if (!std::ofstream(path, std::ios::app)) refuse(path);
  if (!was_there) std::filesystem::remove(path, ignored);
}

void write_table(const std::string& path, const tune_result& result) {
  errno = 0;
  std::ofstream file(path);
  file << core::tuning_file_text(result.rows);
  if (!file.flush()) refuse(path);
  file.close();
  const core::tuning readable(path);  // throws if it is not
}

void warn_of_what_disturbs() {
  const int cores = core::topology::of_this_machine().default_ranks();
  double load = 0;
  if (getloadavg(&load, 1) == 1 && load > 0.5 * cores) {
    fmt::print(stderr, "note: the machine is busy (load {:.1f} on {} cores): what is measured now may mean little\n",
               load, cores);
  }
  if (!core::read_settings().tuning.empty()) {
    fmt::print(stderr, "note: PURE_TUNING is set aside: the built-in table is what is compared with\n");
  }
}

}  // namespace

int run_tune(const tune_command& command) {
  warn_of_what_disturbs();
  if (!command.output.empty()) expect_writable(command.output);

  const auto start = std::chrono::steady_clock::now();
  const tune_result result = tune(command.options, [&](const std::string& part) {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fmt::print(stderr, "{:5.0f} s  {}\n", seconds.count(), part);
  });
  fmt::print("{}", tune_text(result));
  if (command.output.empty()) {
    fmt::print("Nothing is written. `pure bench tune --output FILE` writes the table, PURE_TUNING=FILE uses it.\n");
    return 0;
  }
  write_table(command.output, result);
  fmt::print("{} is written. PURE_TUNING={} uses it; `pure info --tuning` shows what is in force.\n", command.output,
             command.output);
  return 0;
}

}  // namespace pure::tool
