// Where `pure attach` finds a running job: an abstract socket named after the process, "pure.PID.N" for its Nth job.
//
// Whoever connects is told what the ranks do, if it is the same user or root; it need not say anything. Nothing here
// fails a job: without a socket, there is nothing to attach to.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace pure::core {

/// The job's end. One thread.
class attach_point {
 public:
  attach_point() noexcept;
  attach_point(const attach_point&) = delete;
  attach_point& operator=(const attach_point&) = delete;
  ~attach_point();

  /// To poll for readability; -1: there is none.
  [[nodiscard]] int descriptor() const noexcept { return fd_; }
  /// Tells everybody who has connected. Takes a second at most for each that does not read.
  void answer(const std::function<std::string()>& text) const;

 private:
  int fd_ = -1;
};

/// The other end: what each job of the process says, in the order of the jobs. Waits `timeout_ms` for each at most; one
/// that does not answer gives an empty text. Empty: the process has no job.
std::vector<std::string> ask_jobs_of(pid_t process, int timeout_ms);

}  // namespace pure::core
