// The segment of a job, made by who starts its processes, or by one of them, and opened by each of them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "machine/shared_segment.hpp"
#include "net_shm/segment.hpp"
#include "net_shm/segment_file.hpp"
#include "net_shm/starter.hpp"

namespace pure::net_shm {

/// Who makes a segment.
enum class segment_maker {
  starter,  ///< of the processes, before it starts them: they hear when it has ended (net_shm/starter.hpp)
  process   ///< one of them: whoever has started them all ends them, if this one is lost
};

/// By a starter: has to last as long as the processes. By a process: until all others have opened it.
class job_segment {
 public:
  /// Throws pure::Error (no_memory) that says what cannot be had.
  explicit job_segment(int processes, segment_maker by = segment_maker::starter);

  /// For the processes (base/passed_file.hpp): of the memory, and behind a comma of the starter's pipe, if there is
  /// one.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// How far the process of that number is.
  [[nodiscard]] process_stage stage_of(int process) const noexcept {
    return front().row(process).stage.load(std::memory_order_relaxed);
  }
  /// The pid of that process; 0: it has not come, or numbers processes otherwise than this one (a namespace).
  [[nodiscard]] pid_t pid_of(int process) const noexcept;
  [[nodiscard]] segment_view front() const noexcept { return {memory_.data(), plan_}; }
  [[nodiscard]] const core::owned_descriptor& descriptor() const noexcept { return file_; }
  /// Null: a process has made it.
  [[nodiscard]] const net_shm::starter* starter() const noexcept { return starter_ ? &*starter_ : nullptr; }

 private:
  segment_plan plan_;
  core::shared_segment memory_;
  core::owned_descriptor file_;  // that is inherited
  std::optional<net_shm::starter> starter_;
  std::string text_;
};

/// In a process of the job: the front of its segment.
class opened_segment {
 public:
  /// `text`: of job_segment. Throws pure::Error (state) if it is none, or of another version or number of processes.
  opened_segment(const char* text, int processes, segment_maker by = segment_maker::starter);
  /// The same that a job_segment of this process has.
  explicit opened_segment(const job_segment& of);

  [[nodiscard]] segment_view front() const noexcept { return {memory_.data(), plan_}; }
  /// By the holder of the network lock.
  [[nodiscard]] segment_file& file() const noexcept { return file_; }
  /// False for ever where a process has made it.
  [[nodiscard]] bool has_starter_ended() const noexcept { return starter_.has_starter_ended(); }

 private:
  void map(core::owned_descriptor file, const char* text);

  segment_plan plan_;
  const starter_watch starter_;
  core::shared_segment memory_;
  mutable segment_file file_;
};

}  // namespace pure::net_shm
