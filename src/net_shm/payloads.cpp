#include "net_shm/payloads.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/core.h>

namespace pure::net_shm {

namespace {

constexpr std::uint32_t no_receive = ~0U;

/// What a record holds, if it is long enough; the rest behind it.
template <class Head>
bool read_head(const record& what, Head& head) noexcept {
  if (what.bytes < sizeof head) return false;
  std::memcpy(&head, what.contents, sizeof head);
  return true;
}

}  // namespace

payloads::payloads(const segment_view& front, const doorbell& bell, outgoing& out, int process, payload_ways ways,
                   std::function<void(const std::string&)> failed)
    : front_(front), bell_(bell), out_(out), process_(process), ways_(ways), failed_(std::move(failed)) {
  ways_.most_inside = std::min(ways_.most_inside, out.largest_record());
  const auto all = static_cast<std::size_t>(front.plan().processes());
  reach_.resize(all, ways.may_reach_peers ? reach::unknown : reach::no);
  for (std::uint32_t transfer = transfers_per_process; transfer-- > 0;) free_transfers_.push_back(transfer);
}

std::size_t payloads::piece_bytes(std::size_t bytes) const noexcept {
  return std::max(ways_.piece, (bytes / claims::most_pieces / 4096 + 1) * 4096);
}

std::uint32_t payloads::pieces_of(std::size_t bytes) const noexcept {
  const std::size_t piece = piece_bytes(bytes);
  return static_cast<std::uint32_t>((bytes + piece - 1) / piece);
}

pid_t payloads::pid_of(int process) const noexcept { return front_.row(process).pid.load(std::memory_order_relaxed); }

claims payloads::claims_of(int receiver, std::uint32_t number) const noexcept {
  transfer& its = front_.transfers(receiver)[number];
  return claims(its.claims, its.copied);
}

void payloads::damaged(int from) {
  failed_(
      fmt::format("a record of process {} to process {} is damaged, or of another version of Pure", from, process_));
}

// ---- starting -------------------------------------------------------------------------------------------------------

bool payloads::send(core::network_operation& sending, int process, int tag, const void* data, std::size_t bytes) {
  sending.cancelled = false;
  if (bytes <= ways_.most_inside) {
    return out_.send(process,
                     {.kind = record_kind::payload, .tag = tag, .body = data, .body_bytes = bytes, .op = &sending});
  }
  const std::uint32_t number = sends_.add({&sending, process, static_cast<const std::byte*>(data), bytes});
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
  if (!begin_copy(number)) return false;
  receives_.remove(number);
  return true;
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

bool payloads::fits(const posted_receive& to, std::size_t bytes) {
  if (bytes <= to.bytes) return true;
  failed_(fmt::format("a payload of {} bytes of process {} comes to a receive of {} bytes in process {}", bytes,
                      to.process, to.bytes, process_));
  return false;
}

/// True if it fits.
bool payloads::deliver_inside(posted_receive& to, const std::byte* bytes, std::size_t count) {
  if (!fits(to, count)) return false;
  if (count != 0) std::memcpy(to.data, bytes, count);
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
bool payloads::is_done(copy_outcome how, int process) {
  if (how == copy_outcome::wrong || how == copy_outcome::forbidden) {
    failed_(
        fmt::format("process {} cannot copy a large message between process {} and itself: the buffer at one of the "
                    "ends is not there (was it freed before the operation was complete?)",
                    process_, process));
  }
  return how == copy_outcome::done;
}

/// The receive has met an offer. True: all of it is here.
bool payloads::begin_copy(std::uint32_t number) {
  posted_receive& to = receives_[number];
  to.has_met = true;
  if (!fits(to, to.from.bytes)) return false;
  to.op->bytes = to.from.bytes;
  if (!reaches(to.process, to.from.address)) {
    ask_for_pieces(number);
    return false;
  }
  if (to.from.bytes >= ways_.both_ends_from) {
    to_be_shared_.push_back(number);
    share_waiting();
    return false;
  }
  if (!is_done(copy_from(pid_of(to.process), to.from.address, to.data, to.from.bytes), to.process)) return false;
  say_taken(to);
  return true;
}

void payloads::ask_for_pieces(std::uint32_t number) {
  const posted_receive& to = receives_[number];
  out_.send(to.process, wanted_payload{.send = to.from.send, .receive = number}, {.kind = record_kind::wanted});
}

void payloads::say_taken(const posted_receive& done) {
  out_.send(done.process, taken_payload{.send = done.from.send}, {.kind = record_kind::taken});
}

/// Begins with those that wait for a transfer, as far as there are any.
void payloads::share_waiting() {
  while (!to_be_shared_.empty() && !free_transfers_.empty()) {
    const std::uint32_t number = to_be_shared_.front();
    to_be_shared_.pop_front();
    posted_receive& to = receives_[number];
    to.transfer = free_transfers_.back();
    free_transfers_.pop_back();
    to.round = claims_of(process_, to.transfer).begin();
    receiving_.push_back(number);
    const wanted_payload wanted{.address = reinterpret_cast<std::uintptr_t>(to.data),
                                .send = to.from.send,
                                .receive = number,
                                .transfer = to.transfer,
                                .round = to.round};
    out_.send(to.process, wanted, {.kind = record_kind::wanted});
  }
}

// ---- what comes -----------------------------------------------------------------------------------------------------

void payloads::take_in(int from, const record& what, core::network_events& events) {
  switch (what.kind()) {
    case record_kind::payload: return arrive_inside(from, what, events);
    case record_kind::offer: return arrive_offered(from, what, events);
    case record_kind::wanted: return take_in_wanted(from, what);
    case record_kind::piece: return take_in_piece(from, what, events);
    case record_kind::taken: return take_in_taken(from, what, events);
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

void payloads::arrive_inside(int from, const record& what, core::network_events& events) {
  const std::uint32_t number = take_receive(from, what.tag);
  if (number == no_receive) {
    channel_of(from, what.tag)
        .payloads.push_back({.is_inside = true, .bytes = {what.contents, what.contents + what.bytes}});
  } else if (deliver_inside(receives_[number], what.contents, what.bytes)) {
    end_receive(number, events);
  }
}

void payloads::arrive_offered(int from, const record& what, core::network_events& events) {
  offered_payload offer;
  if (!read_head(what, offer)) return damaged(from);
  const std::uint32_t number = take_receive(from, what.tag);
  if (number == no_receive) {
    channel_of(from, what.tag).payloads.push_back({.is_inside = false, .bytes = {}, .offer = offer});
    return;
  }
  receives_[number].from = offer;
  if (begin_copy(number)) end_receive(number, events);
}

void payloads::take_in_wanted(int from, const record& what) {
  wanted_payload wanted;
  if (!read_head(what, wanted)) return damaged(from);
  const offered_send* const its = sends_.find(wanted.send);
  const bool is_shared = wanted.transfer != wanted_payload::no_transfer;
  if (its == nullptr || its->process != from || (is_shared && wanted.transfer >= transfers_per_process))
    return damaged(from);
  if (is_shared) {
    helped_.push_back({wanted.send, wanted});
  } else {
    streamed_.push_back({wanted.send, wanted.receive});
  }
}

void payloads::take_in_piece(int from, const record& what, core::network_events& events) {
  piece_of_payload piece;
  if (!read_head(what, piece)) return damaged(from);
  const std::size_t bytes = what.bytes - sizeof piece;
  posted_receive* const to = receives_.find(piece.receive);
  if (to == nullptr || to->process != from || !to->has_met || piece.offset != to->arrived ||
      bytes > to->from.bytes - to->arrived)
    return damaged(from);
  std::memcpy(to->data + piece.offset, what.contents + sizeof piece, bytes);
  to->arrived += bytes;
  if (to->arrived == to->from.bytes) end_receive(piece.receive, events);
}

void payloads::take_in_taken(int from, const record& what, core::network_events& events) {
  taken_payload taken;
  if (!read_head(what, taken)) return damaged(from);
  const offered_send* const its = sends_.find(taken.send);
  if (its == nullptr || its->process != from) return damaged(from);
  end_send(taken.send, events);
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
  // From the last: what ends is removed.
  for (std::size_t i = receiving_.size(); i-- > 0;) {
    const std::uint32_t number = receiving_[i];
    const std::uint32_t transfer = receives_[number].transfer;
    moved |= copy_piece(number);
    if (!claims_of(process_, transfer).is_over(receives_[number].round, pieces_of(receives_[number].from.bytes)))
      continue;
    receiving_.erase(receiving_.begin() + static_cast<std::ptrdiff_t>(i));
    free_transfers_.push_back(transfer);
    end_receive(number, events);
    share_waiting();
    moved = true;
  }
  for (std::size_t i = helped_.size(); i-- > 0;) moved |= help(i, events);
  for (std::size_t i = streamed_.size(); i-- > 0;) moved |= stream(i, events);
  return moved;
}

/// The next piece of a payload that is received here, from its front. True if there was one.
bool payloads::copy_piece(std::uint32_t number) {
  const posted_receive& to = receives_[number];
  claims its = claims_of(process_, to.transfer);
  const std::size_t piece = piece_bytes(to.from.bytes);
  const std::uint32_t pieces = pieces_of(to.from.bytes);
  const std::uint32_t taken = its.take(to.round, pieces, claims::end::front);
  if (taken == claims::none) return false;
  const std::size_t at = taken * piece;
  const std::size_t bytes = std::min(piece, to.from.bytes - at);
  if (!is_done(copy_from(pid_of(to.process), to.from.address + at, to.data + at, bytes), to.process)) return false;
  if (its.has_copied(pieces)) bell_.ring_after_fence(to.process);  // its sender may sleep
  return true;
}

/// The next piece of one that is sent from here, from its back. True if something has moved.
bool payloads::help(std::size_t index, core::network_events& events) {
  const helped_send each = helped_[index];
  const offered_send& from = sends_[each.send];
  claims its = claims_of(from.process, each.what.transfer);
  const std::uint32_t pieces = pieces_of(from.bytes);
  const std::size_t piece = piece_bytes(from.bytes);
  // Where only one of the two may reach the other, that one copies.
  const bool may_help = may_copy_to_others() && reaches(from.process, each.what.address);
  const std::uint32_t taken = may_help ? its.take(each.what.round, pieces, claims::end::back) : claims::none;
  if (taken != claims::none) {
    const std::size_t at = taken * piece;
    const std::size_t bytes = std::min(piece, from.bytes - at);
    if (!is_done(copy_to(pid_of(from.process), each.what.address + at, from.data + at, bytes), from.process))
      return false;
    if (its.has_copied(pieces)) bell_.ring_after_fence(from.process);
  }
  if (!its.is_over(each.what.round, pieces)) return taken != claims::none;
  helped_.erase(helped_.begin() + static_cast<std::ptrdiff_t>(index));
  end_send(each.send, events);
  return true;
}

/// The next pieces of one that travels in records. True if one has left.
bool payloads::stream(std::size_t index, core::network_events& events) {
  constexpr int most_at_once = 2;
  bool moved = false;
  for (int i = 0; i < most_at_once; ++i) {
    streamed_send& its = streamed_[index];
    const offered_send& from = sends_[its.send];
    const std::size_t most = out_.largest_record() - sizeof(piece_of_payload);
    const std::size_t bytes = std::min(most, from.bytes - its.sent);
    const piece_of_payload piece{.receive = its.receive, .offset = its.sent};
    const record_out what{.kind = record_kind::piece, .body = from.data + its.sent, .body_bytes = bytes};
    if (!out_.try_send(from.process, piece, what)) return moved;
    moved = true;
    its.sent += bytes;
    if (its.sent < from.bytes) continue;
    const std::uint32_t number = its.send;
    streamed_.erase(streamed_.begin() + static_cast<std::ptrdiff_t>(index));
    end_send(number, events);
    return true;
  }
  return moved;
}

}  // namespace pure::net_shm
