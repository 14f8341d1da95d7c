// The buffers of a rank's pending requests: which of them overlap, and whether their bytes have changed (PURE_CHECK).
//
// A buffer belongs to its operation from the start until wait or test has completed it (MPI 4.1, 3.7.2): a receive's is
// nobody else's, a send's may be read by other sends. Own thread only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/call.hpp"
#include "base/content_hash.hpp"
#include "layout/layout.hpp"

namespace pure::core {

struct pending_buffer {
  bool is_receive = false;
  bool is_delivered = false;  // a receive whose message has come
  bool is_changed = false;    // by whom it does not belong to
  int peer = 0;               // the other rank's number in the job, or any_source
  int tag = 0;
  const std::byte* begin = nullptr;  // in a row; not of what is laid out, which may interleave with others
  std::size_t bytes = 0;
  laid_out_source laid_out{nullptr, nullptr};  // where `form` is set: that, of so many bytes
  std::size_t laid_out_bytes = 0;
  std::uint64_t content = 0;        // when it was last right
  const char* operation = nullptr;  // the call that started it
  site_of_call site;                // and the types
  int sender = 0;                   // of a delivered message: its rank, and its number in that rank's send_log
  std::uint32_t number = 0;

  /// Throws std::bad_alloc, for a copy of what is laid out.
  [[nodiscard]] std::uint64_t content_now() const;
};

class buffer_table {
 public:
  [[nodiscard]] bool empty() const noexcept { return by_operation_.empty(); }

  /// A pending buffer with which [begin, begin + bytes) must not overlap, or null: a receive's, and if one writes
  /// there, a send's.
  [[nodiscard]] const pending_buffer* conflict(const void* begin, std::size_t bytes, bool writes) const noexcept;

  /// `operation`: the address of the op, as its name.
  pending_buffer& add(const void* operation, const pending_buffer& what);
  /// Null if it is not pending, or is not checked.
  [[nodiscard]] pending_buffer* find(const void* operation) noexcept;
  void remove(const void* operation) noexcept;

 private:
  /// Buffers whose lengths have the same power of two below them are together, for where to look before an address
  /// depends on how long they may be: one long buffer among thousands of short ones makes no look longer.
  class intervals {
   public:
    void add(const pending_buffer& what);
    void remove(const pending_buffer& what) noexcept;
    [[nodiscard]] const pending_buffer* overlap(std::uintptr_t begin, std::uintptr_t end) const noexcept;

   private:
    using with_one_begin = std::set<std::pair<std::size_t, const pending_buffer*>>;  // the last is the longest

    std::array<std::map<std::uintptr_t, with_one_begin>, 64> of_width_;  // by the bits of the length
    std::uint64_t widths_ = 0;                                           // which of these are not empty
  };

  std::unordered_map<const void*, pending_buffer> by_operation_;  // never moves an element
  intervals sends_, receives_;                                    // those with bytes
};

}  // namespace pure::core
