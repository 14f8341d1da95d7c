// The gateway, runs (message_streams.hpp): messages of a pair of ranks that travel without envelopes, each as the
// payload of its place in a stream, one after the other and nothing between them that could match the same receives. So
// what a receive gets that is posted with the tag of the next place is known before it comes; it goes to the user's
// buffer straight away, as with MPI alone.
//
//   sender    begins a run when some messages of the pair have been alike, and ends it for any other one of its context
//   receiver  posts the rank's receive in the network (gateway::expect). Where the rank posts none for some time, or
//             one that may match something else as well, a receive into memory of the gateway takes the place: there
//             is always one in the end.
//
// Messages and payloads of the network have no order between them. What comes behind a run waits until all messages of
// the run have come, which its end counts. What comes before one is before it, because nothing of it is received until
// the packet has been read in which it begins.
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

/// So many alike come before a run begins with another one, unless the last run of the stream had many messages, and
/// something else came between. (32 KB over Open MPI's TCP have an envelope for each of the first ones, which takes
/// 8 us.)
constexpr std::uint32_t alike_before_run = 4;
constexpr std::uint32_t many_messages = 16;
/// So many alike that are shorter than others before end it, for a receive with less room could not be posted for them.
constexpr std::uint32_t alike_before_end = 16;
/// So many in a row for which nothing has come: a flood.
constexpr std::uint32_t most_unanswered = 4;
/// For the receive of a message: after so many polls it is posted without one of the receiver, which for a small one
/// comes at once or not at all.
constexpr std::uint32_t most_polls_without_receive = 8;
/// While the rank waits for the end of its own send, after which it may receive. (Open MPI's of 8 KB end when the
/// receiver's process has taken them: with 8 polls, half of its runs were unwanted.)
constexpr std::uint32_t most_polls_in_send = 1000;
/// A run is unwanted where such receives have been taken back twice, and for one in so many of its messages.
constexpr std::uint32_t messages_for_one_taken_back = 8;

/// The same for a large one: who sends large messages polls while the network takes its own, and receives the answer
/// then. More time than it takes to send that.
constexpr std::int64_t longest_without_receive_ns(std::size_t bytes) {
  return 100'000 + static_cast<std::int64_t>(bytes) / 2;
}

}  // namespace

// ---- out ------------------------------------------------------------------------------------------------------------

/// Whether one begins with the message after the last one of these, which are alike.
bool gateway::may_begin_run(out_stream& its, const alike_messages& last, std::uint64_t dealt_with) noexcept {
  if (its.avoids_run()) return false;
  return (its.had_long_run || last.count() > alike_before_run) && its.are_tags_free_for_run(dealt_with);
}

/// The same of one that would have left bare.
bool gateway::may_begin_run(const peer& to, out_link& link, int tag, const bare_message& what) noexcept {
  out_streams& of = link.streams;
  of.alike.add(what.who.context, tag, what.bytes, to.arrived + to.arrived_in_runs);
  const bool has_room = what.bytes <= most_inside_now() - sizeof(wire_envelope);
  if (!has_room) return false;
  out_stream* const its = of.find(what.who);
  if (its == nullptr) return of.alike.count() > alike_before_run && has_room_for_stream(of, link.process);
  return may_begin_run(*its, of.alike, to.dealt_with_by_it);
}

/// The same of a large message, which in a run cannot be asked back. That one is not foreseen: what is received
/// before the packet has been read in which a run begins would be counted as none of the run.
bool gateway::may_begin_run_of_large(const peer& to, out_link& link, const send_op& op) noexcept {
  out_streams& of = link.streams;
  out_stream* const its = of.find(op.who);
  if (its == nullptr) return false;
  of.alike.add(op.who.context, static_cast<int>(its->first_tag), op.bytes, to.arrived + to.arrived_in_runs);
  const bool has_room = op.bytes >= streams::shortest_of_run && op.bytes <= streams::longest_of_run &&
                        op.bytes <= its->limit;
  return has_room && may_begin_run(*its, of.alike, to.dealt_with_by_it);
}

/// With the next message in the packet, whose envelope `what` is.
out_stream& gateway::begin_run(out_link& link, const wire_envelope& what, packet& in) noexcept {
  out_streams& of = link.streams;
  out_stream* const known = of.find(what.who);
  out_stream& its = known != nullptr ? *known : add_stream(of, link.process, what.who);
  its.limit = what.bytes;
  of.messages_of_run = 0;
  wire_envelope beginning = what;
  beginning.kind = wire_kind::run_begins;
  beginning.number = number_of(its);
  static_cast<void>(in.entries.add(beginning));
  return its;
}

/// Asked again for the same message, it says the same.
bool gateway::goes_on_with_run(const peer& to, out_link& link, const bare_message& what) noexcept {
  out_streams& of = link.streams;
  const out_stream& run = *of.run;
  if (run.without_run > 0) return false;
  if (run.context != what.who.context || run.tag != what.who.tag || what.bytes > run.limit) return false;
  alike_messages with_it = of.alike;
  with_it.add(run.context, envelope_tags::none, what.bytes, to.arrived + to.arrived_in_runs);
  if (what.bytes < run.limit && with_it.count() == alike_before_end) return false;
  if (with_it.unanswered() >= most_unanswered || !run.may_use_next_tag(to.dealt_with_by_it)) return false;
  of.alike = with_it;
  return true;
}

/// One that had to wait in its ring. False if the run ends with it, or there is no room.
bool gateway::forward_in_run(out_link& link, record& leaving) {
  peer& to = peers_of_[static_cast<std::size_t>(link.process)];
  bare_message what{leaving.who, payload_of(leaving), bytes_of(leaving)};
  const bool is_lent = leaving.kind() == record_kind::rendezvous;
  const bool may_be_in_run = is_lent || (leaving.kind() == record_kind::eager && !has_to_be_lent(what.bytes));
  if (!may_be_in_run || packets_.first() == nullptr) return false;
  if (is_lent) {
    send_op& op = *offer_in(leaving).source.here;
    if (op.is_synchronous || op.meeting.data().form != nullptr) return false;
    what.data = op.meeting.data().base;
    what.is_lent_already = true;
    if (has_to_be_lent(what.bytes)) what.lender = {&op, op.is_blocking};
  }
  if (!goes_on_with_run(to, link, what)) return false;
  if (is_lent && !offer_in(leaving).claim.hold()) return true;  // it was cancelled
  const departure how = send_in_run(to, link, what);
  if (is_lent && how != departure::lent) offer_in(leaving).source.here->meeting.give_back();
  return true;
}

/// What has been dealt with: messages of a run do not say it, and end with a packet of their pair.
void gateway::tell(peer& to, int process) {
  std::unique_ptr<packet> alone = new_packet(to);
  if (alone == nullptr) return;
  wire_envelope what;
  what.kind = wire_kind::nothing;
  static_cast<void>(alone->entries.add(what));
  send_packet(to, process, std::move(alone));
}

/// Those of the stream with that number.
void gateway::avoid_runs(int process, std::uint32_t number) noexcept {
  const std::uint32_t tag = streams::first_tag(network_.peers().largest_tag) + (number - 1) * streams::tags_of_each;
  for (const auto& end : ends_) {
    for (const auto& link : end->out) {
      out_stream* const its = link->process == process ? link->streams.find_by_tag(tag) : nullptr;
      if (its != nullptr) its->avoid_runs();
    }
  }
}

void packet::add_end_of_run(const wire_envelope& before, out_streams& streams) noexcept {
  wire_envelope end = before;
  end.kind = wire_kind::run_ends;
  end.number = streams.messages_of_run;
  static_cast<void>(entries.add(end));
  out_stream& its = *std::exchange(streams.run, nullptr);
  its.had_long_run = streams.messages_of_run >= many_messages;
  its.leave_next_tag(number);
}

// ---- in: where runs begin and end -----------------------------------------------------------------------------------

void gateway::entry_of_run(in_link& link, int process, const wire_envelope& what) {
  if (leave_behind_run(link, what, std::nullopt, nullptr)) return;
  const bool begins = what.kind == wire_kind::run_begins;
  const bool is_in_run = link.run.of != nullptr;
  if (begins ? is_in_run || what.number == 0 : !is_in_run || what.number < link.run.arrived) return damaged(process);
  if (begins) {
    take_up_run(link, process, what);
  } else {
    end_run(link, what.number);
  }
}

void gateway::take_up_run(in_link& link, int process, const wire_envelope& what) {
  in_stream* const known = link.streams.find(what.who);
  in_stream& its = known != nullptr ? *known : add_stream(link, what, what.number);
  its.limit = what.bytes;
  its.run_of = &link;
  link.run.of = &its;
  link.run.process = process;
  link.run.what = what;
  link.run.what.kind = wire_kind::eager;
  link.run.what.number = envelope_tags::none;
  peer& from = peers_of_[static_cast<std::size_t>(process)];
  from.has_to_know = from.arrived;
  runs_.push_back(&link);
  set_lacks_receive(link, its.expected == nullptr);
}

/// After that many messages, of which some may not have come yet.
void gateway::end_run(in_link& link, std::uint32_t messages) {
  in_stream& its = *link.run.of;
  link.run.missing = messages - link.run.arrived;
  if (link.run.missing > 0) {
    ++holds_;
    ++incomplete_runs_;
    return;
  }
  remote_payload* const kept = its.expected;
  forget_run(link);
  if (kept == nullptr || kept->kept == nullptr) return;
  its.expected = nullptr;
  give_up(*kept);
  if (kept->state.load(std::memory_order_relaxed) == remote_payload::expectation::waiting) hold(link, *kept);
}

void gateway::forget_run(in_link& link) {
  set_lacks_receive(link, false);
  std::erase(runs_, &link);
  link.run.of->run_of = nullptr;
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
    if (each.what.kind == wire_kind::run_begins || each.what.kind == wire_kind::run_ends) {
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

// ---- in: the messages -----------------------------------------------------------------------------------------------

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

/// The next one, which its receiver has got, or will.
void gateway::message_of_run_has_come(in_link& link) {
  in_run& run = link.run;
  pace_.has_heard();
  ++run.arrived;
  ++run.of->count;
  ++peers_of_[static_cast<std::size_t>(run.process)].arrived_in_runs;
  run.is_kept = false;
  set_lacks_receive(link, true);
  if (run.missing > 0 && --run.missing == 0) go_on_behind_run(link);
}

/// Whether its receiver has had its time to post a receive for the next message. One that did not do it in time for the
/// last one gets none, unless copies are dear, and that message may have been an exception.
bool gateway::is_long_without_receive(const local_end& end, in_run& run) noexcept {
  if (run.is_kept && !are_copies_dear(run)) return true;
  ++run.polls;
  if (run.of->limit <= most_inside_now()) {
    return run.polls >= (end.blocking_send.finished() ? most_polls_without_receive : most_polls_in_send);
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
    if (!run.lacks_receive) continue;
    in_stream& its = *run.of;
    if (run.missing == 0 && !is_long_without_receive(*link.end, run)) continue;
    const std::uint32_t before = its.count;
    if (its.unposted > 0) post_all_of(its);
    start_expecting(*link.end->rank, link.to->source(), its, nullptr);
    if (its.count != before) moved = true;
    if (its.run_of != nullptr) set_lacks_receive(link, its.expected == nullptr);
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
    what.bytes = kept.going.bytes;
    if (!give_now(*link, what.who, kept.into, what.bytes)) {
      leave_for_receiver(*link, kept.process, what, std::nullopt, kept.into);
    }
    const bool was_kept = link->run.is_kept;  // the one before
    message_of_run_has_come(*link);
    if (link->run.of == &its) {
      link->run.is_kept = true;
      if (was_kept) say_that_run_is_unwanted(link->run);
    }
  } else if (link != nullptr) {
    set_lacks_receive(*link, its.expected == nullptr);
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
void gateway::say_that_run_is_unwanted(in_run& run) {
  if (pace_.is_slow() || std::exchange(run.is_unwanted, true)) return;
  answer(run.process, wire_kind::run_unwanted, number_of(*run.of));
}

/// The receiver has a receive for the next message: the gateway's own is not needed, unless that has come.
void gateway::take_back_kept(in_link& link) {
  remote_payload* const kept = link.run.of->expected;
  if (kept == nullptr || kept->kept == nullptr) return;
  give_up(*kept);
  link.run.is_kept = false;
  const std::uint32_t taken_back = ++link.run.taken_back;
  if (taken_back > 1 && taken_back * messages_for_one_taken_back > link.run.arrived) say_that_run_is_unwanted(link.run);
}

}  // namespace pure::core
