// --trace: the timeline of a job in a file, in the JSON that chrome://tracing and Perfetto open. docs/trace.md has the
// format.
//
// All processes of a job are in one file, with times on one clock, which process 0 writes when the job has ended well;
// the others send it their events, piece by piece. Of a job that ends badly, processes cannot meet any more: then each
// that gets to it has a file of its own.
#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/job.hpp"
#include "runtime/process_meeting.hpp"
#include "trace/common_clock.hpp"
#include "trace/trace_text.hpp"

namespace pure::core {

class trace_file {
 public:
  /// Opens the file, empty, before the job starts: what can go wrong goes wrong now. The second job of a process writes
  /// to "name.2.json", and so on. Throws pure::Error (argument), in all processes if there are several. `all`: of a job
  /// of several processes, each of which makes this call; outlives the file.
  explicit trace_file(const std::string& path, process_meeting* all = nullptr);

  /// What all workers have recorded, when they have returned. Collective. Warns on stderr if something is missing.
  void write(job& recorded);

  /// What those of this process have recorded, without other processes: when a job ends badly. They may still run. Any
  /// thread; the first call counts, and others wait for its end: two ranks may end a job at the same time.
  void write_own(const job& recorded) noexcept;

 private:
  struct closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  using open_file = std::unique_ptr<std::FILE, closer>;

  template <class AddOthers>
  void write_file(const job& recorded, const std::string& path, open_file file, const trace_head& head, trace_part part,
                  AddOthers add_others);
  void write_together(const job& recorded);
  [[nodiscard]] trace_head head_of(const job& recorded) const;
  [[nodiscard]] trace_part part_of(const job& recorded) const;
  void receive_all(const trace_text::taker& take);
  [[nodiscard]] std::string text_of_processes() const;

  process_meeting* const all_;
  const int number_;  // among the process's jobs
  const std::string asked_;
  const std::string path_;
  std::mutex writing_;
  bool is_written_ = false;
  open_file file_;
  common_clock clock_;
  std::int64_t start_ns_ = 0;  // by the common clock
};

}  // namespace pure::core
