// Modelled by tests/model/streams.pml.
#include "gateway/foreseen_receives.hpp"

#include <cstring>
#include <memory>
#include <utility>

#include "gateway/run_receiver.hpp"

namespace pure::core {

using expectation = arriving_message::expectation;

foreseen_receive* foreseen_receives::expect(rank_context& by, int from, std::uint32_t context, std::int32_t tag,
                                            void* into, std::size_t capacity, ring& way) {
  in_link* const link = context_.end_of(by).in[from];
  if (link == nullptr) return nullptr;
  in_stream* const next = link->streams.find({.context = context, .source = 0, .tag = tag});
  if (next == nullptr || !prepare_to_expect(*link, *next, capacity, way)) return nullptr;
  foreseen_receive& made = start_expecting(by, from, *next, into);
  if (next->run_of != nullptr) runs_.note_lack(*link);
  return &made;
}

/// Whether the next message of the stream may be received in the network, into so much room. `way`: the pair's ring.
bool foreseen_receives::prepare_to_expect(in_link& link, in_stream& next, std::size_t capacity, ring& way) {
  if (context_.step != end_step::mains_run || next.unposted > 0 || next.limit > capacity) return false;
  const bool is_in_run = next.run_of != nullptr;
  if (is_in_run) {
    if (link.run.of == &next) runs_.take_back_kept(link);  // or else it has come
  } else if (next.limit <= context_.most_inside_now()) {
    return false;  // it comes with its envelope
  }
  if (next.expected != nullptr || link.holds > 0 || !link.waiting.empty() || way.front() != nullptr) return false;
  if (is_in_run || next.pauses == 0) return true;
  --next.pauses;
  return false;
}

/// `into` null: into memory of the gateway.
foreseen_receive& foreseen_receives::start_expecting(rank_context& by, int from, in_stream& next, void* into) {
  foreseen_receive& made = pool_.get_again(next.again);
  made.process = context_.placement.process_of(from);
  made.tag = static_cast<int>(next.next_tag(next.owed));
  made.receiver = &by;
  if (into == nullptr) made.kept = std::make_unique_for_overwrite<std::byte[]>(next.limit);
  made.into = into == nullptr ? made.kept.get() : static_cast<std::byte*>(into);
  made.bytes = next.limit;
  made.stream = &next;
  made.from = from;
  made.source = next.source;
  made.become(stage::waiting);
  made.state.store(expectation::waiting, std::memory_order_relaxed);
  next.expected = &made;
  ++expected_;
  post_expected(made);
  return made;
}

void foreseen_receives::post_expected(foreseen_receive& expected) {
  if (context_.net.receive(expected.going, expected.process, expected.tag, expected.into, expected.bytes)) {
    done(expected);
  }
}

in_stream& foreseen_receives::add_stream(in_link& link, const envelope& who, int process, std::uint32_t number) {
  in_stream& made = link.streams.add(who, context_.first_tag_of(number));
  made.source = who.source;
  context_.peer_of(process).has_streams_to_here = true;
  return made;
}

bool foreseen_receives::count_in_stream(in_link& link, const message_entry& what) {
  const std::size_t piece_bytes = context_.net.peers().piece_bytes;
  in_stream* const its = link.streams.find(what.who);
  if (its == nullptr) {
    if (what.stream == 0) return false;
    in_stream& made = add_stream(link, what.who, context_.placement.process_of(what.from), what.stream);
    made.count = 1;
    made.has_grown(what.bytes, piece_bytes);
    return false;
  }
  const bool is_foreseen = what.is_large && what.payload_tag == its->next_tag();
  ++its->count;
  if (what.is_large) its->has_grown(what.bytes, piece_bytes);
  if (its->owed > 0) {
    --its->owed;
    return true;
  }
  if (its->expected == nullptr) return false;
  foreseen_receive& expected = *std::exchange(its->expected, nullptr);
  if (its->run_of != nullptr) runs_.note_lack(link);  // it begins with this message
  if (is_foreseen) {
    announce(link, expected);
    return true;
  }
  its->was_in_vain();
  give_up(expected);
  if (expected.is(stage::giving_up)) hold(link, expected);
  return false;
}

/// The envelope of the expected message is here, its bytes are not.
void foreseen_receives::announce(in_link& link, foreseen_receive& expected) {
  ++context_.payloads_on_their_way;
  if (expected.is(stage::giving_up)) {
    expected.become(stage::announced_giving_up);
    hold(link, expected);  // it may have to be posted again: its tag is not free before
  } else {
    expected.become(stage::announced);
  }
  // release: before what comes after it; pairs with the acquire in expected_receives::is_open()
  expected.state.store(expectation::taken, std::memory_order_release);
}

/// Until the network has said what comes of its receive, nothing of the pair is handed over, and no tag is free again.
void foreseen_receives::hold(in_link& link, foreseen_receive& by) {
  by.holds_back = true;
  ++link.holds;
  ++holds_;
}

void foreseen_receives::end_hold(foreseen_receive& by) {
  if (!std::exchange(by.holds_back, false)) return;
  in_link& link = in_.link_to(by.receiver->number(), by.from);
  if (--link.holds == 0) context_.say_unfinished(*link.end);
  one_hold_less();
}

void foreseen_receives::one_hold_less() noexcept {
  if (--holds_ > 0) return;
  for (peer& each : context_.peers) each.dealt_with = each.arrived;
}

void foreseen_receives::give_up(foreseen_receive& expected) {
  if (!expected.is(stage::waiting)) return;
  expected.become(stage::giving_up);
  if (context_.net.cancel(expected.going)) done(expected);
}

void foreseen_receives::give_up_all() {
  for (const auto& each : pool_.all()) give_up(*each);
}

void foreseen_receives::done(foreseen_receive& expected) {
  end_hold(expected);
  if (expected.going.cancelled && expected.is(stage::announced_giving_up)) {
    expected.become(stage::announced);  // its envelope came between: so do its bytes
    return post_expected(expected);
  }
  --expected_;
  in_stream& its = *expected.stream;
  if (its.expected == &expected) its.expected = nullptr;
  const bool was_announced = expected.is_announced();
  expected.become(expected.going.cancelled ? stage::given_up : stage::arrived);
  if (expected.is_own()) return runs_.kept_done(expected);
  in_link* const run_of = its.run_of;
  rank_context& receiver = *expected.receiver;
  if (expected.going.cancelled) {
    if (run_of != nullptr) runs_.note_lack(*run_of);
    // release: the memory is the receive's again; pairs with the acquire in expected_receives::is_open()
    expected.state.store(expectation::given_up, std::memory_order_release);
    receiver.notify();
    return;
  }
  expected.bytes = expected.going.bytes;
  its.next_pauses = 0;
  if (was_announced) {
    --context_.payloads_on_their_way;
  } else {
    if (run_of == nullptr) ++its.owed;
    expected.state.store(expectation::taken, std::memory_order_release);  // release: as in announce()
  }
  // release: its bytes; pairs with the acquire in expected_receives::test()
  expected.has_arrived.store(true, std::memory_order_release);
  receiver.notify();
  if (run_of != nullptr && !was_announced) runs_.message_has_come(*run_of, its);
}

void foreseen_receives::add_open_accounts(open_accounts& to) const {
  to.add("holds", holds_);
  to.add("foreseen receives", expected_);
}

}  // namespace pure::core
