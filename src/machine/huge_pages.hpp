// Memory on huge pages: for the rings and the stacks of a job, where PURE_HUGE_PAGES asks for them.
//
//   transparent   normal memory that the kernel is asked to put on huge pages when it is touched; nothing is promised
//   reserved      memory from the kernel's pool of huge pages (vm.nr_hugepages), reserved when it is mapped
//
// What is not granted is normal memory, and that is said once for each job, on stderr, with what to do about it.
//
// A huge page has 2 MiB on x86-64, a ring 64 KiB. So rings have no pages of their own: they are cut, one behind the
// other, from blocks of one huge page that all ranks of a NUMA node share. 4096 rings of 64 ranks are 128 huge pages,
// and a job of two ranks has one.
//
// Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace pure::core {

enum class page_kind { normal, transparent, reserved };

/// Of the setting: "off", "transparent" or "reserved".
page_kind page_kind_of(const std::string& setting) noexcept;

/// The size of the huge pages that such memory gets; a guess where the kernel says nothing.
std::size_t huge_page_bytes();

/// Tries one page: why the kernel does not grant it now, and what to do; empty if it does.
std::string why_not_granted(page_kind kind);

/// Memory with an inaccessible page in front of it, aligned to a huge page: zeros. Unmapped at its end.
class mapped_block {
 public:
  mapped_block() = default;
  /// Whole pages of `kind`, `bytes` or more. Its data() is null if there is no such memory.
  mapped_block(std::size_t bytes, page_kind kind) noexcept;
  mapped_block(mapped_block&& from) noexcept;
  mapped_block& operator=(mapped_block&& from) noexcept;
  ~mapped_block() { unmap(); }

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  void unmap() noexcept;

  std::byte* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// What a job has on huge pages.
class huge_pages {
 public:
  /// Tries what is asked for, and says so if it is not granted: then everything is normal memory.
  explicit huge_pages(page_kind kind);
  huge_pages(const huge_pages&) = delete;
  huge_pages& operator=(const huge_pages&) = delete;

  /// False from the first refusal on.
  [[nodiscard]] bool are_granted() const noexcept { return is_granted_.load(std::memory_order_relaxed); }

  /// A block of its own; `what` is the word for it in the warning. Throws std::bad_alloc.
  mapped_block map(std::size_t bytes, const char* what);

  /// A part of a block that is shared by the callers of one NUMA node, aligned to a pair of cache lines; it is not
  /// zeroed. Lives as long as this. Throws std::bad_alloc.
  void* cut(std::size_t bytes, int numa_node);
  /// Takes back the part that was cut last; what is behind others is lost until the end.
  void give_back(void* part, std::size_t bytes) noexcept;

  /// How many blocks have been cut from.
  [[nodiscard]] std::size_t blocks();

 private:
  struct shared_block {
    mapped_block memory;
    std::size_t used;
    int numa_node;
  };

  void say_not_granted(const std::string& why);

  const page_kind kind_;
  std::atomic<bool> is_granted_{true};
  std::mutex cutting_;  // guards blocks_: taken when a pair of ranks first talks
  std::vector<shared_block> blocks_;
};

}  // namespace pure::core
