// Connections, receives and matching, apart from the short path; sends are in send_queue.cpp.
// Modelled by tests/model/room.pml, send_claim.pml.

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <utility>

#include "match/match_engine.hpp"
#include "match/message_checks.hpp"
#include "match/message_content.hpp"
#include "match/remote_ranks.hpp"
#include "match/short_path.hpp"

namespace pure::core {

namespace {

/// What a closed engine polls.
ring& empty_ring() {
  static ring nothing(-1, 8 * line_bytes);
  return nothing;
}

}  // namespace

match_engine::match_engine(rank_context& self)
    : self_(self),
      remote_(remote_ranks::of(self.owner())),
      log_(self.log()),
      checks_(self.owner().values().check ? std::make_unique<message_checks>(self) : nullptr),
      eager_limit_bytes_(self.owner().values().eager_limit_bytes),
      short_path_end_(log_ == nullptr && checks_ == nullptr ? eager_limit_bytes_ + 1 : 0),
      is_watched_(short_path_end_ == 0),
      is_never_alone_(checks_ != nullptr),
      next_warning_(self.owner().values().unexpected_warn),
      inbox_(self.owner().values().ring_bytes, self.owner().pages()) {}

match_engine::~match_engine() {
  for (ring* const each : inbox_.rings()) {
    while (record* const left = each->front()) {
      if (left->kind() == record_kind::moved) object_in(*left).reset();  // nobody received it: it owns memory
      each->pop(*left);
    }
  }
  for (in_channel* const channel : active_in_) {
    unexpected_message* next = channel->early.front();
    while (next != nullptr) unexpected_message::destroy(std::exchange(next, next->next));
    delete channel;
  }
  out_.for_each([](const out_channel& channel) { delete &channel; });
}

void match_engine::add_open_accounts(open_accounts& to) const {
  to.add("posted receives from any source", posted_any_.size());
  std::size_t counted = 0;
  for (const in_channel* const each : active_in_) {
    to.add("posted receives", each->posted.size());
    to.add("unexpected messages of a sender that are counted wrong", each->early.size() - each->unexpected_count);
    counted += each->unexpected_count;
  }
  to.add("unexpected messages of all senders that are counted wrong", early_count_ - counted);
  to.add("receivers for whom sends are queued", waiting_out_.size());
  to.add("large sends that no receiver has finished", offered_.size());
  to.add("claims of messages", claims_.in_use());
  to.add("buffers of packed pieces", packed_.in_use());
}

// ---- connections ----

match_engine::in_channel& match_engine::open_in(int source, ring* announced) {
  auto channel = std::make_unique<in_channel>();
  channel->from = closed_ ? &empty_ring() : announced != nullptr ? announced : &inbox_.connect_own(source);
  active_in_.reserve(active_in_.size() + 1);
  in_.add(source, channel.get());
  active_in_.push_back(channel.release());
  return *active_in_.back();
}

void match_engine::adopt_announced() {
  for (ring* each = inbox_.take_announced(); each != nullptr; each = each->next_announced) {
    if (in_[each->source()] == nullptr) open_in(each->source(), each);
  }
}

// ---- receives ----

/// A receive that is not alone: unexpected messages or earlier receives may come first.
void match_engine::start_behind_others(receive_op& op, const call* by, bool is_request) {
  if (checks_ != nullptr && by != nullptr && start_checked(op, *by, is_request)) return;
  op.order = receives_posted_++;
  if (op.from == any_source) {
    adopt_announced();
    // Sender by sender, so that the unexpected messages of one do not come before all that is in the others' rings.
    if (posted_any_.empty()) {
      if (any_active([&](in_channel& each) { return take_any(each, op); })) return;
    } else if (early_count_ > 0 && any_active([&](in_channel& each) { return take_early(each, op); })) {
      return;
    }
    posted_any_.push(op);
    any_posted_has_changed();
    poll_for(op);
    return;
  }
  in_channel& channel = channel_from(op.from);
  if (take_early(channel, op)) return;
  channel.posted.push(op);
  poll_for(op);
  if (!channel.streams.empty() && !op.done) expect_next(channel, op);
}

void match_engine::poll_for(receive_op& op) {
  if (op.arriving != nullptr && (test_arriving(op) || !may_still_match(op))) return;
  const auto complete = [&op] { return op.done; };
  if (op.from != any_source) {
    drain(*in_[op.from], complete);
    return;
  }
  adopt_announced();
  if (posted_any_.front() == &op && take_eager(op)) {
    posted_any_.pop_front();
    any_posted_has_changed();
    return;
  }
  any_active([&](in_channel& each) {
    drain(each, complete);
    return op.done;
  });
}

/// For a receive from any source before which no other one waits: takes the sender's first message that matches it,
/// early or in the ring.
bool match_engine::take_any(in_channel& channel, receive_op& op) {
  if (early_count_ > 0 && take_early(channel, op)) return true;
  while (record* const arrived = channel.from->front()) {
    if (!channel.posted.empty() || !op.matches(arrived->who)) {  // another receive's, or nobody's, or ours behind those
      accept(channel, *arrived);
      if (take_early(channel, op)) return true;
    } else if (try_deliver_eager(channel, *arrived, op)) {
      return true;
    } else if (channel.from->front() == arrived) {  // not cancelled just now
      const claim_reference claim = claim_in(*arrived);
      if (claim && !claim.take()) {
        pop(channel, *arrived);
        continue;
      }
      deliver(channel, *arrived, op);
      return true;
    }
  }
  return false;
}

/// For the first posted receive from any source: takes an eager message that is the next of its sender, if there is one
/// that it matches and that no other receive waits for.
bool match_engine::take_eager(receive_op& op) {
  return any_active([&](in_channel& each) {
    record* const arrived = each.from->front();
    return arrived != nullptr && each.posted.empty() && op.matches(arrived->who) &&
           try_deliver_eager(each, *arrived, op);
  });
}

bool match_engine::withdraw(receive_op& op) noexcept {
  if (op.arriving != nullptr && !stop_expecting(op)) return false;
  if (op.done) return true;
  (op.from == any_source ? posted_any_ : in_[op.from]->posted).remove(op);
  any_posted_has_changed();
  if (op.is_checked) checks_->forget(op);
  return true;
}

/// Accepts the channel's messages until there is none or stop(). True if there was one.
template <class Stop>
bool match_engine::drain(in_channel& channel, Stop stop) {
  bool any = false;
  while (!stop()) {
    record* const arrived = channel.from->front();
    if (arrived == nullptr) break;
    accept(channel, *arrived);
    any = true;
  }
  return any;
}

bool match_engine::advance() {
  bool moved = remote_ != nullptr && remote_->poll(&self_);
  adopt_announced();
  for (std::size_t i = 0; i < active_in_.size(); ++i) {  // by index: accept() may run user code that opens channels
    in_channel& channel = *active_in_[i];
    if (channel.from->room_is_wanted()) moved |= drain(channel, [] { return false; });
    moved |= drain(channel, [&] { return channel.posted.empty() && posted_any_.empty(); });
  }
  for (std::size_t i = waiting_out_.size(); i-- > 0;) moved |= put_queued(*waiting_out_[i]);
  return look_at_offered() || moved;
}

/// At some of them in turn: there may be thousands, and whoever tests each of them comes here each time. No wait needs
/// more than a look at its own (test).
bool match_engine::look_at_offered() noexcept {
  constexpr std::size_t most = 32;
  bool moved = false;
  for (std::size_t left = std::min(offered_.size(), most); left > 0; --left) {
    if (next_offered_ >= offered_.size()) next_offered_ = 0;
    send_op& op = *offered_[next_offered_];
    if (op.rendezvous.help_and_test()) {
      end_offered(op);  // the last one has its place now
      moved = true;
    } else {
      ++next_offered_;
    }
  }
  return moved;
}

/// Of the newest sends only: there may be thousands, and whoever waits for their pieces also copies without them.
void match_engine::help_receivers() noexcept {
  constexpr std::size_t most = 16;
  const std::size_t offered = offered_.size();
  for (std::size_t i = offered - std::min(offered, most); i < offered; ++i) offered_[i]->rendezvous.help();
}

void match_engine::close() noexcept {
  closed_ = true;
  for (in_channel* const channel : active_in_) {
    channel->from = &empty_ring();
    channel->posted.clear();
  }
  for (out_channel* const channel : waiting_out_) channel->queue = {};
  posted_any_.clear();
  any_posted_has_changed();
  waiting_out_.clear();
  offered_.clear();
}

// ---- matching ----

void match_engine::accept(in_channel& channel, record& arrived) {
  const claim_reference claim = claim_in(arrived);
  if (claim) claim.expect_to_take();
  const posted_place found = find_posted(channel, arrived.who);
  if (found.at.entry == nullptr) return set_aside(channel, arrived);
  if (claim && !claim.take()) return pop(channel, arrived);  // it was cancelled
  deliver(channel, arrived, take_posted(found));
}

/// Off its list.
receive_op& match_engine::take_posted(const posted_place& found) noexcept {
  found.queue->remove(found.at);
  if (found.queue == &posted_any_) any_posted_has_changed();
  return *found.at.entry;
}

/// The first posted receive that matches.
match_engine::posted_place match_engine::find_posted(in_channel& channel, const envelope& who) noexcept {
  const auto keys = [&] { return std::array{match_key{who.context, who.tag}, match_key{who.context, any_tag}}; };
  const auto is_for_it = [&](receive_op& op) { return op.matches(who) && (op.arriving == nullptr || is_open(op)); };
  posted_place found{&channel.posted, channel.posted.find(keys, is_for_it)};
  if (!posted_any_.empty()) {
    const posted_place any{&posted_any_, posted_any_.find(keys, is_for_it)};
    const bool is_first = found.at.entry == nullptr ||
                          (any.at.entry != nullptr && any.at.entry->order < found.at.entry->order);
    if (is_first) found = any;
  }
  return found;
}

std::uint64_t match_engine::match_steps() const noexcept {
  std::uint64_t all = posted_any_.steps();
  for (const in_channel* const channel : active_in_) all += channel->posted.steps() + channel->early.steps();
  return all;
}

}  // namespace pure::core
