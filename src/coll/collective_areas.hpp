// The areas of a communicator: one for the collectives that all its ranks call in the same order, and one for each
// persistent collective, whose starts come in any order (MPI 4.1, 6.13).
//
// What is common to the ranks of the communicator in this process; made by the first of them that needs it. All ranks
// number the persistent collectives of the communicator alike, in the order in which they are made. The area of one is
// made by the first rank that joins it, and destroyed by the last that leaves: others may still read what a rank has
// left there after that rank has freed its request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "coll/collective_area.hpp"
#include "coll/process_parts.hpp"
#include "comm/communicator.hpp"

namespace pure::core {

class collective_areas final : public upper_part {
 public:
  static collective_areas& of(communicator& on) {
    return static_cast<collective_areas&>(on.shared().upper([&] { return std::make_unique<collective_areas>(on); }));
  }

  explicit collective_areas(const communicator& on);

  [[nodiscard]] collective_area& in_order() noexcept { return in_order_; }
  /// Null unless the ranks are in several processes.
  [[nodiscard]] const process_parts* parts() const noexcept { return parts_.get(); }

  // ---- persistent collectives; any of the ranks ----

  /// As many follow one another before the tags of their messages come again (numbers_between::tag_of).
  static constexpr std::uint64_t most_persistent = std::uint64_t{1} << 26;

  /// The area of persistent collective `number`. Nothing but leave() ends it, but a rank may join again before. Throws
  /// pure::Error (other) where one is left that is a multiple of most_persistent older.
  collective_area& join(const communicator& on, std::uint64_t number);
  /// Once for each rank of this process, when it has freed its request.
  void leave(std::uint64_t number) noexcept;
  /// How many there are, for tests.
  [[nodiscard]] std::size_t persistent();

 private:
  struct joined_area {
    std::unique_ptr<collective_area> area;
    int still_to_leave;
  };

  void refuse_if_tags_are_in_use(std::uint64_t number) const;  // under the lock

  collective_area in_order_;
  std::unique_ptr<const process_parts> parts_;
  const int ranks_here_;
  std::mutex changing_;  // guards what follows
  std::unordered_map<std::uint64_t, joined_area> persistent_;
};

}  // namespace pure::core
