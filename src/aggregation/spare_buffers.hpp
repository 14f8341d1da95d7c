// Buffers that nobody uses: each rank's own, the one last used on top, and what ranks of a process share beyond that.
//
// A receiver keeps what it has handled, so a flow in one direction would drain its sender: what a rank has beyond a few
// goes to the common list, from which those who have none take everything that is there.
//
// common_buffers: any thread. spare_buffers: one rank's, on its thread.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <utility>

#include "aggregation/item_buffer.hpp"
#include "base/pushed_list.hpp"

namespace pure::core {

inline void delete_buffer(item_buffer* unused) noexcept {
  ::operator delete (static_cast<void*>(unused), std::align_val_t{pair_bytes});
}

/// Deletes all that hang together by `next`.
inline void delete_buffers(item_buffer* first) noexcept {
  while (first != nullptr) delete_buffer(std::exchange(first, first->next));
}

/// A new one. Throws std::bad_alloc.
inline item_buffer* new_buffer(std::uint8_t size_class) {
  void* const memory = ::operator new (item_buffer::bytes_with_head(size_class), std::align_val_t{pair_bytes});
  auto* const made = ::new (memory) item_buffer;
  made->size_class = size_class;
  return made;
}

class common_buffers {
 public:
  common_buffers() = default;
  common_buffers(const common_buffers&) = delete;
  common_buffers& operator=(const common_buffers&) = delete;
  ~common_buffers() {
    for (list& each : by_class_) delete_buffers(each.buffers.take_all());
  }

  void give(item_buffer& unused) noexcept { by_class_[unused.size_class].buffers.push(unused); }
  /// All that are there, linked by `next`; null if there are none.
  [[nodiscard]] item_buffer* take_all(std::uint8_t size_class) noexcept {
    return by_class_[size_class].buffers.take_all();
  }

 private:
  struct alignas(pair_bytes) list {
    pushed_list<item_buffer, &item_buffer::next> buffers;
  };
  std::array<list, item_buffer::classes> by_class_;
};

class spare_buffers {
 public:
  explicit spare_buffers(common_buffers& common) noexcept : common_(common) {}
  spare_buffers(const spare_buffers&) = delete;
  spare_buffers& operator=(const spare_buffers&) = delete;
  ~spare_buffers() {
    for (list& each : by_class_) delete_buffers(each.first);
  }

  /// Throws std::bad_alloc.
  [[nodiscard]] item_buffer& take(std::uint8_t size_class) {
    list& mine = by_class_[size_class];
    if (mine.first == nullptr) adopt(mine, common_.take_all(size_class));
    if (mine.first == nullptr) return *new_buffer(size_class);
    --mine.count;
    return *std::exchange(mine.first, mine.first->next);
  }
  void give(item_buffer& unused) noexcept {
    list& mine = by_class_[unused.size_class];
    if (mine.count >= most_own) return common_.give(unused);
    unused.next = std::exchange(mine.first, &unused);
    ++mine.count;
  }

 private:
  static constexpr std::size_t most_own = 16;

  struct list {
    item_buffer* first = nullptr;
    std::size_t count = 0;
  };

  static void adopt(list& mine, item_buffer* all) noexcept {
    mine.first = all;
    for (; all != nullptr; all = all->next) ++mine.count;
  }

  common_buffers& common_;
  std::array<list, item_buffer::classes> by_class_;
};

}  // namespace pure::core
