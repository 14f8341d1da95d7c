// Modelled by tests/model/lent.pml.
#include "coll/exchange.hpp"

#include <algorithm>

#include "coll/packed_blocks.hpp"

namespace pure::core {

bool exchange::poll() {
  if (now_ == stage::entering) {
    if (!enter()) return false;
    post();
    take_own();
    now_ = stage::taking;
  }
  if (now_ == stage::taking) {
    for (; next_ < size(); ++next_) {
      const int q = (rank() + next_) % size();
      const posting* const there = posted(q);
      if (there == nullptr) return false;
      hear(*there);
      take(q, *there);
    }
    has_heard_all();
    if (was_lent_to_) answer();
    now_ = stage::waiting_for_takers;
    next_ = 1;
  }
  for (; lends_ && next_ < size(); ++next_) {
    if (answered((rank() + next_) % size()) == nullptr) return false;
  }
  return finish();
}

// ---- giving ---------------------------------------------------------------------------------------------------------

void exchange::post() {
  is_allgather() ? post_block() : post_blocks();
  on_.notify_all();
}

void exchange::post_block() {
  const std::size_t bytes = what_.recv_blocks.bytes(rank());
  const void* const own = what_.send != nullptr ? what_.send : block_at(what_.recv, what_.recv_blocks, rank());
  if (bytes > on_.choice_of(what_.kind).copied_bytes) return lend(own, nullptr, bytes);
  posting& post = slot().post;
  copy_bytes(on_.room_in(post, sequence_, bytes, false), own, bytes);
  publish_post(collective_member::place_for(bytes), bytes);
}

void exchange::post_blocks() {
  const bool in_place = what_.send == nullptr;
  const block_layout& layout = in_place ? what_.recv_blocks : what_.send_blocks;
  const void* const base = in_place ? what_.recv : what_.send;
  const std::size_t packed = packed_bytes(layout, size(), rank());
  if (packed <= on_.choice_of(what_.kind).copied_bytes) {
    posting& post = slot().post;
    pack(on_.room_in(post, sequence_, packed, false), base, layout, size(), rank());
    publish_post(collective_member::place_for(packed), 0);
  } else if (in_place) {
    moved_away_ = std::make_unique_for_overwrite<std::byte[]>(packed);
    pack(moved_away_.get(), base, layout, size(), rank());
    lend(moved_away_.get(), nullptr, 0);
  } else {
    lend(base, &layout, 0);
  }
}

void exchange::lend(const void* base, const block_layout* layout, std::size_t bytes) {
  lends_ = true;
  const lent_blocks blocks{base, layout};
  std::memcpy(slot().post.contents, &blocks, sizeof blocks);
  publish_post(posting::place::lent, bytes);
}

// ---- taking ---------------------------------------------------------------------------------------------------------

void exchange::take_own() {
  if (what_.send == nullptr) return;
  const void* const from = is_allgather() ? what_.send : block_at(what_.send, what_.send_blocks, rank());
  copy_bytes(block_at(what_.recv, what_.recv_blocks, rank()), from, what_.recv_blocks.bytes(rank()));
}

void exchange::take(int q, const posting& from) {
  const std::size_t wanted = what_.recv_blocks.bytes(q);
  const bool is_lent = from.where == posting::place::lent;
  was_lent_to_ |= is_lent;
  const lent_blocks blocks = is_lent ? from.as<lent_blocks>() : lent_blocks{from.data(), nullptr};
  packed_block block{static_cast<const std::byte*>(blocks.base), wanted};
  if (is_allgather()) {
    check_size(q, from, wanted);
    if (disagrees()) return;
  } else if (blocks.layout != nullptr) {
    block = {block_at(blocks.base, *blocks.layout, rank()), blocks.layout->bytes(rank())};
  } else {
    block = block_in(static_cast<const std::byte*>(blocks.base), rank());
  }
  check_size(q, block.bytes, wanted);
  copy_bytes(block_at(what_.recv, what_.recv_blocks, q), block.data, std::min(block.bytes, wanted));
}

/// Says that this rank has read all that was lent to it.
void exchange::answer() {
  on_.publish(slot().answer, sequence_, posting::place::here, 0, on_.finished());
  on_.notify_all();
}

}  // namespace pure::core
