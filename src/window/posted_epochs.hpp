// A rank's epochs of post, start, complete and wait (MPI 4.1, 12.5.2): whom it has exposed its memory to, and whose it
// has been let use.
//
// Ranks tell each other of both by messages without bytes: of the two ranks, where these address each other's memory,
// and else of their processes, behind the operations. Or it goes through boxes (epoch_box.hpp), between processes that
// share these.
//
// Belongs to the rank's window, which knows whether an epoch may begin or end. Own thread of the rank only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/call.hpp"
#include "layout/placed_message.hpp"
#include "match/requests.hpp"
#include "window/epoch_box.hpp"
#include "window/place_in_part.hpp"

namespace pure::core {

class window;

class posted_epochs {
 public:
  explicit posted_epochs(window& of) noexcept : of_(of) {}
  posted_epochs(const posted_epochs&) = delete;
  posted_epochs& operator=(const posted_epochs&) = delete;
  ~posted_epochs() = default;

  /// The window ends, whatever is open.
  void abandon() noexcept;
  /// Ranks tell each other by boxes where they can. When the window has been made; all ranks, or none.
  void use_boxes();

  /// `numbers`: of ranks in the job. Throw group.
  void post(const call& by, std::span<const int> numbers);
  /// Gives the ranks of the window.
  const std::vector<int>& start(const call& by, std::span<const int> numbers);
  void complete(const call& by);
  void wait(const call& by);
  [[nodiscard]] bool has_ended();
  /// The targets of start().
  [[nodiscard]] const std::vector<int>& started() const noexcept { return start_.ranks; }

  /// A put in the epoch of start(), to memory that is reached by messages. False: it has to go by one.
  [[nodiscard]] bool put(const placed_message& what, const place_in_part& where) noexcept;
  /// A put that waits for the end of the epoch goes by a message all the same: the target shall have it before.
  void hand_over_put(const call& by, int rank);
  /// A message goes to that rank, behind which its epoch has to end.
  void note_message(int rank) noexcept {
    if (!places_.empty()) places_[static_cast<std::size_t>(rank)].is_behind_message = true;
  }

 private:
  /// Ranks of the window, as a program has named them the last time.
  struct known_group {
    std::vector<int> numbers, ranks;
  };
  struct given_place {
    int number = epoch_box::no_place;  // in the box of the target
    bool is_behind_message = false;
  };

  [[nodiscard]] const std::vector<int>& ranks_of(const call& by, std::span<const int> numbers, known_group& last) const;
  [[nodiscard]] bool has_box(int rank) const noexcept;
  [[nodiscard]] int tag_of(bool is_end) const noexcept;
  void signal(const call& by, int rank, bool is_end);
  [[nodiscard]] handle expect(const call& by, int rank, bool is_end);
  void wait_for_post(const call& by, int target);
  void complete_at(int target);
  [[nodiscard]] std::uint64_t missing_ends() const noexcept;
  void take_what_was_put();

  window& of_;
  known_group post_, start_;
  std::vector<handle> exposed_;  // of the messages that end the epoch of post(), by its origins
  // Origins that do not address this rank's memory end by messages behind their operations, or in boxes.
  std::uint64_t ends_to_come_ = 0;
  std::uint64_t ended_epochs_ = 0;   // by messages, that have been taken
  int exposed_places_ = 0;           // of the own box
  std::vector<given_place> places_;  // by target; empty: no boxes
};

}  // namespace pure::core
