// The line from a program to the purerun that started it, so that purerun can explain a program that ends well but
// never started a rank: was it not built with Pure, or did it just not need any (`./app --help`)?
// And so that it knows a job that ended well from one that a signal ended, whose launcher may say the same of both, and
// one that has ended itself, but not its launcher.
//
// It is some bytes of shared memory (a memfd of purerun's): "linked with Pure", set when the library is loaded, "ranks
// have started", "a process has ended, and no rank was cut off by that", and with which status a process ended the job
// before that: the first of them, for those that it has ended may say something as well, from a handler of SIGTERM,
// say; and how many processes have failed, of which the first says the cause for all. PURE_LAUNCH_FD says how to reach
// it: through the file descriptor that was inherited, or, where a script between the two has closed that, through
// purerun's entry in /proc (without /proc: by the file's name). A descriptor is used only if it is that very file:
// another program may have a file of its own under the number. Nothing here fails: without a launcher there is nobody
// to tell.
#pragma once

#include <string>

#include "base/owned_descriptor.hpp"
#include "base/settings.hpp"

namespace pure::core {

/// Tells purerun, if it started this process, that ranks start now. For the thread that starts a job; calls after the
/// first in a process do nothing.
void tell_launcher_started(const settings& values) noexcept;

/// Tells it that this job of several processes ended in order, in all of them.
void tell_launcher_ended(const settings& values) noexcept;

/// The same for a process that leaves, by _exit, say, while no rank runs in it. (Where it exits, libpure does that.) In
/// a signal handler, too.
void tell_launcher_left() noexcept;

/// Tells it that this process now ends its job, of several processes, with `status`. For any thread.
void tell_launcher_aborted(const settings& values, int status) noexcept;

/// Tells it that this process of several has failed. True: no other one has before, or nobody knows; its cause is the
/// job's. For any thread, and in signal handlers; once it has been told, later calls give the same answer.
bool tell_launcher_failed(const settings& values) noexcept;

/// purerun's end of the line.
class launcher_link {
 public:
  launcher_link();
  ~launcher_link();
  launcher_link(const launcher_link&) = delete;
  launcher_link& operator=(const launcher_link&) = delete;

  /// For PURE_LAUNCH_FD of the program; empty if the system did not give us a file, and then nothing is known.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// Whether any program below was linked with Pure, and whether it started ranks.
  [[nodiscard]] bool is_linked() const noexcept;
  [[nodiscard]] bool has_started() const noexcept;
  /// Whether a process has ended in order.
  [[nodiscard]] bool has_ended() const noexcept;
  /// The status with which a process has ended its job; 0: none has.
  [[nodiscard]] int abort_status() const noexcept;
  /// How many processes have failed, as far as they could say so.
  [[nodiscard]] int failed_processes() const noexcept;

 private:
  owned_descriptor file_;
  std::string path_;  // empty: it has no name
  std::string text_;
};

}  // namespace pure::core
