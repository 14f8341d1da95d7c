// PURE_CHECK, messages: what a rank can see of the errors in how programs use buffers, types and requests.
//
//   a buffer that a pending operation has, used by another     found when the other starts
//   the bytes of a pending operation's buffer, changed         found when wait or test completes it
//   a message received as another type than it was sent        found when it is delivered, reported with the receive
//
// What the program leaves undone at its end is found by leftovers (match_engine::unreceived, requests::add_leftovers).
//
// Exists only where PURE_CHECK is on; there every message leaves the short path, and the engine and the requests call
// these. Own thread of the rank, apart from sends(), which other ranks read to name the sender's call.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pure/error.hpp>

#include "base/cache_line.hpp"
#include "base/call.hpp"
#include "match/buffer_table.hpp"
#include "match/receive_op.hpp"
#include "match/send_log.hpp"
#include "match/send_op.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

/// "pure_isend_msg at a.cpp:7".
[[nodiscard]] std::string to_text(const char* operation, const site_of_call& site);

class alignas(pair_bytes) message_checks {  // ranks write theirs at the same time
 public:
  /// The log of a rank of this process whose messages are checked, too.
  using log_finder = const send_log& (*)(const rank_context& sender);

  message_checks(rank_context& self, log_finder log_of) noexcept : self_(self), log_of_(log_of) {}

  [[nodiscard]] const send_log& sends() const noexcept { return sends_; }

  // ---- sends ----

  /// Before a send starts: the number of its message. Throws buffer if `data` overlaps the buffer of a pending receive.
  std::uint32_t send_starts(const call& by, const void* data, std::size_t bytes, int to, int tag) {
    require_free(by, data, bytes, to, tag);
    return sends_.add(by);
  }
  /// The two in parts, for a send that takes the short path: its entry in the log can wait until its message is out. (A
  /// receiver that reports in between waits for it: sent_by().)
  void require_free(const call& by, const void* data, std::size_t bytes, int to, int tag) {
    orders();
    if (!pending_.empty()) [[unlikely]]
      require_no_conflict(by, data, bytes, false, to, tag);
  }
  [[nodiscard]] std::uint32_t next_send(const call& by) const noexcept { return sends_.next(by); }
  std::uint32_t add_send(const call& by) noexcept {
    const std::uint32_t number = sends_.add(by);
    sends_.prepare_next();
    return number;
  }
  /// The number of a message of Pure's own.
  std::uint32_t own_send_starts() noexcept {
    orders();
    return sends_.add(nobody);
  }
  /// The same of a message by which ranks only compare what they call (coll/spanning_signatures.hpp).
  std::uint32_t number_of_comparison() noexcept { return sends_.add(nobody); }

  /// `op` is a request's: its bytes must stay as they are until end().
  void hold(send_op& op, const call& by);
  /// All of this for a request that starts. Throws buffer.
  void request_starts(send_op& op, const call& by) {
    const bool is_row = op.form == nullptr;
    op.number = send_starts(by, is_row ? op.data : nullptr, is_row ? op.bytes : 0, op.to, op.who.tag);
    hold(op, by);
  }

  // ---- receives ----

  /// Before a receive is posted. Throws buffer if its buffer overlaps that of a pending operation. With `is_request`,
  /// the buffer must stay as it is until the message comes, and after that until end().
  void receive_starts(receive_op& op, const call& by, bool is_request) {
    orders();
    if (!pending_.empty()) require_no_conflict(by, op.buffer, op.capacity, true, op.from, op.tag);
    if (is_request) return hold(op, by);
    blocking_ = &op;  // a rank blocks in one receive at a time
    blocking_call_ = &by;
  }

  /// For a message that is about to be delivered to `op`: true if that is a blocking receive and of the same type. Then
  /// nothing more need be done.
  bool take_blocking(const receive_op& op, std::uint32_t number) noexcept {
    if (&op != blocking_ || send_log::type_of(number).code != element_type::received(blocking_call_->site.types).code) {
      return false;
    }
    blocking_ = nullptr;
    return true;
  }

  /// Around the delivery of a message to `op`, of which nothing need be known.
  void before_delivery(receive_op& op, int sender, int tag, std::uint32_t number) {
    if (!op.compares_calls) orders();  // the sender may learn that its message was taken
    if (&op == blocking_) {
      if (types_match(send_log::type_of(number), element_type::received(blocking_call_->site.types))) [[likely]]
        return;
      blocking_mismatch_ = mismatch(*blocking_call_, to_text(blocking_call_->operation, blocking_call_->site),
                                    blocking_call_->site.types, sender, tag, number);
    } else if (op.is_checked) {
      request_is_delivered(op, sender, tag, number);
    }
  }
  void after_delivery(receive_op& op) {
    if (&op == blocking_) {
      blocking_ = nullptr;
      if (op.result.bytes == 0) blocking_mismatch_.clear();  // no element of a wrong type has come
      if (!blocking_mismatch_.empty() && op.result.error == errc::success) op.result.error = errc::type;
    } else if (op.is_checked) {
      if (pending_buffer* const held = pending_.find(&op)) held->content = held->content_now();
    }
  }

  /// The text of the error that a blocking receive has, if these checks have found it.
  [[nodiscard]] std::string take_mismatch() noexcept { return std::exchange(blocking_mismatch_, {}); }

  // ---- for checks of what ranks do in between, without messages (window/window_checks.hpp) ----

  /// This rank is about to do something by which others may learn that it has come so far: to send, to receive, to call
  /// a collective. Own thread.
  void orders() noexcept {
    self_.calls().enter();  // who waits meanwhile, in another thread, finds it: calls_of_rank::wait
    orderings_.store(orderings_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// How often it has. Any rank: whoever has learned of it in any such way sees that it was counted.
  [[nodiscard]] const std::atomic<std::uint64_t>& orderings() const noexcept { return orderings_; }

  // ---- the end of a request ----

  /// The operation's buffer is the program's again: what is wrong with it. `by`: the completing call.
  std::optional<Error> end(send_op& op, const call& by);
  std::optional<Error> end(receive_op& op, const call& by);
  /// The same without a look: it was withdrawn, or freed.
  template <class Op>
  void forget(Op& op) noexcept {
    pending_.remove(&op);
    op.is_checked = false;
  }

  /// An error that no call can report, for the end of the job.
  void note(const Error& error) { notes_.emplace_back(error.what()); }
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

  /// The call that sent message `number` of `sender`, a rank of the job: "pure_send_msg at a.cpp:7", or that it is not
  /// known any more. Any rank's log may be read.
  [[nodiscard]] std::string sent_by(int sender, std::uint32_t number) const;

 private:
  static constexpr call nobody{nullptr, {}};

  void hold(receive_op& op, const call& by);
  void require_no_conflict(const call& by, const void* data, std::size_t bytes, bool writes, int peer, int tag) const;
  void request_is_delivered(receive_op& op, int sender, int tag, std::uint32_t number);
  [[nodiscard]] std::string mismatch(const call& by, const std::string& receive, unsigned types, int sender, int tag,
                                     std::uint32_t number) const;
  [[nodiscard]] std::string change(const pending_buffer& of, const call& by) const;
  [[nodiscard]] std::string text_of(const call& by, const std::string& what) const;

  rank_context& self_;
  const log_finder log_of_;
  send_log sends_;
  buffer_table pending_;  // of requests
  const receive_op* blocking_ = nullptr;
  const call* blocking_call_ = nullptr;
  std::string blocking_mismatch_;
  std::vector<std::string> notes_;
  std::atomic<std::uint64_t> orderings_{0};
};

}  // namespace pure::core
