// Large messages that are expected: the receive of a payload is posted when a rank posts a receive that only the next
// message of a stream can match (message_streams.hpp), before its envelope is here; then the bytes need not wait for it
// in the network's own memory.
//
// The rank has posted a receive, the first that matches the stream, and nothing of the stream waits for one. So that
// receive will match the next message, whose place in the stream is the count of the envelopes that have come. If that
// is large and foreseen, its payload comes to the receive that was posted here, and only that: it is taken. If its
// envelope says that it is something else, the receive is cancelled, for nothing can come there, and then the message
// is handed over like any other one. All that comes later in the pair waits meanwhile, if the network needs time for
// that (foreseen_receive::holds_back).
//
// By the holder of the network lock. tests/model/streams.pml
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gateway/arrivals.hpp"
#include "gateway/context.hpp"
#include "gateway/message_entry.hpp"
#include "gateway/payload_pool.hpp"

namespace pure::core {

class foreseen_receives {
 public:
  foreseen_receives(gateway_context& context, arrivals& in, run_receiver& runs)
      : context_(context), in_(in), runs_(runs) {}

  /// For a rank that has posted a receive: remote_ranks::expect().
  foreseen_receive* expect(rank_context& by, int from, std::uint32_t context, std::int32_t tag, void* into,
                           std::size_t capacity, ring& way);
  /// Posts the receive of the next message of a stream. `into` null: into memory of the gateway.
  foreseen_receive& start_expecting(rank_context& by, int from, in_stream& next, void* into);
  /// Of a pair of ranks: of messages that are matched as `who`, from that process. There must be room.
  in_stream& add_stream(in_link& link, const envelope& who, int process, std::uint32_t number);

  /// Counts a message in its stream, if it has one or starts it. True if it was expected: then nothing is to be handed
  /// over.
  bool count_in_stream(in_link& link, const message_entry& what);
  /// Unless something has come for it.
  void give_up(foreseen_receive& expected);
  void give_up_all();
  /// The receive has ended. The payload is the receiver's afterwards.
  void done(foreseen_receive& expected);

  // ---- holds: until the network has said what comes of a receive, nothing of its pair is handed over, and no tag is
  // ---- free again
  void hold(in_link& link, foreseen_receive& by);
  void one_hold_more() noexcept { ++holds_; }
  void one_hold_less() noexcept;
  [[nodiscard]] bool is_anything_held() const noexcept { return holds_ > 0; }
  [[nodiscard]] foreseen_pool& pool() noexcept { return pool_; }
  /// Whether bytes are missing of announced messages whose receivers are those of which that is true.
  template <class IsAskedFor>
  [[nodiscard]] bool is_awaiting_for(IsAskedFor is_asked_for) const {
    return std::any_of(pool_.all().begin(), pool_.all().end(),
                       [&](const auto& each) { return each->is_announced() && is_asked_for(each->receiver); });
  }
  void add_open_accounts(open_accounts& to) const;
  /// Receives of messages that are, or were, expected.
  [[nodiscard]] std::size_t count() const noexcept { return expected_; }

 private:
  [[nodiscard]] bool prepare_to_expect(in_link& link, in_stream& next, std::size_t capacity, ring& way);
  void post_expected(foreseen_receive& expected);
  void announce(in_link& link, foreseen_receive& expected);
  void end_hold(foreseen_receive& by);

  using stage = foreseen_receive::stage;

  gateway_context& context_;
  arrivals& in_;
  run_receiver& runs_;
  foreseen_pool pool_;
  std::size_t holds_ = 0;  // of all links
  std::size_t expected_ = 0;
};

}  // namespace pure::core
