// The tables of one rank's requests, one for each kind. This is the only place that tells kinds apart: everybody else
// says what to do with an entry, and the entry's type says how (request_entries.hpp). Own thread of the rank only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "match/fixed_requests.hpp"
#include "match/handle_table.hpp"
#include "match/request_entries.hpp"

namespace pure::core {

class request_tables {
 public:
  explicit request_tables(int rank)
      : rank_(static_cast<std::uint32_t>(rank)),
        tables_(table_for<receive_entry>(rank), table_for<send_entry>(rank), table_for<operation_entry>(rank)) {}

  /// The request belongs to this rank. Of one that is not fixed, like all that follows.
  [[nodiscard]] bool is_own(handle request) const noexcept { return request.rank() == rank_; }

  template <request_entry Entry>
  [[nodiscard]] handle_table<Entry>& of() noexcept {
    return std::get<handle_table<Entry>>(tables_);
  }

  /// The entry of a live request of this rank, if it is of that kind; null otherwise.
  template <request_entry Entry>
  [[nodiscard]] Entry* find(handle request) noexcept {
    return request.kind() == Entry::kind && is_own(request) ? of<Entry>().find(request) : nullptr;
  }

  /// What use(entry) returns for the entry that find(table) finds in the table of the request's kind; or what none()
  /// returns, if that is no kind, or it finds null. (none() is called in one place, so that it costs nothing before.)
  template <class Find, class Use, class None>
  auto visit_found(handle request, const Find& find, const Use& use, const None& none) -> decltype(none()) {
    switch (request.kind()) {
      case handle_kind::receive:
        if (auto* const entry = find(of<receive_entry>())) [[likely]]
          return use(*entry);
        break;
      case handle_kind::send:
        if (auto* const entry = find(of<send_entry>())) return use(*entry);
        break;
      case handle_kind::operation:
        if (auto* const entry = find(of<operation_entry>())) return use(*entry);
        break;
      default: break;  // no request
    }
    return none();
  }

  /// What use(entry) returns for the entry of a live request of this rank; or what none() returns.
  template <class Use, class None>
  auto visit(handle request, const Use& use, const None& none) -> decltype(none()) {
    return visit_found(
        request, [&](auto& table) { return is_own(request) ? table.find(request) : nullptr; }, use, none);
  }

  /// What use(entry) returns for the entry of a request that is known to be live, and this rank's.
  template <class Use>
  auto visit(handle request, const Use& use) -> decltype(use(std::declval<receive_entry&>())) {
    using result = decltype(use(std::declval<receive_entry&>()));
    return visit_found(
        request, [&](auto& table) { return table.find(request); }, use, []() -> result { __builtin_trap(); });
  }

  /// The request is fixed, or names a live entry of this rank.
  [[nodiscard]] bool is_live(handle request) noexcept {
    if (request.is_fixed()) return is_fixed_request(request);
    return visit(
        request, [](auto&) { return true; }, [] { return false; });
  }

  /// The name of the live entry of that kind of request at that place; null: there is none.
  [[nodiscard]] handle name_at(handle_kind kind, std::uint32_t index) noexcept {
    switch (kind) {
      case handle_kind::receive: return of<receive_entry>().name_at(index);
      case handle_kind::send: return of<send_entry>().name_at(index);
      case handle_kind::operation: return of<operation_entry>().name_at(index);
      default: return {};
    }
  }

  /// A number for the visits of one call to the requests of its list (handle_table::visit), each of which is visited
  /// once. Numbers may come round.
  std::uint32_t next_visit() noexcept {
    constexpr std::uint32_t first = handle_table<receive_entry>::first_visit;
    return visits_ = std::max(visits_ + 1, first);
  }

  /// Calls use(entry) for every live entry of every kind.
  template <class Use>
  void for_each(Use use) {
    const auto in = [&](auto& table) {
      if (table.live() > 0) table.for_each(use);
    };
    std::apply([&](auto&... table) { (in(table), ...); }, tables_);
  }

  template <request_entry Entry>
  void remove(handle request, Entry& entry) noexcept {
    entry.let_go();
    of<Entry>().free(request);
  }

 private:
  template <request_entry Entry>
  static handle_table<Entry> table_for(int rank) {
    return {Entry::kind, rank};
  }

  const std::uint32_t rank_;
  std::tuple<handle_table<receive_entry>, handle_table<send_entry>, handle_table<operation_entry>> tables_;
  std::uint32_t visits_ = 0;
};

/// Starts a receive that has just been made; there is none if it throws.
inline handle start_receive_of(request_tables& tables, message_receiver& receiver, const call& by,
                               const handle_table<receive_entry>::made& made) {
  try {
    receiver.start(made.entry.op, &by, true);
  } catch (const Error&) {  // its buffer is in use
    tables.remove(made.name, made.entry);
    throw;
  }
  return made.name;
}

}  // namespace pure::core
