#include "window/remote_checks.hpp"

#include <cstring>
#include <mutex>
#include <span>

#include "base/packed_bytes.hpp"
#include "match/message_checks.hpp"
#include "window/remote_access.hpp"
#include "window/window_checks.hpp"
#include "window/window_group.hpp"

namespace pure::core {

namespace {

/// check_verdict; the text of the other operation's call follows.
struct sent_verdict {
  std::uint64_t begin = 0, end = 0, orderings = 0;
  std::int32_t origin = 0;
  check_verdict::kind what{};
  access_kind kind{};
};

struct sent_orderings {
  std::uint64_t of_rank = 0;
  bool has_somebody_ordered = false;
};

template <class Sent>
std::string with_text(const Sent& sent, const std::string& text = {}) {
  std::string bytes(reinterpret_cast<const char*>(&sent), sizeof sent);
  return bytes += text;
}
template <class Sent>
bool read(std::span<const std::byte> bytes, Sent& into, std::string& text) {
  if (bytes.size() < sizeof into) return false;
  std::memcpy(&into, bytes.data(), sizeof into);
  text.assign(reinterpret_cast<const char*>(bytes.data()) + sizeof into, bytes.size() - sizeof into);
  return true;
}
std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// The text of a call in another process, which records of operations outlive: of the program's call sites, of which
/// there are few.
const char* kept_for_ever(const std::string& text) {
  static std::mutex guard;
  static auto* const kept = new kept_texts;  // never destroyed: a rank may report a race at the end
  const std::lock_guard lock(guard);
  return kept->keep(text);
}

/// Of an operation in another process: its text is all that is known of the call.
call as_call(const std::string& text) { return {kept_for_ever(text), {}}; }

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

// ---- the origin ----------------------------------------------------------------------------------------------------

namespace {

template <class Question>
const std::string& ask_about(remote_access& way, const call& by, int rank, Question question, const rows_in_part& rows,
                             std::span<const std::byte> data = {}) {
  question.where = {rows.bytes, rows.rows.size()};
  return way.ask(by, rank, question, rows.rows, data);
}

}  // namespace

check_verdict ask_access(remote_access& way, const checked_operation& wanted, const place_in_part& where) {
  const rma_check_access question{.what = wanted.made.what,
                                  .orderings = wanted.made.orderings,
                                  .known_orderings = wanted.known_orderings,
                                  .read = wanted.made.request,
                                  .known_rank = wanted.known_rank,
                                  .element_bytes = static_cast<std::uint32_t>(wanted.element_bytes),
                                  .access = wanted.made.kind,
                                  .needs_epochs = wanted.needs_epochs,
                                  .is_in_active_epoch = wanted.is_in_active_epoch,
                                  .may_follow_stores = wanted.may_follow_stores};
  const call& by = wanted.made.by;
  sent_verdict told;
  std::string text;
  if (!read(
          bytes_of(ask_about(way, by, where.rank, question, rows_of(where), bytes_of(to_text(by.operation, by.site)))),
          told, text))
    return {};
  check_verdict found{told.what, {}, {told.begin, told.end}};
  found.with.kind = told.kind;
  found.with.origin = told.origin;
  found.with.orderings = told.orderings;
  if (found.what != check_verdict::kind::nothing) found.with.by = as_call(text);
  return found;
}

void tell_written(remote_access& way, const call& by, const place_in_part& where, std::span<const std::byte> data) {
  // A store that comes between the put and this shows in what was put. To send many bytes a second time takes too long.
  constexpr std::size_t most_bytes = 16 * 1024, most_rows = 256;
  const rows_in_part rows = rows_of(where);
  if (data.size() > most_bytes || rows.rows.size() > most_rows) data = {};
  ask_about(way, by, where.rank, rma_check_written{}, rows, data);
}

void tell_read(remote_access& way, int rank, std::uint64_t request, const rows_in_part& where) {
  const rma_check_read question{.where = {where.bytes, where.rows.size()}, .read = request};
  way.send_question(rank, question, where.rows);
}

void tell_completed(remote_access& way, const call& by, const int* target) {
  if (target == nullptr)
    return way.for_each_process_elsewhere([&](int rank) { way.ask(by, rank, rma_check_completed{.is_of_all = 1}); });
  if (way.is_elsewhere(*target)) way.ask(by, *target, rma_check_completed{});
}

std::uint64_t ask_orderings(remote_access& way, const call& by, int rank) {
  sent_orderings told;
  std::string text;
  read(bytes_of(way.ask(by, rank, rma_check_orderings{})), told, text);
  return told.of_rank;
}

bool ask_whether_anybody_ordered(remote_access& way, const call& by) {
  bool has_somebody = false;
  way.for_each_process_elsewhere([&](int rank) {
    sent_orderings told;
    std::string text;
    if (!read(bytes_of(way.ask(by, rank, rma_check_orderings{})), told, text)) return;
    has_somebody = has_somebody || told.has_somebody_ordered;
  });
  return has_somebody;
}

// ---- the process that is asked -------------------------------------------------------------------------------------

std::optional<std::string> answer_to(window_group& asked, const arrived_rma<rma_check_access>& question) {
  const rma_check_access& sent = question.what;
  window_checks* const checks = asked.checks();
  if (checks == nullptr || sent.known_rank >= asked.size()) return std::nullopt;
  checked_operation wanted;
  wanted.made.kind = sent.access;
  wanted.made.origin = sent.ranks.origin;
  wanted.made.what = sent.what;
  wanted.made.by = as_call(text_of(question.data));
  wanted.made.orderings = sent.orderings;
  wanted.made.request = sent.read;
  wanted.element_bytes = sent.element_bytes;
  wanted.needs_epochs = sent.needs_epochs != 0;
  wanted.is_in_active_epoch = sent.is_in_active_epoch != 0;
  wanted.may_follow_stores = sent.may_follow_stores != 0;
  wanted.known_rank = sent.known_rank;
  wanted.known_orderings = sent.known_orderings;
  const check_verdict found = checks->try_access(asked, wanted, sent.ranks.target, question.rows.all());
  sent_verdict told;
  told.begin = found.bytes.begin;
  told.end = found.bytes.end;
  told.orderings = found.with.orderings;
  told.origin = found.with.origin;
  told.what = found.what;
  told.kind = found.with.kind;
  if (found.what == check_verdict::kind::nothing) return with_text(told);
  return with_text(told, to_text(found.with.by.operation, found.with.by.site));
}

std::optional<std::string> answer_to(window_group& asked, const arrived_rma<rma_check_written>& question) {
  if (asked.checks() == nullptr) return std::nullopt;
  asked.checks()->note_written(asked, question.what.ranks.target, question.rows.all(), question.data);
  return "";
}

std::optional<std::string> answer_to(window_group& asked, const arrived_rma<rma_check_read>& question) {
  if (asked.checks() == nullptr) return std::nullopt;
  const rma_ranks& ranks = question.what.ranks;
  asked.checks()->note_read(ranks.origin, ranks.target, question.what.read, question.rows.all());
  return "";
}

std::optional<std::string> answer_to(window_group& asked, const arrived_rma<rma_check_completed>& question) {
  if (asked.checks() == nullptr) return std::nullopt;
  const rma_ranks& ranks = question.what.ranks;
  for (int each = 0; each < asked.size(); ++each) {
    if (asked.at(each).owner != nullptr && (question.what.is_of_all != 0 || each == ranks.target))
      asked.checks()->note_completed(ranks.origin, each);
  }
  return "";
}

std::optional<std::string> answer_to(window_group& asked, const arrived_rma<rma_check_orderings>& question) {
  window_checks* const checks = asked.checks();
  if (checks == nullptr) return std::nullopt;
  return with_text(
      sent_orderings{checks->orderings_of(question.what.ranks.target), !checks->has_nobody_here_ordered(asked)});
}

}  // namespace pure::core
