#include "machine/huge_pages.hpp"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <new>
#include <string_view>
#include <utility>

#include "base/cache_line.hpp"
#include "base/round_up.hpp"
#include "base/say.hpp"
#include "base/text.hpp"

namespace pure::core {

namespace {

constexpr std::size_t usual_huge_page_bytes = 2U << 20;
constexpr const char* transparent_file = "/sys/kernel/mm/transparent_hugepage/enabled";

/// The number behind a name in a file like /proc/meminfo, which says "Name:   12 kB"; 0 if it is not there.
std::uint64_t number_behind(std::istream& file, std::string_view name) {
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name) || line[name.size()] != ':') continue;
    const std::string_view words = trimmed(std::string_view(line).substr(name.size() + 1));
    return parse_number(words.substr(0, words.find(' '))).value_or(0);
  }
  return 0;
}

std::uint64_t in_meminfo(std::string_view name) {
  std::ifstream file("/proc/meminfo");
  return number_behind(file, name);
}

/// Whether the kernel has put the memory at `address` on a transparent huge page.
bool is_on_huge_page(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  for (std::string line; std::getline(maps, line);) {
    unsigned long low = 0, high = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &low, &high) != 2) continue;
    if (wanted >= low && wanted < high) return number_behind(maps, "AnonHugePages") > 0;
  }
  return false;
}

std::string why_no_transparent_page(const mapped_block& tried) {
  std::ifstream file(transparent_file);
  std::string choices;
  std::getline(file, choices);
  if (choices.empty()) return "this kernel has no transparent huge pages; use PURE_HUGE_PAGES=reserved";
  if (choices.find("[never]") != std::string::npos) {
    return fmt::format("{} is `never`; as root, `echo madvise > {}`", transparent_file, transparent_file);
  }
  if (tried.data() != nullptr) {
    *static_cast<volatile std::byte*>(tried.data()) = std::byte{0};  // now the kernel has to find a page
    if (is_on_huge_page(tried.data())) return "";
  }
  return "the kernel gave a normal page when it was asked for one: its memory may be too fragmented, or the process may "
         "have switched them off (PR_SET_THP_DISABLE); use PURE_HUGE_PAGES=reserved";
}

std::string why_no_reserved_page(const mapped_block& tried) {
  if (tried.data() != nullptr) return "";
  return fmt::format(
      "the kernel has reserved {}, and {} are free; as root, `echo NUMBER > /proc/sys/vm/nr_hugepages` "
      "reserves more, or use PURE_HUGE_PAGES=transparent",
      counted(in_meminfo("HugePages_Total"), "huge page"), in_meminfo("HugePages_Free"));
}

}  // namespace

page_kind page_kind_of(const std::string& setting) noexcept {
  if (setting == "transparent") return page_kind::transparent;
  return setting == "reserved" ? page_kind::reserved : page_kind::normal;
}

std::size_t huge_page_bytes() {
  const std::uint64_t kibibytes = in_meminfo("Hugepagesize");
  return kibibytes == 0 ? usual_huge_page_bytes : static_cast<std::size_t>(kibibytes) * 1024;
}

std::string why_not_granted(page_kind kind) {
  if (kind == page_kind::normal) return "";
  const mapped_block tried(1, kind);
  return kind == page_kind::reserved ? why_no_reserved_page(tried) : why_no_transparent_page(tried);
}

// ---- a block ----

mapped_block::mapped_block(std::size_t bytes, page_kind kind) noexcept {
  static const std::size_t huge_page = huge_page_bytes();
  bytes_ = round_up(bytes, huge_page);
  mapped_bytes_ = bytes_ + 2 * huge_page;  // for the alignment, and the inaccessible page
  void* const all = mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) return;
  mapped_ = static_cast<std::byte*>(all);
  const auto first = reinterpret_cast<std::uintptr_t>(all);
  std::byte* const aligned = mapped_ + (round_up(first + 1, huge_page) - first);
  if (kind == page_kind::reserved) {
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_HUGETLB;
    if (mmap(aligned, bytes_, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED) {
      // Older kernels leave a hole, in which another thread may have mapped something meanwhile: only what is around it
      // is given back. Where there is none, that costs addresses, and no memory.
      munmap(mapped_, static_cast<std::size_t>(aligned - mapped_));
      munmap(aligned + bytes_, mapped_bytes_ - bytes_ - static_cast<std::size_t>(aligned - mapped_));
      mapped_ = nullptr;
      return;
    }
  } else {
    if (mprotect(aligned, bytes_, PROT_READ | PROT_WRITE) != 0) {
      unmap();
      return;
    }
    if (kind == page_kind::transparent) madvise(aligned, bytes_, MADV_HUGEPAGE);  // refused: is_on_huge_page() sees it
  }
  data_ = aligned;
}

mapped_block::mapped_block(mapped_block&& from) noexcept
    : mapped_(std::exchange(from.mapped_, nullptr)),
      mapped_bytes_(from.mapped_bytes_),
      data_(std::exchange(from.data_, nullptr)),
      bytes_(from.bytes_) {}

mapped_block& mapped_block::operator=(mapped_block&& from) noexcept {
  if (this != &from) {
    unmap();
    mapped_ = std::exchange(from.mapped_, nullptr);
    mapped_bytes_ = from.mapped_bytes_;
    data_ = std::exchange(from.data_, nullptr);
    bytes_ = from.bytes_;
  }
  return *this;
}

void mapped_block::unmap() noexcept {
  if (mapped_ != nullptr) munmap(mapped_, mapped_bytes_);
  mapped_ = nullptr;
  data_ = nullptr;
}

// ---- a job's ----

huge_pages::huge_pages(page_kind kind) : kind_(kind) {
  if (const std::string why = why_not_granted(kind); !why.empty()) say_not_granted(why);
}

void huge_pages::say_not_granted(const std::string& why) {
  if (!is_granted_.exchange(false, std::memory_order_relaxed)) return;
  say("pure: warning: PURE_HUGE_PAGES={} is not granted, so that rings and stacks are on normal pages: {}\n",
      kind_ == page_kind::reserved ? "reserved" : "transparent", why);
}

mapped_block huge_pages::map(std::size_t bytes, const char* what) {
  if (are_granted()) {
    mapped_block made(bytes, kind_);
    if (made.data() != nullptr) return made;
    say_not_granted(
        fmt::format("the kernel has no more: {} for {}, and {} huge pages are free; reserve more in "
                    "/proc/sys/vm/nr_hugepages, or lower PURE_STACK_BYTES",
                    bytes_text(bytes), what, in_meminfo("HugePages_Free")));
  }
  mapped_block made(bytes, page_kind::normal);
  if (made.data() == nullptr) throw std::bad_alloc();
  return made;
}

void* huge_pages::cut(std::size_t bytes, int numa_node) {
  const std::size_t whole_lines = round_up(bytes, pair_bytes);
  const std::lock_guard lock(cutting_);
  for (shared_block& each : blocks_) {
    if (each.numa_node != numa_node || each.memory.bytes() - each.used < whole_lines) continue;
    return each.memory.data() + std::exchange(each.used, each.used + whole_lines);
  }
  blocks_.push_back({map(whole_lines, "rings"), whole_lines, numa_node});
  return blocks_.back().memory.data();
}

void huge_pages::give_back(void* part, std::size_t bytes) noexcept {
  const std::size_t whole_lines = round_up(bytes, pair_bytes);
  const std::lock_guard lock(cutting_);
  for (shared_block& each : blocks_) {
    if (each.memory.data() + each.used == static_cast<std::byte*>(part) + whole_lines) each.used -= whole_lines;
  }
}

std::size_t huge_pages::blocks() {
  const std::lock_guard lock(cutting_);
  return blocks_.size();
}

}  // namespace pure::core
