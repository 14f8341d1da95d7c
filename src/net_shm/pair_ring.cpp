#include "net_shm/pair_ring.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include <fmt/core.h>

#include <pure/error.hpp>

namespace pure::net_shm {

namespace {

[[noreturn]] void refuse(const char* what, int from, int to, int error) {
  throw Error(errc::no_memory, fmt::format("the ring from process {} to process {} {}: {}", from, to, what,
                                           std::generic_category().message(error)));
}

/// Before it is mapped.
int with_pages(int descriptor, const segment_plan& plan, int from, int to) {
  const auto at = static_cast<off_t>(plan.ring_at(from, to));
  while (fallocate(descriptor, 0, at, static_cast<off_t>(plan.ring_bytes())) != 0) {
    if (errno != EINTR) refuse("gets no memory (is there a limit, or too little of it?)", from, to, errno);
  }
  return descriptor;
}

}  // namespace

mapped_ring::mapped_ring(int descriptor, const segment_plan& plan, int from, int to)
    : lines_bytes_(plan.lines_bytes()), bytes_(plan.ring_bytes()) {
  void* const mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor,
                            static_cast<off_t>(plan.ring_at(from, to)));
  if (mapped == MAP_FAILED) refuse("cannot be mapped (ulimit -v?)", from, to, errno);
  base_ = static_cast<std::byte*>(mapped);
}

mapped_ring::~mapped_ring() { munmap(base_, bytes_); }

outgoing_ring::outgoing_ring(int descriptor, const segment_plan& plan, int from, int to)
    : mapped_ring(with_pages(descriptor, plan, from, to), plan, from, to),
      end(lines(), plan.ring_lines(), counts().released) {}

}  // namespace pure::net_shm
