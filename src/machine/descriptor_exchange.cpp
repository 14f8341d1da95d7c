#include "machine/descriptor_exchange.hpp"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

namespace pure::core {

namespace {

struct socket_address {
  sockaddr_un name{};
  socklen_t bytes = 0;
};

socket_address address_of_socket(const descriptor_exchange::number& name) noexcept {
  socket_address made;
  made.name.sun_family = AF_UNIX;
  constexpr char prefix[] = "pure segment ";
  std::memcpy(made.name.sun_path + 1, prefix, sizeof prefix - 1);  // a first byte of 0: the abstract namespace
  std::memcpy(made.name.sun_path + sizeof prefix, name.data(), name.size());
  made.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + sizeof prefix + name.size());
  return made;
}

struct passed_content {
  descriptor_exchange::number secret{};
  int from = 0;
};

/// A datagram with one descriptor, and, where it has been received, with what the kernel says of its sender.
struct datagram {
  passed_content content{};
  iovec bytes{&content, sizeof content};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(ucred))] = {};
  msghdr header{};

  datagram() noexcept {
    header.msg_iov = &bytes;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
};

struct attached {
  owned_descriptor passed;
  std::optional<ucred> sender;
};

/// What has come with a datagram: its descriptors are this process's now, whoever has sent them.
attached attached_to(msghdr& header) noexcept {
  attached found;
  for (cmsghdr* each = CMSG_FIRSTHDR(&header); each != nullptr; each = CMSG_NXTHDR(&header, each)) {
    if (each->cmsg_level != SOL_SOCKET) continue;
    if (each->cmsg_type == SCM_CREDENTIALS && each->cmsg_len == CMSG_LEN(sizeof(ucred)))
      std::memcpy(&found.sender.emplace(), CMSG_DATA(each), sizeof(ucred));
    if (each->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = CMSG_LEN(0); at + sizeof(int) <= each->cmsg_len; at += sizeof(int)) {
      int number = -1;
      std::memcpy(&number, reinterpret_cast<const char*>(each) + at, sizeof number);
      found.passed = owned_descriptor(number);
    }
  }
  return found;
}

}  // namespace

segment_problem descriptor_exchange::open() noexcept {
  const auto failed = [] { return segment_problem{segment_problem::step::connect, errno}; };
  socket_ = owned_descriptor(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  constexpr int on = 1;
  if (!socket_.is_open() || setsockopt(socket_.number(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) return failed();
  if (getrandom(&own_, sizeof own_, 0) != static_cast<ssize_t>(sizeof own_)) return failed();
  const socket_address own = address_of_socket(own_.name);
  if (bind(socket_.number(), reinterpret_cast<const sockaddr*>(&own.name), own.bytes) != 0) return failed();
  return {};
}

segment_problem descriptor_exchange::send(const contact& to, int from, const owned_descriptor& passed) const noexcept {
  datagram sent;
  sent.content = {to.secret, from};
  socket_address there = address_of_socket(to.name);
  sent.header.msg_name = &there.name;
  sent.header.msg_namelen = there.bytes;
  sent.header.msg_controllen = CMSG_SPACE(sizeof(int));
  cmsghdr* const with = CMSG_FIRSTHDR(&sent.header);
  with->cmsg_level = SOL_SOCKET;
  with->cmsg_type = SCM_RIGHTS;
  with->cmsg_len = CMSG_LEN(sizeof(int));
  const int number = passed.number();
  std::memcpy(CMSG_DATA(with), &number, sizeof number);
  ssize_t done = 0;
  do done = sendmsg(socket_.number(), &sent.header, MSG_DONTWAIT | MSG_NOSIGNAL);
  while (done < 0 && errno == EINTR);
  if (done < 0) return {segment_problem::step::pass, errno};
  return {};
}

segment_problem descriptor_exchange::receive(int& from, owned_descriptor& passed) noexcept {
  for (;;) {
    datagram got;
    ssize_t done = 0;
    do done = recvmsg(socket_.number(), &got.header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (done < 0 && errno == EINTR);
    if (done < 0) return {segment_problem::step::pass, errno};
    attached with = attached_to(got.header);
    const bool is_of_user = with.sender && (with.sender->uid == getuid() || with.sender->uid == geteuid());
    if (!is_of_user || done != sizeof got.content || got.content.secret != own_.secret) {
      ++strangers_;
      last_stranger_ = with.sender ? with.sender->uid : 0;
      continue;
    }
    if (!with.passed.is_open()) return {segment_problem::step::pass, EMFILE};  // the kernel leaves out what has no room
    passed = std::move(with.passed);
    from = got.content.from;
    return {};
  }
}

}  // namespace pure::core
