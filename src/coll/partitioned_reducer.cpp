// Modelled by tests/model/share.pml.
#include "coll/partitioned_reducer.hpp"

#include <algorithm>

#include "base/round_up.hpp"
#include "coll/fold.hpp"

namespace pure::core {

namespace {

// Shares and pieces begin at cache lines of a vector that does: elements of any size that divides one, in these
// numbers.
constexpr std::size_t granule_elements = line_bytes;
// Enough pieces that the last one of the slowest rank is a small part of the whole.
constexpr std::size_t pieces_wanted = 4;
constexpr std::size_t least_piece_bytes = 1024;

}  // namespace

partitioned_reducer::partitioned_reducer(collective_member& on, const collective_arguments& what) noexcept
    : operation(on, what) {
  const std::size_t element = what.how.element_bytes;
  const auto ranks = static_cast<std::size_t>(on.size());
  share_elements_ = std::max(round_up((what.count + ranks - 1) / ranks, granule_elements), granule_elements);
  const std::size_t largest = on.choice_of(what.kind).piece_bytes;
  const std::size_t piece_bytes = std::clamp(share_elements_ * element / pieces_wanted,
                                             std::min(least_piece_bytes, largest), largest);
  // A piece is counted in 31 bits (share): larger ones, where a share of the smallest would have more.
  const std::size_t most_pieces = std::size_t{1} << 31;
  piece_elements_ = std::max({round_up(piece_bytes / element, granule_elements), granule_elements,
                              round_up(what.count / most_pieces, granule_elements)});
}

partitioned_reducer::part partitioned_reducer::share_part(int q) const noexcept {
  if (what_.kind == collective::reduce_scatter) {
    const std::size_t element = what_.how.element_bytes;
    return {static_cast<std::size_t>(what_.recv_blocks.offset(q)) / element, what_.recv_blocks.bytes(q) / element};
  }
  const std::size_t begin = std::min(static_cast<std::size_t>(q) * share_elements_, what_.count);
  return {begin, std::min(share_elements_, what_.count - begin)};
}

std::uint32_t partitioned_reducer::pieces_of(int q) const noexcept {
  return static_cast<std::uint32_t>((share_part(q).count + piece_elements_ - 1) / piece_elements_);
}

partitioned_reducer::part partitioned_reducer::piece_part(int q, std::uint32_t piece) const noexcept {
  const part whole = share_part(q);
  const std::size_t skipped = piece * piece_elements_;
  return {whole.begin + skipped, std::min(piece_elements_, whole.count - skipped)};
}

bool partitioned_reducer::poll() {
  if (now_ == stage::entering) {
    if (!enter()) return false;
    post();
    now_ = stage::gathering;
  }
  if (now_ == stage::gathering) {
    for (; next_ < size(); ++next_) {
      if (next_ == rank()) continue;
      const posting* const there = posted(next_);
      if (there == nullptr) return false;
      check_size(next_, *there, bytes_of_vector(what_));
      hear(*there);
    }
    has_heard_all();
    if (!disagrees()) work();
    now_ = stage::completing;
    next_ = 0;
  }
  for (; next_ < size(); ++next_) {
    if (disagrees()) break;  // the job ends, or else buffers of unknown size would be written
    if (on_.share_of(next_, sequence_).is_complete(pieces_of(next_))) continue;
    waits_for_work_of(next_);
    return false;
  }
  if (held_back_ != nullptr) copy_bytes(what_.recv, held_back_.get(), what_.recv_blocks.bytes(rank()));
  return finish();
}

void partitioned_reducer::post() {
  dropbox::slot& own = slot();
  own.share.reset();
  buffers mine{static_cast<const std::byte*>(operand_of(what_)), static_cast<std::byte*>(what_.recv)};
  if (what_.kind == collective::reduce_scatter && what_.send == nullptr) {
    // In place, the result takes the place of operands that others have not read yet.
    held_back_ = make_aligned(what_.recv_blocks.bytes(rank()));
    mine.result = held_back_.get();
  }
  std::memcpy(own.post.contents, &mine, sizeof mine);
  publish_post(posting::place::lent, bytes_of_vector(what_));
  on_.notify_all();
}

void partitioned_reducer::work() {
  for (int i = 0; i < size(); ++i) work_on((rank() + i) % size());
}

/// Claims and reduces pieces of rank q's share until there are none.
void partitioned_reducer::work_on(int q) {
  share& of = on_.share_of(q, sequence_);
  const std::uint32_t pieces = pieces_of(q);
  std::uint32_t done = 0;
  for (;;) {
    const std::uint32_t piece = q == rank() ? of.claim_front(pieces) : of.claim_back(pieces);
    if (piece == share::none) break;
    reduce(q, piece_part(q, piece));
    ++done;
  }
  if (done > 0 && of.complete(done, pieces)) on_.notify_all();
}

void partitioned_reducer::reduce(int q, part elements) {
  const std::size_t bytes = elements.count * what_.how.element_bytes;
  switch (what_.kind) {
    case collective::scan:
    case collective::exscan: scan(elements); return;
    case collective::reduce_scatter: {  // each rank's part goes to the start of its own buffer
      fold(elements, buffers_of(q).result + (elements.begin - share_part(q).begin) * what_.how.element_bytes);
      return;
    }
    case collective::reduce: {
      const buffers root = buffers_of(what_.root);
      std::byte* const to = result(what_.root, elements);
      void* const out = root.operand == root.result ? on_.memory().scratch(bytes) : to;
      fold(elements, out);
      if (out != to) std::memcpy(to, out, bytes);
      return;
    }
    default: {  // allreduce: into this rank's own buffer, and from its cache to the others
      const buffers own = buffers_of(rank());
      void* const out = own.operand == own.result ? static_cast<void*>(on_.memory().scratch(bytes))
                                                  : result(rank(), elements);
      fold(elements, out);
      for (int to = 0; to < size(); ++to) {
        if (result(to, elements) != out) std::memcpy(result(to, elements), out, bytes);
      }
    }
  }
}

void partitioned_reducer::fold(part elements, void* out) {
  const auto x = [&](int q) { return operand(q, elements); };
  if (sums_exactly()) {
    std::vector<const void*>& all = on_.memory().operands(size());
    for (int q = 0; q < size(); ++q) all[static_cast<std::size_t>(q)] = x(q);
    what_.how.sum_exactly(all.data(), size(), out, elements.count);
  } else {
    fold_right(what_.how, size(), x, out, elements.count);
  }
}

/// All ranks' results of these elements: each is the one before, and one operand more.
void partitioned_reducer::scan(part elements) {
  const reduction& how = what_.how;
  const std::size_t bytes = elements.count * how.element_bytes;
  const bool exclusive = what_.kind == collective::exscan;
  if (sums_exactly()) {
    // From the last rank on, whose result may overwrite its operand only after all others need it no more.
    std::vector<const void*>& all = on_.memory().operands(size());
    for (int q = 0; q < size(); ++q) all[static_cast<std::size_t>(q)] = operand(q, elements);
    for (int q = size() - 1; q >= (exclusive ? 1 : 0); --q) {
      how.sum_exactly(all.data(), exclusive ? q : q + 1, result(q, elements), elements.count);
    }
    return;
  }
  if (!exclusive) {
    if (result(0, elements) != operand(0, elements)) std::memcpy(result(0, elements), operand(0, elements), bytes);
    for (int q = 1; q < size(); ++q) {
      how.combine(how.context, result(q - 1, elements), operand(q, elements), result(q, elements), elements.count);
    }
    return;
  }
  // Two sums in turn: rank q's result is that of the ranks before it, and may take the place of its operand.
  std::byte* sum = on_.memory().scratch(2 * bytes);
  std::byte* next = sum + bytes;
  std::memcpy(sum, operand(0, elements), bytes);
  for (int q = 1; q < size(); ++q) {
    if (q + 1 < size()) how.combine(how.context, sum, operand(q, elements), next, elements.count);
    std::memcpy(result(q, elements), sum, bytes);
    std::swap(sum, next);
  }
}

}  // namespace pure::core
