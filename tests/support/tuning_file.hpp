// Tables of PURE_TUNING that nobody would want, for tests: every algorithm at every size, whatever is best.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

#include <fmt/core.h>
#include <unistd.h>

#include "support/oracle/dice.hpp"

namespace test_support {

/// A file with a random table, for as long as it lives.
class tuning_file {
 public:
  explicit tuning_file(std::uint64_t seed) {
    char path[] = "/tmp/pure_tuning_XXXXXX";
    const int file = mkstemp(path);
    if (file < 0) throw std::runtime_error("no temporary file");
    close(file);
    path_ = path;
    std::ofstream(path_) << random_table(seed);
  }
  ~tuning_file() { unlink(path_.c_str()); }
  tuning_file(const tuning_file&) = delete;
  tuning_file& operator=(const tuning_file&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  static std::string random_table(std::uint64_t seed) {
    static constexpr const char* names[] = {"barrier",        "bcast",  "reduce",  "allreduce", "scan",    "exscan",
                                            "reduce_scatter", "gather", "scatter", "allgather", "alltoall"};
    static constexpr int copied[] = {8, 48, 100, 2048, 10'000, 65'536}, radices[] = {0, 2, 3, 4, 7, 1024};
    oracle::dice dice(seed);
    std::string rows;
    for (const char* const name : names) {
      for (const bool shared_cores : {false, true}) {
        rows += fmt::format(
            R"({}{{"collective": "{}", "shared_cores": {}, "copied_bytes": {}, "tree_radix": {}, "piece_bytes": {}}})",
            rows.empty() ? "" : ",\n", name, shared_cores, copied[dice.below(6)], radices[dice.below(6)],
            dice.chance(70) ? 1024 : 20'000);
      }
    }
    return "{\"collectives\": [\n" + rows + "]}\n";
  }

  std::string path_;
};

}  // namespace test_support
