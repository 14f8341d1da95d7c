#include "window/remote_checks.hpp"

#include <cstring>
#include <mutex>
#include <span>

#include "base/packed_bytes.hpp"
#include "match/message_checks.hpp"
#include "window/remote_access.hpp"
#include "window/window.hpp"

namespace pure::core {

namespace {

/// checked_operation, as it travels; the text of its call follows.
struct sent_operation {
  std::uint64_t what = 0, orderings = 0, known_orderings = 0, request = 0;
  std::int32_t known_rank = -1;
  std::uint32_t element_bytes = 0;
  access_kind kind{};
  bool needs_epochs = true, is_in_active_epoch = false, may_follow_stores = false;
};

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

std::string answer_to_access(window_group& asked, const arrived_rma_message& question, const sent_operation& sent,
                             const std::string& text) {
  checked_operation wanted;
  wanted.made.kind = sent.kind;
  wanted.made.origin = question.header.origin;
  wanted.made.what = sent.what;
  wanted.made.by = as_call(text);
  wanted.made.orderings = sent.orderings;
  wanted.made.request = sent.request;
  wanted.element_bytes = sent.element_bytes;
  wanted.needs_epochs = sent.needs_epochs;
  wanted.is_in_active_epoch = sent.is_in_active_epoch;
  wanted.may_follow_stores = sent.may_follow_stores;
  wanted.known_rank = sent.known_rank;
  wanted.known_orderings = sent.known_orderings;
  const check_verdict found = asked.checks()->try_access(asked, wanted, question.header.target, question.rows());
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

}  // namespace

// ---- the origin ----------------------------------------------------------------------------------------------------

check_verdict ask_access(window& origin, const checked_operation& wanted, const place_in_part& where) {
  sent_operation sent;
  sent.what = wanted.made.what;
  sent.orderings = wanted.made.orderings;
  sent.request = wanted.made.request;
  sent.known_orderings = wanted.known_orderings;
  sent.known_rank = wanted.known_rank;
  sent.element_bytes = static_cast<std::uint32_t>(wanted.element_bytes);
  sent.kind = wanted.made.kind;
  sent.needs_epochs = wanted.needs_epochs;
  sent.is_in_active_epoch = wanted.is_in_active_epoch;
  sent.may_follow_stores = wanted.may_follow_stores;
  const call& by = wanted.made.by;
  const std::string question = with_text(sent, to_text(by.operation, by.site));
  sent_verdict told;
  std::string text;
  if (!read(bytes_of(origin.remote()->ask(by, where.rank, rma_message_kind::check_access, 0, rows_of(where),
                                          bytes_of(question))),
            told, text))
    return {};
  check_verdict found{told.what, {}, {told.begin, told.end}};
  found.with.kind = told.kind;
  found.with.origin = told.origin;
  found.with.orderings = told.orderings;
  if (found.what != check_verdict::kind::nothing) found.with.by = as_call(text);
  return found;
}

void tell_written(window& origin, const call& by, const place_in_part& where, std::span<const std::byte> data) {
  // A store that comes between the put and this shows in what was put. To send many bytes a second time takes too long.
  constexpr std::size_t most_bytes = 16 * 1024, most_rows = 256;
  const rows_in_part rows = rows_of(where);
  if (data.size() > most_bytes || rows.rows.size() > most_rows) data = {};
  origin.remote()->ask(by, where.rank, rma_message_kind::check_written, 0, rows, data);
}

void tell_read(window& origin, int rank, std::uint64_t request, const rows_in_part& where) {
  origin.remote()->send_question(rank, rma_message_kind::check_read, where, std::as_bytes(std::span(&request, 1)));
}

void tell_completed(window& origin, const call& by, const int* target) {
  remote_access& way = *origin.remote();
  if (target == nullptr)
    return way.for_each_process_elsewhere([&](int rank) { way.ask(by, rank, rma_message_kind::check_completed, 1); });
  if (origin.at(*target).owner == nullptr) way.ask(by, *target, rma_message_kind::check_completed);
}

std::uint64_t ask_orderings(window& origin, const call& by, int rank) {
  sent_orderings told;
  std::string text;
  read(bytes_of(origin.remote()->ask(by, rank, rma_message_kind::check_orderings)), told, text);
  return told.of_rank;
}

bool has_anybody_elsewhere_ordered(window& origin, const call& by) {
  bool has_somebody = false;
  origin.remote()->for_each_process_elsewhere([&](int rank) {
    sent_orderings told;
    std::string text;
    if (!read(bytes_of(origin.remote()->ask(by, rank, rma_message_kind::check_orderings)), told, text)) return;
    has_somebody = has_somebody || told.has_somebody_ordered;
  });
  return has_somebody;
}

// ---- the process that is asked -------------------------------------------------------------------------------------

std::optional<std::string> answer_to(window_group& asked, const arrived_rma_message& question) {
  window_checks* const checks = asked.checks();
  const rma_message& header = question.header;
  const bool is_origin = header.origin >= 0 && header.origin < asked.size();
  if (checks == nullptr || !is_origin) return std::nullopt;
  switch (header.kind) {
    case rma_message_kind::check_access: {
      sent_operation sent;
      std::string text;
      if (!read(question.data(), sent, text) || header.rows == 0 || sent.kind > access_kind::atomic ||
          sent.known_rank >= asked.size())
        return std::nullopt;
      return answer_to_access(asked, question, sent, text);
    }
    case rma_message_kind::check_written:
      if (!question.data().empty() && question.data().size() != header.bytes) return std::nullopt;
      checks->is_written(asked, header.target, question.rows(), question.data());
      return "";
    case rma_message_kind::check_read: {
      std::uint64_t request = 0;
      std::string text;
      if (!read(question.data(), request, text)) return std::nullopt;
      checks->is_read(header.origin, header.target, request, question.rows());
      return "";
    }
    case rma_message_kind::check_completed:
      for (int each = 0; each < asked.size(); ++each) {
        if (asked.at(each).owner != nullptr && (header.detail != 0 || each == header.target))
          checks->is_completed(header.origin, each);
      }
      return "";
    default:
      return with_text(sent_orderings{checks->orderings_of(header.target), !checks->has_nobody_here_ordered(asked)});
  }
}

}  // namespace pure::core
