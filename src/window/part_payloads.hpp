// Payloads between parts of windows here and other processes: those of large puts come straight into a part, those of
// large gets leave straight from it.
//
// Operations of one process are done in the order of its sending. So while payloads of it move, what it asks for next
// waits, but for other payloads to other bytes. One that has to wait is received into memory of its own (kept_payload),
// for its sender wants its buffer back, and is put in its turn.
//
// By who has the network lock; the count of a part (window_group::target::payloads) may be read by its rank, which
// waits until nothing moves there before its part ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>

#include "runtime/active_message.hpp"
#include "runtime/rank.hpp"
#include "window/counted_ranges.hpp"
#include "window/window_group.hpp"

namespace pure::core {

/// A payload for an operation that is done later.
struct kept_payload final : active_payload {
  /// Throws std::bad_alloc.
  explicit kept_payload(std::size_t of_bytes) : memory(std::make_unique_for_overwrite<std::byte[]>(of_bytes)) {
    data = memory.get();
    bytes = of_bytes;
  }
  void has_moved() noexcept override { is_here = true; }

  const std::unique_ptr<std::byte[]> memory;
  bool is_here = false;
};

class part_payloads {
 public:
  enum class way : std::uint8_t { into_part, from_part };

  /// Some of that process move.
  [[nodiscard]] bool is_moving(int process) const noexcept { return of_.count(process) != 0; }
  /// Whether one of that process may move now: none that does writes these bytes, or reads bytes that it would write.
  [[nodiscard]] bool is_free(int process, const std::byte* from, std::size_t bytes, way how) const noexcept {
    const auto its = of_.find(process);
    if (its == of_.end()) return true;
    return !its->second.written.has_some(from, bytes) &&
           (how == way::from_part || !its->second.read.has_some(from, bytes));
  }
  /// One that starts to move. Throws std::bad_alloc, and then it does not.
  [[nodiscard]] active_payload& add(int process, window_group::target& its, std::byte* from, std::size_t bytes,
                                    way how) {
    moving& made = moving_.emplace_front(*this, process, its, how);
    made.data = from;
    made.bytes = bytes;
    made.place = moving_.begin();
    try {
      of_process& all = of_[process];
      all.at(how).add(from, bytes);
      ++all.count;
    } catch (...) {
      if (const auto all = of_.find(process); all != of_.end() && all->second.count == 0) of_.erase(all);
      moving_.pop_front();
      throw;
    }
    its.payloads.fetch_add(1, std::memory_order_relaxed);
    return made;
  }

 private:
  struct moving final : active_payload {
    moving(part_payloads& among, int of_process, window_group::target& part, way which)
        : all(among), process(of_process), its(part), how(which) {}
    void has_moved() noexcept override {
      all.forget(*this);
      rank_context& owner = *its.owner;
      // release: what has come; pairs with the acquire in process_windows::end_part(), after which the part may end
      its.payloads.fetch_sub(1, std::memory_order_release);
      owner.notify();
    }

    part_payloads& all;
    const int process;
    window_group::target& its;
    const way how;
    std::list<moving>::iterator place;
  };
  struct of_process {
    [[nodiscard]] counted_ranges& at(way how) noexcept { return how == way::into_part ? written : read; }
    std::size_t count = 0;
    counted_ranges written, read;
  };

  /// The payload itself stays until the next one has moved: it is what calls this.
  void forget(moving& ended) noexcept {
    const auto all = of_.find(ended.process);
    all->second.at(ended.how).remove(ended.data, ended.bytes);
    if (--all->second.count == 0) of_.erase(all);
    last_ended_.clear();
    last_ended_.splice(last_ended_.begin(), moving_, ended.place);
  }

  std::list<moving> moving_;  // stays where it is while it moves
  std::list<moving> last_ended_;
  std::unordered_map<int, of_process> of_;  // by process; none of which nothing moves
};

}  // namespace pure::core
