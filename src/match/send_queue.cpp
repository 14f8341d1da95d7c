// The sending half of the match engine: records into rings, and sends that must wait.
// Modelled by tests/model/room.pml, send_claim.pml.
#include <cstring>

#include "match/match_engine.hpp"
#include "match/message_checks.hpp"
#include "match/message_content.hpp"
#include "match/remote_ranks.hpp"
#include "match/short_path.hpp"

namespace pure::core {

namespace {

template <class T>
void write_payload(record& place, const T& value) noexcept {
  std::memcpy(payload_of(place), &value, sizeof value);
}

}  // namespace

match_engine::out_channel& match_engine::open_out(int receiver) {
  rank_context& peer = self_.owner().at(receiver);
  auto channel = std::make_unique<out_channel>();
  channel->is_elsewhere = peer.is_proxy();
  if (channel->is_elsewhere) {
    outbound_ring& out = remote_->connect(self_, receiver);
    channel->to = &out.messages;
    channel->reader = &out;
  } else {
    channel->to = &of(peer).mail().connect(self_.number());
    channel->reader = &peer;
  }
  out_.add(receiver, channel.get());
  return *channel.release();
}

void match_engine::start(send_op& op) {
  out_channel& channel = channel_to(op.to);
  if (channel.queue.empty() && put(channel, op)) return;
  op.now = send_op::stage::queued;
  channel.queue.push(op);
  if (!channel.listed) waiting_out_.push_back(&channel);
  channel.listed = true;
}

bool match_engine::test(send_op& op) {
  if (op.now == send_op::stage::queued) put_queued(channel_to(op.to));
  if (op.now == send_op::stage::offered && op.rendezvous.help_and_test()) {
    end_offered(op);
  }
  if (op.now == send_op::stage::unmatched && op.claim->is_taken()) {
    op.is_taken_back = op.claim->was_taken_back();
    claims_.give_back(*op.claim);
    op.now = send_op::stage::done;
  }
  return op.now == send_op::stage::done;
}

bool match_engine::cancel(send_op& op) {
  if (test(op)) return false;
  if (op.now == send_op::stage::queued) {
    out_channel& channel = channel_to(op.to);
    if (!closed_) channel.queue.remove(op);
    if (channel.queue.empty()) {
      std::erase(waiting_out_, &channel);
      channel.listed = false;
    }
    op.object.reset();
  } else {
    if (!op.claim->withdraw()) {
      if (channel_to(op.to).is_elsewhere) remote_->ask_back(self_, *op.claim);
      return false;
    }
    claims_.leave(*op.claim);
    if (op.now == send_op::stage::offered) forget_offered(op);
  }
  op.now = send_op::stage::done;
  return true;
}

/// Writes the record of `op` if there is room for it, and moves it to its next stage.
bool match_engine::put(out_channel& channel, send_op& op) {
  if (!is_watched_) [[likely]]
    return put_record(channel, op);
  const std::int64_t start_ns = log_ != nullptr ? now_ns() : 0;
  const std::size_t bytes = op.is_moved ? op.object.bytes() : op.bytes;
  if (checks_ != nullptr && op.number == 0) op.number = checks_->own_send_starts();
  const std::uint32_t before = last_number_;
  last_number_ = checks_ != nullptr ? op.number : before + 1;
  const bool there_was_room = put_record(channel, op);
  if (!there_was_room) {
    last_number_ = before;
  } else if (log_ != nullptr) {
    log_->add_send(start_ns, op.to, op.who.tag, bytes, last_number_);
  }
  return there_was_room;
}

/// To a rank of another process, at once.
bool match_engine::put_elsewhere(out_channel& channel, const envelope& who, const void* data,
                                 std::size_t bytes) noexcept {
  outbound_ring& way = *static_cast<outbound_ring*>(channel.reader);
  return remote_->send_now(way, {who, data, bytes}) == remote_ranks::departure::sent;
}

match_engine::instant_send match_engine::try_send_elsewhere(int to, const envelope& who, const void* data,
                                                            std::size_t bytes) noexcept {
  out_channel& channel = channel_to(to);
  if (!channel.is_elsewhere || is_watched_ || !channel.queue.empty()) return instant_send::refused;
  outbound_ring& way = *static_cast<outbound_ring*>(channel.reader);
  switch (remote_->send_now(way, {who, data, bytes, {nullptr, true}})) {
    case remote_ranks::departure::sent: return instant_send::sent;
    case remote_ranks::departure::lent: return instant_send::lent;
    default: return instant_send::refused;
  }
}

bool match_engine::has_own_buffer() const noexcept { return remote_->has_own_buffer(self_); }

/// The same; the network may keep the buffer for some time.
bool match_engine::put_elsewhere(out_channel& channel, send_op& op) {
  if (op.bytes <= eager_limit_bytes_) {
    if (!put_elsewhere(channel, op.who, op.data, op.bytes)) return false;
    op.now = send_op::stage::done;
    return true;
  }
  const send_op::stage before = op.now;
  op.claim = &claims_.get();
  note_offered(op);  // before the network has the buffer: this may throw
  outbound_ring& way = *static_cast<outbound_ring*>(channel.reader);
  const remote_ranks::departure how = remote_->send_now(way, {op.who, op.data, op.bytes, {&op, op.is_blocking}});
  if (how == remote_ranks::departure::held) return true;
  if (how == remote_ranks::departure::lent) {
    static_cast<void>(op.claim->take());  // nobody can have it back
    return true;
  }
  forget_offered(op);
  claims_.give_back(*op.claim);
  op.now = how == remote_ranks::departure::sent ? send_op::stage::done : before;
  return how == remote_ranks::departure::sent;
}

void match_engine::note_offered(send_op& op) {
  op.now = send_op::stage::offered;
  op.offered_index = offered_.size();
  offered_.push_back(&op);
}

bool match_engine::put_record(out_channel& channel, send_op& op) {
  const bool needs_more = op.is_synchronous || op.form != nullptr;
  const bool is_plain = !needs_more && !op.is_moved && !is_watched_;
  if (is_plain && channel.is_elsewhere && put_elsewhere(channel, op)) return true;
  if (needs_more && op.bytes <= eager_limit_bytes_) return put_copied(channel, op);
  if (op.is_moved || op.bytes <= eager_limit_bytes_) {
    const bool there_was_room = op.is_moved ? put_moved(channel, op.who, op.object)
                                            : put_eager(channel, op.who, op.data, op.bytes);
    if (there_was_room) op.now = send_op::stage::done;
    return there_was_room;
  }
  record* const place = channel.to->try_reserve(1);
  if (place == nullptr) return false;
  place->bytes = 0;
  place->who = op.who;
  place->number = last_number_;
  op.claim = &claims_.get();
  op.rendezvous.open(self_, op.data, op.bytes, op.form, &packed_);
  write_payload(*place, message_offer{claim_reference(*op.claim, false), {.here = &op}, op.bytes});
  note_offered(op);
  channel.to->publish(*place, 1, record_kind::rendezvous);
  channel.reader->notify();
  return true;
}

/// An eager message that is synchronous (then a pointer to its claim comes first), or laid out, or both.
bool match_engine::put_copied(out_channel& channel, send_op& op) {
  const std::size_t payload_at = op.is_synchronous ? sizeof(claim_reference) : 0;
  const std::size_t lines = record::lines_for_payload(payload_at + op.bytes);
  record* const place = channel.to->try_reserve(lines);
  if (place == nullptr) return false;
  place->bytes = static_cast<std::uint32_t>(op.bytes);
  place->who = op.who;
  place->number = last_number_;
  if (op.is_synchronous) {
    op.claim = &claims_.get();
    write_payload(*place, claim_reference(*op.claim, false));
  }
  op.now = op.is_synchronous ? send_op::stage::unmatched : send_op::stage::done;
  copy_laid_out({payload_of(*place) + payload_at, nullptr}, {static_cast<const std::byte*>(op.data), op.form}, 0,
                op.bytes);
  channel.to->publish(*place, lines, op.is_synchronous ? record_kind::synchronous : record_kind::eager);
  channel.reader->notify();
  return true;
}

send_claim* match_engine::try_send_firm(int to, const envelope& who, const void* data, std::size_t bytes) {
  out_channel& channel = channel_to(to);
  if (bytes >= short_path_end_ || !channel.queue.empty()) return nullptr;
  const std::size_t lines = record::lines_for_payload(sizeof(claim_reference) + bytes);
  record* const place = channel.to->try_reserve(lines);
  if (place == nullptr) return nullptr;
  send_claim& claim = claims_.get();
  place->bytes = static_cast<std::uint32_t>(bytes);
  place->who = who;
  place->number = last_number_;
  write_payload(*place, claim_reference(claim, true));
  if (bytes > 0) std::memcpy(payload_of(*place) + sizeof(claim_reference), data, bytes);
  channel.to->publish(*place, lines, record_kind::synchronous);
  channel.reader->notify();
  return &claim;
}

/// Puts as many queued sends as there is room for. True if there was room for one.
bool match_engine::put_queued(out_channel& channel) {
  bool any = false;
  while (send_op* const oldest = channel.queue.front()) {
    if (!put(channel, *oldest)) {
      channel.to->ask_for_room();
      channel.reader->notify();
      return any;
    }
    channel.queue.pop_front();
    any = true;
  }
  std::erase(waiting_out_, &channel);
  channel.listed = false;
  return any;
}

void match_engine::end_offered(send_op& op) noexcept {
  op.is_taken_back = op.claim->was_taken_back();
  claims_.give_back(*op.claim);
  forget_offered(op);
  op.now = send_op::stage::done;
}

void match_engine::forget_offered(send_op& op) noexcept {
  send_op* const last = offered_.back();
  offered_[op.offered_index] = last;
  last->offered_index = op.offered_index;
  offered_.pop_back();
}

}  // namespace pure::core
