// The gateway, large messages that are expected: the receive of a payload is posted when a rank posts a receive that
// only the next message of a stream can match (message_streams.hpp), before its envelope is here; then the bytes need
// not wait for it in the network's own memory.
//
// The rank has posted a receive, the first that matches the stream, and nothing of the stream waits for one. So that
// receive will match the next message, whose place in the stream is the count of the envelopes that have come. If that
// is large and foreseen, its payload comes to the receive that was posted here, and only that: it is taken. If its
// envelope says that it is something else, the receive is cancelled, for nothing can come there, and then the message
// is handed over like any other one. All that comes later in the pair waits meanwhile, if the network needs time for
// that (remote_payload::holds_back).
#include "match/gateway.hpp"
#include "runtime/job.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

using expectation = remote_payload::expectation;

// ---- by the sender: streams -----------------------------------------------------------------------------------------

/// With a large message, of which `starting` says so; null if none starts.
out_stream* gateway::start_stream(out_streams& of, int process, const envelope& who, wire_large& starting) noexcept {
  if (!ways_.foreseen || !has_room_for_streams(of, process, 1) || !of.comes_again(who)) return nullptr;
  out_stream& made = add_stream(of, process, who);
  starting.stream = number_of(made);
  return &made;
}

bool gateway::has_room_for_streams(const out_streams& of, int process, std::uint32_t new_ones) const noexcept {
  if (of.pair != out_streams::no_pair) return of.size() + new_ones <= streams::most_of_a_pair;
  const std::uint32_t pairs = peers_of_[static_cast<std::size_t>(process)].pairs_with_streams;
  return pairs < streams::most_pairs(network_.peers().largest_tag);
}

/// There must be room. The next packet to the process has to tell of it.
out_stream& gateway::add_stream(out_streams& of, int process, const envelope& who) noexcept {
  if (of.pair == out_streams::no_pair) of.pair = peers_of_[static_cast<std::size_t>(process)].pairs_with_streams++;
  const std::uint32_t index = of.pair * streams::most_of_a_pair + of.size();
  return of.add(who, streams::first_tag(network_.peers().largest_tag) + index * streams::tags_of_each);
}

/// By which the receiver's process gets to know its tags; not 0.
std::uint32_t gateway::number_of(const message_stream& one) const noexcept {
  return (one.first_tag - streams::first_tag(network_.peers().largest_tag)) / streams::tags_of_each + 1;
}

// ---- by the receiver ------------------------------------------------------------------------------------------------

remote_payload* gateway::expect(rank_context& by, int from, std::uint32_t context, std::int32_t tag, void* into,
                                std::size_t capacity, ring& way) noexcept {
  remote_payload* made = nullptr;
  {
    const network_visit visit(lock_);
    if (!visit) return nullptr;
    local_end& end = *ends_[static_cast<std::size_t>(by.index())];
    in_link* const link = end.in[from];
    in_stream* const next = link == nullptr ? nullptr
                                            : link->streams.find({.context = context, .source = 0, .tag = tag});
    if (next != nullptr && may_expect(*link, *next, capacity, way)) {
      made = &start_expecting(by, from, *next, into);
      if (next->run_of != nullptr) note_lack(*link);
    }
  }
  serve_newcomers();
  return made;
}

/// Short, and not by the one wait: that throws when the job has failed, and then receives are withdrawn as well.
void gateway::stop_expecting(remote_payload& expected) noexcept {
  // acquire: what has been decided; pairs with the releases in announce() and expected_done()
  while (expected.state.load(std::memory_order_acquire) == expectation::waiting) {
    {
      const network_visit visit(lock_);
      if (visit && expected.state.load(std::memory_order_relaxed) == expectation::waiting) give_up(expected);
    }
    if (!poll(nullptr)) let_others_run(*expected.receiver);
  }
}

// ---- by the holder of the network lock
// --------------------------------------------------------------------------------------

/// Whether the next message of the stream may be received in the network, into so much room. `way`: the pair's ring.
bool gateway::may_expect(in_link& link, in_stream& next, std::size_t capacity, ring& way) {
  if (step_ != end_step::mains_run || next.unposted > 0 || next.limit > capacity) return false;
  const bool is_in_run = next.run_of != nullptr;
  if (is_in_run) {
    if (link.run.of == &next) take_back_kept(link);  // or else it has come
  } else if (next.limit <= most_inside_now()) {
    return false;  // it comes with its envelope
  }
  if (next.expected != nullptr || link.holds > 0 || !link.waiting.empty() || way.front() != nullptr) return false;
  if (is_in_run || next.pauses == 0) return true;
  --next.pauses;
  return false;
}

/// `into` null: into memory of the gateway.
remote_payload& gateway::start_expecting(rank_context& by, int from, in_stream& next, void* into) {
  remote_payload& made = payloads_.get_again(next.again);
  made.process = placement().process_of(from);
  made.tag = static_cast<int>(next.next_tag(next.owed));
  made.receiver = &by;
  if (into == nullptr) made.kept = std::make_unique_for_overwrite<std::byte[]>(next.limit);
  made.into = into == nullptr ? made.kept.get() : static_cast<std::byte*>(into);
  made.bytes = next.limit;
  made.stream = &next;
  made.from = from;
  made.is_posted = true;
  made.is_unreceived = false;  // nobody knows whether there is one
  made.state.store(expectation::waiting, std::memory_order_relaxed);
  next.expected = &made;
  ++expected_;
  post_expected(made);
  return made;
}

void gateway::post_expected(remote_payload& expected) {
  if (network_.receive(expected.going, expected.process, expected.tag, expected.into, expected.bytes)) {
    expected_done(expected);
  }
}

in_stream& gateway::add_stream(in_link& link, const wire_envelope& what, std::uint32_t number) {
  const std::uint32_t first_tag = streams::first_tag(network_.peers().largest_tag);
  in_stream& made = link.streams.add(what.who, first_tag + (number - 1) * streams::tags_of_each);
  made.source = what.who.source;
  const int process = placement().process_of(static_cast<int>(what.from));
  peers_of_[static_cast<std::size_t>(process)].has_streams_to_here = true;
  return made;
}

/// Counts a message in its stream, if it has one or starts it. True if it was expected: then nothing is to be handed
/// over.
bool gateway::was_expected(in_link& link, const wire_envelope& what, const std::byte* payload) {
  const bool is_large = what.kind == wire_kind::large || what.kind == wire_kind::large_synchronous;
  const std::size_t piece_bytes = network_.peers().piece_bytes;
  in_stream* const its = link.streams.find(what.who);
  if (its == nullptr) {
    if (!is_large) return false;
    wire_large more;
    std::memcpy(&more, payload, sizeof more);
    if (more.stream == 0) return false;
    in_stream& made = add_stream(link, what, more.stream);
    made.count = 1;
    made.has_grown(what.bytes, piece_bytes);
    return false;
  }
  const bool is_foreseen = is_large && what.payload_tag == its->next_tag();
  ++its->count;
  if (is_large) its->has_grown(what.bytes, piece_bytes);
  if (its->owed > 0) {
    --its->owed;
    return true;
  }
  if (its->expected == nullptr) return false;
  remote_payload& expected = *std::exchange(its->expected, nullptr);
  if (its->run_of != nullptr) note_lack(link);  // it begins with this message
  if (is_foreseen) {
    announce(link, expected, what);
    return true;
  }
  its->was_in_vain();
  give_up(expected);
  if (expected.state.load(std::memory_order_relaxed) == expectation::waiting) hold(link, expected);
  return false;
}

/// Its envelope is here, its bytes are not.
void gateway::announce(in_link& link, remote_payload& expected, const wire_envelope& what) {
  expected.is_announced = true;
  expected.number = what.number;
  expected.is_unreceived = true;
  expected.is_requested = true;
  ++payloads_on_their_way_;
  if (expected.is_being_given_up) hold(link, expected);  // it may have to be posted again: its tag is not free before
  // release: before what comes after it; pairs with the acquire in match_engine::is_open()
  expected.state.store(expectation::taken, std::memory_order_release);
}

/// Until the network has said what comes of its receive, nothing of the pair is handed over, and no tag is free again.
void gateway::hold(in_link& link, remote_payload& by) {
  by.holds_back = true;
  ++link.holds;
  ++holds_;
}

void gateway::end_hold(remote_payload& by) {
  if (!std::exchange(by.holds_back, false)) return;
  in_link& link = link_to(by.receiver->number(), by.from);
  if (--link.holds == 0) say_unfinished(*link.end);
  one_hold_less();
}

void gateway::one_hold_less() noexcept {
  if (--holds_ > 0) return;
  for (peer& each : peers_of_) each.dealt_with = each.arrived;
}

/// Unless something has come for it.
void gateway::give_up(remote_payload& expected) {
  if (std::exchange(expected.is_being_given_up, true)) return;
  if (network_.cancel(expected.going)) expected_done(expected);
}

void gateway::give_up_all() {
  for (const auto& each : payloads_.all()) {
    if (each->state.load(std::memory_order_relaxed) == expectation::waiting) give_up(*each);
  }
}

/// The receive has ended. The payload is the receiver's afterwards.
void gateway::expected_done(remote_payload& expected) {
  in_stream& its = *expected.stream;
  rank_context& receiver = *expected.receiver;
  end_hold(expected);
  if (expected.going.cancelled && expected.is_announced) {  // its envelope came between: so do its bytes
    expected.is_being_given_up = false;
    return post_expected(expected);
  }
  --expected_;
  if (its.expected == &expected) its.expected = nullptr;
  if (expected.kept != nullptr) return kept_done(expected);
  in_link* const run_of = its.run_of;
  bool is_of_run = false;
  if (expected.going.cancelled) {
    if (run_of != nullptr) note_lack(*run_of);
    // release: the memory is the receive's again; pairs with the acquire in match_engine::is_open()
    expected.state.store(expectation::given_up, std::memory_order_release);
  } else {
    expected.bytes = expected.going.bytes;
    its.next_pauses = 0;
    if (expected.is_announced) {
      --payloads_on_their_way_;
      expected.is_unreceived = false;
    } else {
      if (run_of == nullptr) ++its.owed;
      expected.state.store(expectation::taken, std::memory_order_release);  // release: as in announce()
    }
    is_of_run = run_of != nullptr && !expected.is_announced;
    expected.has_arrived.store(true, std::memory_order_release);  // release: its bytes; pairs with test_expected()
  }
  receiver.notify();
  if (is_of_run) message_of_run_has_come(*run_of, its);
}

}  // namespace pure::core
