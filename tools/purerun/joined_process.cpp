#include "purerun/joined_process.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace purerun {

joined_process::joined_process(pid_t number) noexcept
    : number_(number), descriptor_(static_cast<int>(syscall(SYS_pidfd_open, number, 0))) {
  was_gone_ = !descriptor_.is_open() && errno == ESRCH;
}

bool joined_process::has_ended() const noexcept {
  if (!descriptor_.is_open()) return was_gone_ || (kill(number_, 0) != 0 && errno == ESRCH);
  pollfd on{descriptor_.number(), POLLIN, 0};
  return poll(&on, 1, 0) > 0;
}

}  // namespace purerun
