// pure::environment: the calling thread is a rank while it lives.
#pragma once

#include <exception>

#include <pure/call_site.hpp>
#include <pure/comm.hpp>
#include <pure/detail/library.hpp>

namespace pure {

/// For programs that start their rank themselves, one in each process, in place of pure::run: pure_init and
/// pure_finalize of pure.h, which say what holds meanwhile. Made and destroyed by one thread; a process has one at a
/// time. A job that fails ends the process.
class environment {
 public:
  /// Blocks until all processes of the job have made theirs. Throws pure::Error (errc::state).
  explicit environment(call_site at = call_site::current()) : site_(at), exceptions_(std::uncaught_exceptions()) {
    detail::begin_calling_rank(site_);
  }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;
  /// Blocks until all ranks of the job have ended theirs. Where an exception passes it, the job fails, and the process
  /// ends.
  ~environment() { detail::end_calling_rank(site_, std::uncaught_exceptions() > exceptions_); }

  /// All ranks of the job.
  [[nodiscard]] comm world() const { return comm(detail::world_of_calling_rank(site_)); }

 private:
  call_site site_;
  int exceptions_;  // on their way when it was made
};

}  // namespace pure
