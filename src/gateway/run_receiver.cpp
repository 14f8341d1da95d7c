// Modelled by tests/model/runs.pml.
#include "gateway/run_receiver.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "base/clock.hpp"
#include "gateway/arrivals.hpp"

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

// ---- where they begin and end --------------------------------------------------------------------------------------

void run_receiver::stream_of_run(int process, const wire_run_stream& what) {
  in_link& link = in_.link_to(static_cast<int>(what.of.to), static_cast<int>(what.of.from));
  in_run& run = link.run;
  if (run.missing > 0) return run.behind.emplace_back(what), void();
  const bool begins = what.tail.kind == wire_kind::run_begins;
  const bool is_right = begins ? !run.has_begun() && what.streams - 1 < streams::most_of_a_pair
                               : run.streams_to_come > 0;
  in_stream* const known = link.streams.find(what.of.who);
  if (!is_right || what.stream == 0 || (known == nullptr && link.streams.full())) return context_.damaged(process);
  if (begins) take_up_run(link, process, what);
  add_to_run(link, known != nullptr ? *known : foreseen_.add_stream(link, what.of.who, process, what.stream),
             what.limit);
}

void run_receiver::run_ends(int process, const wire_run_end& what) {
  in_link& link = in_.link_to(static_cast<int>(what.of.to), static_cast<int>(what.of.from));
  in_run& run = link.run;
  if (run.missing > 0) return run.behind.emplace_back(what), void();
  const bool is_right = run.has_begun() && run.streams_to_come == 0 && what.messages >= run.arrived;
  if (!is_right) return context_.damaged(process);
  end_run(link, what.messages);
}

void run_receiver::take_up_run(in_link& link, int process, const wire_run_stream& what) {
  in_run& run = link.run;
  run.streams_to_come = what.streams;
  run.process = process;
  run.what.who = what.of.who;
  run.what.to = static_cast<int>(what.of.to);
  run.what.from = static_cast<int>(what.of.from);
  peer& from = context_.peer_of(process);
  from.has_to_know = from.arrived;
}

/// What has come before its envelope is the run's, for all envelopes before it are here.
void run_receiver::add_to_run(in_link& link, in_stream& its, std::size_t limit) {
  in_run& run = link.run;
  its.limit = limit;
  its.run_of = &link;
  its.ahead = std::exchange(its.owed, 0);
  its.count += its.ahead;
  run.arrived += its.ahead;
  context_.peers[static_cast<std::size_t>(run.process)].arrived_in_runs += its.ahead;
  run.streams.add(its);
  run.of = &run.streams.current();
  if (--run.streams_to_come > 0) return;
  pass_those_ahead(run);
  links_.push_back(&link);
  note_lack(link);
}

/// The first message that is missing is the next of one of which none has come.
void run_receiver::pass_those_ahead(in_run& run) noexcept {
  for (; run.of->ahead > 0; run.of = &run.streams.advance()) --run.of->ahead;
}

/// After that many messages, of which some may not have come yet.
void run_receiver::end_run(in_link& link, std::uint32_t messages) {
  const in_stream& its = *link.run.of;
  link.run.missing = messages - link.run.arrived;
  if (link.run.missing > 0) {
    foreseen_.one_hold_more();
    ++incomplete_;
    return;
  }
  foreseen_receive* const kept = its.expected;
  forget_run(link);
  if (kept == nullptr || !kept->is_own()) return;
  kept->stream->expected = nullptr;
  foreseen_.give_up(*kept);
  if (kept->is(foreseen_receive::stage::giving_up)) foreseen_.hold(link, *kept);
}

void run_receiver::forget_run(in_link& link) {
  set_lacks_receive(link, false);
  std::erase(links_, &link);
  for (in_stream* const each : link.run.streams) each->run_of = nullptr;
  link.run = {};
}

/// False if it need not wait: of its run nothing is missing, or there is none.
bool run_receiver::leave_behind_run(in_link& link, const message_entry& what, const std::optional<wire_note>& note,
                                    const std::byte* payload) {
  if (link.run.missing == 0) return false;
  const std::size_t bytes = what.payload_inside();
  auto kept = std::make_unique_for_overwrite<std::byte[]>(bytes);
  if (bytes > 0) std::memcpy(kept.get(), payload, bytes);
  link.run.behind.emplace_back(message_behind{what, note, std::move(kept)});
  return true;
}

bool run_receiver::leave_asked_back(int process, std::uint32_t number) {
  if (incomplete_ == 0) return false;
  asked_behind_.emplace_back(process, number);
  return true;
}

/// All of it has come, and so has its end: what was behind it is next.
void run_receiver::go_on_behind_run(in_link& link) {
  const int process = link.run.process;
  const std::vector<entry_behind> behind = std::move(link.run.behind);
  forget_run(link);
  for (const entry_behind& each : behind) {
    if (const auto* const stream = std::get_if<wire_run_stream>(&each)) {
      stream_of_run(process, *stream);
    } else if (const auto* const end = std::get_if<wire_run_end>(&each)) {
      run_ends(process, *end);
    } else {
      const message_behind& message = std::get<message_behind>(each);
      in_.hand_over(link, process, message.what, message.note, message.payload.get());
    }
  }
  --incomplete_;
  if (incomplete_ == 0) {
    for (const auto& [asking, number] : std::exchange(asked_behind_, {})) in_.answer_asked_back(asking, number);
  }
  foreseen_.one_hold_less();
}

// ---- the messages --------------------------------------------------------------------------------------------------

void run_receiver::note_lack(in_link& link) noexcept { set_lacks_receive(link, link.run.of->expected == nullptr); }

void run_receiver::set_lacks_receive(in_link& link, bool lacks) noexcept {
  if (std::exchange(link.run.lacks_receive, lacks) == lacks) return;
  link.run.polls = 0;
  link.run.lacks_receive_since_ns = 0;
  if (lacks) {
    ++without_receive_;
  } else {
    --without_receive_;
  }
}

void run_receiver::message_has_come(in_link& link, in_stream& its) {
  in_run& run = link.run;
  context_.pace.has_heard();
  ++run.arrived;
  ++its.count;
  ++context_.peers[static_cast<std::size_t>(run.process)].arrived_in_runs;
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

/// Counts one. True: the run's receiver has had its time to post a receive for the next message. One that did not do it
/// in time for the last one gets none, unless copies are dear, and that message may have been an exception.
bool run_receiver::count_poll_without_receive(const local_end& end, in_run& run) noexcept {
  if ((run.of->is_kept && !are_copies_dear(run)) || !run.of->is_noted) return true;
  ++run.polls;
  if (run.of->limit <= context_.most_inside_now()) {
    const bool is_sending = !end.blocking_send.finished() || packets_.on_their_way() > 0;
    return run.polls >= (is_sending ? most_polls_in_send : most_polls_without_receive);
  }
  if (run.polls % most_polls_without_receive != 0) return false;  // the clock takes as long as a poll
  const std::int64_t now = now_ns();
  if (run.lacks_receive_since_ns == 0) run.lacks_receive_since_ns = now;
  return now - run.lacks_receive_since_ns >= longest_without_receive_ns(run.of->limit);
}

/// True if a message has come.
bool run_receiver::look_after() {
  bool moved = false;
  if (context_.step >= end_step::draining) return moved;
  for (std::size_t i = links_.size(); i-- > 0;) {
    if (i >= links_.size()) continue;  // some have ended
    in_link& link = *links_[i];
    in_run& run = link.run;
    if (!run.lacks_receive || link.holds > 0) continue;  // a receive for its next message may be on its way back
    in_stream& its = *run.of;
    if (run.missing == 0 && !count_poll_without_receive(*link.end, run)) continue;
    const std::uint32_t before = its.count;
    if (its.unposted > 0) payloads_.post_all_of(its);
    foreseen_.start_expecting(*link.end->rank, link.to->source(), its, nullptr);
    if (its.count != before) moved = true;
    if (link.run.has_begun()) note_lack(link);
  }
  return moved;
}

void run_receiver::kept_done(foreseen_receive& kept) {
  in_stream& its = *kept.stream;
  in_link* const link = its.run_of;
  kept.state.store(arriving_message::expectation::given_up, std::memory_order_relaxed);
  if (!kept.going.cancelled) {
    message_entry what = link->run.what;
    what.who.tag = its.tag;
    what.bytes = kept.going.bytes;
    const bool was_noted = its.is_noted;
    if (!was_noted || !in_.give_now(*link, what.who, kept.into, what.bytes)) {
      in_.leave_for_receiver(*link, kept.process, what, std::nullopt, kept.into);
    }
    if (its.is_kept && was_noted) say_that_run_is_unwanted(link->run, its);  // as was the one before
    message_has_come(*link, its);
    its.is_kept = was_noted;
  } else if (link != nullptr) {
    note_lack(*link);
  }
  foreseen_.pool().give_back(kept);
}

/// Whether a message that comes to memory of the gateway and is copied from there takes longer than with an envelope:
/// a large one, where the network is fast (D-kept-runs). Over TCP it is faster than with envelopes, for the bytes need
/// not wait for the receive.
bool run_receiver::are_copies_dear(const in_run& run) const noexcept {
  return !context_.pace.is_slow() && run.of->limit > context_.most_inside_now();
}

/// The run's messages come before their receives are posted, or the receiver waits for others meanwhile, so that
/// receives are posted for them and taken back. Where sends are fast, envelopes take less time (D-runs-unwanted).
void run_receiver::say_that_run_is_unwanted(in_run& run, const in_stream& its) {
  if (context_.pace.is_slow() || std::exchange(run.is_unwanted, true)) return;
  packets_.say_run_is_unwanted(run.process, context_.number_of(its));
}

void run_receiver::take_back_kept(in_link& link) {
  in_stream& its = *link.run.of;
  foreseen_receive* const kept = its.expected;
  if (kept == nullptr || !kept->is_own()) return;
  foreseen_.give_up(*kept);
  its.is_kept = false;
  in_run& run = link.run;
  if (++run.taken_back > run.streams.size() && run.taken_back * messages_for_one_taken_back > run.arrived) {
    say_that_run_is_unwanted(run, its);
  }
}

void run_receiver::add_open_accounts(open_accounts& to) const {
  const auto lacks_one = [](const in_link* each) { return each->run.lacks_receive; };
  const auto lack = static_cast<std::size_t>(std::count_if(links_.begin(), links_.end(), lacks_one));
  to.add("runs too many or too few without a receive", without_receive_ - lack);
  to.add("runs of which messages are missing", incomplete_);
  to.add("messages asked back behind a run", asked_behind_.size());
}

}  // namespace pure::core
