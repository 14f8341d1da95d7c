// --trace: the timeline of a job in a file, in the JSON that chrome://tracing and Perfetto open. docs/trace.md has the
// format.
#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/job.hpp"

namespace pure::core {

class trace_file {
 public:
  /// Opens the file, empty, before the job starts: what can go wrong goes wrong now. The second job of a process writes
  /// to "name.2.json", and so on. Throws pure::Error (argument).
  explicit trace_file(const std::string& path, int process = -1);

  /// What all workers have recorded. They may still run. Any thread; the first call counts, and others wait for its
  /// end: two ranks may end a job at the same time. Warns on stderr if something is missing.
  void write(const job& recorded) noexcept;

 private:
  struct closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  std::mutex writing_;
  std::string path_;
  std::unique_ptr<std::FILE, closer> file_;
  std::int64_t start_ns_;
};

}  // namespace pure::core
