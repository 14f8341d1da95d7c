// Closing the network: with all processes, or at once, because of a failure.
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/signal_safe_text.hpp"
#include "net_mpi/mpi_network.hpp"

namespace pure::net_mpi {

namespace {

int abort_status = 1;

/// Until the launcher has read what this process has said, or for a while: a launcher that hears of the end first
/// throws it away (MPICH's Hydra, on a busy machine, once in hundreds of runs), and with it the reason of the end.
void let_launcher_read() noexcept {
  constexpr int longest_ms = 500;
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat what {};
    if (fstat(fd, &what) != 0 || !S_ISFIFO(what.st_mode)) continue;
    int unread = 0;
    for (int ms = 0; ms < longest_ms && ioctl(fd, FIONREAD, &unread) == 0 && unread > 0; ++ms) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

[[noreturn]] void end_now() {
  for (;;) syscall(SYS_exit_group, abort_status);
}

/// For an MPI_Abort that does not return, because its launcher has gone, say.
void end_by_alarm_in(unsigned seconds) noexcept {
  std::signal(SIGALRM, SIG_DFL);
  sigset_t alone;
  sigemptyset(&alone);
  sigaddset(&alone, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alone, nullptr);
  alarm(seconds);
}

}  // namespace

void mpi_network::abort(int status) noexcept {
  abort_status = status;
  let_launcher_read();
  // MPIs end by exit(), whose handlers would run beside the ranks that are still at work: the last one registered is
  // the first to run.
  if (std::atexit(end_now) == 0) {
    end_by_alarm_in(10);
    MPI_Abort(MPI_COMM_WORLD, abort_status);
  }
  end_now();
}

namespace {

/// Ends the process, with this status, if MPI_Finalize does not return: all processes have said goodbye, and nothing is
/// lost. MPICH 4.0.2 over TCP (UCX 1.13) waits for ever in some of a hundred runs, for the answer of a process that has
/// left already.
class finalize_guard {
 public:
  finalize_guard(int status, const core::network_peers& who) noexcept {
    try {
      thread_ = std::thread([this, status, &who] { watch(status, who); });
    } catch (const std::system_error&) {  // no more threads: then without it
    }
  }
  finalize_guard(const finalize_guard&) = delete;
  finalize_guard& operator=(const finalize_guard&) = delete;
  ~finalize_guard() {
    {
      const std::lock_guard lock(mutex_);
      has_returned_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

 private:
  static constexpr int limit_s = 5;

  void watch(int status, const core::network_peers& who) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::chrono::seconds(limit_s), [this] { return has_returned_; })) return;
    core::signal_safe_text text;
    text << "pure: note: MPI_Finalize of " << who.library.c_str() << " has not returned in " << limit_s
         << " s in process " << who.process << "; all processes had ended their work, and this one ends without it\n";
    text.say();
    const core::no_output_signals quiet;
    std::fflush(nullptr);
    _exit(status);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_returned_ = false;
  std::thread thread_;
};

}  // namespace

void mpi_network::finalize(int status) {
  tidy_up();
  if (broken_) return;
  if (const int key = std::exchange(end_key_, MPI_KEYVAL_INVALID); key != MPI_KEYVAL_INVALID) {
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
  }
  const auto done = [&](int error, const char* call) { return succeeded(error, call, -1, 0); };
  if (!done(MPI_Barrier(together_), "MPI_Barrier at the end")) return;
  if (!of_slots(slots_.close())) return;
  MPI_Comm_free(&together_);
  MPI_Comm_free(&payloads_);
  MPI_Comm_free(&messages_);
  if (!started_mpi_) return;
  const finalize_guard guard(status, peers_);
  // MPICH over UCX closes each connection with a question, which a process that has closed all its own does not answer
  // any more. So let all ask before anybody answers: from here on nobody moves messages until all are here.
  if (!done(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier at the end")) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  done(MPI_Finalize(), "MPI_Finalize");
}

}  // namespace pure::net_mpi
