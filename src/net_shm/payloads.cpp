#include "net_shm/payloads.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/core.h>

#include "base/row_copy.hpp"

namespace pure::net_shm {

namespace {

constexpr std::uint32_t no_receive = ~0U;

}  // namespace

payloads::payloads(const segment_view& front, const doorbell& bell, outgoing& out, int process, payload_ways ways,
                   std::function<void(const std::string&)> failed)
    : front_(front), bell_(bell), out_(out), process_(process), ways_(ways), failed_(std::move(failed)) {
  // Whole lines: the next piece begins with one, too.
  ways_.piece = std::min(ways_.piece, out.largest_body(sizeof(piece_of_payload))) / core::line_bytes * core::line_bytes;
  const auto all = static_cast<std::size_t>(front.plan().processes());
  reach_.resize(all, ways.may_reach_peers ? reach::unknown : reach::no);
  for (std::uint32_t transfer = transfers_per_process; transfer-- > 0;) free_transfers_.push_back(transfer);
  users_.fill(nobody);
}

pid_t payloads::pid_of(int process) const noexcept { return front_.row(process).pid.load(std::memory_order_relaxed); }

claims payloads::claims_of(int receiver, std::uint32_t number) const noexcept {
  transfer& its = front_.transfers(receiver)[number];
  return claims(its.claims, its.read);
}

void payloads::damaged(int from) {
  failed_(
      fmt::format("a record of process {} to process {} is damaged, or of another version of Pure", from, process_));
}

void payloads::add_open_accounts(core::open_accounts& to) const {
  to.add("payloads that are offered", sends_.size());
  to.add("receives of payloads", receives_.size());
  to.add("tags with payloads or receives", channels_.size());
  to.add("payloads that are moving", readable_.size() + sending_.size() + without_transfer_.size());
  to.add("transfers in use", transfers_per_process - free_transfers_.size());
}

// ---- starting -------------------------------------------------------------------------------------------------------

bool payloads::send(core::network_operation& sending, int process, int tag, const void* data, std::size_t bytes) {
  sending.cancelled = false;
  if (bytes <= ways_.most_inside && (bytes <= out_.largest_record() || out_.find_room(process, 0, bytes))) {
    return out_.send(process,
                     {.kind = record_kind::payload, .tag = tag, .body = data, .body_bytes = bytes, .op = &sending});
  }
  const std::uint32_t number = sends_.add(
      {.op = &sending, .process = process, .data = static_cast<const std::byte*>(data), .bytes = bytes});
  const offered_payload offer{.address = reinterpret_cast<std::uintptr_t>(data), .bytes = bytes, .send = number};
  out_.send(process, offer, {.kind = record_kind::offer, .tag = tag});
  return false;
}

bool payloads::receive(core::network_operation& receiving, int process, int tag, void* data, std::size_t bytes) {
  receiving.bytes = 0;
  receiving.cancelled = false;
  posted_receive made{
      .op = &receiving, .process = process, .tag = tag, .data = static_cast<std::byte*>(data), .bytes = bytes};
  channel& among = channel_of(process, tag);
  if (among.payloads.empty()) {
    const std::uint32_t number = receives_.add(made);
    receiving.pieces_left = number;  // by which cancel() finds it
    among.receives.push_back(number);
    return false;
  }
  const arrived_payload first = std::move(among.payloads.front());
  among.payloads.erase(among.payloads.begin());
  forget_if_empty(process, tag);
  if (first.is_inside) return deliver_inside(made, first.bytes.data(), first.bytes.size());
  const std::uint32_t number = receives_.add(made);
  receiving.pieces_left = number;
  receives_[number].from = first.offer;
  begin_copy(number);
  return false;
}

bool payloads::cancel(core::network_operation& receiving) {
  posted_receive* const its = receives_.find(receiving.pieces_left);
  if (its == nullptr || its->op != &receiving || its->has_met) return false;
  const int process = its->process;
  const int tag = its->tag;
  std::vector<std::uint32_t>& among = channel_of(process, tag).receives;
  among.erase(std::find(among.begin(), among.end(), receiving.pieces_left));
  forget_if_empty(process, tag);
  receives_.remove(receiving.pieces_left);
  receiving.cancelled = true;
  return true;
}

void payloads::forget_if_empty(int process, int tag) {
  const auto found = channels_.find(key_of(process, tag));
  if (found->second.receives.empty() && found->second.payloads.empty()) channels_.erase(found);
}

// ---- meeting --------------------------------------------------------------------------------------------------------

bool payloads::require_fit(const posted_receive& to, std::size_t bytes) {
  if (bytes <= to.bytes) return true;
  failed_(fmt::format("a payload of {} bytes of process {} comes to a receive of {} bytes in process {}", bytes,
                      to.process, to.bytes, process_));
  return false;
}

/// True if it fits.
bool payloads::deliver_inside(posted_receive& to, const std::byte* bytes, std::size_t count) {
  if (!require_fit(to, count)) return false;
  if (count != 0) core::copy_fetched_row(to.data, bytes, count);
  to.op->bytes = count;
  return true;
}

/// Whether the kernel lets this process copy from and to the memory of that one, which has told the address. Tried
/// once.
bool payloads::reaches(int process, std::uint64_t address) {
  reach& known = reach_[static_cast<std::size_t>(process)];
  if (known == reach::unknown) [[unlikely]] {
    std::byte first{};
    const bool may = front_.have_same_pid_space(process, process_) &&
                     copy_from(pid_of(process), address, &first, sizeof first) != copy_outcome::forbidden;
    known = may ? reach::yes : reach::no;
  }
  return known == reach::yes;
}

/// Where the other process has gone, nothing more comes of it: whoever has started it ends the job.
void payloads::fail_if_wrong(copy_outcome how, int process) {
  if (how == copy_outcome::wrong || how == copy_outcome::forbidden) {
    failed_(
        fmt::format("process {} cannot copy a large message between process {} and itself: the buffer at one of the "
                    "ends is not there (was it freed before the operation was complete?)",
                    process_, process));
  }
}

/// The receive has met an offer.
void payloads::begin_copy(std::uint32_t number) {
  posted_receive& to = receives_[number];
  to.has_met = true;
  if (!require_fit(to, to.from.bytes)) return;
  to.op->bytes = to.from.bytes;
  without_transfer_.push_back(number);
  ask_for_waiting();
}

/// Asks for the payloads of those that wait for a transfer, as far as there are any.
void payloads::ask_for_waiting() {
  while (!without_transfer_.empty() && !free_transfers_.empty()) {
    const std::uint32_t number = without_transfer_.front();
    without_transfer_.pop_front();
    posted_receive& to = receives_[number];
    to.transfer = free_transfers_.back();
    free_transfers_.pop_back();
    users_[to.transfer] = a_receive;
    claims_of(process_, to.transfer).begin();
    if (reaches(to.process, to.from.address)) readable_.push_back(number);
    out_.send(to.process,
              wanted_payload{.send = to.from.send,
                             .receive = number,
                             .transfer = to.transfer,
                             .piece = static_cast<std::uint32_t>(ways_.piece)},
              {.kind = record_kind::wanted});
  }
}

// ---- what comes -----------------------------------------------------------------------------------------------------

void payloads::take_in(int from, const arrived_record& what, core::network_events& events) {
  switch (what.kind()) {
    case record_kind::payload: return arrive_inside(from, what, events);
    case record_kind::offer: return arrive_offered(from, what);
    case record_kind::wanted: return take_in_wanted(from, what);
    case record_kind::piece: return take_in_piece(from, what, events);
    case record_kind::released: return take_in_released(from, what);
    default: return damaged(from);
  }
}

/// The oldest receive of that tag; no_receive: there is none.
std::uint32_t payloads::take_receive(int process, int tag) {
  const auto found = channels_.find(key_of(process, tag));
  if (found == channels_.end() || found->second.receives.empty()) return no_receive;
  std::vector<std::uint32_t>& receives = found->second.receives;
  const std::uint32_t number = receives.front();
  receives.erase(receives.begin());
  if (receives.empty()) channels_.erase(found);
  return number;
}

void payloads::arrive_inside(int from, const arrived_record& what, core::network_events& events) {
  const std::uint32_t number = take_receive(from, what.tag());
  if (number == no_receive) {
    const std::byte* const first = what.body();
    channel_of(from, what.tag()).payloads.push_back({.is_inside = true, .bytes = {first, first + what.body_bytes()}});
  } else if (deliver_inside(receives_[number], what.body(), what.body_bytes())) {
    end_receive(number, events);
  }
}

void payloads::arrive_offered(int from, const arrived_record& what) {
  offered_payload offer;
  if (!what.read_head(offer)) return damaged(from);
  const std::uint32_t number = take_receive(from, what.tag());
  if (number == no_receive) {
    channel_of(from, what.tag()).payloads.push_back({.is_inside = false, .bytes = {}, .offer = offer});
    return;
  }
  receives_[number].from = offer;
  begin_copy(number);
}

void payloads::take_in_wanted(int from, const arrived_record& what) {
  wanted_payload wanted;
  if (!what.read_head(wanted)) return damaged(from);
  offered_send* const its = sends_.find(wanted.send);
  if (its == nullptr || its->process != from || its->is_wanted || wanted.transfer >= transfers_per_process ||
      wanted.piece == 0 || wanted.piece > out_.largest_body(sizeof(piece_of_payload)))
    return damaged(from);
  its->is_wanted = true;
  sending_.push_back(wanted);
}

void payloads::take_in_piece(int from, const arrived_record& what, core::network_events& events) {
  piece_of_payload piece;
  if (!what.read_head(piece)) return damaged(from);
  posted_receive* const to = receives_.find(piece.receive);
  if (to == nullptr || to->process != from || to->transfer == no_transfer) return damaged(from);
  const cut_payload its = cut(to->from.bytes);
  const std::size_t bytes = its.bytes_of({to->pieces_sent, 1});
  if (piece.offset != its.at(to->pieces_sent) || what.body_bytes() != bytes) return damaged(from);
  core::copy_fetched_row(to->data + piece.offset, what.body(), bytes);
  ++to->pieces_sent;
  to->polls_in_vain = 0;
  if (is_whole(*to)) end_transfer(piece.receive, events);
}

/// From now on nobody looks at it.
void payloads::take_in_released(int from, const arrived_record& what) {
  released_transfer its;
  if (!what.read_head(its) || its.transfer >= transfers_per_process || users_[its.transfer] != from)
    return damaged(from);
  users_[its.transfer] = nobody;
  free_transfers_.push_back(its.transfer);
  ask_for_waiting();
}

bool payloads::is_whole(const posted_receive& its) const noexcept {
  return its.pieces_sent + its.pieces_read == cut(its.from.bytes).pieces();
}

/// All of it is here.
void payloads::end_transfer(std::uint32_t number, core::network_events& events) {
  const posted_receive its = receives_[number];
  readable_.erase(std::remove(readable_.begin(), readable_.end(), number), readable_.end());
  if (its.pieces_read == 0) {  // the sender has taken the last piece
    users_[its.transfer] = nobody;
    free_transfers_.push_back(its.transfer);
  } else {
    users_[its.transfer] = its.process;
  }
  end_receive(number, events);
  ask_for_waiting();
}

void payloads::end_send(std::uint32_t number, core::network_events& events) {
  core::network_operation& op = *sends_[number].op;
  sends_.remove(number);
  events.operation_done(op);
}

void payloads::end_receive(std::uint32_t number, core::network_events& events) {
  core::network_operation& op = *receives_[number].op;
  receives_.remove(number);
  events.operation_done(op);
}

// ---- moving on ------------------------------------------------------------------------------------------------------

bool payloads::move_on(core::network_events& events) {
  bool moved = false;
  // The oldest first; what ends is removed.
  for (std::size_t i = 0; i < readable_.size();) {
    const std::uint32_t number = readable_[i];
    moved |= read_pieces(number, events);
    if (i < readable_.size() && readable_[i] == number) ++i;
  }
  for (std::size_t i = 0; i < sending_.size();) {
    const std::size_t before = sending_.size();
    moved |= send_pieces(i, events);
    if (sending_.size() == before) ++i;
  }
  return moved;
}

/// The last pieces of a payload that is received here, if the sender has sent none for long. False: all are taken.
bool payloads::read_pieces(std::uint32_t number, core::network_events& events) {
  posted_receive& to = receives_[number];
  if (to.polls_in_vain < ways_.patience) {
    ++to.polls_in_vain;
    return true;  // whoever sleeps when nothing moves shall not sleep yet
  }
  claims its = claims_of(process_, to.transfer);
  const auto most = static_cast<std::uint32_t>(std::max<std::size_t>(ways_.most_read / ways_.piece, 1));
  const cut_payload whole = cut(to.from.bytes);
  const piece_range taken = its.take_back(whole.pieces(), most);
  if (taken.count == 0) {
    readable_.erase(std::find(readable_.begin(), readable_.end(), number));
    return false;
  }
  const std::size_t at = whole.at(taken.first);
  const auto copy = [&] {
    const copy_outcome how = copy_from(pid_of(to.process), to.from.address + at, to.data + at, whole.bytes_of(taken));
    fail_if_wrong(how, to.process);
    return how == copy_outcome::done;
  };
  if (!its.read_back(taken.count, copy, [&] { bell_.ring_after_fence(to.process); })) return false;
  to.pieces_read += taken.count;
  if (is_whole(to)) end_transfer(number, events);
  return true;
}

/// The next pieces of one that is sent from here. True if something has moved.
bool payloads::send_pieces(std::size_t index, core::network_events& events) {
  constexpr int most_at_once = 2;
  const wanted_payload wanted = sending_[index];
  const offered_send& from = sends_[wanted.send];
  claims its = claims_of(from.process, wanted.transfer);
  const cut_payload whole{from.bytes, wanted.piece};
  const std::uint32_t pieces = whole.pieces();
  bool is_over = false, moved = false;
  for (int i = 0; i < most_at_once && !is_over; ++i) {
    // Before a piece is taken: the receiver would wait for one that is taken and cannot leave.
    if (!out_.find_room(from.process, sizeof(piece_of_payload), wanted.piece)) return moved;
    const std::uint32_t taken = its.take_front(pieces);
    if (taken == claims::none) {
      if (!its.is_all_read()) return moved;
      out_.send(from.process, released_transfer{.transfer = wanted.transfer}, {.kind = record_kind::released});
      is_over = true;
    } else {
      const piece_of_payload piece{.receive = wanted.receive, .offset = whole.at(taken)};
      const record_out what{
          .kind = record_kind::piece, .body = from.data + piece.offset, .body_bytes = whole.bytes_of({taken, 1})};
      out_.send(from.process, piece, what);
      is_over = taken + 1 == pieces;  // the receiver has read none, and reads none
    }
    moved = true;
  }
  if (!is_over) return moved;
  sending_.erase(sending_.begin() + static_cast<std::ptrdiff_t>(index));
  end_send(wanted.send, events);
  return true;
}

}  // namespace pure::net_shm
