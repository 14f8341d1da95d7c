// Receives whose message is expected from another process before its envelope is here (gateway/foreseen_receives.hpp).
// Such a receive stays posted, with `arriving` set, until the gateway has said what comes of it.
#include <algorithm>
#include <array>

#include "match/match_engine.hpp"
#include "match/message_content.hpp"
#include "match/remote_ranks.hpp"

namespace pure::core {

using expectation = arriving_message::expectation;

/// A large message that is in a stream has matched: the next receives like that may expect theirs.
void match_engine::note_stream(in_channel& channel, const envelope& who) {
  const auto is_same = [&](const envelope& each) { return each.context == who.context && each.tag == who.tag; };
  if (std::none_of(channel.streams.begin(), channel.streams.end(), is_same)) channel.streams.push_back(who);
}

/// Of a receive that has just been posted, and has found no message: if the next one of its stream will match it.
void match_engine::expect_next(in_channel& channel, receive_op& op) noexcept {
  if (is_watched_ || op.sink != nullptr || op.tag == any_tag || op.arriving != nullptr || !posted_any_.empty()) return;
  const envelope who{.context = op.context, .source = 0, .tag = op.tag};
  const auto is_its = [&](const envelope& each) { return op.matches(each); };
  if (std::none_of(channel.streams.begin(), channel.streams.end(), is_its)) return;
  const auto keys = [&] { return std::array{match_key{who.context, who.tag}, match_key{who.context, any_tag}}; };
  if (channel.posted.find(keys, [&](const receive_op& each) { return each.matches(who); }).entry != &op) return;
  op.arriving = remote_->expect(self_, op.from, op.context, op.tag, op.buffer, op.capacity, *channel.from);
}

/// Completes a receive whose expected message has come; one whose message will not come there is like others again.
bool match_engine::test_expected(receive_op& op) noexcept {
  arriving_message& expected = *op.arriving;
  // acquire: pairs with the releases in foreseen_receives::announce() and done()
  const expectation now = expected.state.load(std::memory_order_acquire);
  if (now == expectation::waiting) return false;
  if (now == expectation::taken) {
    // acquire: its bytes; pairs with the release in foreseen_receives::done()
    if (!expected.has_arrived.load(std::memory_order_acquire)) return false;
    in_[op.from]->posted.remove(op);
    op.result = status_of({op.context, expected.source, op.tag}, expected.bytes);
    op.done = true;
  }
  op.arriving = nullptr;
  remote_->release(expected);
  return op.done;
}

/// Whether a posted receive that has expected a message can have this one, which matches: not if it got the one before.
bool match_engine::is_open(receive_op& op) noexcept {
  // acquire: what the gateway has decided before it handed over the message; pairs with the releases in announce() and
  // foreseen_receives::done()
  if (op.arriving->state.load(std::memory_order_acquire) != expectation::given_up) return false;
  test_expected(op);
  return true;
}

/// After test_expected() was false.
bool match_engine::may_still_match(const receive_op& op) noexcept {
  return op.arriving == nullptr || op.arriving->state.load(std::memory_order_relaxed) != expectation::none;
}

/// False if the receive has matched.
bool match_engine::stop_expecting(receive_op& op) noexcept {
  arriving_message& expected = *op.arriving;
  if (expected.state.load(std::memory_order_relaxed) == expectation::none) return false;
  remote_->stop_expecting(expected);
  // acquire: the memory is the receive's again; pairs with the release in foreseen_receives::done()
  if (expected.state.load(std::memory_order_acquire) != expectation::given_up) return false;
  test_expected(op);
  return true;
}

}  // namespace pure::core
