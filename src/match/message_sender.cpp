// Modelled by tests/model/room.pml, send_claim.pml.
#include "match/message_sender.hpp"

#include <cstring>
#include <memory>

#include "match/message_checks.hpp"
#include "match/message_content.hpp"
#include "match/remote_ranks.hpp"
#include "match/short_send.hpp"
#include "match/unreceived.hpp"

namespace pure::core {

namespace {

template <class T>
void write_payload(record& place, const T& value) noexcept {
  std::memcpy(payload_of(place), &value, sizeof value);
}

}  // namespace

message_sender::~message_sender() {
  to_.for_each([](const out_channel& channel) { delete &channel; });
}

message_sender::out_channel& message_sender::open(int receiver) {
  job& all = self_.owner();
  auto channel = std::make_unique<out_channel>();
  channel->receiver = receiver;
  if (!all.is_here(receiver)) {
    channel->elsewhere = terms_.remote;
    outbound_ring& out = terms_.remote->connect(self_, receiver);
    channel->to = &out.messages;
    channel->reader = &out;
  } else {
    channel->to = &connect_.way(all.at(receiver), self_.number());
    channel->reader = &all.notified_for(receiver);
    channel->may_have_cells = receiver != self_.number();
  }
  to_.add(receiver, channel.get());
  return *channel.release();
}

void message_sender::start(send_op& op) {
  out_channel& channel = channel_to(op.to);
  const bool is_first = channel.queue.empty();
  if (is_first && put(channel, op)) return;
  if (is_first) waiting_.push_back(&channel);
  op.now = send_op::stage::queued;
  channel.queue.push(op);
}

bool message_sender::give_back_unused() noexcept {
  bool has_given = false;
  to_.for_each([&](const out_channel& channel) {
    if (channel.elsewhere == nullptr) has_given |= channel.to->give_back_unused();
    if (channel.cells != nullptr) has_given |= channel.cells->give_back_unused();
  });
  return has_given;
}

bool message_sender::test(send_op& op) {
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

bool message_sender::cancel(send_op& op) {
  if (test(op)) return false;
  if (op.now == send_op::stage::queued) {
    out_channel& channel = channel_to(op.to);
    if (!is_closed_) channel.queue.remove(op);
    if (channel.queue.empty()) std::erase(waiting_, &channel);
    op.object.reset();
  } else {
    if (!op.claim->withdraw()) {
      if (remote_ranks* const there = channel_to(op.to).elsewhere) there->ask_back(self_, op.claim->of_now());
      return false;
    }
    claims_.leave(*op.claim);
    if (op.now == send_op::stage::offered) offered_.remove(op);
  }
  op.now = send_op::stage::done;
  return true;
}

/// Writes the record of `op` if there is room for it, and moves it to its next stage.
bool message_sender::put(out_channel& channel, send_op& op) {
  if (!terms_.is_watched()) [[likely]]
    return put_record(channel, op);
  const std::int64_t start_ns = terms_.log != nullptr ? now_ns() : 0;
  const std::size_t bytes = op.is_moved ? op.object.bytes() : op.bytes;
  if (terms_.checks != nullptr && op.number == 0) op.number = terms_.checks->own_send_starts();
  const std::uint32_t before = last_number_;
  last_number_ = terms_.checks != nullptr ? op.number : before + 1;
  const bool there_was_room = put_record(channel, op);
  if (!there_was_room) {
    last_number_ = before;
  } else if (terms_.log != nullptr) {
    terms_.log->add_send(start_ns, op.to, op.who.tag, bytes, last_number_);
  }
  return there_was_room;
}

/// To a rank of another process, at once.
bool message_sender::put_elsewhere(out_channel& channel, const envelope& who, const void* data,
                                   std::size_t bytes) noexcept {
  outbound_ring& way = *static_cast<outbound_ring*>(channel.reader);
  return channel.elsewhere->send_now(way, {who, data, bytes}) == remote_ranks::departure::sent;
}

message_sender::instant_send message_sender::try_send_elsewhere(int to, const envelope& who, const void* data,
                                                                std::size_t bytes) noexcept {
  out_channel& channel = channel_to(to);
  if (channel.elsewhere == nullptr || terms_.is_watched() || !channel.queue.empty()) return instant_send::refused;
  outbound_ring& way = *static_cast<outbound_ring*>(channel.reader);
  switch (channel.elsewhere->send_now(way, {who, data, bytes, {nullptr, true}})) {
    case remote_ranks::departure::sent: return instant_send::sent;
    case remote_ranks::departure::lent: return instant_send::lent;
    default: return instant_send::refused;
  }
}

bool message_sender::has_own_buffer() const noexcept { return terms_.remote->has_own_buffer(self_); }

/// The same; the network may keep the buffer for some time.
bool message_sender::put_elsewhere(out_channel& channel, send_op& op) {
  if (op.bytes <= terms_.eager_limit_bytes) {
    if (!put_elsewhere(channel, op.who, op.data, op.bytes)) return false;
    op.now = send_op::stage::done;
    return true;
  }
  const send_op::stage before = op.now;
  op.claim = &claims_.get();
  note_offered(op);  // before the network has the buffer: this may throw
  outbound_ring& way = *static_cast<outbound_ring*>(channel.reader);
  const remote_ranks::departure how = channel.elsewhere->send_now(way,
                                                                  {op.who, op.data, op.bytes, {&op, op.is_blocking}});
  if (how == remote_ranks::departure::held) return true;
  if (how == remote_ranks::departure::lent) {
    static_cast<void>(op.claim->take());  // nobody can have it back
    return true;
  }
  offered_.remove(op);
  claims_.give_back(*op.claim);
  op.now = how == remote_ranks::departure::sent ? send_op::stage::done : before;
  return how == remote_ranks::departure::sent;
}

void message_sender::note_offered(send_op& op) {
  offered_.add(op);
  op.now = send_op::stage::offered;
}

bool message_sender::put_record(out_channel& channel, send_op& op) {
  const bool needs_more = op.is_synchronous || op.form != nullptr;
  const bool is_plain = !needs_more && !op.is_moved && !terms_.is_watched();
  if (is_plain && channel.elsewhere != nullptr && put_elsewhere(channel, op)) return true;
  if (needs_more && op.bytes <= terms_.eager_limit_bytes) return put_copied(channel, op);
  const copy_ways::way way = is_plain ? way_of(channel, op) : copy_ways::way::buffer;
  if (way == copy_ways::way::cells && put_in_cells(channel, op.who, op.data, op.bytes)) {
    op.now = send_op::stage::done;
    return true;
  }
  if (op.is_moved || op.bytes <= terms_.eager_limit_bytes) {
    const bool there_was_room = op.is_moved ? put_moved(channel, op.who, op.object)
                                            : put_eager(channel, op.who, op.data, op.bytes);
    if (there_was_room) op.now = send_op::stage::done;
    return there_was_room;
  }
  return put_offer(channel, op, way);
}

copy_ways::way message_sender::way_of(out_channel& channel, const send_op& op) const noexcept {
  if (op.bytes <= terms_.cells_from_bytes || !channel.may_have_cells) return copy_ways::way::buffer;
  if (op.bytes <= terms_.eager_limit_bytes) return copy_ways::way::cells;
  if (op.bytes > message_terms::most_bytes_through_cells(terms_.most_packed_bytes)) return copy_ways::way::buffer;
  return terms_.cells == cell_use::by_measurement ? channel.ways.next(static_cast<const std::byte*>(op.data), op.bytes)
                                                  : copy_ways::way::cells;
}

/// Null: no memory.
[[gnu::noinline]] cell_end* message_sender::open_cells(out_channel& channel) noexcept try {
  channel.cells = &connect_.cells(self_, self_.owner().at(channel.receiver));
  return channel.cells;
} catch (const std::bad_alloc&) {
  channel.may_have_cells = false;
  return nullptr;
}

/// False: the ring has no room, no cells are free, or it would need too many.
bool message_sender::put_in_cells(out_channel& channel, const envelope& who, const void* data,
                                  std::size_t bytes) noexcept {
  if (bytes > most_bytes_in_cells) return false;
  cell_end* const mine = cells_of(channel);
  record* const place = channel.to->try_reserve(1);
  if (place == nullptr || mine == nullptr) return false;
  message_in_cells content{&mine->other(), {}};
  if (!mine->put(static_cast<const std::byte*>(data), bytes, content.cells)) return false;
  place->bytes = static_cast<std::uint32_t>(bytes);
  place->who = who;
  place->number = last_number_;
  write_payload(*place, content);
  channel.to->publish(*place, 1, record_kind::cells);
  channel.reader->notify();
  return true;
}

/// A large message: where it is.
bool message_sender::put_offer(out_channel& channel, send_op& op, copy_ways::way way) {
  record* const place = channel.to->try_reserve(1);
  if (place == nullptr) return false;
  place->bytes = 0;
  place->who = op.who;
  place->number = last_number_;
  op.claim = &claims_.get();
  const bool is_fresh = way == copy_ways::way::cells;
  op.rendezvous.open(self_, op.data, op.bytes, op.form,
                     {.cells = is_fresh || op.form != nullptr ? cells_of(channel) : nullptr,
                      .is_fresh = is_fresh,
                      .is_timed = way == copy_ways::way::timed_buffer});
  write_payload(*place, message_offer{claim_reference(*op.claim, false), {.here = &op}, op.bytes});
  note_offered(op);
  channel.to->publish(*place, 1, record_kind::rendezvous);
  channel.reader->notify();
  return true;
}

/// An eager message that is synchronous (then a pointer to its claim comes first), or laid out, or both.
bool message_sender::put_copied(out_channel& channel, send_op& op) {
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

send_claim* message_sender::try_send_firm(int to, const envelope& who, const void* data, std::size_t bytes) {
  out_channel& channel = channel_to(to);
  if (bytes >= terms_.short_path_end || !channel.queue.empty()) return nullptr;
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
bool message_sender::put_queued(out_channel& channel) {
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
  std::erase(waiting_, &channel);
  return any;
}

void message_sender::end_offered(send_op& op) noexcept {
  op.is_taken_back = op.claim->was_taken_back();
  const rendezvous::copy_time& timed = op.rendezvous.timed();
  if (timed.bytes != 0) [[unlikely]]
    channel_to(op.to).ways.note(op.bytes, timed.bytes, timed.ns);
  claims_.give_back(*op.claim);
  offered_.remove(op);
  op.now = send_op::stage::done;
}

bool message_sender::advance() {
  bool moved = false;
  for (std::size_t i = waiting_.size(); i-- > 0;) moved |= put_queued(*waiting_[i]);
  return offered_.look([this](send_op& op) { end_offered(op); }) || moved;
}

void message_sender::close() noexcept {
  is_closed_ = true;
  for (out_channel* const channel : waiting_) channel->queue = {};
  waiting_.clear();
  offered_.clear();
}

void message_sender::add_open_accounts(open_accounts& to) const {
  to.add("receivers for whom sends are queued", waiting_.size());
  to.add("large sends that no receiver has finished", offered_.count());
  to.add("claims of messages", claims_.in_use());
}

void message_sender::add_unsent(std::vector<unreceived_message>& to) const {
  for (const out_channel* const channel : waiting_) {
    for (const send_op* at = channel->queue.front(); at != nullptr; at = at->next) {
      to.push_back({at->who, at->is_moved ? at->object.bytes() : at->bytes, self_.number(), at->to, at->number});
    }
  }
}

}  // namespace pure::core
