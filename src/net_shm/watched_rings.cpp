#include "net_shm/watched_rings.hpp"

#include <algorithm>
#include <bit>

namespace pure::net_shm {

watched_rings::watched_rings(const segment_view& front, const doorbell& bell, int descriptor, int process)
    : front_(front), bell_(bell), descriptor_(descriptor), process_(process) {
  all_.resize(static_cast<std::size_t>(front.plan().processes()));
  watched_.reserve(most);
}

watched_rings::found watched_rings::next() {
  // Now and then also while there is always something in those that are watched: else a ring that is new waits for
  // ever.
  constexpr std::uint64_t often = 64;
  if (looks_ % often == often - 1) [[unlikely]]
    static_cast<void>(take_announced());
  do {
    for (std::size_t looked = 0; looked < watched_.size(); ++looked) {
      incoming_ring& in = *watched_[at_];
      record* const first = in.end.front();
      if (first != nullptr) {
        in.last_used = ++looks_;
        // Not the same again: the others take their turn. (One that answers at once is found one look later.)
        at_ = at_ + 1 == watched_.size() ? 0 : at_ + 1;
        return {&in, first};
      }
      at_ = at_ + 1 == watched_.size() ? 0 : at_ + 1;
    }
  } while (take_announced());
  return {};
}

/// True if a ring was announced; then it is watched now.
bool watched_rings::take_announced() {
  const std::size_t words = front_.plan().words();
  bit_word* const announced = front_.announced(process_);
  for (std::size_t word = 0; word < words; ++word) {
    const std::uint64_t bits = announced[word].load(std::memory_order_relaxed);
    if (bits == 0) [[likely]]
      continue;
    // One at a time: the others keep their bits, and their turn comes.
    const auto from = static_cast<int>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    take_announcement(front_.watched(process_)[word], announced[word], bit_of(from));
    watch(from);
    return true;
  }
  return false;
}

void watched_rings::watch(int from) {
  auto& in = all_[static_cast<std::size_t>(from)];
  if (in == nullptr) in = std::make_unique<incoming_ring>(descriptor_, front_.plan(), from, process_);
  if (std::find(watched_.begin(), watched_.end(), in.get()) != watched_.end()) return;  // announced twice
  if (watched_.size() == most) stop_watching_quietest();
  in->last_used = ++looks_;
  at_ = watched_.size();
  watched_.push_back(in.get());
}

void watched_rings::stop_watching_quietest() {
  const auto quietest = std::min_element(
      watched_.begin(), watched_.end(),
      [](const incoming_ring* a, const incoming_ring* b) { return a->last_used < b->last_used; });
  incoming_ring& left_out = **quietest;
  watched_.erase(quietest);
  const int from = left_out.from_process;
  stop_watching(
      front_.watched(process_)[word_of(from)], front_.announced(process_)[word_of(from)], bit_of(from),
      [this] { bell_.heavy_fence(); }, [&left_out] { return left_out.end.front() != nullptr; });
}

}  // namespace pure::net_shm
