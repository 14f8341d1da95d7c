// Where `pure attach` finds a running job: an abstract socket named after the process, "pure.PID.N" for its Nth job.
//
// Whoever connects is told what the ranks do, if it is the same user or root; it need not say anything. Nothing here
// fails a job: without a socket, there is nothing to attach to. Neither end trusts the other: any program may take such
// a name, or connect. Each asks the kernel who the other one is, and gives it a time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/guarded_descriptor.hpp"

namespace pure::core {

/// The job's end. One thread.
class attach_point {
 public:
  attach_point() noexcept;
  attach_point(const attach_point&) = delete;
  attach_point& operator=(const attach_point&) = delete;

  /// To poll for readability; -1: there is none, or the program has closed it.
  [[nodiscard]] int descriptor() const noexcept { return socket_.number(); }
  /// Tells everybody who has connected. Takes a second at most for each that does not read, or reads slowly.
  void answer(const std::function<std::string()>& text) const;

 private:
  guarded_descriptor socket_;
};

/// What a job says, or a program that has taken the name of one: text of somebody else, not fit for a terminal.
struct job_answer {
  enum class outcome {
    whole,
    late,      ///< the time was over before the other end had closed: the text is what had come
    too_long,  ///< more than may be: the text is the beginning
    refused    ///< it belongs to another user, and we are not root: not a byte is read
  };
  outcome end = outcome::whole;
  uid_t user = 0;  ///< whose process it is
  std::string text;
};

/// How long and how much all answers together may be.
struct answer_limits {
  std::chrono::steady_clock::time_point until;
  std::size_t bytes = 0;
};

/// The other end: what each job of the process says, in the order of the jobs. Returns at `limits.until` at the latest,
/// and takes what it has read from `limits.bytes`. Empty: the process has no job.
std::vector<job_answer> ask_jobs_of(pid_t process, answer_limits& limits);

}  // namespace pure::core
