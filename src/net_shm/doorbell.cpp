#include "net_shm/doorbell.hpp"

#include <linux/membarrier.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>

namespace pure::net_shm {

namespace {

long membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0); }

struct socket_name {
  sockaddr_un address{};
  socklen_t bytes = 0;
};

socket_name name_of(const segment_view& front, int process) noexcept {
  socket_name made;
  made.address.sun_family = AF_UNIX;
  // sun_path[0] stays 0: an abstract name, which is in no folder.
  const int length = std::snprintf(made.address.sun_path + 1, sizeof made.address.sun_path - 1, "pure-%016llx-%d",
                                   static_cast<unsigned long long>(front.head().key), process);
  made.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length));
  return made;
}

core::owned_descriptor bound_socket(const segment_view& front, int process) noexcept {
  core::owned_descriptor made(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!made.is_open()) return made;
  const socket_name name = name_of(front, process);
  const auto* const address = reinterpret_cast<const sockaddr*>(&name.address);
  char nothing = 0;
  // What is bound need not be allowed to send: it rings for itself, to see.
  const bool can_ring = bind(made.number(), address, name.bytes) == 0 &&
                        sendto(made.number(), "", 0, MSG_NOSIGNAL, address, name.bytes) == 0 &&
                        recv(made.number(), &nothing, sizeof nothing, 0) == 0;
  return can_ring ? std::move(made) : core::owned_descriptor();
}

}  // namespace

doorbell::doorbell(const segment_view& front, int process)
    : front_(front), process_(process), socket_(bound_socket(front, process)) {
  const long offered = membarrier(MEMBARRIER_CMD_QUERY);
  has_fence_ = offered > 0 && (offered & MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0 &&
               membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0;
  // relaxed: before this process says that it has come, which publishes it
  if (!has_fence_) front_.head().needs_fences.store(1, std::memory_order_relaxed);
  if (!socket_.was_open()) front_.head().has_no_bells.store(1, std::memory_order_relaxed);
}

void doorbell::all_have_come() noexcept {
  needs_fences_ = front_.head().needs_fences.load(std::memory_order_relaxed) != 0;
  can_sleep_ = front_.head().has_no_bells.load(std::memory_order_relaxed) == 0;
}

void doorbell::heavy_fence() const noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // seq_cst: pairs with light_fence()
  if (!needs_fences_) membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

void doorbell::arm() noexcept {
  if (can_sleep_ && socket_.number() < 0) {  // the program has closed it
    socket_ = core::guarded_descriptor(bound_socket(front_, process_));
    can_sleep_ = socket_.was_open();
  }
  net_shm::arm(front_.row(process_).is_armed, [this] { heavy_fence(); });
}

void doorbell::disarm() noexcept {
  net_shm::disarm(front_.row(process_).is_armed);
  char nothing = 0;
  const int number = socket_.number();
  while (recv(number, &nothing, sizeof nothing, 0) >= 0) {
  }
}

void doorbell::ring(int process) const noexcept {
  const socket_name name = name_of(front_, process);
  const int own = socket_.number();
  const core::owned_descriptor other(own >= 0 ? -1 : socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // A full queue of datagrams wakes it, too.
  sendto(own >= 0 ? own : other.number(), "", 0, MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&name.address),
         name.bytes);
}

}  // namespace pure::net_shm
