#include "match/expected_receives.hpp"

#include <array>

#include "match/message_content.hpp"
#include "match/remote_ranks.hpp"

namespace pure::core {

using expectation = arriving_message::expectation;

void expected_receives::expect_next(in_channel& channel, receive_op& op) noexcept {
  if (terms_.is_watched() || op.sink != nullptr || op.tag == any_tag || op.arriving != nullptr) return;
  const envelope who{.context = op.context, .source = 0, .tag = op.tag};
  if (!channel.streams.any([&](const envelope& each) { return op.matches(each); })) return;
  const auto keys = [&] { return std::array{match_key{who.context, who.tag}, match_key{who.context, any_tag}}; };
  if (channel.posted.find(keys, [&](const receive_op& each) { return each.matches(who); }).entry != &op) return;
  op.arriving = terms_.remote->expect(self_, op.from, op.context, op.tag, op.buffer, op.capacity, *channel.from);
}

bool expected_receives::is_expected(const receive_op& op) noexcept {
  return op.arriving->state.load(std::memory_order_relaxed) != expectation::none;
}

bool expected_receives::test(receive_op& op) noexcept {
  arriving_message& expected = *op.arriving;
  // acquire: pairs with the releases in foreseen_receives::announce() and done()
  const expectation now = expected.state.load(std::memory_order_acquire);
  if (now == expectation::waiting) return false;
  if (now == expectation::taken) {
    // acquire: its bytes; pairs with the release in foreseen_receives::done()
    if (!expected.has_arrived.load(std::memory_order_acquire)) return false;
    from_.known(op.from).posted.remove(op);
    op.result = status_of({op.context, expected.source, op.tag}, expected.bytes);
    op.done = true;
  }
  op.arriving = nullptr;
  terms_.remote->release(expected);
  return op.done;
}

bool expected_receives::is_open(receive_op& op) noexcept {
  // acquire: what the gateway has decided before it handed over the message; pairs with the releases in announce() and
  // foreseen_receives::done()
  if (op.arriving->state.load(std::memory_order_acquire) != expectation::given_up) return false;
  test(op);
  return true;
}

bool expected_receives::may_still_match(const receive_op& op) noexcept {
  return op.arriving == nullptr || is_expected(op);
}

bool expected_receives::stop(receive_op& op) noexcept {
  arriving_message& expected = *op.arriving;
  if (!is_expected(op)) return false;
  terms_.remote->stop_expecting(expected);
  // acquire: the memory is the receive's again; pairs with the release in foreseen_receives::done()
  if (expected.state.load(std::memory_order_acquire) != expectation::given_up) return false;
  test(op);
  return true;
}

}  // namespace pure::core
