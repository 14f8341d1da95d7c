// How the processes of a job hear that purerun, which has started them, has ended, also where a script stands between.
//
// A pipe: purerun alone holds its writing end, and writes nothing; the reading end is handed down. When purerun has
// ended, however that was, there is nothing more to read. No number of a process is looked at, which another one may
// have by then.
#pragma once

#include <string>

#include "base/guarded_descriptor.hpp"
#include "base/owned_descriptor.hpp"

namespace pure::net_shm {

/// For whoever finds that out.
inline constexpr auto starter_has_ended =
    "purerun has ended before the processes that it had started: somebody has killed it";

/// By purerun, before it starts the processes; has to last as long as they.
class starter {
 public:
  /// Throws pure::Error (state) if there can be no pipe.
  starter();

  /// For the processes (base/passed_file.hpp).
  [[nodiscard]] std::string text() const;
  [[nodiscard]] const core::owned_descriptor& reading() const noexcept { return reading_; }

 private:
  core::owned_descriptor reading_;  // that is inherited
  core::owned_descriptor writing_;
};

/// In a process of the job.
class starter_watch {
 public:
  starter_watch() = default;
  /// `text`: of starter. Not open if the pipe cannot be reached.
  explicit starter_watch(const char* text) noexcept;
  /// The same of a starter of this process.
  explicit starter_watch(const starter& of) noexcept;

  [[nodiscard]] bool is_open() const noexcept { return reading_.was_open(); }
  /// False for ever where the program has closed the pipe. Any thread.
  [[nodiscard]] bool has_starter_ended() const noexcept;

 private:
  core::guarded_descriptor reading_;
};

}  // namespace pure::net_shm
