#include "net_shm/watched_rings.hpp"

#include <algorithm>
#include <bit>

namespace pure::net_shm {

watched_rings::watched_rings(const segment_view& front, const doorbell& bell, segment_file& file, int process)
    : front_(front), bell_(bell), file_(file), process_(process) {
  all_.resize(static_cast<std::size_t>(front.plan().processes()));
  looked_at_.reserve(2 * most);
}

watched_rings::found watched_rings::next() {
  // Now and then also while there is always something in those that it looks at: else a new one waits for ever.
  constexpr std::uint64_t often = 64;
  if (found_ % often == often - 1) [[unlikely]]
    static_cast<void>(take_announced());
  do {
    for (std::size_t looked = 0; looked < looked_at_.size();) {
      if (at_ >= looked_at_.size()) at_ = 0;
      incoming_ring& in = *looked_at_[at_];
      record* const first = in.end.front();
      if (first != nullptr) {
        in.last_used = ++found_;
        ++at_;  // not the same again: the others take their turn. (One that answers at once is found one look later.)
        return {&in, first};
      }
      if (in.is_watched) [[likely]] {
        ++at_;
        ++looked;
      } else {
        looked_at_.erase(looked_at_.begin() + static_cast<std::ptrdiff_t>(at_));
      }
    }
  } while (take_announced());
  return {};
}

/// True if a ring was announced.
bool watched_rings::take_announced() {
  const std::size_t words = front_.plan().words();
  bit_word* const announced = front_.announced(process_);
  for (std::size_t word = 0; word < words; ++word) {
    const std::uint64_t bits = announced[word].load(std::memory_order_relaxed);
    if (bits == 0) [[likely]]
      continue;
    // One at a time: the others keep their bits, and their turn comes.
    const auto from = static_cast<int>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    take_announcement(announced[word], bit_of(from));
    look_at(from);
    return true;
  }
  return false;
}

void watched_rings::look_at(int from) {
  auto& in = all_[static_cast<std::size_t>(from)];
  if (in == nullptr) in = std::make_unique<incoming_ring>(file_.number(), front_.plan(), from, process_);
  if (in->is_watched) return;  // announced twice
  ++in->announcements;
  if (std::find(looked_at_.begin(), looked_at_.end(), in.get()) == looked_at_.end()) {
    at_ = looked_at_.size();
    looked_at_.push_back(in.get());
  }
  if (!make_place_for(*in)) return;
  in->is_watched = true;
  in->last_used = found_;
  ++watched_;
  start_watching(front_.watched(process_)[word_of(from)], bit_of(from));
}

/// Makes one where that is worth a fence.
bool watched_rings::make_place_for(incoming_ring& in) {
  if (watched_ < most) return true;
  if (in.announcements < least_announcements) return false;
  in.announcements = 0;  // again, if there is none now
  incoming_ring* quietest = nullptr;
  for (incoming_ring* each : looked_at_)
    if (each->is_watched && (quietest == nullptr || each->last_used < quietest->last_used)) quietest = each;
  if (found_ - quietest->last_used < quiet_records) return false;
  stop_watching(*quietest);
  return true;
}

void watched_rings::stop_watching(incoming_ring& in) {
  const int from = in.from_process;
  in.is_watched = false;
  in.announcements = 0;
  --watched_;
  net_shm::stop_watching(
      front_.watched(process_)[word_of(from)], front_.announced(process_)[word_of(from)], bit_of(from),
      [this] { bell_.heavy_fence(); }, [&in] { return in.end.front() != nullptr; });
}

}  // namespace pure::net_shm
