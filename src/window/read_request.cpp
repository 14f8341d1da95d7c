#include "window/read_request.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "match/pending_operation.hpp"
#include "match/requests.hpp"
#include "window/window.hpp"
#include "window/window_table.hpp"

namespace pure::core {

namespace {

/// PURE_CHECK: complete when the process of the memory knows that the origin has what it has read.
class checked_read final : public pending_operation {
 public:
  checked_read(const window& of, int rank, std::uint64_t number, rows_in_part where)
      : owner_(of.owner()),
        window_(of.handle()),
        rank_(rank),
        number_of_rank_(of.comm().number_of(rank)),
        number_(number),
        where_(std::move(where)) {}

  bool poll() noexcept override {
    window* const of = window_table::of(owner_).find(window_);
    if (of == nullptr) return true;  // it has been freed
    if (!std::exchange(is_told_, true)) {
      if (is_forgotten_) return true;
      of->tell_observer(&window_observer::read_ends, rank_, number_, where_);
    }
    return of->remote() == nullptr || of->remote()->are_all_answered();
  }
  [[nodiscard]] wait_reason reason(const call& by) const noexcept override {
    return {by, "a read of a window, and what PURE_CHECK asks the process of", number_of_rank_, wait_reason::no_tag};
  }
  /// Nobody says when the program may use the place again: it is complete with all other operations on that rank.
  void forget() noexcept override { is_forgotten_ = true; }
  [[nodiscard]] bool is_of_messages() const noexcept override { return true; }

 private:
  rank_context& owner_;
  const std::uint64_t window_;
  const int rank_;            // of the window
  const int number_of_rank_;  // in the job
  const std::uint64_t number_;
  const rows_in_part where_;
  bool is_told_ = false;
  bool is_forgotten_ = false;
};

/// read(number): does it, under that number for the observer.
template <class Read>
handle start_read(window& of, const call& by, const window_place& where, Read read) {
  window_observer* const observer = of.observer();
  const std::uint64_t number = observer == nullptr ? 0 : observer->next_read();
  read(number);
  of.wait_for_results(by, where.rank);
  if (number == 0 || where.rank == proc_null || where.bytes == 0) return finished_send;
  return of.comm().requests().adopt(
      by, std::make_unique<checked_read>(of, where.rank, number, rows_of(place_in_part_of(of, where))));
}

}  // namespace

handle start_get(window& from, const call& by, const placed_message& into, const window_place& where) {
  return start_read(from, by, where, [&](std::uint64_t number) { get(from, by, into, where, number); });
}

handle start_look(window& at, const call& by, const placed_message& before, const window_place& where,
                  const combination& how) {
  return start_read(at, by, where, [&](std::uint64_t number) { accumulate(at, by, {}, &before, where, how, number); });
}

}  // namespace pure::core
