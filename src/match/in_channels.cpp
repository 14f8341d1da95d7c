#include "match/in_channels.hpp"

#include <memory>

#include "match/message_content.hpp"
#include "match/unreceived.hpp"

namespace pure::core {

namespace {

/// What a closed rank polls.
ring& empty_ring() {
  static ring nothing(-1, 8 * line_bytes);
  return nothing;
}

}  // namespace

in_channels::in_channels(rank_context& self)
    : inbox_(self.owner().values().ring_bytes, self.owner().pages(), takes_lines(self.owner().values())),
      self_(self),
      unexpected_(self.owner().values().unexpected_warn) {}

in_channels::~in_channels() {
  for (ring* const each : inbox_.rings()) {
    while (record* const left = each->front()) {
      if (left->kind() == record_kind::moved) object_in(*left).reset();  // nobody received it: it owns memory
      each->pop(*left);
    }
  }
  for (in_channel* const channel : all_) delete channel;
}

in_channel& in_channels::open(int sender, ring* announced) {
  ring& from = is_closed_ ? empty_ring() : announced != nullptr ? *announced : inbox_.connect_own(sender);
  auto channel = std::make_unique<in_channel>(from, unexpected_);
  all_.reserve(all_.size() + 1);
  of_.add(sender, channel.get());
  all_.push_back(channel.release());
  return *all_.back();
}

void in_channels::adopt_announced() {
  for (ring* each = inbox_.take_announced(); each != nullptr; each = each->next_announced) {
    if (of_[each->source()] == nullptr) open(each->source(), each);
  }
}

void in_channels::tell_idle_senders() noexcept {
  if (is_closed_) return;  // all poll one ring
  for (const in_channel* const each : all_) each->from->tell_if_idle();
}

void in_channels::add_open_accounts(open_accounts& to) const {
  std::size_t counted = 0;
  for (const in_channel* const each : all_) {
    to.add("posted receives", each->posted.size());
    to.add("unexpected messages of a sender that are counted wrong",
           each->unexpected.size() - each->unexpected.count());
    counted += each->unexpected.count();
  }
  to.add("unexpected messages of all senders that are counted wrong", unexpected_.count() - counted);
}

void in_channels::close() noexcept {
  is_closed_ = true;
  for (in_channel* const channel : all_) {
    channel->from = &empty_ring();
    channel->posted.clear();
  }
}

void in_channels::add_unreceived(std::vector<unreceived_message>& to) {
  adopt_announced();
  const int me = self_.number();
  for (in_channel* const channel : all_) {
    for (const unexpected_message* at = channel->unexpected.front(); at != nullptr; at = at->next) {
      if (at->claim && at->claim.was_withdrawn()) continue;
      to.push_back({at->who, bytes_of(*at), at->from, me, at->number});
    }
    take_unreceived(*channel->from, me, to);
  }
}

}  // namespace pure::core
