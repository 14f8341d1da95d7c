#include "net_shm/peer_memory.hpp"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace pure::net_shm {

namespace {

copy_outcome outcome_of(int error) noexcept {
  switch (error) {
    case EPERM:
    case ENOSYS:
    case EACCES: return copy_outcome::forbidden;
    case ESRCH: return copy_outcome::gone;
    default: return copy_outcome::wrong;
  }
}

/// `copy(here, there)` copies from where the two begin, and tells how much.
template <class Copy>
copy_outcome copy_all(void* here, std::uint64_t there, std::size_t bytes, Copy copy) noexcept {
  for (std::size_t done = 0; done < bytes;) {
    const iovec local{static_cast<std::byte*>(here) + done, bytes - done};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): of another process
    const iovec remote{reinterpret_cast<void*>(there + done), bytes - done};
    const ssize_t copied = copy(local, remote);
    if (copied < 0) return outcome_of(errno);
    if (copied == 0) return copy_outcome::wrong;
    done += static_cast<std::size_t>(copied);
  }
  return copy_outcome::done;
}

}  // namespace

copy_outcome copy_from(pid_t process, std::uint64_t address, void* to, std::size_t bytes) noexcept {
  return copy_all(to, address, bytes, [process](const iovec& here, const iovec& there) {
    return process_vm_readv(process, &here, 1, &there, 1, 0);
  });
}

copy_outcome copy_to(pid_t process, std::uint64_t address, const void* from, std::size_t bytes) noexcept {
  return copy_all(const_cast<void*>(from), address, bytes, [process](const iovec& here, const iovec& there) {
    return process_vm_writev(process, &here, 1, &there, 1, 0);
  });
}

bool may_copy_to_others() noexcept {
  // Nothing, to itself: what a filter forbids it forbids whatever the arguments.
  static const bool may = process_vm_writev(getpid(), nullptr, 0, nullptr, 0, 0) == 0;
  return may;
}

void allow_peers() noexcept {
  // PR_SET_PTRACER_ANY; EINVAL without Yama, which then asks for nothing.
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

}  // namespace pure::net_shm
