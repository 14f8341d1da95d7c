// Spanning collectives: how they run; and those that move data without combining it.
#include "coll/spanning.hpp"

#include <cstring>

#include "coll/operators.hpp"
#include "coll/spanning_steps.hpp"

namespace pure::core {

spanning_collective::spanning_collective(collective_member& on, const collective_arguments& what)
    : operation(on, what), over_(on.over()) {
  if (!is_nothing(what)) plan();
  // Ranks that have called different collectives, and learn it before these begin, must go on with the same numbers.
  if (on.checks()) {
    while (local_steps_ < most_local_steps) add_local_step<skipped_step>(on_);
  }
}

spanning_collective::~spanning_collective() = default;

void spanning_collective::destroyer::operator()(step* one) const noexcept { std::destroy_at(one); }

bool spanning_collective::poll() {
  if (!has_started_) {
    if (!enter_between()) return false;
    has_started_ = true;
    if (!steps_.empty()) steps_.front()->start();
  }
  while (next_ < steps_.size()) {
    step& now = *steps_[next_];
    if (!now.poll()) {
      waits_between(now.waits_for());
      return false;
    }
    if (++next_ < steps_.size()) steps_[next_]->start();
  }
  return finish();
}

void spanning_collective::cancel() noexcept {
  for (const auto& each : steps_) each->cancel();
  operation::cancel();
}

// ---- making steps ---------------------------------------------------------------------------------------------------

spanning_collective::message_step& spanning_collective::messages(unsigned round) {
  return add_step<message_step>(*this, on_.between().tag_of(sequence_, round), &in_room_);
}

/// Of a rank that is alone here nothing else is needed: its part comes before all messages.
void spanning_collective::inside(const collective_arguments& what) {
  if (is_nothing(what)) return;
  if (over_.here->size() == 1) return run_alone(what);
  add_local_step<local_step>(*this, on_, what);
}

/// Aligned for every type.
std::byte* spanning_collective::memory(std::size_t bytes) {
  constexpr std::size_t most_in_room = 256;
  if (bytes <= most_in_room) return static_cast<std::byte*>(in_room_.allocate(bytes));
  return memory_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(bytes)).get();
}

void spanning_collective::plan() {
  const bool by_parts = over_.is_in_blocks() && !sums_exactly();
  switch (what_.kind) {
    case collective::barrier: return plan_barrier();
    case collective::bcast: return plan_broadcast(what_.root, what_.recv, what_.count * what_.element_bytes);
    case collective::reduce: return by_parts ? plan_reduce() : plan_reduce_of_operands();
    case collective::allreduce: return by_parts ? plan_allreduce(what_.recv) : plan_fold_of_operands();
    case collective::reduce_scatter: return by_parts ? plan_reduce_scatter() : plan_fold_of_operands();
    case collective::scan:
    case collective::exscan: return plan_fold_of_operands();
    case collective::gather: return plan_gather();
    case collective::scatter: return plan_scatter();
    case collective::allgather: return plan_allgather();
    case collective::alltoall: return plan_alltoall();
  }
}

/// All here to their leader, the leaders by dissemination (Hensgen, Finkel, Manber 1988), and each leader to all here.
/// (The two ways inside are a reduction and a broadcast of a byte: two barriers would let ranks that share a core take
/// turns twice.)
void spanning_collective::plan_barrier() {
  std::byte* token = nullptr;
  if (over_.own_members().size() > 1) {
    token = memory(2);
    token[0] = std::byte{0};
    collective_arguments here;
    here.kind = collective::reduce;
    here.send = token;
    here.recv = over_.leads() ? token + 1 : nullptr;
    here.count = 1;
    find_reduction(PURE_BOR, PURE_BYTE, here.how);
    inside(here);
  }
  if (over_.leads()) {
    const int parts = over_.parts();
    unsigned round = 0;
    for (int distance = 1; distance < parts; distance *= 2) {
      message_step& both = messages(round++);
      both.receive(over_.leader_of((over_.own_part() - distance + parts) % parts), nullptr, 0);
      both.send(over_.leader_of((over_.own_part() + distance) % parts), nullptr, 0);
    }
  }
  publish_inside(0, token, 1);
}

/// Along a binomial tree of the parts, each of which is led by its first rank, but that of the root by the root.
void spanning_collective::plan_broadcast(int root, void* data, std::size_t bytes) {
  const int first_part = over_.part_of(root);
  const int parts = over_.parts();
  const auto leader_of = [&](int part) { return part == first_part ? root : over_.leader_of(part); };
  const auto part_at = [&](int from_first) { return (from_first + first_part) % parts; };
  const int own = (over_.own_part() - first_part + parts) % parts;
  if (leader_of(over_.own_part()) == rank()) {
    int distance = 1;
    while (distance < parts && own / distance % 2 == 0) distance *= 2;
    if (own != 0) messages(0).receive(leader_of(part_at(own - distance)), data, bytes);
    message_step& on = messages(0);
    for (distance /= 2; distance > 0; distance /= 2) {
      if (own + distance < parts) on.send(leader_of(part_at(own + distance)), data, bytes);
    }
  }
  publish_inside(over_.index_of(leader_of(over_.own_part())), data, bytes);
}

void spanning_collective::plan_gather() {
  message_step& all = messages(0);
  if (rank() != what_.root) {
    all.send(what_.root, what_.send, what_.count * what_.element_bytes);
    return;
  }
  const block_layout& blocks = what_.recv_blocks;
  for (int q = 0; q < size(); ++q) {
    if (q != rank()) all.receive(q, block_at(what_.recv, blocks, q), blocks.bytes(q));
  }
  if (what_.send != nullptr) copy_bytes(block_at(what_.recv, blocks, rank()), what_.send, blocks.bytes(rank()));
}

void spanning_collective::plan_scatter() {
  message_step& all = messages(0);
  if (rank() != what_.root) {
    all.receive(what_.root, what_.recv, what_.count * what_.element_bytes);
    return;
  }
  const block_layout& blocks = what_.send_blocks;
  for (int q = 0; q < size(); ++q) {
    if (q != rank()) all.send(q, block_at(what_.send, blocks, q), blocks.bytes(q));
  }
  if (what_.recv != nullptr) copy_bytes(what_.recv, block_at(what_.send, blocks, rank()), blocks.bytes(rank()));
}

/// Publishes inside what the rank `root_index` has.
void spanning_collective::publish_inside(int root_index, void* data, std::size_t bytes) {
  if (over_.own_members().size() == 1) return;
  collective_arguments here;
  here.kind = collective::bcast;
  here.root = root_index;
  here.recv = data;
  here.count = bytes;
  here.element_bytes = 1;
  inside(here);
}

/// All ranks here have their own part of `all`: then that of the others. first: by part, where it begins; and the end.
void spanning_collective::bring_together(std::byte* all, const std::vector<std::size_t>& first) {
  const auto own = static_cast<std::size_t>(over_.own_part());
  const auto bytes_of_part = [&](std::size_t part) { return first[part + 1] - first[part]; };
  if (over_.leads()) {
    message_step& between = messages(0);
    for (std::size_t part = 0; part < over_.members().size(); ++part) {
      if (part == own) continue;
      const int leader = over_.leader_of(static_cast<int>(part));
      between.receive(leader, all + first[part], bytes_of_part(part));
      between.send(leader, all + first[own], bytes_of_part(own));
    }
  }
  publish_inside(0, all, first[own]);
  publish_inside(0, all + first[own + 1], first.back() - first[own + 1]);
}

/// The blocks of all are brought together part by part: inside, between the leaders, and inside again.
void spanning_collective::plan_allgather() {
  const block_layout& blocks = what_.recv_blocks;
  std::vector<std::size_t> first{0};
  for (const auto& part : over_.members()) {
    std::size_t end = first.back();
    for (const int q : part) end += blocks.bytes(q);
    first.push_back(end);
  }
  std::byte* const all = memory(first.back());
  const auto own = static_cast<std::size_t>(over_.own_part());
  auto* const counts = reinterpret_cast<std::int64_t*>(memory(over_.own_members().size() * sizeof(std::int64_t)));
  for (std::size_t i = 0; i < over_.own_members().size(); ++i) {
    counts[i] = static_cast<std::int64_t>(blocks.bytes(over_.own_members()[i]));
  }
  collective_arguments here;
  here.kind = collective::allgather;
  here.send = what_.send != nullptr ? what_.send : block_at(what_.recv, blocks, rank());
  here.count = blocks.bytes(rank());
  here.element_bytes = 1;
  here.recv = all + first[own];
  here.recv_blocks.counts = counts;
  inside(here);
  bring_together(all, first);
  compute([this, all, &blocks] {
    const std::byte* from = all;
    for (const auto& part : over_.members()) {
      for (const int q : part) {
        copy_bytes(block_at(what_.recv, blocks, q), from, blocks.bytes(q));
        from += blocks.bytes(q);
      }
    }
  });
}

/// Straight from each to each, also inside: the messages of two ranks of a process are copied once, as well.
void spanning_collective::plan_alltoall() {
  const bool in_place = what_.send == nullptr;
  const block_layout& incoming = what_.recv_blocks;
  const block_layout& outgoing = in_place ? incoming : what_.send_blocks;
  const void* from = in_place ? what_.recv : what_.send;
  message_step& all = messages(0);
  for (int i = 1; i < size(); ++i) {
    const int q = (rank() - i + size()) % size();
    all.receive(q, block_at(what_.recv, incoming, q), incoming.bytes(q));
  }
  for (int i = 1; i < size(); ++i) {
    const int q = (rank() + i) % size();
    const std::byte* block = block_at(from, outgoing, q);
    if (in_place && outgoing.bytes(q) > 0) {  // out of the way of what comes
      std::byte* const moved_away = memory(outgoing.bytes(q));
      std::memcpy(moved_away, block, outgoing.bytes(q));
      block = moved_away;
    }
    all.send(q, block, outgoing.bytes(q));
  }
  if (!in_place) {
    copy_bytes(block_at(what_.recv, incoming, rank()), block_at(from, outgoing, rank()), incoming.bytes(rank()));
  }
}

}  // namespace pure::core
