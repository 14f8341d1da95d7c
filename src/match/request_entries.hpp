// What a request stands for: a receive, a send, or an operation of a layer above; and what differs between these.
//
// An entry is polled, completed, cancelled, freed: each kind of entry has a member for each of these (request_entry
// lists them), and nothing else asks which kind a request is. A further kind is a type like these, and a table in
// request_tables.hpp. Own thread of the rank only.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <pure/error.hpp>

#include "base/call.hpp"
#include "match/handle_table.hpp"
#include "match/message_checks.hpp"
#include "match/pending_operation.hpp"
#include "match/short_path.hpp"
#include "match/status.hpp"
#include "match/stored_message.hpp"
#include "match/wait_kinds.hpp"

namespace pure::core {

/// How a request has ended, where that takes more than a status.
struct request_end {
  status outcome;
  std::optional<Error> failure;
};

/// The call that has made a request, for the texts.
struct request_origin {
  explicit request_origin(const call& by) noexcept : operation(by.operation), site(by.site.where, by.site.line) {}
  const char* operation;
  site_of_call site;
};

struct receive_entry {
  static constexpr handle_kind kind = handle_kind::receive;
  static constexpr bool changes_reason = false;

  receive_entry(const call& by, const receive_place& place, std::uint32_t context, int from, int tag) noexcept
      : op(place, context, from, tag), origin(by) {}

  [[nodiscard]] bool is_persistent() const noexcept { return stored != nullptr && stored->is_persistent; }
  [[nodiscard]] bool is_active() const noexcept { return !is_persistent() || stored->is_active; }
  [[nodiscard]] bool is_of_messages() const noexcept { return true; }
  void note_look() noexcept {}
  [[nodiscard]] bool may_be_freed() const noexcept { return true; }
  bool poll(const message_halves& engine) { return engine.receiver.test(op); }
  [[nodiscard]] wait_reason reason(const call& by) const noexcept { return wait_for_message_of(by, op.from, op.tag); }
  [[nodiscard]] status outcome() const noexcept { return op.result; }
  [[nodiscard]] bool needs_settling() const noexcept { return op.is_checked; }
  request_end settle(const message_halves& engine, const call& by);
  void deactivate() noexcept {
    if (!is_persistent()) return;
    stored->is_active = false;
    op.result = {};
  }
  void cancel(const message_halves& engine) { take_back(engine); }
  bool take_back(const message_halves& engine) noexcept;
  bool end_main(const message_halves& engine) noexcept { return !op.done && !take_back(engine); }
  [[nodiscard]] bool was_taken_back() const noexcept { return op.result.cancelled; }
  /// After that: takes the message all the same, when it comes, and throws it away. Without memory it stays taken back.
  void receive_for_nobody(const message_halves& engine) noexcept;
  void forget(const message_halves& engine);
  void let_go() noexcept {}
  void add_contexts(std::vector<std::uint32_t>& to) const { to.push_back(op.context); }

  receive_op op;
  request_origin origin;
  std::unique_ptr<stored_message> stored;  // of one that is persistent or laid out
};

struct send_entry {
  static constexpr handle_kind kind = handle_kind::send;
  static constexpr bool changes_reason = false;

  explicit send_entry(const call& by) noexcept : origin(by) {}

  [[nodiscard]] bool is_persistent() const noexcept { return stored != nullptr && stored->is_persistent; }
  [[nodiscard]] bool is_active() const noexcept { return !is_persistent() || stored->is_active; }
  [[nodiscard]] bool is_of_messages() const noexcept { return true; }
  void note_look() noexcept {}
  [[nodiscard]] bool may_be_freed() const noexcept { return true; }
  bool poll(const message_halves& engine) { return engine.sender.test(op); }
  [[nodiscard]] wait_reason reason(const call& by) const noexcept { return {by, receive_by, op.to, op.who.tag, true}; }
  [[nodiscard]] status outcome() const noexcept { return {.cancelled = is_cancelled || op.is_taken_back}; }
  [[nodiscard]] bool needs_settling() const noexcept { return op.is_checked; }
  request_end settle(const message_halves& engine, const call& by);
  void deactivate() noexcept {
    if (!is_persistent()) return;
    stored->is_active = false;
    is_cancelled = op.is_taken_back = false;
  }
  void cancel(const message_halves& engine) { is_cancelled = engine.sender.cancel(op); }
  bool take_back(const message_halves& /*engine*/) noexcept { return false; }  // its receiver may be reading
  bool end_main(const message_halves& /*engine*/) noexcept { return false; }   // the engine says it of all its sends
  [[nodiscard]] bool was_taken_back() const noexcept { return false; }
  void forget(const message_halves& engine);
  void let_go() noexcept {}
  void add_contexts(std::vector<std::uint32_t>& to) const { to.push_back(op.who.context); }

  send_op op;
  request_origin origin;
  bool is_cancelled = false;
  std::unique_ptr<stored_message> stored;  // likewise
};

struct operation_entry {
  static constexpr handle_kind kind = handle_kind::operation;
  static constexpr bool changes_reason = true;  // it has several parts

  operation_entry(const call& by, std::unique_ptr<pending_operation> adopted) noexcept
      : what(std::move(adopted)), origin(by) {}

  [[nodiscard]] bool is_persistent() const noexcept { return what->is_persistent(); }
  [[nodiscard]] bool is_active() const noexcept { return !what->is_persistent() || what->is_active(); }
  [[nodiscard]] bool is_of_messages() const noexcept { return what->is_of_messages(); }
  void note_look() noexcept { is_known_complete = true; }
  [[nodiscard]] bool may_be_freed() const noexcept { return is_of_messages() || is_known_complete; }
  bool poll(const message_halves& /*engine*/) noexcept { return what->poll(); }
  [[nodiscard]] wait_reason reason(const call& by) const noexcept { return what->reason(by); }
  [[nodiscard]] status outcome() const noexcept;
  [[nodiscard]] bool needs_settling() const noexcept { return true; }  // it may have failed
  request_end settle(const message_halves& engine, const call& by) noexcept;
  void deactivate() noexcept {
    if (is_active()) what->deactivate();
    is_known_complete = false;
  }
  void cancel(const message_halves& /*engine*/) noexcept { what->cancel(); }
  bool take_back(const message_halves& /*engine*/) noexcept;
  bool end_main(const message_halves& /*engine*/) noexcept;
  [[nodiscard]] bool was_taken_back() const noexcept { return false; }
  void forget(const message_halves& /*engine*/) noexcept { what->forget(); }
  void let_go() noexcept { what->let_go(); }
  void add_contexts(std::vector<std::uint32_t>& to) const { what->add_contexts(to); }

  std::unique_ptr<pending_operation> what;
  request_origin origin;
  bool is_known_complete = false;
};

/// What an entry has to have; overloads in requests and requests_checks.cpp do the rest (start, left_over).
template <class Entry>
concept request_entry = requires(Entry entry, const Entry& looked_at, const message_halves& engine, const call& by,
                                 std::vector<std::uint32_t>& contexts) {
  { Entry::kind } -> std::convertible_to<handle_kind>;
  /// reason() may say something else while it is waited for.
  { Entry::changes_reason } -> std::convertible_to<bool>;
  { looked_at.origin } -> std::convertible_to<request_origin>;

  { looked_at.is_persistent() } -> std::same_as<bool>;
  /// False for an inactive persistent request.
  { looked_at.is_active() } -> std::same_as<bool>;
  /// The operation can be cancelled (MPI 4.1, 3.8.4).
  { looked_at.is_of_messages() } -> std::same_as<bool>;
  /// A look has told the program that it is complete.
  entry.note_look();
  /// The request can be freed while it is active (MPI 4.1, 3.7.3), or after such a look (3.7.6).
  { looked_at.may_be_freed() } -> std::same_as<bool>;

  /// Moves it on without blocking; true if it is complete, or inactive.
  { entry.poll(engine) } -> std::same_as<bool>;
  /// What `by`, which waits for it, waits for. Only while it is not complete.
  { looked_at.reason(by) } -> std::same_as<wait_reason>;
  /// What it would give. Only of one that is complete or inactive.
  { looked_at.outcome() } -> std::same_as<status>;
  /// The entry's outcome is for settle() to say, once: it may have failed.
  { looked_at.needs_settling() } -> std::same_as<bool>;
  { entry.settle(engine, by) } -> std::same_as<request_end>;
  /// The entry's completion has been taken. Of one that is not persistent, too; that is removed then.
  entry.deactivate();

  /// Marks it for cancellation. Only while it is not complete, and is_of_messages().
  entry.cancel(engine);
  /// Ends it at once, for a rank that unwinds; false if that cannot be, because others use its memory or need it.
  { entry.take_back(engine) } -> std::same_as<bool>;
  /// The rank's main has ended: takes back what has not begun. True if it uses main's memory all the same.
  { entry.end_main(engine) } -> std::same_as<bool>;
  /// By end_main(): it stays, as a leftover.
  { looked_at.was_taken_back() } -> std::same_as<bool>;
  /// The request is freed, but not complete: nobody says when its buffer is the program's again, so that is checked no
  /// longer.
  entry.forget(engine);
  /// The entry is about to be removed.
  entry.let_go();
  /// The contexts of its messages, if it has not ended or can be started again.
  looked_at.add_contexts(contexts);
};

}  // namespace pure::core
