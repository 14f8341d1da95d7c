// How a process that sleeps hears of what another one has written for it.
//
// A process that is about to sleep arms itself: it says so in its row, has all others pass a fence, and then looks once
// more whether something has come. Whoever has written something for it looks at the row afterwards, and rings if it is
// armed: a datagram of no bytes to its socket, whose descriptor the sleeper polls. One of the two sees the other, as
// with ranks that park (runtime/heavy_fence.hpp); but the fence here is one of all processes (membarrier(2),
// GLOBAL_EXPEDITED). Where a process cannot have that, everybody passes a fence of its own behind each record.
//
// The sockets have abstract names (unix(7)) with a number in them that nobody else knows. A stranger's datagram is one
// look in vain.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/guarded_descriptor.hpp"
#include "machine/shared_segment.hpp"
#include "net_shm/segment.hpp"
#include "net_shm/watch_bits.hpp"

namespace pure::net_shm {

class doorbell {
 public:
  /// Once all that can be known of this process is said: before it says that it has come.
  doorbell(const segment_view& front, int process);

  /// When all have come: what all of them can.
  void all_have_come() noexcept;

  /// Readable when this process, armed, has been rung for. -1: nobody could ring.
  [[nodiscard]] int descriptor() const noexcept { return can_sleep_ ? socket_.number() : -1; }

  /// Whether each process passes a fence of its own behind each record: one of them cannot have the others pass one.
  [[nodiscard]] bool needs_fences() const noexcept { return needs_fences_; }

  /// From here on whoever has something for this process rings. Look once more then, before sleeping.
  void arm() noexcept;
  /// Awake: nobody need ring. Takes what has been rung.
  void disarm() noexcept;

  /// A store before it comes before a load after it in the eyes of who has armed itself, or has passed heavy_fence().
  void light_fence() const noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);  // seq_cst: pairs with heavy_fence()
    if (needs_fences_) [[unlikely]]
      std::atomic_thread_fence(std::memory_order_seq_cst);  // seq_cst: pairs with the one in heavy_fence()
  }
  /// The rare side of the pair: of whoever wants to be seen by all other processes.
  void heavy_fence() const noexcept;

  /// Something has been written for that process, and a light fence passed.
  void ring_if_armed(int process) const noexcept {
    if (disarm_to_ring(front_.row(process).is_armed)) [[unlikely]]
      ring(process);
  }
  /// Something has changed that it looks at.
  void ring_after_fence(int process) const noexcept {
    light_fence();
    ring_if_armed(process);
  }

 private:
  void ring(int process) const noexcept;

  segment_view front_;
  const int process_;
  core::guarded_descriptor socket_;
  bool has_fence_ = false;  // the kernel's
  bool needs_fences_ = true;
  bool can_sleep_ = false;
};

}  // namespace pure::net_shm
