#include "window/remote_access.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "layout/layout_cursor.hpp"
#include "runtime/wait.hpp"
#include "window/wait_kinds.hpp"
#include "window/window_end.hpp"

namespace pure::core {

namespace {

/// What fits into a message: of whole elements.
rows_in_part next_piece(const place_in_part& where, std::size_t done, std::size_t element_bytes) {
  return rows_of(where, done, most_bytes_of_message / element_bytes * element_bytes, most_rows_of_message);
}

rma_blocks blocks_of(const rows_in_part& rows) noexcept { return {rows.bytes, rows.rows.size()}; }

/// Bytes of a message, in a row.
void copy_some(std::byte* to, const placed_message& what, std::size_t first, std::size_t bytes) {
  copy_laid_out({to, nullptr}, 0, {static_cast<const std::byte*>(what.base), what.form.get()}, first, bytes);
}

}  // namespace

remote_access::remote_access(window_end& of, origin_requests& requests)
    : of_(of),
      requests_(requests),
      others_(*of.owner().owner().others()),
      unflushed_(static_cast<std::size_t>(others_.placement().processes())),
      rank_at_(unflushed_.size(), -1),
      lent_(of.owner()),
      refused_(of.shared().has_own_memory() ? 0 : static_cast<std::size_t>(of.size())) {
  for (int rank = of.size() - 1; rank >= 0; --rank) rank_at_[static_cast<std::size_t>(process_of(rank))] = rank;
  requests_.add_origin(of.shared(), of.rank(), this);
}

remote_access::~remote_access() {
  requests_.add_origin(of_.shared(), of_.rank(), nullptr);
  requests_.forget_requests_of(*this);
  // wait_until() throws when the job has failed. What comes straight into memory of the program has to be there before
  // that memory may end. acquire: pairs with the release in payload_has_come()
  while (arriving_.load(std::memory_order_acquire) > 0 && !of_.owner().owner().ending()) {
    others_.poll(&of_.owner());
    let_others_run(of_.owner());
  }
}

int remote_access::process_of(int rank) const noexcept {
  return others_.placement().process_of(of_.comm().number_of(rank));
}

bool remote_access::is_elsewhere(int rank) const noexcept { return !others_.is_here(of_.comm().number_of(rank)); }

window_key remote_access::key() const noexcept { return of_.shared().spanning()->key; }

rma_ranks remote_access::ranks_to(int rank) const noexcept { return {of_.rank(), rank}; }

void remote_access::send(int rank, std::string bytes, departs when) {
  const int process = process_of(rank);
  unflushed_[static_cast<std::size_t>(process)] += bytes.size();
  others_.send_active_message(process, window_messages, std::move(bytes), nullptr, when);
}

void remote_access::send_uncounted(int process, std::string bytes) {
  others_.send_active_message(process, window_messages, std::move(bytes));
}

std::uint64_t remote_access::expect_answer(const placed_message& into, std::size_t first, std::size_t bytes) {
  return expect({this, into, first, bytes});
}

std::uint64_t remote_access::expect(open_answer answer) {
  const std::uint64_t number = requests_.open_request(std::move(answer));
  open_.fetch_add(1, std::memory_order_relaxed);
  return number;
}

/// What is refused meanwhile is not the error of the operation that had to wait.
void remote_access::keep_within_bounds(const call& by, int rank) {
  if (unflushed_[static_cast<std::size_t>(process_of(rank))] > most_unflushed_bytes) flush(by, rank);
}

/// In a row on both sides, and so much that it takes less time as a payload.
bool remote_access::is_large(const placed_message& here, const place_in_part& there) const noexcept {
  return here.form == nullptr && there.form == nullptr && there.bytes >= others_.least_payload_bytes();
}

/// Returns when the buffer may be used again; the bytes may still be on their way.
void remote_access::put_payload(const call& by, const placed_message& what, const place_in_part& where) {
  lent_.data = static_cast<std::byte*>(what.base);
  lent_.bytes = where.bytes;
  lent_.is_back.store(false, std::memory_order_relaxed);
  std::string sent = packed(key(),
                            rma_large_put{.ranks = ranks_to(where.rank), .offset = where.first, .bytes = where.bytes});
  const int process = process_of(where.rank);
  unflushed_[static_cast<std::size_t>(process)] += sent.size();
  others_.send_active_message(process, window_messages, std::move(sent), &lent_);
  const wait_reason why{by, "its operations on the window at", of_.comm().number_of(where.rank), wait_reason::no_tag};
  // acquire: pairs with the release in has_moved()
  wait_until(of_.owner(), why, [this] { return lent_.is_back.load(std::memory_order_acquire); });
}

void remote_access::put(const call& by, const placed_message& what, const place_in_part& where) {
  if (is_large(what, where)) return put_payload(by, what, where);
  for (std::size_t done = 0; done < where.bytes;) {
    const rows_in_part now = next_piece(where, done, 1);
    const rma_put sent{.ranks = ranks_to(where.rank), .where = blocks_of(now)};
    send(where.rank,
         packed(key(), sent, now.rows, now.bytes, [&](std::byte* to) { copy_some(to, what, done, now.bytes); }),
         departs_);
    done += now.bytes;
    keep_within_bounds(by, where.rank);
  }
}

void remote_access::get(const call& by, const placed_message& into, const place_in_part& where, bool waits) {
  const bool as_payload = is_large(into, where);
  if (as_payload) {
    send(where.rank, packed(key(), rma_large_get{.ranks = ranks_to(where.rank),
                                                 .request = expect_answer(into, 0, where.bytes),
                                                 .offset = where.first,
                                                 .bytes = where.bytes}));
    keep_within_bounds(by, where.rank);
  }
  for (std::size_t done = as_payload ? where.bytes : 0; done < where.bytes;) {
    const rows_in_part now = next_piece(where, done, 1);
    const rma_get sent{
        .ranks = ranks_to(where.rank), .where = blocks_of(now), .request = expect_answer(into, done, now.bytes)};
    send(where.rank, packed(key(), sent, now.rows));
    unflushed_[static_cast<std::size_t>(process_of(where.rank))] += now.bytes;
    done += now.bytes;
    keep_within_bounds(by, where.rank);
  }
  if (!waits) return;
  wait(by, where.rank);
  throw_if_refused(by, where.rank);  // what it was to bring is not there
}

void remote_access::accumulate(const call& by, const placed_message& what, const placed_message* before,
                               const place_in_part& where, const combination& how, bool waits) {
  for (std::size_t done = 0; done < where.bytes;) {
    const rows_in_part now = next_piece(where, done, how.element_bytes);
    const rma_accumulate sent{.ranks = ranks_to(where.rank),
                              .where = blocks_of(now),
                              .request = before == nullptr ? 0 : expect_answer(*before, done, now.bytes),
                              .reduction = how.how.identity,
                              .element_bytes = static_cast<std::uint32_t>(how.element_bytes),
                              .how = how.what};
    const std::size_t brings = how.what == combination::kind::none ? 0 : now.bytes;
    send(where.rank, packed(key(), sent, now.rows, brings, [&](std::byte* to) { copy_some(to, what, done, brings); }),
         before == nullptr ? departs_ : departs::at_once);
    done += now.bytes;
    keep_within_bounds(by, where.rank);
  }
  if (!waits || before == nullptr) return;
  wait(by, where.rank);
  throw_if_refused(by, where.rank);
}

void remote_access::compare_and_swap(const call& by, const void* expected, const void* desired, void* before,
                                     const place_in_part& where, bool waits) {
  const std::size_t bytes = where.bytes;
  const rma_compare_swap sent{.ranks = ranks_to(where.rank),
                              .request = expect_answer({before, bytes, nullptr}, 0, bytes),
                              .offset = where.first,
                              .element_bytes = bytes};
  send(where.rank, packed(key(), sent, {}, 2 * bytes, [&](std::byte* to) {
         std::memcpy(to, expected, bytes);
         std::memcpy(to + bytes, desired, bytes);
       }));
  keep_within_bounds(by, where.rank);
  if (!waits) return;
  wait(by, where.rank);
  throw_if_refused(by, where.rank);
}

void remote_access::lock(const call& by, int rank, lock_kind kind) {
  const rma_lock sent{.ranks = ranks_to(rank), .request = expect_answer({}, 0, 0), .how = kind};
  note_holder({});
  const std::string text = to_text(by.operation, by.site);  // for reports of those who wait for it
  send(rank, packed(key(), sent, {}, std::as_bytes(std::span(text))));
}

void remote_access::wait_for_lock(const call& by, int rank) {
  const wait_subject about = of_.lock_at_rank(rank);
  const wait_reason why{.what = by,
                        .waiting_for = lock_of_window_at,
                        .peer = of_.comm().number_of(rank),
                        .tag = wait_reason::no_tag,
                        .subject = &about};
  wait_until(of_.owner(), why, [this] { return are_all_answered(); });
}

void remote_access::note_holder(const lock_note::seen& who) {
  if (of_.tell_holder(who)) of_.owner().notify();  // other processes learn what it sleeps for when it goes to sleep
}

void remote_access::unlock(int rank, lock_kind kind) {
  send(rank, packed(key(), rma_unlock{.ranks = ranks_to(rank), .request = expect_answer({}, 0, 0), .how = kind}));
}

void remote_access::notify(const call& by, int rank, int counter) {
  send(rank, packed(key(), rma_notify{.ranks = ranks_to(rank), .counter = static_cast<std::uint64_t>(counter)}));
  keep_within_bounds(by, rank);
}

void remote_access::end_epoch(int rank) { send(rank, packed(key(), rma_end_epoch{.ranks = ranks_to(rank)})); }

void remote_access::ask_flush(int process) {
  const int rank = rank_at_[static_cast<std::size_t>(process)];
  send_uncounted(process, packed(key(), rma_flush{.ranks = ranks_to(rank), .request = expect_answer({}, 0, 0)}));
  unflushed_[static_cast<std::size_t>(process)] = 0;
}

void remote_access::flush(const call& by, int rank) {
  const int process = process_of(rank);
  if (unflushed_[static_cast<std::size_t>(process)] > 0) ask_flush(process);
  wait(by, rank);
}

void remote_access::flush_all(const call& by) {
  for (std::size_t process = 0; process < unflushed_.size(); ++process) {
    if (unflushed_[process] > 0) ask_flush(static_cast<int>(process));
  }
  wait_for_all(by);
}

void remote_access::wait_for_all(const call& by) {
  // Some rank that is elsewhere, so that the wait polls the network.
  const auto some = std::find_if(rank_at_.begin(), rank_at_.end(),
                                 [&](int rank) { return rank >= 0 && is_elsewhere(rank); });
  wait(by, *some);
}

void remote_access::wait_for_answers(const call& by, int rank, const char* for_what) {
  const wait_reason why{by, for_what, of_.comm().number_of(rank), wait_reason::no_tag};
  wait_until(of_.owner(), why, [this] { return are_all_answered(); });
}

const std::string& remote_access::ask(const call& by, int rank, const rows_in_part& about, std::string_view question) {
  send_question(rank, about, question, &answer_to_question_);
  wait_for_answers(by, rank, "what PURE_CHECK asks the process of");
  return answer_to_question_;
}

void remote_access::send_question(int rank, const rows_in_part& about, std::string_view question,
                                  std::string* answered) {
  open_answer to;
  to.asked = this;
  to.text = answered;
  const rma_question sent{.ranks = ranks_to(rank), .where = blocks_of(about), .request = expect(std::move(to))};
  send_uncounted(process_of(rank), packed(key(), sent, about.rows, std::as_bytes(std::span(question))));
}

void remote_access::wait(const call& by, int rank) { wait_for_answers(by, rank, "its operations on the window at"); }

void remote_access::throw_if_refused(const call& by, int rank) {
  // acquire: the refusal; pairs with the release in refuse()
  if (refusing_.load(std::memory_order_acquire) == 0) return;
  refusal wrong;
  {
    const std::lock_guard lock(noting_);
    wrong = std::exchange(refused_[static_cast<std::size_t>(rank)], {});
  }
  if (wrong.bytes == 0) return;
  refusing_.fetch_sub(1, std::memory_order_relaxed);
  const std::string why = of_.at(rank).why_gone(rank);
  of_.throw_wrong(by, errc::rma_range,
                  why.empty()
                      ? fmt::format("an operation was not done: {} at address {:#x} are not all in memory that "
                                    "rank {} has attached",
                                    counted(wrong.bytes, "byte"), wrong.address, rank)
                      : fmt::format("an operation, on {}, was not done: {}", counted(wrong.bytes, "byte"), why));
}

void remote_access::throw_if_any_was_refused(const call& by) {
  // acquire: as in throw_if_refused()
  if (refusing_.load(std::memory_order_acquire) == 0) return;
  for (int rank = 0; rank < of_.size(); ++rank) throw_if_refused(by, rank);
}

void remote_access::progress() { others_.poll(&of_.owner()); }

void remote_access::answer(const open_answer& to, std::span<const std::byte> data) noexcept {
  if (to.bytes > 0 && data.size() >= to.bytes) {
    copy_laid_out({static_cast<std::byte*>(to.into.base), to.into.form.get()}, to.first, {data.data(), nullptr}, 0,
                  to.bytes);
  }
  if (to.text != nullptr) to.text->assign(reinterpret_cast<const char*>(data.data()), data.size());
  rank_context& owner = to.asked->of_.owner();
  // release: what was written; pairs with the acquire in wait(), after which the object may end
  to.asked->open_.fetch_sub(1, std::memory_order_release);
  owner.notify();
}

void remote_access::payload_has_come(const open_answer& to) noexcept {
  rank_context& owner = to.asked->of_.owner();
  to.asked->open_.fetch_sub(1, std::memory_order_release);      // release: as in answer()
  to.asked->arriving_.fetch_sub(1, std::memory_order_release);  // release: pairs with the acquire in ~remote_access()
  owner.notify();
}

void remote_access::refuse(int rank, std::uint64_t address, std::uint64_t bytes) noexcept {
  if (static_cast<std::size_t>(rank) >= refused_.size()) return;
  const std::lock_guard lock(noting_);
  refusal& its = refused_[static_cast<std::size_t>(rank)];
  if (its.bytes != 0) return;
  its = {address, bytes};
  refusing_.fetch_add(1, std::memory_order_release);  // release: pairs with the acquire in throw_if_refused()
}

}  // namespace pure::core
