// Modelled by tests/model/lent.pml.
#include "coll/rooted_copy.hpp"

#include <algorithm>

#include "coll/packed_blocks.hpp"

namespace pure::core {

rooted_copy::rooted_copy(collective_member& on, const collective_arguments& what)
    : operation(on, what),
      copied_bytes_(on.choice_of(what.kind).copied_bytes),
      shared_bytes_(on.comm().owner().owner().values().shared_copy_min_bytes),
      piece_bytes_(on.choice_of(what.kind).piece_bytes) {}

// ---- sizes and places -----------------------------------------------------------------------------------------------

std::size_t rooted_copy::block_bytes(int q) const noexcept {
  if (is_root() && what_.kind == collective::gather) return what_.recv_blocks.bytes(q);
  if (is_root() && what_.kind == collective::scatter) return what_.send_blocks.bytes(q);
  return what_.count * what_.element_bytes;
}

std::byte* rooted_copy::block_at_root(const collective_arguments& of_root, int q) const noexcept {
  switch (what_.kind) {
    case collective::gather: return block_at(of_root.recv, of_root.recv_blocks, q);
    case collective::scatter:  // only read
      return block_at(const_cast<void*>(of_root.send), of_root.send_blocks, q);
    default: return static_cast<std::byte*>(of_root.recv);
  }
}

bool rooted_copy::any_block_is_lent() const noexcept {
  if (what_.recv_blocks.counts == nullptr) return what_.recv_blocks.block_bytes > copied_bytes_;
  for (int q = 0; q < size(); ++q) {
    if (q != rank() && block_bytes(q) > copied_bytes_) return true;
  }
  return false;
}

std::uint32_t rooted_copy::pieces_in(std::size_t bytes) const noexcept {
  if (bytes < shared_bytes_) return 1;
  return static_cast<std::uint32_t>((bytes + piece_bytes_ - 1) / piece_bytes_);
}

/// At the root: the pieces of rank q's share, as q counts them. Only if q's post lends.
std::uint32_t rooted_copy::pieces_of(int q) noexcept {
  const std::size_t bytes = block_bytes(q);
  const std::uint32_t theirs = on_.own_or_posted(q, sequence_).low_bytes;
  return pieces_in(theirs == static_cast<std::uint32_t>(bytes) ? bytes : theirs);
}

void rooted_copy::copy_piece(std::byte* at_root, std::byte* at_other, std::uint32_t piece,
                             std::size_t bytes) const noexcept {
  const std::size_t begin = pieces_in(bytes) == 1 ? 0 : piece * piece_bytes_;
  const std::size_t count = pieces_in(bytes) == 1 ? bytes : std::min(piece_bytes_, bytes - begin);
  const bool to_root = what_.kind == collective::gather;
  copy_bytes((to_root ? at_root : at_other) + begin, (to_root ? at_other : at_root) + begin, count);
}

// ---- the root -------------------------------------------------------------------------------------------------------

bool rooted_copy::poll_root() {
  if (now_ == stage::start) {
    if (!start_at_root()) return false;
    if (now_ == stage::completing) return finish();  // all is in the post
  }
  if (now_ == stage::sharing) {
    for (; next_ < size(); ++next_) {
      if (next_ != rank() && !take_or_help(next_)) return false;
    }
    now_ = stage::completing;
    next_ = 0;
  }
  for (; next_ < size(); ++next_) {
    if (next_ == rank() || on_.own_or_posted(next_, sequence_).where != posting::place::lent) continue;
    if (on_.share_of(next_, sequence_).is_complete(pieces_of(next_))) continue;
    waits_for_work_of(next_);
    return false;
  }
  return finish();
}

bool rooted_copy::start_at_root() {
  const bool gathers = what_.kind == collective::gather;
  const bool posts = !gathers || any_block_is_lent();
  if (posts && !enter()) return false;
  if (gathers && what_.send != nullptr) {
    copy_bytes(block_at_root(what_, rank()), what_.send, block_bytes(rank()));
  } else if (what_.kind == collective::scatter && what_.recv != nullptr) {
    copy_bytes(what_.recv, block_at_root(what_, rank()), block_bytes(rank()));
  }
  now_ = stage::sharing;
  if (what_.kind == collective::scatter) {
    const std::size_t packed = packed_bytes(what_.send_blocks, size(), rank());
    if (packed <= copied_bytes_) {
      posting& own = slot().post;
      pack(on_.room_in(own, sequence_, packed, false), what_.send, what_.send_blocks, size(), rank());
      publish_post(collective_member::place_for(packed), packed);
      on_.notify_all();
      now_ = stage::completing;
      return true;
    }
  }
  if (posts) post_arguments();
  return true;
}

void rooted_copy::post_arguments() {
  posting& own = slot().post;
  const collective_arguments* const arguments = &what_;
  std::memcpy(own.contents, &arguments, sizeof arguments);
  publish_post(posting::place::lent, what_.kind == collective::bcast ? block_bytes(rank()) : 0);
  on_.notify_all();
}

/// Takes rank q's block, or does its part of q's share. False if q has not come yet.
bool rooted_copy::take_or_help(int q) {
  const posting* const there = posted(q);
  if (there == nullptr) return false;
  const std::size_t bytes = block_bytes(q);
  check_size(q, *there, bytes);
  const bool agrees = there->low_bytes == static_cast<std::uint32_t>(bytes);
  std::byte* const here = block_at_root(what_, q);
  if (there->where != posting::place::lent) {
    if (agrees) copy_bytes(here, there->data(), bytes);
    return true;
  }
  if (agrees && bytes < shared_bytes_) return true;
  share& of = on_.share_of(q, sequence_);
  const std::uint32_t pieces = pieces_of(q);
  std::uint32_t done = 0;
  for (std::uint32_t piece; (piece = of.claim_back(pieces)) != share::none; ++done) {
    if (agrees) copy_piece(here, there->as<std::byte*>(), piece, bytes);  // else q must not wait for ever
  }
  if (done > 0 && of.complete(done, pieces)) on_.notify(q);
  return true;
}

// ---- the others -----------------------------------------------------------------------------------------------------

bool rooted_copy::poll_other() {
  if (now_ == stage::start) {
    if (!start_at_other()) return false;
    if (now_ == stage::completing) return finish();  // nothing is lent
  }
  const bool is_complete = slot().share.is_complete(pieces_in(block_bytes(rank())));
  if (is_complete) return finish();
  const posting* const from_root = posted(what_.root);
  if (from_root == nullptr) return false;
  if (from_root->where != posting::place::lent) {  // a root that gives so little that it copies it
    check_size(what_.root, *from_root, block_bytes(rank()));
    return finish();
  }
  if (now_ == stage::offered) {
    now_ = stage::sharing;
    work_on_own_share(*from_root);
    return poll_other();
  }
  waits_for_work_of(what_.root);
  return false;
}

bool rooted_copy::start_at_other() {
  const std::size_t bytes = block_bytes(rank());
  if (what_.kind == collective::scatter) {
    const posting* const there = posted(what_.root);
    if (there == nullptr) return false;
    if (there->where != posting::place::lent) {
      take_packed(*there);
      now_ = stage::completing;
      return true;
    }
  }
  if (!enter()) return false;
  if (what_.kind == collective::gather && bytes <= copied_bytes_) {
    posting& own = slot().post;
    copy_bytes(on_.room_in(own, sequence_, bytes, false), what_.send, bytes);
    publish_post(collective_member::place_for(bytes), bytes);
    on_.notify(what_.root);
    now_ = stage::completing;
    return true;
  }
  post_buffer(what_.kind == collective::gather ? what_.send : what_.recv);
  now_ = stage::offered;
  return true;
}

void rooted_copy::take_packed(const posting& from_root) {
  const packed_block own = block_in(from_root.data(), rank());
  const std::size_t bytes = block_bytes(rank());
  check_size(what_.root, own.bytes, bytes);
  copy_bytes(what_.recv, own.data, std::min(own.bytes, bytes));
}

void rooted_copy::post_buffer(const void* buffer) {
  dropbox::slot& own = slot();
  own.share.reset();
  std::memcpy(own.post.contents, &buffer, sizeof buffer);
  publish_post(posting::place::lent, block_bytes(rank()));
  on_.notify(what_.root);
}

void rooted_copy::work_on_own_share(const posting& from_root) {
  const std::size_t bytes = block_bytes(rank());
  // First a claim: as long as a piece is to be done the root stays, and with it its arguments.
  share& own = slot().share;
  const std::uint32_t pieces = pieces_in(bytes);
  std::uint32_t piece = own.claim_front(pieces);
  if (piece == share::none) return;
  const auto& of_root = *from_root.as<const collective_arguments*>();
  const std::size_t theirs = what_.kind == collective::gather    ? of_root.recv_blocks.bytes(rank())
                             : what_.kind == collective::scatter ? of_root.send_blocks.bytes(rank())
                                                                 : of_root.count * of_root.element_bytes;
  check_size(what_.root, theirs, bytes);
  std::byte* const at_root = block_at_root(of_root, rank());
  auto* const here = slot().post.as<std::byte*>();
  std::uint32_t done = 0;
  for (; piece != share::none; piece = own.claim_front(pieces)) {
    if (theirs == bytes) copy_piece(at_root, here, piece, bytes);
    ++done;
  }
  if (own.complete(done, pieces)) on_.notify(what_.root);
}

}  // namespace pure::core
