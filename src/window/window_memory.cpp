#include "window/window_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <utility>

#include "base/round_up.hpp"

namespace pure::core {

namespace {

std::byte* aligned(std::byte* at, std::size_t alignment) noexcept {
  const auto place = reinterpret_cast<std::uintptr_t>(at);
  return at + (round_up(place, alignment) - place);
}

}  // namespace

void touch_pages(std::byte* from, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  const std::size_t page = page_bytes();
  // A write, for what is only read gets the kernel's page of zeros. Nobody else has written there yet.
  for (std::size_t at = 0; at < bytes; at += page) *const_cast<volatile std::byte*>(from + at) = std::byte{0};
  *const_cast<volatile std::byte*>(from + bytes - 1) = std::byte{0};
}

own_pages::own_pages(std::size_t bytes, std::size_t alignment, page_kind kind) noexcept {
  bytes = std::max<std::size_t>(bytes, 1);
  if (kind != page_kind::normal) {  // aligned to a huge page
    huge_ = mapped_block(bytes + (alignment > huge_page_bytes() ? alignment : 0), kind);
    if (huge_.data() != nullptr) data_ = aligned(huge_.data(), alignment);
    return;
  }
  const std::size_t whole = round_up(bytes, page_bytes()) + (alignment > page_bytes() ? alignment : 0);
  void* const mapped = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return;
  mapped_ = {static_cast<std::byte*>(mapped), unmap{whole}};
  data_ = aligned(mapped_.get(), alignment);
}

void own_pages::unmap::operator()(std::byte* mapped) const noexcept { munmap(mapped, bytes); }

own_pages granted_pages(std::size_t bytes, std::size_t alignment, page_kind wanted, std::string& refused) {
  if (wanted != page_kind::normal) {
    refused = why_not_granted(wanted);
    if (refused.empty()) {
      own_pages granted(bytes, alignment, wanted);
      if (granted.data() != nullptr) return granted;
      refused = "there are not so many";
    }
  }
  return {bytes, alignment, page_kind::normal};
}

void part_memory::give_back::operator()(std::byte* block) const noexcept {
  ::operator delete (block, std::align_val_t{pair_bytes});
}

void part_memory::make_block(std::size_t bytes, std::size_t alignment) {
  const std::size_t whole = round_up(bytes, pair_bytes) + (alignment > pair_bytes ? alignment : 0);
  block_.reset(static_cast<std::byte*>(::operator new (whole, std::align_val_t{pair_bytes})));
}

part_memory::part_memory(std::size_t bytes, std::size_t alignment, page_kind pages) {
  alignment = std::max(alignment, line_bytes);
  const std::size_t for_control = round_up(target_control::bytes_for(bytes), pair_bytes);
  const bool is_small = bytes <= largest_in_block && alignment <= page_bytes() && pages == page_kind::normal;
  const bool has_pages = bytes >= page_bytes();
  const std::size_t for_data = has_pages ? round_up(bytes, page_bytes()) : bytes;
  if (has_pages) alignment = std::max(alignment, page_bytes());
  make_block(for_control + (is_small ? for_data : 0), is_small ? alignment : 0);
  std::memset(block_.get(), 0, for_control);
  control_ = &target_control::make(block_.get(), bytes);
  if (is_small) {
    data_ = aligned(block_.get() + for_control, alignment);
    std::memset(data_, 0, bytes);
    return;
  }
  if (is_more_than_there_is(bytes)) throw std::bad_alloc();
  pages_ = granted_pages(bytes, alignment, pages, refused_);
  data_ = pages_.data();
  if (data_ == nullptr) throw std::bad_alloc();
  touch_pages(data_, bytes);
}

part_memory part_memory::control_for(std::size_t bytes) {
  part_memory made;
  made.make_block(target_control::bytes_for(bytes), 0);
  std::memset(made.block_.get(), 0, target_control::bytes_for(bytes));
  made.control_ = &target_control::make(made.block_.get(), bytes);
  return made;
}

}  // namespace pure::core
