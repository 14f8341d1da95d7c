// Broadcast, gather and scatter: blocks between one rank, the root, and each of the others.
//
// A small block is copied into the giver's dropbox, and the giver leaves. A large one is lent: it is copied once, from
// the giver's buffer to the taker's, by both. Every rank but the root owns a share, its block; it claims pieces from
// the front, the root from the back (as two ranks do with a message, transport/rendezvous.hpp). Blocks of less than
// PURE_SHARED_COPY_MIN bytes are one piece, which the root leaves alone.
//
// A post says whether its data is copied or lent, so that ranks need not know the sizes of other ranks' blocks:
//   broadcast   only what is too large to be copied comes here. All ranks post: the root its arguments, the others
//               where the data goes.
//   gather      a rank posts its block. The root posts its arguments if one of the blocks is lent.
//   scatter     the root posts all blocks packed, or lends them by posting its arguments: then the others post, too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "coll/operation.hpp"

namespace pure::core {

class rooted_copy : public operation {
 public:
  rooted_copy(collective_member& on, const collective_arguments& what);

  bool poll() { return is_root() ? poll_root() : poll_other(); }

 private:
  enum class stage { start, offered, sharing, completing };

  bool poll_root();
  bool poll_other();
  bool start_at_root();
  bool start_at_other();
  void post_arguments();
  void post_buffer(const void* buffer);
  void take_packed(const posting& from_root);
  bool take_or_help(int q);
  void work_on_own_share(const posting& from_root);

  [[nodiscard]] bool is_root() const noexcept { return rank() == what_.root; }
  /// The block of rank q, as the arguments of the root or of q tell.
  [[nodiscard]] std::size_t block_bytes(int q) const noexcept;
  [[nodiscard]] std::byte* block_at_root(const collective_arguments& of_root, int q) const noexcept;
  [[nodiscard]] bool any_block_is_lent() const noexcept;
  [[nodiscard]] std::uint32_t pieces_in(std::size_t bytes) const noexcept;
  [[nodiscard]] std::uint32_t pieces_of(int q) noexcept;
  void copy_piece(std::byte* at_root, std::byte* at_other, std::uint32_t piece, std::size_t bytes) const noexcept;

  const std::size_t copied_bytes_;
  const std::size_t shared_bytes_;  // the least that is shared
  const std::size_t piece_bytes_;
  stage now_ = stage::start;
  int next_ = 0;
};

}  // namespace pure::core
