#include "machine/shared_segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "machine/memory_pages.hpp"

namespace pure::core {

std::string segment_problem::text() const {
  const char* which = "";
  switch (what) {
    case step::none: return {};
    case step::make: which = "a memory file (memfd) cannot be made"; break;
    case step::size: which = "a memory file (memfd) cannot be so large (ulimit -f?)"; break;
    case step::map: which = "it cannot be mapped (ulimit -v?)"; break;
    case step::populate: which = "its pages cannot be had (is there a limit, or too little memory?)"; break;
    case step::connect: which = "no socket can be made, by which processes pass it on (ulimit -n?)"; break;
    case step::pass: which = "it cannot be passed from process to process (ulimit -n?)"; break;
  }
  return fmt::format("{}: {}", which, std::generic_category().message(error));
}

shared_segment::~shared_segment() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

segment_problem shared_segment::make(const char* purpose, std::size_t bytes, std::size_t alignment) noexcept {
  using enum segment_problem::step;
  descriptor_ = owned_descriptor(memfd_create(purpose, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!descriptor_.is_open()) return {segment_problem::step::make, errno};
  rlimit limit{};  // where it is exceeded, ftruncate() raises a signal
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur)
    return {size, EFBIG};
  if (ftruncate(descriptor_.number(), static_cast<off_t>(bytes)) != 0) return {size, errno};
  // Nobody can take the memory away from who maps it.
  fcntl(descriptor_.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  return map_descriptor(bytes, alignment);
}

segment_problem shared_segment::map(owned_descriptor of, std::size_t bytes, std::size_t alignment) noexcept {
  descriptor_ = std::move(of);
  struct stat its {};
  const int seals = fcntl(descriptor_.number(), F_GET_SEALS);
  const bool is_whole = fstat(descriptor_.number(), &its) == 0 && static_cast<std::uint64_t>(its.st_size) >= bytes;
  if (!is_whole || seals < 0 || (seals & F_SEAL_SHRINK) == 0) return {segment_problem::step::map, EPROTO};
  return map_descriptor(bytes, alignment);
}

segment_problem shared_segment::map_descriptor(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t slack = alignment > page_bytes() ? alignment : 0;
  const auto failed = [] { return segment_problem{segment_problem::step::map, errno}; };
  void* const room = mmap(nullptr, bytes + slack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return failed();
  auto* const begin = static_cast<std::byte*>(room);
  const std::size_t before = slack == 0 ? 0 : (slack - reinterpret_cast<std::uintptr_t>(begin) % slack) % slack;
  std::byte* const at = begin + before;
  if (before > 0) munmap(begin, before);
  if (slack > before) munmap(at + bytes, slack - before);
  void* const mapped = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor_.number(), 0);
  if (mapped == MAP_FAILED) {
    const segment_problem why = failed();
    munmap(at, bytes);
    return why;
  }
  data_ = at;
  bytes_ = bytes;
  return {};
}

segment_problem shared_segment::populate(std::size_t first, std::size_t bytes) const noexcept {
  if (bytes == 0) return {};
  if (is_more_than_there_is(bytes)) return {segment_problem::step::populate, ENOMEM};
  // In steps, between which signals are seen: a large one takes seconds.
  constexpr std::size_t most = std::size_t{64} << 20;
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t now = std::min(bytes - done, most);
    if (fallocate(descriptor_.number(), 0, static_cast<off_t>(first + done), static_cast<off_t>(now)) == 0) {
      done += now;
    } else if (errno != EINTR) {
      return {segment_problem::step::populate, errno};
    }
  }
  return {};
}

}  // namespace pure::core
