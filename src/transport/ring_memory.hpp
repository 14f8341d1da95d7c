// Memory for the lines of the rings into one rank: each ring has pages of its own, which can be given back to the
// kernel while the ring is empty, and read as zeros from then on.
//
// The slots of rings lie one behind the other in blocks of which each is as large as all before it: a pair that never
// talks takes nothing, and a job of many pairs has few mappings. A ring begins at another pair of lines of its first
// page than the one before it. At the same distance from a page the places that a receiver polls would all share a few
// sets of its cache.
//
// take() by one thread at a time; give_back() by the thread that writes to the ring.
#pragma once

#include <cstddef>
#include <vector>

namespace pure::core {

class ring_memory {
 public:
  /// For rings of so many bytes. Takes nothing yet.
  explicit ring_memory(std::size_t ring_bytes) noexcept;
  ring_memory(const ring_memory&) = delete;
  ring_memory& operator=(const ring_memory&) = delete;
  ~ring_memory();

  /// Whether rings of that size are worth pages of their own.
  static bool suits(std::size_t ring_bytes) noexcept;

  /// Zeros, aligned to a pair of cache lines, as long as this lives. Throws std::bad_alloc.
  void* take();

  /// Gives the pages of what take() gave to the kernel, and what is read there is 0. False if it does not take them
  /// (locked memory): then nothing has changed.
  static bool give_back(void* taken, std::size_t ring_bytes) noexcept;

 private:
  struct block {
    std::byte* begin;
    std::size_t slots;
  };

  const std::size_t slot_bytes_;
  std::vector<block> blocks_;
  std::size_t taken_ = 0;  // slots of all blocks
  std::size_t there_ = 0;
};

}  // namespace pure::core
