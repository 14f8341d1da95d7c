// The communicators of a job: who owns what their ranks share, and where contexts come from.
//
// One per job, reachable from the communicator table of each rank. Making and removing take a lock; nothing that a
// message does comes here. Contexts are given out in blocks, one per communicator. A block that comes back rests until
// `quarantine` others have come back after it: a message that nobody received before its communicator was freed meets
// no receive of the next one. In a job of several processes each gives out blocks of its own, and those of
// communicators with ranks in several processes never come back: nobody knows when the other processes have freed
// theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "comm/communicator_group.hpp"

namespace pure::core {

class communicator_registry {
 public:
  static constexpr std::size_t quarantine = 8192;  // blocks: 32 KB
  static constexpr std::uint32_t contexts_per_block = static_cast<std::uint32_t>(traffic::count);
  static constexpr std::uint32_t world_context = 0;
  static constexpr std::uint32_t self_context = contexts_per_block;  // of all ranks: nobody else is in their selves

  /// False: of messages that Pure sends on its own.
  static constexpr bool is_of_programs(std::uint32_t context) noexcept {
    return context % contexts_per_block == static_cast<std::uint32_t>(traffic::user);
  }

  explicit communicator_registry(int ranks, const other_processes* others = nullptr);

  [[nodiscard]] communicator_group& world() noexcept { return world_; }

  /// For a new communicator of these ranks, given by their numbers. Any thread. Throws pure::Error (other) past 2^30
  /// communicators at a time.
  communicator_group& make(std::vector<int> numbers);
  /// This process's object for a communicator that another process has made.
  communicator_group& make_also(std::uint32_t first_context, std::vector<int> numbers);

  /// The same for a communicator that any rank has made: the first of this process to ask makes the object, the others
  /// find it. Each member asks once.
  communicator_group& make_or_find(std::uint32_t first_context, const std::vector<int>& numbers);

  /// Destroys this process's object for a communicator that was made for ranks of others, which make their own. Its
  /// contexts are theirs from now on.
  void leave_to_others(communicator_group& made) noexcept;

  /// Destroys it, for the rank that has given up the last reference.
  void remove(communicator_group& unused) noexcept;

  /// How many there are beside world, and how many blocks of contexts were ever in use; for tests.
  [[nodiscard]] std::size_t live();
  [[nodiscard]] std::uint32_t blocks_used();

 private:
  communicator_group& keep(std::uint32_t first_context, std::vector<int> numbers);          // under the lock
  std::unique_ptr<communicator_group> take_out(const communicator_group& unused) noexcept;  // likewise

  static constexpr std::uint32_t first_free_block = 2;
  static constexpr std::uint32_t blocks = 0xffffffffU / contexts_per_block;

  std::uint32_t take_block();  // under the lock

  const other_processes* const others_;
  const std::uint32_t processes_;
  communicator_group world_;
  std::mutex changing_;                                                          // guards what follows
  std::unordered_map<std::uint32_t, std::unique_ptr<communicator_group>> live_;  // by first context
  std::deque<std::uint32_t> resting_;  // blocks that came back, the first at the front
  std::uint32_t next_block_;
};

}  // namespace pure::core
