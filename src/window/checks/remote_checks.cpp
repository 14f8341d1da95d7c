#include "window/checks/remote_checks.hpp"

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/packed_bytes.hpp"
#include "match/message_checks.hpp"
#include "window/remote_access.hpp"
#include "window/window_group.hpp"

namespace pure::core {

namespace {

/// An operation in another process: its text is all that is known of its call. Records of operations outlive the text,
/// which is kept for ever: there are few call sites.
call as_call(std::string_view text) {
  static std::mutex guard;
  static auto* const kept = new kept_texts;  // never destroyed: a rank may report a race at the end
  const std::lock_guard lock(guard);
  return {kept->keep(text), {}};
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Any byte is a right one.
bool flag_in(byte_unpacker& from) { return from.number<std::uint8_t>() != 0; }

}  // namespace

// ---- the origin ----------------------------------------------------------------------------------------------------

check_verdict ask_access(remote_access& way, const checked_operation& wanted, const place_in_part& where) {
  const window_access& made = wanted.made;
  byte_packer asked;
  asked.add(check_question::access).add(made.kind).add(made.what).add(made.orderings).add(made.request);
  asked.add(std::string_view(to_text(made.by.operation, made.by.site))).add(wanted.element_bytes);
  asked.add(wanted.needs_epochs).add(wanted.is_in_active_epoch).add(wanted.may_follow_stores);
  asked.add(wanted.known_rank).add(wanted.known_orderings);
  byte_unpacker told(way.ask(made.by, where.rank, rows_of(where), asked.bytes()));
  check_verdict found{told.number<check_verdict::kind>(), {}, {}};
  found.bytes.begin = told.number<std::uint64_t>();
  found.bytes.end = told.number<std::uint64_t>();
  found.with.kind = told.number<access_kind>();
  found.with.origin = told.number<int>();
  found.with.orderings = told.number<std::uint64_t>();
  const std::string_view text = told.text();
  if (!told.is_whole()) return {};
  if (found.what != check_verdict::kind::nothing) found.with.by = as_call(text);
  return found;
}

void tell_written(remote_access& way, const call& by, const place_in_part& where, std::span<const std::byte> data) {
  // A store that comes between the put and this shows in what was put. To send many bytes a second time takes too long.
  constexpr std::size_t most_bytes = 16 * 1024, most_rows = 256;
  const rows_in_part rows = rows_of(where);
  if (data.size() > most_bytes || rows.rows.size() > most_rows) data = {};
  way.ask(by, where.rank, rows, byte_packer().add(check_question::written).add(text_of(data)).bytes());
}

void tell_read(remote_access& way, int rank, std::uint64_t request, const rows_in_part& where) {
  way.send_question(rank, where, byte_packer().add(check_question::read).add(request).bytes());
}

void tell_completed(remote_access& way, const call& by, const int* target) {
  byte_packer asked;
  asked.add(check_question::completed).add(target == nullptr);
  if (target == nullptr) return way.for_each_process_elsewhere([&](int rank) { way.ask(by, rank, {}, asked.bytes()); });
  if (way.is_elsewhere(*target)) way.ask(by, *target, {}, asked.bytes());
}

std::uint64_t ask_orderings(remote_access& way, const call& by, int rank) {
  byte_unpacker told(way.ask(by, rank, {}, byte_packer().add(check_question::orderings).bytes()));
  return told.number<std::uint64_t>();
}

bool ask_whether_anybody_ordered(remote_access& way, const call& by) {
  bool has_somebody = false;
  way.for_each_process_elsewhere([&](int rank) {
    byte_unpacker told(way.ask(by, rank, {}, byte_packer().add(check_question::orderings).bytes()));
    told.number<std::uint64_t>();
    has_somebody = flag_in(told) || has_somebody;
  });
  return has_somebody;
}

// ---- the process that is asked -------------------------------------------------------------------------------------

namespace {

std::optional<std::string> answer_about_access(window_checks& checks, window_group& shared, const rma_ranks& ranks,
                                               std::span<const block_row> rows, byte_unpacker& asked) {
  checked_operation wanted;
  wanted.made.origin = ranks.origin;
  wanted.made.kind = asked.number<access_kind>();
  wanted.made.what = asked.number<std::uint64_t>();
  wanted.made.orderings = asked.number<std::uint64_t>();
  wanted.made.request = asked.number<std::uint64_t>();
  const std::string_view text = asked.text();
  wanted.element_bytes = asked.number<std::size_t>();
  wanted.needs_epochs = flag_in(asked);
  wanted.is_in_active_epoch = flag_in(asked);
  wanted.may_follow_stores = flag_in(asked);
  wanted.known_rank = asked.number<int>();
  wanted.known_orderings = asked.number<std::uint64_t>();
  if (!asked.is_whole() || rows.empty() || wanted.made.kind > access_kind::atomic ||
      wanted.element_bytes > largest_element || wanted.known_rank < -1 || wanted.known_rank >= shared.size())
    return std::nullopt;
  wanted.made.by = as_call(text);
  const check_verdict found = checks.try_access(shared, wanted, ranks.target, rows);
  byte_packer told;
  told.add(found.what).add(found.bytes.begin).add(found.bytes.end);
  told.add(found.with.kind).add(found.with.origin).add(found.with.orderings);
  const bool is_anything = found.what != check_verdict::kind::nothing;
  told.add(std::string_view(is_anything ? to_text(found.with.by.operation, found.with.by.site) : std::string()));
  return told.bytes();
}

}  // namespace

std::optional<std::string> window_checks::answer_to(window_group& shared, const arrived_rma<rma_question>& asked) {
  const rma_ranks& ranks = asked.what.ranks;
  const std::vector<block_row> rows = asked.rows.all();
  byte_unpacker data(text_of(asked.data));
  switch (data.number<check_question>()) {
    case check_question::access: return answer_about_access(*this, shared, ranks, rows, data);
    case check_question::written: {
      const std::string_view written = data.text();
      if (!data.is_whole() || (!written.empty() && written.size() != asked.what.where.bytes)) return std::nullopt;
      note_written(shared, ranks.target, rows, std::as_bytes(std::span(written)));
      return "";
    }
    case check_question::read: {
      const auto request = data.number<std::uint64_t>();
      if (request == 0) return std::nullopt;
      note_read(ranks.origin, ranks.target, request, rows);
      return "";
    }
    case check_question::completed: {
      const bool are_all = flag_in(data);
      if (!data.is_whole()) return std::nullopt;
      for (int each = 0; each < shared.size(); ++each) {
        if (shared.at(each).owner != nullptr && (are_all || each == ranks.target)) note_completed(ranks.origin, each);
      }
      return "";
    }
    case check_question::orderings:
      return byte_packer().add(orderings_of(ranks.target)).add(!has_nobody_here_ordered(shared)).bytes();
  }
  return std::nullopt;
}

}  // namespace pure::core
