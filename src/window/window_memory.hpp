// Memory of windows: what one rank allocates for its own part, and what one rank allocates for all.
//
// Pages belong to the NUMA node of the thread that touches them first, so whoever owns a part touches it. Any thread
// may free it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "machine/huge_pages.hpp"
#include "machine/memory_pages.hpp"
#include "window/target_control.hpp"

namespace pure::core {

/// Zeros on pages of their own.
class own_pages {
 public:
  own_pages() = default;
  /// data() is null if there are none.
  own_pages(std::size_t bytes, std::size_t alignment, page_kind kind) noexcept;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }

 private:
  struct unmap {
    std::size_t bytes;
    void operator()(std::byte* mapped) const noexcept;
  };

  std::unique_ptr<std::byte, unmap> mapped_;
  mapped_block huge_;
  std::byte* data_ = nullptr;
};

/// Such pages, or normal ones where they are not granted: `refused` then says why.
own_pages granted_pages(std::size_t bytes, std::size_t alignment, page_kind wanted, std::string& refused);

/// One rank's part of a window: its memory and what belongs to it.
class part_memory {
 public:
  /// More bytes lie on pages that are made for them. Up to here these would take longer to be made and given back, for
  /// which the kernel stops the other ranks' threads, than everything else about a window (D-small-parts).
  static constexpr std::size_t largest_in_block = std::size_t{32} * 1024;

  part_memory() = default;
  /// `bytes` zeros, aligned to `alignment`, a power of two, and to a cache line; a page or more on pages of their own.
  /// The control is there, too. By the owner, whose thread touches all of it. Throws std::bad_alloc.
  part_memory(std::size_t bytes, std::size_t alignment, page_kind pages);
  /// The control for memory that is somebody else's.
  static part_memory control_for(std::size_t bytes);

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] target_control* control() const noexcept { return control_; }
  /// Why the pages are not the huge ones that were asked for; empty if they are, or none were.
  [[nodiscard]] const std::string& refused() const noexcept { return refused_; }

 private:
  struct give_back {
    void operator()(std::byte* block) const noexcept;
  };

  void make_block(std::size_t bytes, std::size_t alignment);

  std::unique_ptr<std::byte, give_back> block_;
  own_pages pages_;
  std::byte* data_ = nullptr;
  target_control* control_ = nullptr;
  std::string refused_;
};

/// So that the pages of [from, from + bytes) are there, on the node of the calling thread.
void touch_pages(std::byte* from, std::size_t bytes) noexcept;

}  // namespace pure::core
