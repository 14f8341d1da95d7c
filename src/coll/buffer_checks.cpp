#include "coll/buffer_checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

#include "comm/point_to_point.hpp"

namespace pure::core {

namespace {

struct extent {
  std::uintptr_t begin = 0;  // 0: the buffer is null
  std::size_t bytes = 0;
};

extent extent_of(const void* base, std::size_t bytes) noexcept {
  return {reinterpret_cast<std::uintptr_t>(base), bytes};
}

/// From the first to the last byte of any block. (Numbers: a buffer that is null, or displacements that lead nowhere,
/// have no addresses to compute.)
extent extent_of(const void* base, const block_layout& blocks, int ranks) noexcept {
  if (blocks.counts == nullptr) return extent_of(base, blocks.block_bytes * static_cast<std::size_t>(ranks));
  std::ptrdiff_t begin = 0;
  std::ptrdiff_t end = 0;
  bool any = false;
  for (int q = 0; q < ranks; ++q) {
    const auto bytes = static_cast<std::ptrdiff_t>(blocks.bytes(q));
    if (bytes == 0) continue;
    const std::ptrdiff_t offset = blocks.offset(q);
    begin = any ? std::min(begin, offset) : offset;
    end = any ? std::max(end, offset + bytes) : offset + bytes;
    any = true;
  }
  const std::size_t bytes = static_cast<std::size_t>(end) - static_cast<std::size_t>(begin);
  if (base == nullptr) return {0, bytes};
  return {reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(begin), bytes};
}

class checker {
 public:
  checker(const communicator& on, const call& by) noexcept : on_(on), by_(by) {}

  void require(const void* buffer, std::size_t bytes, const char* role) const {
    if (buffer == nullptr && bytes > 0) [[unlikely]] {
      refuse(fmt::format("the {} buffer is null, but has {} bytes of data", role, bytes));
    }
  }
  void require_not_in_place(const void* send, std::size_t bytes) const {
    if (send == nullptr && bytes > 0) [[unlikely]] {
      refuse("the send buffer is null; only the root may say \"in place\"");
    }
  }
  void require_apart(const extent& send, const extent& recv) const {
    if (send.begin == 0 || send.bytes == 0 || recv.bytes == 0) return;
    if (send.begin >= recv.begin + recv.bytes || recv.begin >= send.begin + send.bytes) [[likely]]
      return;
    refuse(
        "the send and the receive buffer overlap; where the data is in the receive buffer, say so (PURE_IN_PLACE, or the "
        "in-place form)");
  }
  /// What a rank gives itself, in a collective with a size on both sides; between ranks, operation::check_size() looks.
  void require_same_size(std::size_t gives, std::size_t takes) const {
    if (gives == takes) [[likely]]
      return;
    throw_bad_argument(on_, by_, errc::mismatch,
                       fmt::format("the two sides disagree on a size: rank {} gives itself {} bytes where it expects "
                                   "{}; counts and types must describe the same data on both sides",
                                   on_.rank(), gives, takes));
  }

 private:
  [[noreturn]] void refuse(const std::string& text) const { throw_bad_argument(on_, by_, errc::buffer, text); }

  const communicator& on_;
  const call& by_;
};

void check_root(const communicator& on, const call& by, int root) {
  if (static_cast<unsigned>(root) < static_cast<unsigned>(on.size())) [[likely]]
    return;
  throw_bad_argument(on, by, errc::root,
                     fmt::format("root {} is out of range: the communicator has ranks 0 to {}", root, on.size() - 1));
}

}  // namespace

void check_arguments(const communicator& on, const call& by, const collective_arguments& what) {
  const checker check(on, by);
  const bool is_root = what.root == on.rank();
  switch (what.kind) {
    case collective::barrier: return;
    case collective::bcast:
      check_root(on, by, what.root);
      return check.require(what.recv, what.count * what.element_bytes, "data");
    case collective::reduce:
      check_root(on, by, what.root);
      if (!is_root) return check.require_not_in_place(what.send, bytes_of_vector(what));
      [[fallthrough]];
    case collective::allreduce:
    case collective::scan:
    case collective::exscan: {
      const std::size_t bytes = bytes_of_vector(what);
      if (what.kind == collective::exscan && on.rank() == 0 && what.send != nullptr) return;  // it gets nothing
      check.require(what.recv, bytes, "receive");
      return check.require_apart(extent_of(what.send, bytes), extent_of(what.recv, bytes));
    }
    case collective::reduce_scatter: {
      const std::size_t own = what.recv_blocks.bytes(on.rank());
      const std::size_t bytes = what.send == nullptr ? bytes_of_vector(what) : own;
      check.require(what.recv, bytes, "receive");
      return check.require_apart(extent_of(what.send, bytes_of_vector(what)), extent_of(what.recv, own));
    }
    case collective::gather: {
      check_root(on, by, what.root);
      const std::size_t bytes = what.count * what.element_bytes;
      if (!is_root) return check.require_not_in_place(what.send, bytes);
      const extent recv = extent_of(what.recv, what.recv_blocks, on.size());
      check.require(what.recv, recv.bytes, "receive");
      if (what.send == nullptr) return;
      check.require_same_size(bytes, what.recv_blocks.bytes(on.rank()));
      return check.require_apart(extent_of(what.send, bytes), recv);
    }
    case collective::scatter: {
      check_root(on, by, what.root);
      const std::size_t bytes = what.count * what.element_bytes;
      if (!is_root) return check.require(what.recv, bytes, "receive");
      const extent send = extent_of(what.send, what.send_blocks, on.size());
      check.require(what.send, send.bytes, "send");
      if (what.recv == nullptr) return;
      check.require_same_size(what.send_blocks.bytes(on.rank()), bytes);
      return check.require_apart(send, extent_of(what.recv, bytes));
    }
    case collective::allgather: {
      const extent recv = extent_of(what.recv, what.recv_blocks, on.size());
      check.require(what.recv, recv.bytes, "receive");
      if (what.send == nullptr) return;
      const std::size_t bytes = what.count * what.element_bytes;
      check.require_same_size(bytes, what.recv_blocks.bytes(on.rank()));
      return check.require_apart(extent_of(what.send, bytes), recv);
    }
    case collective::alltoall: {
      const extent recv = extent_of(what.recv, what.recv_blocks, on.size());
      check.require(what.recv, recv.bytes, "receive");
      if (what.send == nullptr) return;
      check.require_same_size(what.send_blocks.bytes(on.rank()), what.recv_blocks.bytes(on.rank()));
      return check.require_apart(extent_of(what.send, what.send_blocks, on.size()), recv);
    }
  }
}

}  // namespace pure::core
