#include "machine/descriptor_exchange.hpp"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace pure::core {

namespace {

struct socket_address {
  sockaddr_un name{};
  socklen_t bytes = 0;
};

socket_address address_of_socket(const descriptor_exchange::socket_name& name) noexcept {
  socket_address made;
  made.name.sun_family = AF_UNIX;
  constexpr char prefix[] = "pure segment ";
  std::memcpy(made.name.sun_path + 1, prefix, sizeof prefix - 1);  // a first byte of 0: the abstract namespace
  std::memcpy(made.name.sun_path + sizeof prefix, name.data(), name.size());
  made.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + sizeof prefix + name.size());
  return made;
}

/// A datagram with one descriptor.
struct datagram {
  int from = 0;
  iovec bytes{&from, sizeof from};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};

  datagram() noexcept {
    header.msg_iov = &bytes;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
};

}  // namespace

segment_problem descriptor_exchange::open() noexcept {
  const auto failed = [] { return segment_problem{segment_problem::step::connect, errno}; };
  socket_ = owned_descriptor(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket_.is_open()) return failed();
  if (getrandom(name_.data(), name_.size(), 0) != static_cast<ssize_t>(name_.size())) return failed();
  const socket_address own = address_of_socket(name_);
  if (bind(socket_.number(), reinterpret_cast<const sockaddr*>(&own.name), own.bytes) != 0) return failed();
  return {};
}

segment_problem descriptor_exchange::send(const socket_name& to, int from,
                                          const owned_descriptor& passed) const noexcept {
  datagram sent;
  sent.from = from;
  socket_address there = address_of_socket(to);
  sent.header.msg_name = &there.name;
  sent.header.msg_namelen = there.bytes;
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

segment_problem descriptor_exchange::receive(int& from, owned_descriptor& passed) const noexcept {
  datagram got;
  ssize_t done = 0;
  do done = recvmsg(socket_.number(), &got.header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  while (done < 0 && errno == EINTR);
  if (done < 0) return {segment_problem::step::pass, errno};
  const cmsghdr* const with = CMSG_FIRSTHDR(&got.header);
  if (done != sizeof got.from || with == nullptr || with->cmsg_type != SCM_RIGHTS ||
      with->cmsg_len != CMSG_LEN(sizeof(int)))
    return {segment_problem::step::pass, EMFILE};  // the kernel leaves out what there is no room for
  int number = -1;
  std::memcpy(&number, CMSG_DATA(with), sizeof number);
  passed = owned_descriptor(number);
  from = got.from;
  return {};
}

}  // namespace pure::core
