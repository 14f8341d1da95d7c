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

/// Where this part's partial is: the operand of a part of one rank, unless the result replaces it; else in `room`,
/// after reduce_inside().
const std::byte* spanning_collective::own_partial(int root_index, std::byte* room, const void* result) {
  const bool is_alone = over_.own_members().size() == 1;
  if (is_alone && what_.send != nullptr && what_.send != result) return static_cast<const std::byte*>(what_.send);
  reduce_inside(root_index, room);
  return room;
}

/// result = partial of part 0 op partial of part 1 op ..., `count` elements behind `skipped` bytes of each.
void spanning_collective::fold_partials(const partial_results& all, std::size_t skipped, void* result,
                                        std::size_t count) const {
  fold_right(
      what_.how, over_.parts(), [&](int part) { return all.of(part) + skipped; }, result, count);
}

void spanning_collective::plan_reduce() {
  const std::size_t bytes = bytes_of_vector(what_);
  const int root_part = over_.part_of(what_.root);
  const bool is_root = rank() == what_.root;
  if (over_.own_part() != root_part) {
    const std::byte* const partial = own_partial(0, over_.leads() ? memory(bytes) : nullptr, nullptr);
    if (over_.leads()) messages(0).send(what_.root, partial, bytes);
    return;
  }
  const int own = over_.own_part();
  std::byte* const room = is_root ? memory(bytes * static_cast<std::size_t>(over_.parts())) : nullptr;
  std::byte* const own_room = is_root ? room + static_cast<std::size_t>(own) * bytes : nullptr;
  const partial_results all{room, bytes, own, own_partial(over_.index_of(what_.root), own_room, what_.recv)};
  if (!is_root) return;
  message_step& from_others = messages(0);
  for (int part = 0; part < over_.parts(); ++part) {
    if (part != own) from_others.receive(over_.leader_of(part), all.room_for(part), bytes);
  }
  compute([this, all] { fold_partials(all, 0, what_.recv, what_.count); });
}

void spanning_collective::plan_allreduce(void* result) {
  const std::size_t bytes = bytes_of_vector(what_);
  if (over_.leads()) {
    const int own = over_.own_part();
    std::byte* const room = memory(bytes * static_cast<std::size_t>(over_.parts()));
    const partial_results all{room, bytes, own, own_partial(0, room + static_cast<std::size_t>(own) * bytes, result)};
    if (bytes <= most_exchanged_whole) {
      exchange_whole(all, result);
    } else {
      exchange_in_blocks(all, result);
    }
  } else {
    reduce_inside(0, nullptr);
  }
  publish_inside(0, result, bytes);
}

void spanning_collective::exchange_whole(const partial_results& partials, void* result) {
  message_step& all = messages(0);
  for (int part = 0; part < over_.parts(); ++part) {
    if (part == over_.own_part()) continue;
    all.receive(over_.leader_of(part), partials.room_for(part), partials.bytes);
    all.send(over_.leader_of(part), partials.own_partial, partials.bytes);
  }
  compute([this, partials, result] { fold_partials(partials, 0, result, what_.count); });
}

/// Every leader combines one block of the elements, and gives it to the others.
void spanning_collective::exchange_in_blocks(const partial_results& partials, void* result) {
  const auto parts = static_cast<std::size_t>(over_.parts());
  const std::size_t element = what_.how.element_bytes;
  const auto first = [=, this](int part) { return what_.count * static_cast<std::size_t>(part) / parts * element; };
  const auto length = [=](int part) { return first(part + 1) - first(part); };
  const int own = over_.own_part();
  message_step& scattered = messages(0);
  for (int part = 0; part < over_.parts(); ++part) {
    if (part == own) continue;
    // Part's partial of this leader's block, to where it belongs in that partial.
    scattered.receive(over_.leader_of(part), partials.room_for(part) + first(own), length(own));
    scattered.send(over_.leader_of(part), partials.own_partial + first(part), length(part));
  }
  std::byte* const whole = static_cast<std::byte*>(result);
  compute([this, partials, whole, first, length, own, element] {
    if (length(own) > 0) fold_partials(partials, first(own), whole + first(own), length(own) / element);
  });
  message_step& gathered = messages(1);
  for (int part = 0; part < over_.parts(); ++part) {
    if (part == own) continue;
    gathered.receive(over_.leader_of(part), whole + first(part), length(part));
    gathered.send(over_.leader_of(part), whole + first(own), length(own));
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
