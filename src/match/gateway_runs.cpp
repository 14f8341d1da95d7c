// The gateway, runs (message_streams.hpp): messages of a pair of ranks that travel without envelopes, each as the
// payload of its place in a stream, one after the other and nothing between them that could match the same receives. So
// what a receive gets that is posted with the tag of the next place is known before it comes; it goes to the user's
// buffer straight away, as with MPI alone.
//
//   sender    begins a run when some messages of the pair have been alike, or some in turn, and ends it for any other
//             one of its context
//   receiver  posts the rank's receives in the network (gateway::expect), those of other streams whose turn comes later
//             as well. For the first message that is missing, where the rank posts none for some time, or one that may
//             match something else as well, a receive into memory of the gateway takes the place: there is always one
//             in the end. So what the rank gets otherwise than by a receive of its own comes in the order of sending.
//
// Messages and payloads of the network have no order between them. What comes behind a run waits until all messages of
// the run have come, which its end counts. What comes before one is before it: of the stream of the message that it
// begins behind, nothing is received until the packet has been read in which it begins; what has come of its other
// streams by then, without envelopes, is the run's, for the envelopes of all before it are here.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "base/clock.hpp"
#include "match/gateway.hpp"
#include "match/short_path.hpp"
#include "runtime/job.hpp"

namespace pure::core {

namespace {

/// For the receive of a message: after so many polls it is posted without one of the receiver, which for a small one
/// comes at once or not at all.
constexpr std::uint32_t most_polls_without_receive = 8;
/// While the rank waits for the end of its own send, after which it may receive, or something else that this process
/// sends is on its way. (Open MPI's of 8 KB end when the receiver's process has taken them: with 8 polls, half of its
/// runs were unwanted. Six of 16 KB each way: most of them.)
constexpr std::uint32_t most_polls_in_send = 1000;
/// A run is unwanted where such receives have been taken back more often than it has streams, and for one in so many of
/// its messages.
constexpr std::uint32_t messages_for_one_taken_back = 8;

/// The same for a large one: who sends large messages polls while the network takes its own, and receives the answer
/// then. More time than it takes to send that.
constexpr std::int64_t longest_without_receive_ns(std::size_t bytes) {
  return 100'000 + static_cast<std::int64_t>(bytes) / 2;
}

}  // namespace

// ---- where they begin and end ---------------------------------------------------------------------------------------

void gateway::entry_of_run(in_link& link, int process, const wire_envelope& what) {
  if (leave_behind_run(link, what, std::nullopt, nullptr)) return;
  in_run& run = link.run;
  bool is_right = false;
  switch (what.kind) {
    case wire_kind::run_begins: is_right = !run.has_begun() && what.payload_tag - 1 < streams::most_of_a_pair; break;
    case wire_kind::run_stream: is_right = run.streams_to_come > 0; break;
    default: is_right = run.has_begun() && run.streams_to_come == 0 && what.number >= run.arrived;
  }
  if (!is_right) return damaged(process);
  if (what.kind == wire_kind::run_ends) return end_run(link, what.number);
  in_stream* const known = link.streams.find(what.who);
  if (what.number == 0 || (known == nullptr && link.streams.full())) return damaged(process);
  if (what.kind == wire_kind::run_begins) take_up_run(link, process, what);
  add_to_run(link, known != nullptr ? *known : add_stream(link, what, what.number), what.bytes);
}

void gateway::take_up_run(in_link& link, int process, const wire_envelope& what) {
  link.run.streams_to_come = what.payload_tag;
  link.run.process = process;
  link.run.what = what;
  link.run.what.kind = wire_kind::eager;
  link.run.what.number = envelope_cache::none;
  peer& from = peers_of_[static_cast<std::size_t>(process)];
  from.has_to_know = from.arrived;
}

/// What has come before its envelope is the run's, for all envelopes before it are here.
void gateway::add_to_run(in_link& link, in_stream& its, std::size_t limit) {
  in_run& run = link.run;
  its.limit = limit;
  its.run_of = &link;
  its.ahead = std::exchange(its.owed, 0);
  its.count += its.ahead;
  run.arrived += its.ahead;
  peers_of_[static_cast<std::size_t>(run.process)].arrived_in_runs += its.ahead;
  run.streams.add(its);
  run.of = &run.streams.current();
  if (--run.streams_to_come > 0) return;
  pass_those_ahead(run);
  runs_.push_back(&link);
  note_lack(link);
}

/// The first message that is missing is the next of one of which none has come.
void gateway::pass_those_ahead(in_run& run) noexcept {
  for (; run.of->ahead > 0; run.of = &run.streams.advance()) --run.of->ahead;
}

/// After that many messages, of which some may not have come yet.
void gateway::end_run(in_link& link, std::uint32_t messages) {
  const in_stream& its = *link.run.of;
  link.run.missing = messages - link.run.arrived;
  if (link.run.missing > 0) {
    ++holds_;
    ++incomplete_runs_;
    return;
  }
  remote_payload* const kept = its.expected;
  forget_run(link);
  if (kept == nullptr || kept->kept == nullptr) return;
  kept->stream->expected = nullptr;
  give_up(*kept);
  if (kept->state.load(std::memory_order_relaxed) == remote_payload::expectation::waiting) hold(link, *kept);
}

void gateway::forget_run(in_link& link) {
  set_lacks_receive(link, false);
  std::erase(runs_, &link);
  for (in_stream* const each : link.run.streams) each->run_of = nullptr;
  link.run = {};
}

/// False if it need not wait: of its run nothing is missing, or there is none.
bool gateway::leave_behind_run(in_link& link, const wire_envelope& what, const std::optional<wire_note>& note,
                               const std::byte* payload) {
  if (link.run.missing == 0) return false;
  const std::size_t bytes = what.bytes_inside();
  auto kept = std::make_unique_for_overwrite<std::byte[]>(bytes);
  if (bytes > 0) std::memcpy(kept.get(), payload, bytes);
  link.run.behind.push_back({what, note, std::move(kept)});
  return true;
}

/// All of it has come, and so has its end: what was behind it is next.
void gateway::go_on_behind_run(in_link& link) {
  const int process = link.run.process;
  const std::vector<entry_behind> behind = std::move(link.run.behind);
  forget_run(link);
  for (const entry_behind& each : behind) {
    if (each.what.is_of_run()) {
      entry_of_run(link, process, each.what);
    } else {
      hand_over(link, process, each.what, each.note, each.payload.get());
    }
  }
  --incomplete_runs_;
  if (incomplete_runs_ == 0) {
    for (const auto& [asking, number] : std::exchange(asked_behind_, {})) answer_asked_back(asking, number);
  }
  one_hold_less();
}

// ---- the messages ---------------------------------------------------------------------------------------------------

/// After something has become of the receives of a run.
void gateway::note_lack(in_link& link) noexcept { set_lacks_receive(link, link.run.of->expected == nullptr); }

void gateway::set_lacks_receive(in_link& link, bool lacks) noexcept {
  if (std::exchange(link.run.lacks_receive, lacks) == lacks) return;
  link.run.polls = 0;
  link.run.lacks_receive_since_ns = 0;
  if (lacks) {
    ++runs_without_receive_;
  } else {
    --runs_without_receive_;
  }
}

/// The next one of a stream, which its receiver has got, or will.
void gateway::message_of_run_has_come(in_link& link, in_stream& its) {
  in_run& run = link.run;
  pace_.has_heard();
  ++run.arrived;
  ++its.count;
  ++peers_of_[static_cast<std::size_t>(run.process)].arrived_in_runs;
  its.is_kept = false;
  if (run.of == &its) {
    run.of = &run.streams.advance();
    pass_those_ahead(run);
    set_lacks_receive(link, false);  // what is counted begins anew
    note_lack(link);
  } else {
    ++its.ahead;
  }
  if (run.missing > 0 && --run.missing == 0) go_on_behind_run(link);
}

/// Whether its receiver has had its time to post a receive for the next message. One that did not do it in time for the
/// last one gets none, unless copies are dear, and that message may have been an exception.
bool gateway::is_long_without_receive(const local_end& end, in_run& run) noexcept {
  if ((run.of->is_kept && !are_copies_dear(run)) || !run.of->is_noted) return true;
  ++run.polls;
  if (run.of->limit <= most_inside_now()) {
    const bool is_sending = !end.blocking_send.finished() || packets_.on_their_way() > 0;
    return run.polls >= (is_sending ? most_polls_in_send : most_polls_without_receive);
  }
  if (run.polls % most_polls_without_receive != 0) return false;  // the clock takes as long as a poll
  const std::int64_t now = now_ns();
  if (run.lacks_receive_since_ns == 0) run.lacks_receive_since_ns = now;
  return now - run.lacks_receive_since_ns >= longest_without_receive_ns(run.of->limit);
}

/// True if a message has come.
bool gateway::look_after_runs() {
  bool moved = false;
  if (step_ >= end_step::draining) return moved;
  for (std::size_t i = runs_.size(); i-- > 0;) {
    if (i >= runs_.size()) continue;  // some have ended
    in_link& link = *runs_[i];
    in_run& run = link.run;
    if (!run.lacks_receive || link.holds > 0) continue;  // a receive for its next message may be on its way back
    in_stream& its = *run.of;
    if (run.missing == 0 && !is_long_without_receive(*link.end, run)) continue;
    const std::uint32_t before = its.count;
    if (its.unposted > 0) post_all_of(its);
    start_expecting(*link.end->rank, link.to->source(), its, nullptr);
    if (its.count != before) moved = true;
    if (link.run.has_begun()) note_lack(link);
  }
  return moved;
}

/// The payloads of the stream that nobody has asked for yet: those of its next messages come under the same tags.
void gateway::post_all_of(const in_stream& stream) {
  for (const auto& each : payloads_.all()) {
    if (each->is_unreceived && each->stream == &stream && !each->is_posted && !each->is_here) post(*each);
  }
}

/// A receive into memory of the gateway has ended.
void gateway::kept_done(remote_payload& kept) {
  in_stream& its = *kept.stream;
  in_link* const link = its.run_of;
  kept.state.store(remote_payload::expectation::given_up, std::memory_order_relaxed);
  if (!kept.going.cancelled) {
    wire_envelope what = link->run.what;
    what.who.tag = its.tag;
    what.bytes = kept.going.bytes;
    const bool was_noted = its.is_noted;
    if (!was_noted || !give_now(*link, what.who, kept.into, what.bytes)) {
      leave_for_receiver(*link, kept.process, what, std::nullopt, kept.into);
    }
    if (its.is_kept && was_noted) say_that_run_is_unwanted(link->run, its);  // as was the one before
    message_of_run_has_come(*link, its);
    its.is_kept = was_noted;
  } else if (link != nullptr) {
    note_lack(*link);
  }
  payloads_.give_back(kept);
}

/// Whether a message that comes to memory of the gateway and is copied from there takes longer than with an envelope:
/// a large one, where the network is fast. (1 MB, received from any source, through shared memory: 1.35 to 1.65 of raw
/// MPI's half round trip; over TCP it is faster than with envelopes, for the bytes need not wait for the receive.)
bool gateway::are_copies_dear(const in_run& run) const noexcept {
  return !pace_.is_slow() && run.of->limit > most_inside_now();
}

/// Its messages come before their receives are posted, or the receiver waits for others meanwhile, so that receives are
/// posted for them and taken back. Where sends are fast, envelopes take less time. (8 KB to and fro with two ranks of
/// another process, one after the other, through MPICH's shared memory: 3.3 us, in runs 3.4 to 4.3.)
void gateway::say_that_run_is_unwanted(in_run& run, const in_stream& its) {
  if (pace_.is_slow() || std::exchange(run.is_unwanted, true)) return;
  answer(run.process, wire_kind::run_unwanted, number_of(its));
}

/// The receiver has a receive for the next message: the gateway's own is not needed, unless that has come.
void gateway::take_back_kept(in_link& link) {
  in_stream& its = *link.run.of;
  remote_payload* const kept = its.expected;
  if (kept == nullptr || kept->kept == nullptr) return;
  give_up(*kept);
  its.is_kept = false;
  in_run& run = link.run;
  if (++run.taken_back > run.streams.size() && run.taken_back * messages_for_one_taken_back > run.arrived) {
    say_that_run_is_unwanted(run, its);
  }
}

}  // namespace pure::core
