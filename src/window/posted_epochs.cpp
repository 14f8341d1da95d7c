#include "window/posted_epochs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "comm/point_to_point.hpp"
#include "runtime/call_error.hpp"
#include "runtime/wait.hpp"
#include "window/wait_kinds.hpp"
#include "window/window.hpp"

namespace pure::core {

void posted_epochs::abandon() noexcept {
  for (handle& each : exposed_) of_.comm().requests().abandon(each);
}

void posted_epochs::use_boxes() { places_.resize(static_cast<std::size_t>(of_.size())); }

bool posted_epochs::has_box(int rank) const noexcept {
  return !places_.empty() && of_.at(rank).box != nullptr && !of_.is_addressable(rank);
}

const std::vector<int>& posted_epochs::ranks_of(const call& by, std::span<const int> numbers, known_group& last) const {
  if (std::equal(numbers.begin(), numbers.end(), last.numbers.begin(), last.numbers.end())) return last.ranks;
  const std::vector<int> members = of_.comm().shared().members();
  std::vector<int> ranks;
  ranks.reserve(numbers.size());
  for (const int number : numbers) {
    const auto found = std::find(members.begin(), members.end(), number);
    if (found == members.end())
      of_.throw_wrong(by, errc::group, fmt::format("rank {} of world is in the group, and not in the window", number));
    ranks.push_back(static_cast<int>(found - members.begin()));
  }
  last.numbers.clear();  // not the old ones with new ranks, if there is no memory
  last.ranks = std::move(ranks);
  last.numbers.assign(numbers.begin(), numbers.end());
  return last.ranks;
}

// ---- messages ------------------------------------------------------------------------------------------------------

/// Messages of a window are told from those of others, and of the other end of an epoch, by their tags.
int posted_epochs::tag_of(bool is_end) const noexcept {
  return static_cast<int>((of_.shared().number() * 2 + (is_end ? 1U : 0U)) & 0x7fffffff);
}

/// Without a message's bytes: what the rank has stored before is seen by who has received it.
void posted_epochs::signal(const call& by, int rank, bool is_end) {
  communicator& comm = of_.comm();
  handle sent = comm.requests().start_send(
      by, comm.number_of(rank), {comm.shared().context(traffic::window), of_.rank(), tag_of(is_end)}, nullptr, 0);
  if (sent != finished_send) comm.requests().free_request(by, sent);
}

handle posted_epochs::expect(const call& by, int rank, bool is_end) {
  communicator& comm = of_.comm();
  return comm.requests().start_receive(by, {nullptr, 0, nullptr}, comm.shared().context(traffic::window),
                                       comm.number_of(rank), tag_of(is_end));
}

// ---- the target's side ---------------------------------------------------------------------------------------------

void posted_epochs::post(const call& by, std::span<const int> numbers) {
  const std::vector<int>& origins = ranks_of(by, numbers, post_);
  exposed_.reserve(origins.size());
  of_.tell_observer(&window_observer::epoch_begins);
  for (const int each : origins) {
    if (of_.is_addressable(each)) {
      exposed_.push_back(expect(by, each, true));
    } else {
      ++ends_to_come_;
    }
  }
  for (const int each : origins) {
    if (!has_box(each)) {
      signal(by, each, false);
      continue;
    }
    const int place = exposed_places_ < epoch_box::places ? exposed_places_++ : epoch_box::no_place;
    if (of_.at(each).box->post(of_.rank(), place)) of_.shared().wake_owner(of_.at(each));
  }
}

/// Ends of epochs, by messages behind operations, that have to come.
std::uint64_t posted_epochs::missing_ends() const noexcept {
  return exposed_places_ == 0 ? ends_to_come_ : ends_to_come_ - of_.own().box->ended(exposed_places_);
}

bool posted_epochs::has_ended() {
  communicator& comm = of_.comm();
  return of_.own().control->ended_epochs.count() - ended_epochs_ >= missing_ends() &&
         std::all_of(exposed_.begin(), exposed_.end(), [&](handle each) { return comm.requests().poll(each); });
}

void posted_epochs::wait(const call& by) {
  communicator& comm = of_.comm();
  const wait_reason why{by, end_of_origins_epochs, wait_reason::nobody};
  for (handle& each : exposed_) {
    wait_until(of_.owner(), why, [&] { return comm.requests().poll(each); });
    comm.requests().finish(each);
  }
  exposed_.clear();
  if (ends_to_come_ == 0) return;
  struct condition {
    bool operator()() {
      return has_taken = has_taken || of.of_.own().control->ended_epochs.try_take(of.ended_epochs_, of.missing_ends());
    }
    bool operator()(last_look) {
      if (of.exposed_places_ == 0) return sleeps_in_vain();
      return (*this)() || of.of_.own().box->look_or_sleep([&] { return sleeps_in_vain(); });
    }
    /// Messages that end epochs have a count of their own.
    bool sleeps_in_vain() {
      return has_taken = has_taken ||
                         of.of_.own().control->ended_epochs.try_take_or_sleep(of.ended_epochs_, of.missing_ends());
    }
    posted_epochs& of;
    bool has_taken = false;
  } have_all_come{*this};
  if (!comes_soon(have_all_come)) wait_until(of_.owner(), why, have_all_come);
  take_what_was_put();
  ends_to_come_ = 0;
}

void posted_epochs::take_what_was_put() {
  window_end::target& own = of_.own();
  for (int i = 0; i < exposed_places_; ++i) {
    epoch_box::place& its = own.box->place_of(i);
    // acquire: as in ended(), of one that is filled, whose end has come by a message
    if (its.now.load(std::memory_order_acquire) != epoch_box::state::empty && its.bytes > 0)
      std::memcpy(own.base + its.offset, its.data.data(), its.bytes);
    its.bytes = 0;
    its.now.store(epoch_box::state::empty, std::memory_order_relaxed);  // post() publishes it
  }
  exposed_places_ = 0;
}

// ---- the origin's side ---------------------------------------------------------------------------------------------

const std::vector<int>& posted_epochs::start(const call& by, std::span<const int> numbers) {
  const std::vector<int>& targets = ranks_of(by, numbers, start_);
  std::vector<handle> posts;
  for (const int each : targets) {
    if (!has_box(each)) posts.push_back(expect(by, each, false));
  }
  auto next = posts.begin();
  for (const int each : targets) {
    if (has_box(each)) {
      wait_for_post(by, each);
      continue;
    }
    const wait_reason why{by, post_of_window_by, of_.comm().number_of(each), wait_reason::no_tag, true};
    wait_until(of_.owner(), why, [&] { return of_.comm().requests().poll(*next); });
    of_.comm().requests().finish(*next++);
  }
  return targets;
}

void posted_epochs::wait_for_post(const call& by, int target) {
  given_place& its = places_[static_cast<std::size_t>(target)];
  its = {epoch_box::none, false};
  const wait_reason why{by, post_of_window_by, of_.comm().number_of(target), wait_reason::no_tag, true};
  struct condition {
    bool operator()() { return number != epoch_box::none || (number = box.take_post(target)) != epoch_box::none; }
    bool operator()(last_look) { return box.look_or_sleep(*this); }
    epoch_box& box;
    const int target;
    int& number;
  } has_come{*of_.own().box, target, its.number};
  if (!comes_soon(has_come)) wait_until(of_.owner(), why, has_come);
}

bool posted_epochs::put(const placed_message& what, const place_in_part& where) noexcept {
  if (!has_box(where.rank) || what.form != nullptr || where.form != nullptr || what.bytes > epoch_box::most_bytes_put)
    return false;
  const given_place& its = places_[static_cast<std::size_t>(where.rank)];
  if (its.number == epoch_box::no_place) return false;
  epoch_box::place& place = of_.at(where.rank).box->place_of(its.number);
  if (place.bytes != 0) return false;
  place.bytes = static_cast<std::uint32_t>(what.bytes);
  place.offset = where.first;
  std::memcpy(place.data.data(), what.base, what.bytes);
  return true;
}

void posted_epochs::hand_over_put(const call& by, int rank) {
  if (places_.empty() || places_[static_cast<std::size_t>(rank)].number == epoch_box::no_place) return;
  given_place& its = places_[static_cast<std::size_t>(rank)];
  epoch_box::place& place = of_.at(rank).box->place_of(its.number);
  if (place.bytes == 0) return;
  of_.remote()->put(by, {place.data.data(), place.bytes, nullptr}, {rank, place.offset, place.bytes, nullptr});
  place.bytes = 0;
  its.is_behind_message = true;
}

void posted_epochs::complete(const call& by) {
  for (const int each : start_.ranks) {
    if (of_.is_addressable(each)) {
      signal(by, each, true);
    } else {
      complete_at(each);
    }
  }
}

void posted_epochs::complete_at(int target) {
  if (!has_box(target)) return of_.remote()->end_epoch(target);
  given_place& its = places_[static_cast<std::size_t>(target)];
  epoch_box& box = *of_.at(target).box;
  const given_place was = std::exchange(its, {});
  if (was.number == epoch_box::no_place) return of_.remote()->end_epoch(target);
  epoch_box::place& place = box.place_of(was.number);
  if (box.tell(place, was.is_behind_message ? epoch_box::state::filled : epoch_box::state::ended))
    of_.shared().wake_owner(of_.at(target));
  if (was.is_behind_message) of_.remote()->end_epoch(target);
}

}  // namespace pure::core
