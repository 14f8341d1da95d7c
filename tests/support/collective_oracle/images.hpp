// The serial oracle: what lies in the buffers of each rank before an operation, and what must lie there after it.
#pragma once

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "support/collective_oracle/plan.hpp"

namespace collective_oracle {

inline constexpr std::byte untouched{0xa5};

enum class pointer { null, data, in_place };

/// The blocks of a buffer, one for each rank: in any order, with gaps.
struct blocks {
  std::vector<std::int64_t> counts, displs;  // displs in elements, of alltoallw in bytes
  std::vector<pure_datatype> types;          // alltoallw
  std::vector<std::size_t> offsets, sizes;   // in bytes
  std::size_t extent_bytes = 0;
};

/// One rank's call: arguments and buffers. Arguments that do not matter are rubbish.
struct part {
  pointer send_pointer = pointer::null, recv_pointer = pointer::null;
  std::vector<std::byte> sent;                             // must not change
  std::vector<std::byte> before, after;                    // of the receive buffer; before: empty if all untouched
  std::size_t unchecked_from = ~std::size_t{0};            // behind it, `after` may be anything
  std::size_t send_shift_bytes = 0, recv_shift_bytes = 0;  // of the buffers, from a cache line
  std::int64_t send_count = -1, recv_count = -1;
  pure_datatype send_type = PURE_DATATYPE_NULL, recv_type = PURE_DATATYPE_NULL;
  blocks send, recv;  // counts empty: passed as null
};

class serial_oracle {
 public:
  serial_oracle(const plan& p, const operation& o) : o_(o), n_(p.of(o).size()) {}

  /// The parts of all ranks of the communicator in one start of the operation.
  std::vector<part> parts(int start) {
    start_ = static_cast<std::uint64_t>(start);
    parts_.assign(at(n_), part{});
    switch (o_.what) {
      case kind::barrier: break;
      case kind::bcast: bcast(); break;
      case kind::gather:
      case kind::gatherv: gather(); break;
      case kind::scatter:
      case kind::scatterv: scatter(); break;
      case kind::allgather:
      case kind::allgatherv: allgather(); break;
      case kind::alltoall:
      case kind::alltoallv:
      case kind::alltoallw: alltoall(); break;
      case kind::exchange: exchange(); break;
      default: reduction(); break;
    }
    finish();
    return std::move(parts_);
  }

 private:
  using bytes = std::vector<std::byte>;

  std::uint64_t key(int from, int to = 0) const {
    return mix(o_.seed ^ mix(start_ * 40'000 + at(from) * 200 + at(to)));
  }
  bytes block(int from, int to, std::size_t size) const {
    bytes b(size);
    fill_bytes(b.data(), size, key(from, to));
    return b;
  }
  std::int64_t count_of(int r) const { return o_.counts.empty() ? o_.count : o_.counts[at(r)]; }
  std::size_t bytes_of(std::int64_t count) const { return at(count) * size_of(o_.type); }
  bool is_in_place_at(int r) const { return o_.in_place && (!has_root(o_.what) || r == o_.root); }

  static void put(bytes& to, std::size_t offset, const bytes& what) {
    std::copy(what.begin(), what.end(), to.begin() + static_cast<std::ptrdiff_t>(offset));
  }

  /// Where the blocks of rank `of` lie; `side` tells its two buffers apart.
  blocks layout(int of, int side, const std::vector<std::int64_t>& counts,
                const std::vector<pure_datatype>& types = {}) const {
    oracle::dice dice(o_.seed + at(2 * of + side));
    blocks b;
    const bool scattered = !o_.counts.empty() && dice.chance(70);
    std::vector<int> order(counts.size());
    std::iota(order.begin(), order.end(), 0);
    if (scattered) dice.shuffle(order);
    b.counts = counts;
    b.types = types;
    b.displs.resize(counts.size());
    b.offsets.resize(counts.size());
    b.sizes.resize(counts.size());
    std::size_t end = 0;
    for (const int r : order) {
      const std::size_t element = size_of(types.empty() ? o_.type : types[at(r)]);
      if (scattered) end += at(dice.below(4)) * element;
      if (!types.empty()) end = (end + element - 1) / element * element;
      b.offsets[at(r)] = end;
      b.sizes[at(r)] = at(counts[at(r)]) * element;
      b.displs[at(r)] = static_cast<std::int64_t>(types.empty() ? end / element : end);
      end += b.sizes[at(r)];
    }
    b.extent_bytes = end;
    return b;
  }
  blocks layout_of_all(int of) const {
    std::vector<std::int64_t> counts;
    for (int r = 0; r < n_; ++r) counts.push_back(count_of(r));
    return layout(of, 1, counts);
  }

  void sends(part& p, bytes data, std::int64_t count) {
    p.send_pointer = pointer::data;
    p.sent = std::move(data);
    p.send_count = count;
    p.send_type = o_.type;
  }
  void receives(part& p, bytes after, std::int64_t count) {
    p.recv_pointer = pointer::data;
    p.after = std::move(after);
    p.recv_count = count;
    p.recv_type = o_.type;
  }

  void bcast() {
    const bytes data = block(o_.root, 0, bytes_of(o_.count));
    for (int r = 0; r < n_; ++r) {
      receives(parts_[at(r)], data, o_.count);
      if (r == o_.root) parts_[at(r)].before = data;
    }
  }

  void reduction() {
    const bool scatters = o_.what == kind::reduce_scatter || o_.what == kind::reduce_scatter_block;
    const blocks all = layout_in_order();
    const std::int64_t count = scatters ? static_cast<std::int64_t>(all.extent_bytes / size_of(o_.type)) : o_.count;
    std::vector<bytes> operands, prefixes;
    for (int r = 0; r < n_; ++r) {
      operands.emplace_back(bytes_of(count));
      fill_operands(operands.back().data(), o_.op, o_.type, at(count), key(r));
      prefixes.push_back(operands.back());
      if (r > 0) fold(o_.op, o_.type, prefixes[at(r - 1)].data(), prefixes[at(r)].data(), at(count));
      const bool all_prefixes = o_.what == kind::scan || o_.what == kind::exscan;
      if (r > 0 && !all_prefixes) bytes().swap(prefixes[at(r - 1)]);
    }
    for (int r = 0; r < n_; ++r) {
      part& p = parts_[at(r)];
      p.send_count = scatters ? count_of(r) : count;
      p.send_type = o_.type;
      const bool keeps_buffer = (o_.what == kind::exscan && r == 0);
      const bool gets_nothing = o_.what == kind::reduce && r != o_.root;
      bytes result(keeps_buffer || gets_nothing ? bytes_of(count) : 0, untouched);
      if (keeps_buffer && is_in_place_at(r)) result = operands[0];
      if (o_.what == kind::exscan && r > 0) result = prefixes[at(r - 1)];
      if (o_.what == kind::scan) result = prefixes[at(r)];
      if (o_.what == kind::allreduce || (o_.what == kind::reduce && r == o_.root)) result = prefixes.back();
      if (scatters) {
        const auto begin = prefixes.back().begin() + static_cast<std::ptrdiff_t>(all.offsets[at(r)]);
        result.assign(begin, begin + static_cast<std::ptrdiff_t>(all.sizes[at(r)]));
        if (o_.what == kind::reduce_scatter) p.recv.counts = all.counts;
      }
      receives(p, std::move(result), scatters ? count_of(r) : count);
      if (gets_nothing && mix(o_.seed + at(r)) % 2 == 0) {
        p.recv_pointer = pointer::null;
        p.after.clear();
      }
      if (!is_in_place_at(r)) {
        p.send_pointer = pointer::data;
        p.sent = std::move(operands[at(r)]);
      } else {
        p.send_pointer = pointer::in_place;
        if (scatters) {  // the rest of the input is nobody's
          p.unchecked_from = p.after.size();
          p.after.resize(bytes_of(count));
        }
        p.before = std::move(operands[at(r)]);
      }
    }
  }
  blocks layout_in_order() const {
    blocks b;
    for (int r = 0; r < n_; ++r) {
      b.counts.push_back(count_of(r));
      b.offsets.push_back(b.extent_bytes);
      b.sizes.push_back(bytes_of(count_of(r)));
      b.extent_bytes += b.sizes.back();
    }
    return b;
  }

  /// Rank r gets everyone's block.
  void collect(part& p, int r) {
    p.recv = layout_of_all(r);
    bytes after(p.recv.extent_bytes, untouched), before = after;
    for (int from = 0; from < n_; ++from) {
      put(after, p.recv.offsets[at(from)], block(from, 0, p.recv.sizes[at(from)]));
    }
    if (is_in_place_at(r)) {
      p.send_pointer = pointer::in_place;
      put(before, p.recv.offsets[at(r)], block(r, 0, p.recv.sizes[at(r)]));
      p.before = std::move(before);
    }
    receives(p, std::move(after), o_.count);
  }
  void gather() {
    for (int r = 0; r < n_; ++r) {
      if (r == o_.root) collect(parts_[at(r)], r);
      if (!is_in_place_at(r)) sends(parts_[at(r)], block(r, 0, bytes_of(count_of(r))), count_of(r));
    }
  }
  void allgather() {
    for (int r = 0; r < n_; ++r) {
      collect(parts_[at(r)], r);
      if (!is_in_place_at(r)) sends(parts_[at(r)], block(r, 0, bytes_of(count_of(r))), count_of(r));
    }
  }

  void scatter() {
    for (int r = 0; r < n_; ++r) {
      part& p = parts_[at(r)];
      if (r == o_.root) {
        p.send = layout_of_all(r);
        bytes data(p.send.extent_bytes, untouched);
        for (int to = 0; to < n_; ++to) put(data, p.send.offsets[at(to)], block(o_.root, to, p.send.sizes[at(to)]));
        sends(p, std::move(data), o_.count);
      }
      if (is_in_place_at(r)) {
        p.recv_pointer = pointer::in_place;
      } else {
        receives(p, block(o_.root, r, bytes_of(count_of(r))), count_of(r));
      }
    }
  }

  void alltoall() {
    for (int r = 0; r < n_; ++r) {
      part& p = parts_[at(r)];
      std::vector<std::int64_t> out, in;
      std::vector<pure_datatype> out_types, in_types;
      for (int other = 0; other < n_; ++other) {
        out.push_back(o_.counts.empty() ? o_.count : o_.counts[at(r * n_ + other)]);
        in.push_back(o_.counts.empty() ? o_.count : o_.counts[at(other * n_ + r)]);
        if (o_.types.empty()) continue;
        out_types.push_back(o_.types[at(r * n_ + other)]);
        in_types.push_back(o_.types[at(other * n_ + r)]);
      }
      p.recv = layout(r, 1, in, in_types);
      if (!o_.in_place) p.send = layout(r, 0, out, out_types);
      const blocks& mine = o_.in_place ? p.recv : p.send;
      bytes data(mine.extent_bytes, untouched), after(p.recv.extent_bytes, untouched);
      for (int other = 0; other < n_; ++other) {
        put(data, mine.offsets[at(other)], block(r, other, mine.sizes[at(other)]));
        put(after, p.recv.offsets[at(other)], block(other, r, p.recv.sizes[at(other)]));
      }
      receives(p, std::move(after), o_.count);
      if (o_.in_place) {
        p.send_pointer = pointer::in_place;
        p.before = std::move(data);
      } else {
        sends(p, std::move(data), o_.count);
      }
    }
  }

  void exchange() {
    for (int r = 0; r < n_; ++r) {
      sends(parts_[at(r)], block(r, 0, bytes_of(o_.count)), o_.count);
      receives(parts_[at(r)], block((r + n_ - 1) % n_, 0, bytes_of(o_.count)), o_.count);
    }
  }

  /// Places the buffers; empty ones are null now and then.
  void finish() {
    oracle::dice dice(o_.seed + 1000);  // not by start: a persistent operation has the same buffers each time
    for (part& p : parts_) {
      const std::size_t element = o_.types.empty() ? size_of(o_.type) : 32;
      p.send_shift_bytes = at(dice.below(4)) * element;
      p.recv_shift_bytes = at(dice.below(4)) * element;
      const bool as_null = dice.chance(50);
      if (as_null && p.sent.empty() && p.send_pointer == pointer::data) p.send_pointer = pointer::null;
      if (as_null && p.after.empty() && p.recv_pointer == pointer::data) p.recv_pointer = pointer::null;
    }
  }

  const operation& o_;
  const int n_;
  std::uint64_t start_ = 0;
  std::vector<part> parts_;
};

}  // namespace collective_oracle
