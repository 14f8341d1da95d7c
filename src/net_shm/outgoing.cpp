#include "net_shm/outgoing.hpp"

#include "net_shm/watch_bits.hpp"

namespace pure::net_shm {

outgoing::outgoing(const segment_view& front, const doorbell& bell, segment_file& file, int process, all_cells* cells)
    : front_(front), bell_(bell), file_(file), process_(process), cells_(cells) {
  to_.resize(static_cast<std::size_t>(front.plan().processes()));
}

void outgoing::connect(int process) {
  to_[static_cast<std::size_t>(process)].ring = std::make_unique<outgoing_ring>(file_.number(), front_.plan(), process_,
                                                                                process);
}

/// With the body in a cell, and the head in the record. False: there is no room for one of them, or it is too long.
bool outgoing::try_put_in_cell(int process, const void* head, std::size_t head_bytes, const record_out& what) {
  if (cells_ == nullptr || what.body_bytes > cell_bytes) return false;
  outgoing_ring& ring = *to_[static_cast<std::size_t>(process)].ring;
  record* const made = reserve(ring, 1, head_bytes + what.body_bytes, what);
  if (made == nullptr) return false;
  const std::optional<pair_cells::number> cell = cells_->with(process).put(static_cast<const std::byte*>(what.body),
                                                                           what.body_bytes);
  if (!cell) return false;
  made->cell = *cell + 1U;
  if (head_bytes != 0) std::memcpy(made->contents, head, head_bytes);
  ring.end.publish(*made, 1, static_cast<std::uint32_t>(what.kind));
  tell(process);
  return true;
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
