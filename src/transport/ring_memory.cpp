#include "transport/ring_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <new>

#include "base/cache_line.hpp"
#include "machine/memory_pages.hpp"

namespace pure::core {

namespace {

/// The pages of a ring, and one more, in which it may begin anywhere.
std::size_t slot_bytes(std::size_t ring_bytes) noexcept {
  return (ring_bytes + page_bytes() - 1) / page_bytes() * page_bytes() + page_bytes();
}

}  // namespace

ring_memory::ring_memory(std::size_t ring_bytes) noexcept : slot_bytes_(slot_bytes(ring_bytes)) {}

ring_memory::~ring_memory() {
  for (const block& each : blocks_) munmap(each.begin, each.slots * slot_bytes_);
}

bool ring_memory::suits(std::size_t ring_bytes) noexcept {
  return ring_bytes >= 4 * page_bytes();  // the page more is a quarter of it at most
}

void* ring_memory::take() {
  if (taken_ == there_) {
    const std::size_t slots = std::max<std::size_t>(there_, 1);
    blocks_.reserve(blocks_.size() + 1);
    void* const made = mmap(nullptr, slots * slot_bytes_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) throw std::bad_alloc();
    madvise(made, slots * slot_bytes_, MADV_NOHUGEPAGE);  // of a huge page a ring would take 2 MiB at its first message
    blocks_.push_back({static_cast<std::byte*>(made), slots});
    there_ += slots;
  }
  const block& last = blocks_.back();
  std::byte* const slot = last.begin + (taken_ - (there_ - last.slots)) * slot_bytes_;
  const std::size_t places = page_bytes() / pair_bytes;
  return slot + taken_++ % places * pair_bytes;
}

bool ring_memory::give_back(void* taken, std::size_t ring_bytes) noexcept {
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(taken);
  const std::uintptr_t slot = at / page_bytes() * page_bytes();
  return madvise(reinterpret_cast<void*>(slot), slot_bytes(ring_bytes), MADV_DONTNEED) == 0;
}

}  // namespace pure::core
