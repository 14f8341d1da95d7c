// The ring from one process to another, mapped by the two of them when they first use it.
#pragma once

#include <cstddef>
#include <string>

#include "base/cache_line.hpp"
#include "net_shm/record.hpp"
#include "net_shm/segment.hpp"

namespace pure::net_shm {

/// Behind the lines.
struct ring_counts {
  alignas(core::pair_bytes) core::released_count<> released{0};  // by the receiver
};

/// Throws pure::Error (no_memory) if it cannot be mapped.
class mapped_ring {
 public:
  mapped_ring(int descriptor, const segment_plan& plan, int from, int to);
  mapped_ring(const mapped_ring&) = delete;
  mapped_ring& operator=(const mapped_ring&) = delete;
  ~mapped_ring();

  [[nodiscard]] record* lines() const noexcept { return reinterpret_cast<record*>(base_); }
  [[nodiscard]] ring_counts& counts() const noexcept { return *reinterpret_cast<ring_counts*>(base_ + lines_bytes_); }

 private:
  const std::size_t lines_bytes_;
  const std::size_t bytes_;
  std::byte* base_ = nullptr;
};

/// Mapped by the sender, who has its pages made first: where there are none, that is an error here, and not a signal at
/// the first touch.
class outgoing_ring : public mapped_ring {
 public:
  outgoing_ring(int descriptor, const segment_plan& plan, int from, int to);

  core::ring_sender<record, wrap_mark> end;
};

class incoming_ring : public mapped_ring {
 public:
  incoming_ring(int descriptor, const segment_plan& plan, int from, int to)
      : mapped_ring(descriptor, plan, from, to),
        from_process(from),
        end(lines(), plan.ring_lines(), counts().released) {}

  const int from_process;
  core::ring_receiver<record, wrap_mark> end;
  // By watched_rings:
  bool is_watched = false;
  std::uint32_t announcements = 0;  // since it is watched no more
  std::uint64_t last_used = 0;
};

}  // namespace pure::net_shm
