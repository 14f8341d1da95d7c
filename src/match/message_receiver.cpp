// Modelled by tests/model/room.pml, send_claim.pml.
#include "match/message_receiver.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/say.hpp"
#include "match/message_checks.hpp"
#include "match/message_content.hpp"
#include "match/short_receive.hpp"

namespace pure::core {

namespace {

/// A warning, with the senders who have most.
std::string text_of_unexpected(const rank_context& self, const in_channels& from) {
  std::vector<in_channel*> by_count(from.all().begin(), from.all().end());
  std::sort(by_count.begin(), by_count.end(),
            [](const in_channel* a, const in_channel* b) { return a->unexpected.count() > b->unexpected.count(); });
  std::string senders;
  for (std::size_t i = 0; i < by_count.size() && i < 4 && by_count[i]->unexpected.count() > 0; ++i) {
    senders += fmt::format("{}{} from rank {}", i == 0 ? "" : ", ", by_count[i]->unexpected.count(),
                           by_count[i]->from->source());
  }
  return fmt::format(
      "pure: warning: rank {} holds {} messages for which it has posted no receive ({}); they take memory until "
      "it receives them (PURE_UNEXPECTED_WARN sets when this is said)\n",
      self.number(), from.unexpected().count(), senders);
}

}  // namespace

message_receiver::message_receiver(rank_context& self, const message_terms& terms)
    : from_(self),
      terms_(terms),
      posted_(terms.checks != nullptr),
      self_(self),
      expected_(self, terms, from_),
      delivery_(self, terms, from_) {}

void message_receiver::add_open_accounts(open_accounts& to) const {
  to.add("posted receives from any source", posted_.size_from_any());
  from_.add_open_accounts(to);
}

// ---- receives ----

/// A receive that is not alone: unexpected messages or earlier receives may come first.
void message_receiver::start_behind_others(receive_op& op, const call* by, bool is_request) {
  if (terms_.checks != nullptr && by != nullptr && start_checked(op, *by, is_request)) return;
  if (op.from == any_source) {
    from_.adopt_announced();
    // Sender by sender, so that the unexpected messages of one do not come before all that is in the others' rings.
    if (!posted_.has_from_any()) {
      if (from_.any([&](in_channel& each) { return take_any(each, op); })) return;
    } else if (from_.unexpected().count() > 0 && from_.any([&](in_channel& each) { return take_early(each, op); })) {
      return;
    }
    posted_.push_from_any(op);
    poll_for(op);
    return;
  }
  in_channel& channel = from_.from(op.from);
  if (take_early(channel, op)) return;
  posted_.push(channel.posted, op);
  poll_for(op);
  if (!channel.streams.empty() && !op.done && !posted_.has_from_any()) expected_.expect_next(channel, op);
}

void message_receiver::poll_for(receive_op& op) {
  if (op.arriving != nullptr && (test_arriving(op) || !expected_receives::may_still_match(op))) return;
  const auto complete = [&op] { return op.done; };
  if (op.from != any_source) {
    drain(from_.known(op.from), complete);
    return;
  }
  from_.adopt_announced();
  if (posted_.is_first_from_any(op) && take_eager(op)) return posted_.pop_first_from_any();
  from_.any([&](in_channel& each) {
    drain(each, complete);
    return op.done;
  });
}

/// For a receive from any source before which no other one waits: takes the sender's first message that matches it,
/// early or in the ring.
bool message_receiver::take_any(in_channel& channel, receive_op& op) {
  if (from_.unexpected().count() > 0 && take_early(channel, op)) return true;
  while (record* const arrived = channel.from->front()) {
    if (!channel.posted.empty() || !op.matches(arrived->who)) {  // another receive's, or nobody's, or ours behind those
      accept(channel, *arrived);
      if (take_early(channel, op)) return true;
    } else if (try_deliver_eager(channel, *arrived, op)) {
      return true;
    } else if (channel.from->front() == arrived) {  // not cancelled just now
      const claim_reference claim = claim_in(*arrived);
      if (claim && !claim.take()) {
        from_.pop(channel, *arrived);
        continue;
      }
      delivery_.deliver(channel, *arrived, op);
      return true;
    }
  }
  return false;
}

/// For the first posted receive from any source: takes an eager message that is the next of its sender, if there is one
/// that it matches and that no other receive waits for.
bool message_receiver::take_eager(receive_op& op) {
  return from_.any([&](in_channel& each) {
    record* const arrived = each.from->front();
    return arrived != nullptr && each.posted.empty() && op.matches(arrived->who) &&
           try_deliver_eager(each, *arrived, op);
  });
}

bool message_receiver::withdraw(receive_op& op) noexcept {
  if (op.arriving != nullptr && !expected_.stop(op)) return false;
  if (op.done) return true;
  if (op.from == any_source) {
    posted_.remove_from_any(op);
  } else {
    from_.known(op.from).posted.remove(op);
  }
  if (op.is_checked) terms_.checks->forget(op);
  return true;
}

bool message_receiver::test_arriving(receive_op& op) {
  return expected_receives::is_expected(op) ? expected_.test(op) : delivery_.test_requested(op);
}

/// Accepts the channel's messages until there is none or stop(). True if there was one.
template <class Stop>
bool message_receiver::drain(in_channel& channel, Stop stop) {
  bool any = false;
  while (!stop()) {
    record* const arrived = channel.from->front();
    if (arrived == nullptr) break;
    accept(channel, *arrived);
    any = true;
  }
  return any;
}

bool message_receiver::advance() {
  bool moved = false;
  from_.adopt_announced();
  for (std::size_t i = 0; i < from_.count(); ++i) {  // by index: accept() may run user code that opens channels
    in_channel& channel = from_.at(i);
    if (channel.from->room_is_wanted()) moved |= drain(channel, [] { return false; });
    moved |= drain(channel, [&] { return channel.posted.empty() && !posted_.has_from_any(); });
  }
  return moved;
}

void message_receiver::close() noexcept {
  from_.close();
  posted_.close();
}

// ---- matching ----

void message_receiver::accept(in_channel& channel, record& arrived) {
  const claim_reference claim = claim_in(arrived);
  if (claim) claim.expect_to_take();
  const posted_receives::place found = find_posted(channel, arrived.who);
  if (found.at.entry == nullptr) return set_aside(channel, arrived);
  if (claim && !claim.take()) return from_.pop(channel, arrived);  // it was cancelled
  delivery_.deliver(channel, arrived, posted_.take(found));
}

/// Not inlined: most callers come here in vain, or not at all.
[[gnu::noinline]] posted_receives::place message_receiver::find_posted(in_channel& channel,
                                                                       const envelope& who) noexcept {
  return posted_.find(channel.posted, who, [this](receive_op& op) { return expected_.is_open(op); });
}

bool message_receiver::take_early(in_channel& channel, receive_op& op) {
  unexpected_message* const message = channel.unexpected.take(op.context, op.tag);
  if (message != nullptr) delivery_.deliver(*message, op);
  return message != nullptr;
}

void message_receiver::set_aside(in_channel& channel, record& arrived) {
  const bool is_warning_due = channel.unexpected.push(*take_out(channel, arrived));
  if (is_warning_due) [[unlikely]]
    warn_of_unexpected();
}

[[gnu::noinline]] void message_receiver::warn_of_unexpected() {
  say([this] { return text_of_unexpected(self_, from_); });
}

/// Out of its ring.
unexpected_message* message_receiver::take_out(in_channel& channel, record& arrived) {
  unexpected_message* const message = unexpected_of(arrived, channel.from->source());
  from_.pop(channel, arrived);
  return message;
}

std::uint64_t message_receiver::match_steps() const noexcept {
  std::uint64_t all = posted_.steps();
  for (const in_channel* const channel : from_.all()) all += channel->posted.steps() + channel->unexpected.steps();
  return all;
}

// ---- messages that are delivered at once ----

bool message_receiver::receive_now(ring& from, const envelope& who, const std::byte* payload,
                                   std::size_t bytes) noexcept {
  in_channel* const channel = from_.find(from.source());
  if (terms_.is_watched() || channel == nullptr || channel->from != &from || from.front() != nullptr) return false;
  const auto can_take = [bytes](const receive_op* op) {
    return op != nullptr && op->sink == nullptr && bytes <= op->capacity;
  };
  receive_op* op = channel->posted.front();
  if (!posted_.has_from_any() && can_take(op) && op->arriving == nullptr && op->matches(who)) [[likely]] {
    channel->posted.pop_front();
  } else {
    const posted_receives::place found = find_posted(*channel, who);
    if (!can_take(found.at.entry)) return false;
    op = &posted_.take(found);
  }
  copy_payload(op->buffer, payload, bytes);
  op->result = status_of(who, bytes);
  op->done = true;
  return true;
}

/// A message that fits.
void message_receiver::deliver_from_cells(in_channel& channel, record& arrived, receive_op& op) noexcept {
  copy_from_cells(arrived, {static_cast<std::byte*>(op.buffer), nullptr}, arrived.bytes);
  op.result = status_of(arrived.who, arrived.bytes);
  op.done = true;
  from_.pop(channel, arrived);
}

/// The end of try_deliver_eager for what is not so plain, but short as well: a synchronous message, or one that is
/// checked.
bool message_receiver::try_deliver_other(in_channel& channel, record& arrived, receive_op& op) noexcept {
  if (terms_.checks != nullptr) return try_deliver_checked(channel, arrived, op);
  const std::size_t bytes = arrived.bytes;
  const bool fits = bytes <= op.capacity && !terms_.is_watched();
  if (arrived.kind() == record_kind::cells && fits) {
    deliver_from_cells(channel, arrived, op);
    return true;
  }
  const bool is_short = fits && bytes < terms_.short_path_end;
  if (arrived.kind() != record_kind::synchronous || !is_short) return false;
  const claim_reference claim = claim_in(arrived);
  claim.expect_to_take();
  if (!claim.take()) {  // it was cancelled
    from_.pop(channel, arrived);
    return false;
  }
  delivery_.tell_matched(channel.from->source(), claim);
  deliver_short(channel, arrived, payload_of(arrived) + sizeof(claim_reference), op);
  return true;
}

}  // namespace pure::core
