// Runs (message_streams.hpp), where they arrive: messages of a pair of ranks that travel without envelopes, each as the
// payload of its place in a stream, one after the other and nothing between them that could match the same receives. So
// what a receive gets that is posted with the tag of the next place is known before it comes; it goes to the user's
// buffer straight away, as with MPI alone.
//
//   sender    begins a run when some messages of the pair have been alike, or some in turn, and ends it for any other
//             one of its context
//   receiver  posts the rank's receives in the network (foreseen_receives.hpp), those of other streams whose turn comes
//             later as well. For the first message that is missing, where the rank posts none for some time, or one
//             that may match something else as well, a receive into memory of the gateway takes the place: there is
//             always one in the end. So what the rank gets otherwise than by a receive of its own comes in the order of
//             sending.
//
// Messages and payloads of the network have no order between them. What comes behind a run waits until all messages of
// the run have come, which its end counts. What comes before one is before it: of the stream of the message that it
// begins behind, nothing is received until the packet has been read in which it begins; what has come of its other
// streams by then, without envelopes, is the run's, for the envelopes of all before it are here.
//
// By the holder of the network lock. tests/model/runs.pml
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "gateway/context.hpp"
#include "gateway/foreseen_receives.hpp"
#include "gateway/message_entry.hpp"
#include "gateway/packet_sender.hpp"
#include "gateway/payload_receiver.hpp"
#include "gateway/wire.hpp"

namespace pure::core {

class run_receiver {
 public:
  run_receiver(gateway_context& context, packet_sender& packets, payload_receiver& payloads, arrivals& in,
               foreseen_receives& foreseen)
      : context_(context), packets_(packets), payloads_(payloads), in_(in), foreseen_(foreseen) {}

  /// A run begins, or its next stream is told.
  void stream_of_run(int process, const wire_run_stream& what);
  /// The run of a pair ends.
  void run_ends(int process, const wire_run_end& what);
  /// What comes behind a run of which messages are missing stays here. False if it need not wait.
  [[nodiscard]] bool leave_behind_run(in_link& link, const message_entry& what, const std::optional<wire_note>& note,
                                      const std::byte* payload);
  /// A message may wait behind a run: then who asks for it back is answered when that has come. False: it does not.
  [[nodiscard]] bool leave_asked_back(int process, std::uint32_t number);

  /// After something has become of the receives of a run.
  void note_lack(in_link& link) noexcept;
  /// The next one of a stream, which its receiver has got, or will.
  void message_has_come(in_link& link, in_stream& its);
  /// The receiver has a receive for the next message: the gateway's own is not needed, unless that has come.
  void take_back_kept(in_link& link);
  /// A receive into memory of the gateway has ended.
  void kept_done(foreseen_receive& kept);

  [[nodiscard]] bool lacks_receive() const noexcept { return without_receive_ > 0; }
  /// A run may be open at the end: nothing has come behind it.
  void add_open_accounts(open_accounts& to) const;
  /// Posts receives for those whose receivers post none. True if a message has come.
  bool look_after();

 private:
  void take_up_run(in_link& link, int process, const wire_run_stream& what);
  void add_to_run(in_link& link, in_stream& its, std::size_t limit);
  static void pass_those_ahead(in_run& run) noexcept;
  void end_run(in_link& link, std::uint32_t messages);
  void forget_run(in_link& link);
  void go_on_behind_run(in_link& link);
  void set_lacks_receive(in_link& link, bool lacks) noexcept;
  [[nodiscard]] bool count_poll_without_receive(const local_end& end, in_run& run) noexcept;
  [[nodiscard]] bool are_copies_dear(const in_run& run) const noexcept;
  void say_that_run_is_unwanted(in_run& run, const in_stream& its);

  gateway_context& context_;
  packet_sender& packets_;
  payload_receiver& payloads_;
  arrivals& in_;
  foreseen_receives& foreseen_;
  std::vector<in_link*> links_;  // with a run
  std::size_t without_receive_ = 0;
  std::size_t incomplete_ = 0;                               // whose end has come, and not all messages
  std::vector<std::pair<int, std::uint32_t>> asked_behind_;  // messages that may wait behind them: process and number
};

}  // namespace pure::core
