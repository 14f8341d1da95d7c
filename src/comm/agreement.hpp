// How ranks agree on new communicators: what each wants, the leader's decision, and the messages between them.
//
// decide() is a pure function but for the communicators that it makes; agree() is called by each rank that takes part.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <pure/error.hpp>

#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "comm/communicator_registry.hpp"
#include "comm/locality.hpp"

namespace pure::core {

enum class creation : std::uint8_t { duplicate, split, split_type, create, create_group };

/// The name of a call, as its user wrote it: a text that can be sent. Cut if it is longer.
class operation_name {
 public:
  operation_name() = default;
  operation_name(const char* text) noexcept { std::strncpy(text_, text, sizeof text_ - 1); }
  [[nodiscard]] const char* text() const noexcept { return text_; }

 private:
  char text_[80] = {};
};

/// What one rank wants. Sent as bytes.
struct wish {
  static constexpr std::int64_t nothing = -1;

  operation_name operation;
  creation kind = creation::duplicate;
  std::int64_t color = 0;  // ranks with the same get a communicator together; or nothing
  int key = 0;             // they are ordered by it, then by their rank
  // Of the group that the rank has passed, if it has: members of one communicator must have passed the same.
  int group_size = 0;
  std::uint64_t group_hash = 0;
  // Of a split by type: what it is by, the same for all but those that want nothing and pass 0. Where the leader
  // chooses the kind of hardware, `color` is the rank's machine, and `places` are the numbers there of where it is, by
  // kind.
  std::uint64_t form = 0;
  bool leader_chooses = false;
  hardware_numbers places = {};
  bool is_refused = false;  // the rank's arguments are wrong: a refusal follows, and the rest says nothing
};

/// What the leader tells one rank: what it gets, or what went wrong. Sent as bytes.
struct answer {
  communicator_group* made = nullptr;  // null: nothing, or in another process
  int rank = 0;                        // in it
  // In another process, of which one member makes the object for all: its number, or nobody. To that one the leader
  // sends the members' numbers.
  int maker = -1;
  std::uint32_t first_context = 0;
  int size = 0;
  int level = -1;              // the hardware_kind that the leader has chosen
  errc error = errc::success;  // group, or mismatch: `first` and `second` are the ranks that do not agree
  int first = 0;               // in the parent; so is the next
  int second = 0;
  operation_name first_operation;
  operation_name second_operation;
  bool is_refused = false;  // to `first`, and so to all: a refusal follows
};

/// Of the kinds of hardware by which those ranks that let the leader choose are in several parts, or some in none, the
/// one that leaves out the fewest of them and makes the fewest parts (MPI 4.1, 7.4.2, advises so); -1: there is none.
int level_that_splits(std::span<const wish> wishes);

/// The answers to the ranks whose numbers in the job are `numbers` and whose ranks in the parent are `ranks`.
std::vector<answer> decide(communicator_registry& registry, std::span<const wish> wishes, std::span<const int> numbers);

/// Takes part. The answer to this rank; throws its error, and what is wrong at another one. `participants`: the numbers
/// of all who take part, of whom the first leads; empty: all ranks of `from`.
answer agree(communicator& from, const call& by, traffic context, int tag, std::span<const int> participants,
             const wish& own);
/// Takes part for a rank whose arguments are wrong: all others throw, and the caller throws `why` when this returns.
void refuse(communicator& from, const call& by, traffic context, int tag, std::span<const int> participants,
            const Error& why);

}  // namespace pure::core
