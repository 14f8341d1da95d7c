// Collectives made of messages, one after the other, for testing the oracle and the runner: with a mistake on request.
#pragma once

#include <pure.h>

#include <algorithm>
#include <vector>

#include "coll/operators.hpp"
#include "support/collective_oracle/door.hpp"

namespace collective_oracle {

enum class mistake {
  none,
  folds_backwards,
  forgets_the_last_rank,
  takes_root_0,
  writes_behind_the_buffer,
  writes_before_the_buffer,
  changes_the_input,
  ignores_displacements,
  enters_no_barrier,
  swaps_two_elements
};
inline constexpr int mistakes = 10;

class naive_door : public door {
 public:
  explicit naive_door(mistake made = mistake::none) : made_(made) {}

  void run(const call& c) override { perform(c); }
  pure_request start(const call& c) override {
    perform(c);
    return PURE_REQUEST_NULL;
  }
  pure_request init(const call&) override { return PURE_REQUEST_NULL; }
  void restart(pure_request&, const call& c) override { perform(c); }
  void release(pure_request&) override {}

 private:
  static constexpr int tag = 1 << 20;
  using bytes = std::vector<std::byte>;

  static void send(const call& c, int to, const void* from, std::size_t size) {
    pure_send_msg(from, static_cast<std::int64_t>(size), PURE_BYTE, to, tag, c.comm);
  }
  static void receive(const call& c, int from, void* to, std::size_t size) {
    pure_recv_msg(to, static_cast<std::int64_t>(size), PURE_BYTE, from, tag, c.comm);
  }
  static std::byte* advanced(void* pointer, std::size_t by) {
    return pointer == nullptr ? nullptr : static_cast<std::byte*>(pointer) + by;
  }
  static void copy(void* to, const void* from, std::size_t size) {
    if (size > 0) std::memmove(to, from, size);
  }

  /// Everyone's `mine`, the same size at all ranks, one after the other.
  static bytes all_of(const call& c, const void* mine, std::size_t size) {
    bytes all(size * at(c.size));
    copy(all.data() + size * at(c.rank), mine, size);
    for (int other = 0; other < c.size; ++other) {
      if (other == c.rank) continue;
      pure_sendrecv_msg(mine, static_cast<std::int64_t>(size), PURE_BYTE, other, tag, all.data() + size * at(other),
                        static_cast<std::int64_t>(size), PURE_BYTE, other, tag, c.comm);
    }
    return all;
  }

  std::size_t offset(const blocks& b, int r) const {
    if (made_ != mistake::ignores_displacements) return b.offsets[at(r)];
    std::size_t end = 0;
    for (int i = 0; i < r; ++i) end += b.sizes[at(i)];
    return end;
  }

  void perform(const call& c) {
    const operation& o = c.what;
    const part& a = c.arguments;
    const std::size_t size = at(o.count) * size_of(o.type);
    const int root = made_ == mistake::takes_root_0 && o.what == kind::bcast ? 0 : o.root;
    switch (o.what) {
      case kind::barrier:
        if (made_ != mistake::enters_no_barrier) all_of(c, nullptr, 0);
        return;
      case kind::bcast:
        if (c.rank != root) return receive(c, root, c.recv, size);
        for (int other = 0; other < c.size; ++other) {
          if (other != root) send(c, other, c.recv, size);
        }
        break;
      case kind::gather:
      case kind::gatherv:
        if (a.send_pointer != pointer::in_place) start_send(c, root, c.send, a.sent.size());
        if (c.rank == root) collect(c, a.send_pointer == pointer::in_place);
        break;
      case kind::allgather:
      case kind::allgatherv: {
        const bool in_place = a.send_pointer == pointer::in_place;
        const void* const own = in_place ? advanced(c.recv, a.recv.offsets[at(c.rank)]) : c.send;
        for (int other = 0; other < c.size; ++other) {
          if (other != c.rank || !in_place) start_send(c, other, own, a.recv.sizes[at(c.rank)]);
        }
        collect(c, in_place);
        break;
      }
      case kind::scatter:
      case kind::scatterv: {
        const bool in_place = a.recv_pointer == pointer::in_place;
        if (c.rank == root) {
          for (int other = 0; other < c.size; ++other) {
            if (other == root && in_place) continue;
            start_send(c, other, static_cast<const std::byte*>(c.send) + offset(a.send, other),
                       a.send.sizes[at(other)]);
          }
        }
        if (!in_place) receive(c, root, c.recv, a.after.size());
        break;
      }
      case kind::alltoall:
      case kind::alltoallv:
      case kind::alltoallw: {
        const bool in_place = a.send_pointer == pointer::in_place;
        const blocks& out = in_place ? a.recv : a.send;
        const void* from = in_place ? c.recv : c.send;
        const bytes kept(static_cast<const std::byte*>(from), static_cast<const std::byte*>(from) + out.extent_bytes);
        for (int other = 0; other < c.size; ++other) {
          start_send(c, other, kept.data() + out.offsets[at(other)], out.sizes[at(other)]);
        }
        collect(c, false);
        pure_waitall(static_cast<int>(sends_.size()), sends_.data());
        break;
      }
      default: reduce(c); break;
    }
    pure_waitall(static_cast<int>(sends_.size()), sends_.data());
    sends_.clear();
    if (a.recv_pointer != pointer::data || a.after.empty()) return;
    if (made_ == mistake::writes_behind_the_buffer) *advanced(c.recv, a.after.size()) = std::byte{0};
    if (made_ == mistake::writes_before_the_buffer) *(static_cast<std::byte*>(c.recv) - 1) = std::byte{0};
    if (made_ == mistake::changes_the_input && !a.sent.empty()) {
      auto* const input = static_cast<std::byte*>(const_cast<void*>(c.send));
      *input = ~*input;
    }
  }

  void start_send(const call& c, int to, const void* from, std::size_t size) {
    sends_.push_back(PURE_REQUEST_NULL);
    pure_isend_msg(from, static_cast<std::int64_t>(size), PURE_BYTE, to, tag, c.comm, &sends_.back());
  }
  void collect(const call& c, bool without_own) {
    const blocks& b = c.arguments.recv;
    const int last = made_ == mistake::forgets_the_last_rank && c.size > 2 ? c.size - 1 : c.size;
    for (int other = 0; other < c.size; ++other) {
      if (other == c.rank && without_own) continue;
      bytes got(b.sizes[at(other)]);
      receive(c, other, got.data(), got.size());
      if (other < last) copy(advanced(c.recv, offset(b, other)), got.data(), got.size());
    }
  }

  void reduce(const call& c) {
    const operation& o = c.what;
    const part& a = c.arguments;
    const bool in_place = a.send_pointer == pointer::in_place;
    const std::size_t size = in_place ? a.before.size() : a.sent.size();
    const std::size_t count = size / size_of(o.type);
    bytes all = all_of(c, in_place ? c.recv : c.send, size);
    const bool prefix = o.what == kind::scan || o.what == kind::exscan;
    int end = prefix ? c.rank + (o.what == kind::scan ? 1 : 0) : c.size;
    if (made_ == mistake::forgets_the_last_rank && end > 2) --end;
    if (end == 0 || (o.what == kind::reduce && c.rank != o.root)) return;

    const pure::core::user_operator by_user(o.op == user_xor ? xor_function : affine_function);
    pure::detail::reduction how = by_user.on(o.type);
    if (!is_user_operator(o.op)) pure::core::find_reduction(static_cast<pure_op>(o.op), o.type, how);
    const bool backwards = made_ == mistake::folds_backwards;
    bytes result(all.begin() + static_cast<std::ptrdiff_t>(size * at(backwards ? end - 1 : 0)),
                 all.begin() + static_cast<std::ptrdiff_t>(size * at(backwards ? end : 1)));
    for (int i = 1; i < end; ++i) {
      how.combine(how.context, result.data(), all.data() + size * at(backwards ? end - 1 - i : i), result.data(),
                  count);
    }
    std::size_t from = 0;
    std::size_t mine = size;
    if (o.what == kind::reduce_scatter || o.what == kind::reduce_scatter_block) {
      const auto of = [&](int r) { return at(o.counts.empty() ? o.count : o.counts[at(r)]) * size_of(o.type); };
      for (int r = 0; r < c.rank; ++r) from += of(r);
      mine = of(c.rank);
    }
    if (made_ == mistake::swaps_two_elements && mine >= 2 * size_of(o.type)) {
      std::swap_ranges(result.begin() + static_cast<std::ptrdiff_t>(from),
                       result.begin() + static_cast<std::ptrdiff_t>(from + size_of(o.type)),
                       result.begin() + static_cast<std::ptrdiff_t>(from + size_of(o.type)));
    }
    copy(c.recv, result.data() + from, mine);
  }

  const mistake made_;
  std::vector<pure_request> sends_;
};

}  // namespace collective_oracle
