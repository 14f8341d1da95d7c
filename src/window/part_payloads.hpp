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

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>

#include "runtime/active_message.hpp"
#include "runtime/rank.hpp"
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
  [[nodiscard]] bool is_moving(int process) noexcept {
    forget_ended();
    return std::any_of(all_.begin(), all_.end(), [&](const moving& each) { return each.process == process; });
  }
  /// Whether one of that process may move now: none that does writes these bytes, or reads bytes that it would write.
  [[nodiscard]] bool is_free(int process, const std::byte* from, std::size_t bytes, way how) noexcept {
    forget_ended();
    return std::none_of(all_.begin(), all_.end(), [&](const moving& each) {
      const bool only_read = how == way::from_part && each.how == way::from_part;
      return each.process == process && !only_read && each.data < from + bytes && from < each.data + each.bytes;
    });
  }
  /// One that starts to move. It is forgotten some time after it has.
  [[nodiscard]] active_payload& add(int process, window_group::target& its, std::byte* from, std::size_t bytes,
                                    way how) {
    its.payloads.fetch_add(1, std::memory_order_relaxed);
    moving& made = all_.emplace_back(process, its, how);
    made.data = from;
    made.bytes = bytes;
    return made;
  }

 private:
  struct moving final : active_payload {
    moving(int of_process, window_group::target& part, way which) : process(of_process), its(part), how(which) {}
    void has_moved() noexcept override {
      has_ended = true;
      rank_context& owner = *its.owner;
      // release: what has come; pairs with the acquire in process_windows::end_part(), after which the part may end
      its.payloads.fetch_sub(1, std::memory_order_release);
      owner.notify();
    }

    const int process;
    window_group::target& its;
    const way how;
    bool has_ended = false;
  };

  void forget_ended() noexcept {
    all_.remove_if([](const moving& each) { return each.has_ended; });
  }

  std::list<moving> all_;  // stays where it is while it moves
};

}  // namespace pure::core
