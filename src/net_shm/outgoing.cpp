#include "net_shm/outgoing.hpp"

#include "net_shm/watch_bits.hpp"

namespace pure::net_shm {

outgoing::outgoing(const segment_view& front, const doorbell& bell, segment_file& file, int process)
    : front_(front), bell_(bell), file_(file), process_(process) {
  to_.resize(static_cast<std::size_t>(front.plan().processes()));
}

void outgoing::connect(int process) {
  to_[static_cast<std::size_t>(process)].ring = std::make_unique<outgoing_ring>(file_.number(), front_.plan(), process_,
                                                                                process);
}

/// Behind a record.
void outgoing::tell(int process) const noexcept {
  bell_.light_fence();
  announce_if_unwatched(front_.watched(process)[word_of(process_)], front_.announced(process)[word_of(process_)],
                        bit_of(process_));
  bell_.ring_if_armed(process);
}

/// False: it has not left.
bool outgoing::keep(int process, const void* head, std::size_t head_bytes, const record_out& what) {
  std::deque<kept>& waiting = to_[static_cast<std::size_t>(process)].waiting;
  if (waiting.empty()) full_.push_back(process);
  kept& made = waiting.emplace_back(kept{what, head_bytes, {}});
  if (head_bytes != 0) std::memcpy(made.head.data(), head, head_bytes);
  return false;
}

}  // namespace pure::net_shm
