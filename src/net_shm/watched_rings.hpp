// The rings into one process: which of them it looks at.
//
// It looks again and again at a few, those in which something has come lately, and at one bit for each of the others. A
// sender that has written a record, and passed a light fence, looks whether its ring is watched; if not, it sets the
// bit
// (*announces* the ring). So a look costs a load for each of the few, and one for 64 others, whatever the number of
// processes.
//
// Where another ring needs a place among the few, the one that has been quiet the longest loses its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "net_shm/doorbell.hpp"
#include "net_shm/pair_ring.hpp"
#include "net_shm/segment.hpp"
#include "net_shm/watch_bits.hpp"

namespace pure::net_shm {

class watched_rings {
 public:
  /// So many are looked at again and again.
  static constexpr std::size_t most = 8;

  watched_rings(const segment_view& front, const doorbell& bell, int descriptor, int process);

  /// The next ring with a record, and the record; null if there is none. What is found is popped before the next call.
  /// Throws pure::Error if a ring cannot be mapped.
  struct found {
    incoming_ring* in = nullptr;
    record* what = nullptr;
  };
  [[nodiscard]] found next();

 private:
  [[nodiscard]] bool take_announced();
  void watch(int from);
  void stop_watching_quietest();
  segment_view front_;
  const doorbell& bell_;
  const int descriptor_;
  const int process_;
  std::vector<std::unique_ptr<incoming_ring>> all_;  // by process; null: nothing has come yet
  std::vector<incoming_ring*> watched_;
  std::size_t at_ = 0;       // where it looks first
  std::uint64_t looks_ = 0;  // that have found something
};

}  // namespace pure::net_shm
