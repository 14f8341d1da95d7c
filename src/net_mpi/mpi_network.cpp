#include "net_mpi/mpi_network.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>

#include "net_mpi/completion.hpp"

namespace pure::net_mpi {
namespace {

// So many requests are tested in one call: a test of thousands would make everybody wait for it.
constexpr std::size_t tested_at_once = 64;
constexpr const char* text_of_send = "A send or collective operation";
constexpr const char* text_of_receive = "A receive";

std::string counted_bytes(std::size_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

}  // namespace

std::string failure_text(int error, const std::string& what) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(error, text, &length);
  return what + " failed: " + text;
}

mpi_network::mpi_network(const network_opening& opening)
    : report_(opening.failed),
      ends_below_(opening.ends_below),
      context_(opening.context),
      piece_bytes_(std::min<std::size_t>(opening.piece_bytes, INT_MAX)),
      slots_(opening.message_slots) {
  peers_.message_bytes = opening.message_bytes;
  peers_.piece_bytes = piece_bytes_;
  requests_.push_back(MPI_REQUEST_NULL);
  under_way_.push_back({});
  indices_.resize(tested_at_once);
  statuses_.resize(tested_at_once);
}

mpi_network::~mpi_network() = default;

void mpi_network::failed(int error, const std::string& what) {
  if (broken_) return;
  broken_ = true;
  if (report_ != nullptr) report_(context_, failure_text(error, what).c_str());
}

void mpi_network::failed_between(int error, const char* call, int process, std::size_t bytes) {
  std::string what = std::string(call) + " of " + counted_bytes(bytes);
  if (process >= 0) what += " with process " + std::to_string(process);
  failed(error, what);
}

// ---- starting ------------------------------------------------------------------------------------------------------

void mpi_network::begin(network_operation& starting) noexcept {
  starting.bytes = 0;
  starting.cancelled = false;
  starting.pieces_left = 0;
}

void mpi_network::watch(network_operation& started, MPI_Request request, direction way) {
  ++started.pieces_left;
  requests_.push_back(request);
  under_way_.push_back({&started, way});
}

// What is done at once, as small messages mostly are, never enters the table.
bool mpi_network::test_and_watch(network_operation& started, MPI_Request request, direction way) {
  int is_done = 0;
  MPI_Status status;
  int error = look_at(request, is_done, status);
  if (error == MPI_SUCCESS && is_done != 0) error = let_go(request);
  if (error != MPI_SUCCESS) {
    failed(error, way == direction::in ? text_of_receive : text_of_send);
    return false;
  }
  if (is_done == 0) {
    watch(started, request, way);
    return false;
  }
  ++started.pieces_left;
  piece_done({&started, way}, status);
  return true;
}

bool mpi_network::send_message(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) {
  return send_and_test(sending, process, tag, data, bytes, messages_);
}

bool mpi_network::send_short(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) {
  return send_and_test(sending, process, tag, data, bytes, payloads_);
}

inline bool mpi_network::send_and_test(network_operation& sending, int process, int tag, const void* data,
                                       std::size_t bytes, MPI_Comm among) {
  if (broken_) return false;
  begin(sending);
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, process, tag, among, &request);
  if (!succeeded(error, "MPI_Isend of a message", process, bytes)) return false;
  // A test drives all of MPI: the next poll will test it together with others.
  const bool is_alone = requests_.size() == 1;
  if (!is_alone) watch(sending, request, direction::out);
  return is_alone && test_and_watch(sending, request, direction::out);
}

bool mpi_network::send(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) {
  in_pieces(sending, bytes, direction::out, [&](std::size_t offset, int piece, MPI_Request& request) {
    const auto* const from = static_cast<const std::byte*>(data) + offset;
    return succeeded(MPI_Isend(from, piece, MPI_BYTE, process, tag, payloads_, &request), "MPI_Isend", process, bytes);
  });
  return false;
}

bool mpi_network::receive(network_operation& receiving, int process, int tag, void* data, std::size_t bytes) {
  in_pieces(receiving, bytes, direction::in, [&](std::size_t offset, int piece, MPI_Request& request) {
    auto* const to = static_cast<std::byte*>(data) + offset;
    return succeeded(MPI_Irecv(to, piece, MPI_BYTE, process, tag, payloads_, &request), "MPI_Irecv", process, bytes);
  });
  return false;
}

bool mpi_network::cancel(network_operation& receiving) {
  bool is_done = false;
  for (std::size_t i = requests_.size(); i-- > 1 && !broken_;) {
    if (under_way_[i].operation != &receiving) continue;
    int has_ended = 0;
    MPI_Status status;
    under_way_[i].is_cancelled = true;
    if (!succeeded(MPI_Cancel(&requests_[i]), "MPI_Cancel", -1, 0)) break;
    if (!succeeded(MPI_Test(&requests_[i], &has_ended, &status), "MPI_Test of a receive", -1, 0)) break;
    if (has_ended == 0) continue;
    const under_way ended = under_way_[i];
    forget(i);
    is_done = piece_done(ended, status);
  }
  return is_done;
}

/// The request at `index` is null; the last one takes its place.
void mpi_network::forget(std::size_t index) noexcept {
  requests_[index] = requests_.back();
  under_way_[index] = under_way_.back();
  requests_.pop_back();
  under_way_.pop_back();
}

// ---- moving on -----------------------------------------------------------------------------------------------------

// True if that was the operation's last piece.
bool mpi_network::piece_done(const under_way& done, const MPI_Status& status) {
  network_operation& operation = *done.operation;
  if (done.way == direction::in) {
    int was_cancelled = 0;
    if (done.is_cancelled) MPI_Test_cancelled(&status, &was_cancelled);
    if (was_cancelled != 0)
      operation.cancelled = true;
    else
      operation.bytes += bytes_received(status);
  }
  return --operation.pieces_left == 0;
}

void mpi_network::take_in(network_events& events, const MPI_Status& status) {
  events.message_arrived(status.MPI_SOURCE, status.MPI_TAG, slots_.take(), bytes_received(status));
}

// Not at once: whoever waits for the message would wait for this, too (D-let-go-later).
void mpi_network::tidy_up() {
  if (ended_ != MPI_REQUEST_NULL && succeeded(let_go(ended_), "MPI_Wait", -1, 0)) ended_ = MPI_REQUEST_NULL;
  of_slots(slots_.renew());
}

// One message at most: another test, which would find nothing but drive all of MPI, would stand between it and its
// answer.
bool mpi_network::poll_slots(network_events& events) {
  if (!of_slots(slots_.prepare()) || slots_.oldest() == MPI_REQUEST_NULL) return false;
  int has_arrived = 0;
  MPI_Status status;
  const int error = look_at(slots_.oldest(), has_arrived, status);
  if (!of_slots({error, "MPI_Test of a receive"}) || has_arrived == 0) return false;
  take_in(events, status);
  return true;
}

// After the slots: each look at something incomplete drives all of MPI, and this look finds what either has completed.
// (When the two took turns, half of the operations were found one poll late: D-slots-and-operation.)
bool mpi_network::poll_operation(network_events& events) {
  if (poll_slots(events)) return true;
  if (broken_) return false;
  const under_way what = under_way_[1];
  int is_done = 0;
  MPI_Status status;
  if (const int error = look_at(requests_[1], is_done, status); error != MPI_SUCCESS) {
    failed(error, what.way == direction::in ? text_of_receive : text_of_send);
    return false;
  }
  if (is_done == 0) return false;
  const bool is_last = piece_done(what, status);
  ended_ = requests_[1];
  forget(1);
  if (is_last) events.operation_done(*what.operation);
  return true;
}

bool mpi_network::poll_with_operations(network_events& events) {
  bool moved = false;
  std::size_t first = 0;
  std::size_t count = requests_.size();
  if (count > tested_at_once) {  // a part, another one each time; the oldest slot by itself
    moved = poll_slots(events);
    count = std::min(requests_.size() - 1, tested_at_once);  // the message may have cancelled some
    if (count == 0) return moved;
    if (next_tested_ + count > requests_.size()) next_tested_ = 1;
    first = next_tested_;
    next_tested_ = first + count < requests_.size() ? std::min(first + count, requests_.size() - count) : 1;
  } else {
    if (!of_slots(slots_.prepare())) return false;
    requests_[0] = slots_.oldest();
  }

  int done = 0;
  const int error = MPI_Testsome(static_cast<int>(count), &requests_[first], &done, indices_.data(), statuses_.data());
  if (error != MPI_SUCCESS) {
    int cause = error;
    const char* what = "A send, receive or collective operation";
    for (int i = 0; error == MPI_ERR_IN_STATUS && i < done; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const int of_one = statuses_[at].MPI_ERROR;
      if (of_one == MPI_SUCCESS || of_one == MPI_ERR_PENDING) continue;
      cause = of_one;
      const bool is_out = under_way_[first + static_cast<std::size_t>(indices_[at])].way == direction::out;
      what = is_out ? text_of_send : text_of_receive;
    }
    failed(cause, what);
    return moved;
  }
  if (done <= 0) return moved;  // MPI_UNDEFINED cannot be: the operations are active

  bool slot_done = false;
  MPI_Status of_slot{};
  finished_.clear();
  for (int i = 0; i < done; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::size_t index = first + static_cast<std::size_t>(indices_[at]);
    if (index == 0) {
      slot_done = true;
      of_slot = statuses_[at];
      slots_.oldest() = requests_[0];  // null now, if it was for this message only
    } else if (piece_done(under_way_[index], statuses_[at])) {
      finished_.push_back(under_way_[index].operation);
    }
  }
  // From the highest index down: what takes a place comes from behind all that are left.
  std::sort(indices_.begin(), indices_.begin() + done, std::greater<>());
  for (int i = 0; i < done; ++i) {
    const std::size_t index = first + static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]);
    if (index != 0) forget(index);
  }
  for (network_operation* const each : finished_) events.operation_done(*each);
  if (slot_done && !broken_) take_in(events, of_slot);
  return true;
}

bool mpi_network::poll(network_events& events) {
  tidy_up();
  if (broken_) return false;
  switch (requests_.size() - 1) {
    case 0: return poll_slots(events);
    case 1: return poll_operation(events);
    default: return poll_with_operations(events);
  }
}

}  // namespace pure::net_mpi
