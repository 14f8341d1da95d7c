// The messages that a rank's matched probes have taken out, until they are received (MPI 4.1, 3.8.2 and 3.8.3). Own
// thread of the rank only; unreceived() also when no rank runs.
#pragma once

#include <vector>

#include "base/call.hpp"
#include "match/handle_table.hpp"
#include "match/unexpected_message.hpp"

namespace pure::core {

class matched_messages {
 public:
  static constexpr handle from_nobody = handle::fixed(3);

  explicit matched_messages(int rank) : kept_(handle_kind::message, rank), rank_(rank) {}
  matched_messages(const matched_messages&) = delete;
  matched_messages& operator=(const matched_messages&) = delete;
  ~matched_messages();

  /// Owns the message from now on.
  handle keep(unexpected_message& taken) { return kept_.make(&taken).name; }
  [[nodiscard]] bool is_kept(handle message) noexcept { return find(message) != nullptr; }
  /// Throws request for a handle that names none of this rank's.
  [[nodiscard]] unexpected_message& find(const call& by, handle message);
  /// The message's receive owns the message now; the handle becomes null.
  void give_up(handle& message) noexcept;
  [[nodiscard]] std::vector<const unexpected_message*> unreceived();

 private:
  [[nodiscard]] unexpected_message** find(handle message) noexcept;

  handle_table<unexpected_message*> kept_;
  const int rank_;
};

}  // namespace pure::core
