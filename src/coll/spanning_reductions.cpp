// Spanning collectives that combine.
#include <algorithm>
#include <cstring>
#include <functional>

#include "coll/fold.hpp"
#include "coll/spanning.hpp"
#include "coll/spanning_steps.hpp"

namespace pure::core {

namespace {

/// What the parts have combined is exchanged whole up to here, and in blocks above: one round instead of two, but as
/// many times the bytes as there are parts.
constexpr std::size_t most_exchanged_whole = 16 * 1024;

}  // namespace

/// A reduction of this process's part alone.
void spanning_collective::reduce_inside(int root_index, void* result) {
  collective_arguments here;
  here.kind = collective::reduce;
  here.root = root_index;
  here.send = operand_of(what_);
  here.recv = result;
  here.count = what_.count;
  here.how = what_.how;
  inside(here);
}

/// result = partial of part 0 op partial of part 1 op ..., `count` elements from element `from` of each.
void spanning_collective::fold_partials(const std::byte* partials, std::size_t stride, void* result,
                                        std::size_t count) const {
  fold_right(
      what_.how, over_.parts(), [&](int part) { return partials + static_cast<std::size_t>(part) * stride; }, result,
      count);
}

void spanning_collective::plan_reduce() {
  const std::size_t bytes = bytes_of_vector(what_);
  const int root_part = over_.part_of(what_.root);
  const bool is_root = rank() == what_.root;
  if (over_.own_part() != root_part) {
    std::byte* const partial = over_.leads() ? memory(bytes) : nullptr;
    reduce_inside(0, partial);
    if (over_.leads()) messages(0).send(what_.root, partial, bytes);
    return;
  }
  const auto own = static_cast<std::size_t>(over_.own_part());
  std::byte* const partials = is_root ? memory(bytes * static_cast<std::size_t>(over_.parts())) : nullptr;
  reduce_inside(over_.index_of(what_.root), is_root ? partials + own * bytes : nullptr);
  if (!is_root) return;
  message_step& from_others = messages(0);
  for (int part = 0; part < over_.parts(); ++part) {
    if (part == over_.own_part()) continue;
    from_others.receive(over_.leader_of(part), partials + static_cast<std::size_t>(part) * bytes, bytes);
  }
  compute([this, partials, bytes] { fold_partials(partials, bytes, what_.recv, what_.count); });
}

void spanning_collective::plan_allreduce(void* result) {
  const std::size_t bytes = bytes_of_vector(what_);
  if (over_.leads()) {
    std::byte* const partials = memory(bytes * static_cast<std::size_t>(over_.parts()));
    reduce_inside(0, partials + static_cast<std::size_t>(over_.own_part()) * bytes);
    if (bytes <= most_exchanged_whole) {
      exchange_whole(partials, bytes, result);
    } else {
      exchange_in_blocks(partials, bytes, result);
    }
  } else {
    reduce_inside(0, nullptr);
  }
  publish_inside(0, result, bytes);
}

void spanning_collective::exchange_whole(std::byte* partials, std::size_t bytes, void* result) {
  const auto at_part = [=](int part) { return partials + static_cast<std::size_t>(part) * bytes; };
  message_step& all = messages(0);
  for (int part = 0; part < over_.parts(); ++part) {
    if (part == over_.own_part()) continue;
    all.receive(over_.leader_of(part), at_part(part), bytes);
    all.send(over_.leader_of(part), at_part(over_.own_part()), bytes);
  }
  compute([this, partials, bytes, result] { fold_partials(partials, bytes, result, what_.count); });
}

/// Every leader combines one block of the elements, and gives it to the others.
void spanning_collective::exchange_in_blocks(std::byte* partials, std::size_t bytes, void* result) {
  const auto parts = static_cast<std::size_t>(over_.parts());
  const std::size_t element = what_.how.element_bytes;
  const auto first = [=, this](std::size_t part) { return what_.count * part / parts * element; };
  const auto length = [=](std::size_t part) { return first(part + 1) - first(part); };
  const auto own = static_cast<std::size_t>(over_.own_part());
  message_step& scattered = messages(0);
  for (std::size_t part = 0; part < parts; ++part) {
    if (part == own) continue;
    // Part's partial of this leader's block, to where it belongs in that partial.
    scattered.receive(over_.leader_of(static_cast<int>(part)), partials + part * bytes + first(own), length(own));
    scattered.send(over_.leader_of(static_cast<int>(part)), partials + own * bytes + first(part), length(part));
  }
  std::byte* const whole = static_cast<std::byte*>(result);
  compute([this, partials, bytes, whole, first, length, own, element] {
    if (length(own) > 0) fold_partials(partials + first(own), bytes, whole + first(own), length(own) / element);
  });
  message_step& gathered = messages(1);
  for (std::size_t part = 0; part < parts; ++part) {
    if (part == own) continue;
    gathered.receive(over_.leader_of(static_cast<int>(part)), whole + first(part), length(part));
    gathered.send(over_.leader_of(static_cast<int>(part)), whole + first(own), length(own));
  }
}

void spanning_collective::plan_reduce_scatter() {
  std::byte* const whole = memory(bytes_of_vector(what_));
  plan_allreduce(whole);
  compute([this, whole] {
    const block_layout& blocks = what_.recv_blocks;
    copy_bytes(what_.recv, whole + offset_in_order(blocks, rank()), blocks.bytes(rank()));
  });
}

// ---- from the operands of all ---------------------------------------------------------------------------------------

std::size_t spanning_collective::offset_in_order(const block_layout& blocks, int q) noexcept {
  std::size_t sum = 0;
  for (int i = 0; i < q; ++i) sum += blocks.bytes(i);
  return sum;
}

/// This rank's result, of the operands of all ranks in their order.
void spanning_collective::fold_operands(const std::vector<const std::byte*>& operands) const {
  const auto operand = [&](int q) { return operands[static_cast<std::size_t>(q)]; };
  const auto exactly = [&](int ranks, std::size_t skipped, std::size_t count) {
    std::vector<const void*> those;
    for (int q = 0; q < ranks; ++q) those.push_back(operand(q) + skipped);
    what_.how.sum_exactly(those.data(), ranks, what_.recv, count);
  };
  switch (what_.kind) {
    case collective::scan:
    case collective::exscan: {
      const int ranks = what_.kind == collective::scan ? rank() + 1 : rank();
      if (ranks == 0) return;
      if (sums_exactly()) return exactly(ranks, 0, what_.count);
      return fold_left(what_.how, ranks, operand, what_.recv, what_.count);
    }
    case collective::reduce_scatter: {
      const std::size_t skipped = offset_in_order(what_.recv_blocks, rank());
      const std::size_t count = what_.recv_blocks.bytes(rank()) / what_.how.element_bytes;
      if (count == 0) return;
      if (sums_exactly()) return exactly(size(), skipped, count);
      return fold_right(
          what_.how, size(), [&](int q) { return operand(q) + skipped; }, what_.recv, count);
    }
    default:
      if (sums_exactly()) return exactly(size(), 0, what_.count);
      return fold_right(what_.how, size(), operand, what_.recv, what_.count);
  }
}

/// All ranks get the operands of all, and combine what they need.
void spanning_collective::plan_fold_of_operands() {
  const std::size_t bytes = bytes_of_vector(what_);
  const auto own = static_cast<std::size_t>(over_.own_part());
  std::vector<std::size_t> first{0};
  for (const auto& part : over_.members()) first.push_back(first.back() + part.size() * bytes);
  std::byte* const all = memory(first.back());
  collective_arguments here;
  here.kind = collective::allgather;
  here.send = operand_of(what_);
  here.count = bytes;
  here.element_bytes = 1;
  here.recv = all + first[own];
  here.recv_blocks.block_bytes = bytes;
  inside(here);
  bring_together(all, first);
  compute([this, all, first, bytes] {
    std::vector<const std::byte*> operands(static_cast<std::size_t>(size()));
    for (int q = 0; q < size(); ++q) {
      operands[static_cast<std::size_t>(q)] = all + first[static_cast<std::size_t>(over_.part_of(q))] +
                                              static_cast<std::size_t>(over_.index_of(q)) * bytes;
    }
    fold_operands(operands);
  });
}

/// The root alone gets them.
void spanning_collective::plan_reduce_of_operands() {
  const std::size_t bytes = bytes_of_vector(what_);
  message_step& all = messages(0);
  if (rank() != what_.root) {
    all.send(what_.root, operand_of(what_), bytes);
    return;
  }
  std::byte* const room = memory(bytes * static_cast<std::size_t>(size()));
  const auto place = [room, bytes](int q) { return room + static_cast<std::size_t>(q) * bytes; };
  std::memcpy(place(rank()), operand_of(what_), bytes);
  for (int q = 0; q < size(); ++q) {
    if (q != rank()) all.receive(q, place(q), bytes);
  }
  compute([this, place] {
    std::vector<const std::byte*> operands;
    for (int q = 0; q < size(); ++q) operands.push_back(place(q));
    fold_operands(operands);
  });
}

}  // namespace pure::core
