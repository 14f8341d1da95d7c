// The inbox: all rings into one rank, each made when its pair first talks.
//
// Either end may make a ring first: whoever looks in vain makes it, under a lock that is taken once for a pair and end.
// A sender that has made one pushes it on the receiver's list of announcements, so that receivers which name no source
// scan only rings that exist. A pair that never talks has nothing here.
//
// Threads: connect() and cells_with() by any sender; the others by the receiver.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "base/cache_line.hpp"
#include "base/peer_table.hpp"
#include "base/pushed_list.hpp"
#include "transport/cells.hpp"
#include "transport/ring.hpp"

namespace pure::core {

class inbox {
 public:
  /// Rings are cut from `pages` if there are any.
  explicit inbox(std::size_t ring_bytes, huge_pages* pages = nullptr, bool takes_lines = false);
  inbox(const inbox&) = delete;
  inbox& operator=(const inbox&) = delete;
  ~inbox();

  /// The ring from `source`, made and announced if it does not exist.
  ring& connect(int source);

  /// The receiver's way to the same ring. It is not announced: the receiver knows.
  ring& connect_own(int source);

  /// The cells of this rank and another, which are made if they do not exist: by either of the two, in the inbox of one
  /// of them. Throws std::bad_alloc.
  cell_pair& cells_with(int other);

  /// Rings announced since the last call, linked by next_announced; usually null.
  ring* take_announced() noexcept { return announced_.take_all(); }

  /// Every ring there is. When no sender runs any more.
  [[nodiscard]] std::vector<ring*> rings();

 private:
  struct found {
    ring& which;
    bool made;
  };
  found find_or_make(int source);

  const std::size_t ring_bytes_;
  const bool takes_lines_;
  huge_pages* const pages_;
  std::mutex connecting_;
  ring_memory memory_;           // of the rings; under the lock
  peer_table<ring> rings_;       // by source; under the lock
  ring_memory memory_of_cells_;  // likewise
  peer_table<cell_pair> cells_;  // by the other rank; under the lock
  alignas(pair_bytes) pushed_list<ring, &ring::next_announced> announced_;
};

}  // namespace pure::core
