// The rings into one process: which of them it looks at.
//
// It looks again and again at a few, which it *watches*, and at one bit for each of the others. A sender that has
// written a record, and passed a light fence, looks whether its ring is watched; if not, it sets the bit (*announces*
// the ring). So a look costs a load for each of the few, and one for 64 others, whatever the number of processes.
//
// An announced ring is looked at until it is empty. It is watched from then on if fewer than `most` are; or if it has
// been announced often, and one of those has been quiet meanwhile, which loses its place. To take a place away costs a
// fence of all processes: neighbours that are more than `most`, and all write, keep their ways.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "net_shm/doorbell.hpp"
#include "net_shm/pair_ring.hpp"
#include "net_shm/segment.hpp"
#include "net_shm/segment_file.hpp"
#include "net_shm/watch_bits.hpp"

namespace pure::net_shm {

class watched_rings {
 public:
  /// So many are looked at again and again.
  static constexpr std::size_t most = 8;
  /// Before a ring gets the place of one that has been quiet for so many records.
  static constexpr std::uint32_t least_announcements = 32;
  static constexpr std::uint64_t quiet_records = 256;

  watched_rings(const segment_view& front, const doorbell& bell, segment_file& file, int process);

  /// The next ring with a record, and the record; null if there is none. What is found is popped before the next call.
  /// Throws pure::Error if a ring cannot be mapped.
  struct found {
    incoming_ring* in = nullptr;
    record* what = nullptr;
  };
  [[nodiscard]] found next();

 private:
  [[nodiscard]] bool take_announced();
  void look_at(int from);
  [[nodiscard]] bool make_place_for(incoming_ring& in);
  void stop_watching(incoming_ring& in);

  segment_view front_;
  const doorbell& bell_;
  segment_file& file_;
  const int process_;
  std::vector<std::unique_ptr<incoming_ring>> all_;  // by process; null: nothing has come yet
  std::vector<incoming_ring*> looked_at_;            // the watched ones, and those that have announced something
  std::size_t watched_ = 0;                          // how many of these
  std::size_t at_ = 0;                               // where it looks first
  std::uint64_t found_ = 0;                          // records
};

}  // namespace pure::net_shm
