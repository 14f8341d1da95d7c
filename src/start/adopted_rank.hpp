// A rank that is a thread which exists already: that which calls, from begin to end. (MPI_Init and MPI_Finalize.)
//
//   begin     the processes of the job are connected, the job is prepared, with one rank here; a thread watches over
//             hangs, and waits for the ranks; the caller is the rank: self(), stack traces, crash reports
//   end()     by the same thread: until the mains of all processes have ended. The caller is no rank any more, and all
//             is as it was before; then another one may begin
//
// The thread keeps its name and its stack; and its binding, unless somebody has asked for a mapping of the ranks
// (PURE_MAP_BY): the threads that a program makes would have it, too, those of OpenMP for instance. The watch has a
// thread of its own, which is asleep while nothing is wrong and blocks all signals; helpers have theirs.
//
// A rank that leaves without end() has failed: by exit(), of whatever status, by the return of main, by an exception
// that passes this object. What exit() runs may still bring the end, if the status is 0 (cut_off_job.hpp). If the job
// fails while the rank is adopted, the process ends, where the plan says so, and in a job of several processes; else
// waits of the rank leave by job_ended, and end() says what it was. A thread that does not come to a wait, or to end(),
// within job::grace_ns after that ends the process.
//
// In a child of fork() this is nothing: end() is an error, and nothing is taken down.
#pragma once

#include <functional>
#include <memory>

#include "runtime/rank.hpp"
#include "start/launch_plan.hpp"

namespace pure::core {

class connected_job;

class adopted_rank {
 public:
  using equipment = std::function<void(rank_context&)>;

  /// One rank in each process that was started with this one. Blocks until they all have called it. `plan`: its
  /// settings and action; the others are filled in. Throws pure::Error: the caller is a rank, or no thread can be made;
  /// what connect_processes() throws. What attaches services throws.
  static std::unique_ptr<adopted_rank> of_all_processes(launch_plan plan, const equipment& attach_services);

  /// For a plan that is complete, and has one rank here. Throws likewise.
  adopted_rank(const launch_plan& plan, const equipment& attach_services);
  adopted_rank(const adopted_rank&) = delete;
  adopted_rank& operator=(const adopted_rank&) = delete;
  ~adopted_rank();

  [[nodiscard]] rank_context& self() const noexcept;

  /// Once. `status`: what the rank's main would return. Throws pure::Error if the caller is not the rank, or is in a
  /// chunk of a task.
  outcome end(int status = 0);

 private:
  struct parts;

  adopted_rank(const launch_plan& plan, const equipment& attach_services, std::unique_ptr<connected_job> connected);
  void bind_to(const rank_place& place);
  void leave_job() noexcept;

  std::unique_ptr<parts> parts_;  // null: it has ended
};

}  // namespace pure::core
