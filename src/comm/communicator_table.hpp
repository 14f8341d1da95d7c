// The communicators that one rank knows, by the handles that programs hold. Own thread of the rank only.
//
// Communicators made by the program live until it frees them, or else until the end of the job. A freed one lasts as
// long as pending operations and persistent requests need it (MPI 4.1, 7.4.3), and then stays as an empty shell for a
// while, so that a pure::comm that still names it gets an error. Collectives say when they need it no longer; for
// messages, which know contexts only, the table looks, each time that a communicator is made or freed.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/communicator_registry.hpp"
#include "match/handle_table.hpp"
#include "runtime/rank_service.hpp"

namespace pure::core {

class communicator_table final : public rank_service<communicator_table, 2> {
 public:
  static constexpr std::uint64_t world_handle = 1;  // the values of pure.h
  static constexpr std::uint64_t self_handle = 2;

  /// The tables of a job are made one after the other, that of rank 0 first.
  explicit communicator_table(rank_context& owner);

  [[nodiscard]] communicator& world() noexcept { return world_; }
  [[nodiscard]] communicator& self() noexcept { return self_; }
  [[nodiscard]] communicator_registry& registry() noexcept { return *registry_; }

  /// Null if there is no communicator of that handle.
  [[nodiscard]] communicator* find(std::uint64_t handle) noexcept {
    if (handle == world_handle) [[likely]]
      return &world_;
    return handle == self_handle ? &self_ : find_made(handle);
  }

  /// The one whose messages have that context; null: none, or a freed one.
  const communicator* find_context(std::uint32_t context) noexcept;

  /// This rank's communicator object for what the ranks share.
  communicator& adopt(communicator_group& shared, int rank, std::string name);
  /// Frees one that adopt() has made.
  void free(communicator& unused);

  [[nodiscard]] bool advances() const noexcept override { return false; }

  /// The messages that nobody has received, to this rank or still with it.
  void add_leftovers(leftovers& to) override;

 private:
  static constexpr std::size_t shells_kept = 256;

  /// Of the freed ones, those that no message needs any more are not held for messages any more.
  void let_go_of_messages();
  communicator* find_made(std::uint64_t name) noexcept;

  rank_context& owner_;
  std::shared_ptr<communicator_registry> registry_;  // the job's; the last table to go ends it
  communicator_group self_group_;
  communicator world_;
  communicator self_;
  handle_table<std::unique_ptr<communicator>> made_;
  std::deque<std::unique_ptr<communicator>> freed_;  // the oldest first; most of them shells
  std::vector<communicator*> with_messages_;         // of the freed ones: held for messages that need their contexts
};

}  // namespace pure::core
