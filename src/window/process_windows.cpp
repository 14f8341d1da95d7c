#include "window/process_windows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/datatype.hpp"
#include "coll/operators.hpp"
#include "runtime/wait.hpp"
#include "window/held_stripes.hpp"
#include "window/remote_checks.hpp"

namespace pure::core {

namespace {

/// Goes over the blocks of a message: visit(offset, first byte of the data, bytes).
template <class Visit>
void for_each_block(const arrived_rma_message& message, Visit visit) {
  std::size_t done = 0;
  for (std::size_t i = 0; i < message.header.rows; ++i) {
    const block_row row = message.row(i);
    for (std::size_t block = 0; block < row.count; ++block) {
      visit(row.offset_of(block), done, row.bytes);
      done += row.bytes;
    }
  }
}

/// A reduction by the name that all processes know (coll/operators.hpp).
bool find_by_identity(std::uint64_t identity, detail::reduction& found) noexcept {
  const auto op = static_cast<pure_op>(identity >> 32);
  const auto type = static_cast<pure_datatype>(identity & 0xffffffff);
  return size_of_type(type) != 0 && find_reduction(op, type, found);
}

}  // namespace

process_windows::process_windows(job& of) : job_(of) { of.others()->handle_by(active_message_for::windows, *this); }

process_windows::~process_windows() {
  for (const auto& [key, each] : windows_) delete each;
}

// ---- the ranks' side -----------------------------------------------------------------------------------------------

void process_windows::add(window_group& made) {
  const std::lock_guard lock(guard_);
  made.spanning()->still_using = made.spanning()->processes.size();
  windows_.emplace(made.spanning()->key.value(), &made);
}

void process_windows::drop(window_group& unused) {
  const std::lock_guard lock(guard_);
  windows_.erase(unused.spanning()->key.value());
}

void process_windows::leave(window_group& unused) noexcept {
  window_group::spanning_part& its = *unused.spanning();
  rma_message told;
  told.kind = rma_message_kind::leave;
  told.window = its.key;
  const std::vector<int> processes = its.processes;
  bool is_over = false;
  {
    const std::lock_guard lock(guard_);
    its.is_used_here = false;
    is_over = its.still_using == 0 || windows_.count(its.key.value()) == 0;
    if (is_over) windows_.erase(its.key.value());
  }
  for (const int each : processes) job_.others()->send_active_message(each, active_message_for::windows, packed(told));
  if (is_over) delete &unused;
}

void process_windows::end_part(window_group& of, int rank, part_end why) noexcept {
  const std::lock_guard lock(guard_);
  of.at(rank).end(why);
}

void process_windows::wake_elsewhere(const window_group& of) noexcept {
  rma_message told;
  told.kind = rma_message_kind::wake;
  told.window = of.spanning()->key;
  for (const int each : of.spanning()->mapping)
    job_.others()->send_active_message(each, active_message_for::windows, packed(told));
}

void process_windows::add_origin(window_group& of, int rank, remote_access* origin) noexcept {
  const std::lock_guard lock(guard_);
  of.spanning()->origins[static_cast<std::size_t>(rank)] = origin;
}

std::uint64_t process_windows::open_request(remote_access::open_answer to) {
  const std::lock_guard lock(guard_);
  requests_.emplace(++last_request_, std::move(to));
  return last_request_;
}

void process_windows::forget_requests_of(const remote_access& ended) noexcept {
  const std::lock_guard lock(guard_);
  std::erase_if(requests_, [&](const auto& each) { return each.second.asked == &ended; });
}

void process_windows::add_open_accounts(open_accounts& to) {
  const std::lock_guard lock(guard_);
  to.add("windows that some process has not left", windows_.size());
  to.add("requests about windows without an answer", requests_.size());
  to.add("locks of windows that are still wanted", waiting_.size());
}

// ---- what other processes ask for ----------------------------------------------------------------------------------

void process_windows::damaged(int from) noexcept {
  job_.fail(fmt::format("a message about a window, of process {} to process {}, makes no sense: are both of the same "
                        "version of Pure?",
                        from, job_.others()->process()),
            1);
}

window_group* process_windows::find(window_key key) noexcept {
  const auto found = windows_.find(key.value());
  return found == windows_.end() ? nullptr : found->second;
}

bool process_windows::handle(int from, std::span<const std::byte> bytes) noexcept {
  const arrived_rma_message message(bytes);
  if (!message.is_whole()) {
    damaged(from);
    return false;
  }
  const rma_message& header = message.header;
  if (header.kind == rma_message_kind::answer || header.kind == rma_message_kind::refused ||
      header.kind == rma_message_kind::held) {
    answer_arrived(message);
    return !waiting_.empty();
  }
  window_group* over = nullptr;
  {
    const std::lock_guard lock(guard_);
    window_group* const of = find(header.window);
    if (of == nullptr) {
      damaged(from);
    } else if (header.kind == rma_message_kind::wake) {
      of->wake_here();
    } else if (header.kind == rma_message_kind::leave) {
      window_group::spanning_part& its = *of->spanning();
      if (--its.still_using == 0 && !its.is_used_here) {
        windows_.erase(header.window.value());
        over = of;
      }
    } else if (header.target < 0 || header.target >= of->size() || of->at(header.target).owner == nullptr) {
      damaged(from);
    } else {
      do_operation(from, *of, message);
    }
  }
  delete over;
  return !waiting_.empty();
}

void process_windows::answer_arrived(const arrived_rma_message& message) noexcept {
  const rma_message& header = message.header;
  const std::lock_guard lock(guard_);
  if (header.kind != rma_message_kind::answer) {
    window_group* const of = find(header.window);
    remote_access* const origin = of != nullptr && header.origin >= 0 && header.origin < of->size() &&
                                          header.target >= 0 && header.target < of->size()
                                      ? of->spanning()->origins[static_cast<std::size_t>(header.origin)]
                                      : nullptr;
    if (header.kind == rma_message_kind::held) {  // its request is still open
      lock_note::seen who;
      if (message.data().size() < sizeof who) return;
      std::memcpy(&who, message.data().data(), sizeof who);
      if (origin != nullptr && who.rank >= -1 && who.rank < of->size()) origin->note_holder(who);
      return;
    }
    if (origin != nullptr) {
      const auto why = static_cast<part_end>(header.detail);
      if (why == part_end::given_up || why == part_end::main_ended) of->at(header.target).end(why);
      origin->refuse(header.target, header.reduction, header.bytes);
    }
  }
  const auto found = requests_.find(header.request);
  if (found == requests_.end()) return;  // a flush, or nobody waits any more
  const auto node = requests_.extract(found);
  remote_access::answer(node.mapped(), message.data());
}

bool process_windows::are_there(window_group::target& its, const arrived_rma_message& message,
                                bool is_dynamic) const noexcept {
  const rma_message& header = message.header;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < header.rows; ++i) {
    const block_row row = message.row(i);
    bytes += row.packed_bytes();
    if (row.count == 0 || row.bytes == 0) return false;
    for (const std::size_t block : {std::size_t{0}, row.count - 1}) {
      const std::ptrdiff_t first = row.offset_of(block);
      if (is_dynamic) continue;
      if (first < 0 || row.bytes > its.bytes || static_cast<std::size_t>(first) > its.bytes - row.bytes) return false;
    }
    for (std::size_t block = 0; is_dynamic && block < row.count; ++block) {
      if (!its.attached.contains(reinterpret_cast<const std::byte*>(row.offset_of(block)), row.bytes)) return false;
    }
  }
  return bytes == header.bytes;
}

void process_windows::refuse(int from, const rma_message& header, const block_row& first, part_end why) {
  rma_message told = header;
  told.kind = rma_message_kind::refused;
  told.detail = static_cast<std::uint8_t>(why);
  told.rows = 0;
  told.reduction = static_cast<std::uint64_t>(first.offset);
  job_.others()->send_active_message(from, active_message_for::windows, packed(told));
}

void process_windows::answer(int from, const rma_message& to, std::span<const std::byte> data) {
  if (to.request == 0) return;
  rma_message told;
  told.kind = rma_message_kind::answer;
  told.window = to.window;
  told.request = to.request;
  told.bytes = data.size();
  job_.others()->send_active_message(from, active_message_for::windows, packed(told, {}, data));
}

void process_windows::do_operation(int from, window_group& of, const arrived_rma_message& message) {
  const rma_message& header = message.header;
  window_group::target& its = of.at(header.target);
  const bool is_dynamic = of.flavor() == window_flavor::dynamic;
  const bool has_place = header.kind <= rma_message_kind::check_written;
  if (has_place && !are_there(its, message, is_dynamic)) {
    const part_end why = its.ended.load(std::memory_order_relaxed);
    const bool is_possible = is_dynamic || why != part_end::none;
    return is_possible && header.rows > 0 ? refuse(from, header, message.row(0), why) : damaged(from);
  }
  if (is_question(header.kind)) {
    const std::optional<std::string> told = answer_to(of, message);
    return told ? answer(from, header, std::as_bytes(std::span(*told))) : damaged(from);
  }
  const std::span<const std::byte> data = message.data();
  const std::size_t brings = header.kind == rma_message_kind::put            ? header.bytes
                             : header.kind == rma_message_kind::compare_swap ? 2 * header.bytes
                             : header.kind == rma_message_kind::accumulate && header.how != combination::kind::none
                                 ? header.bytes
                                 : 0;
  const bool has_text = header.kind == rma_message_kind::lock;  // of any length
  if (data.size() != brings && !has_text) return damaged(from);
  switch (header.kind) {
    case rma_message_kind::put:
      for_each_block(message, [&](std::ptrdiff_t offset, std::size_t first, std::size_t bytes) {
        std::memcpy(its.place_at(offset), data.data() + first, bytes);
      });
      return;
    case rma_message_kind::get: {
      std::vector<std::byte> found(header.bytes);
      for_each_block(message, [&](std::ptrdiff_t offset, std::size_t first, std::size_t bytes) {
        std::memcpy(found.data() + first, its.place_at(offset), bytes);
      });
      return answer(from, header, found);
    }
    case rma_message_kind::accumulate: {
      std::vector<std::byte> before(header.wants_before != 0 ? header.bytes : 0);
      combine(from, of, its, message, before.empty() ? nullptr : before.data());
      return answer(from, header, before);
    }
    case rma_message_kind::compare_swap: {
      const std::size_t bytes = header.bytes;
      if (bytes > largest_element) return damaged(from);
      std::byte* const at = its.place_at(message.row(0).offset);
      std::array<std::byte, largest_element> before{};
      const auto swap = [&](const void* old, void* made) {
        std::memcpy(made, std::memcmp(old, data.data(), bytes) == 0 ? data.data() + bytes : old, bytes);
      };
      if (uses_instructions(of, at, bytes)) {
        change_atomically(at, bytes, before.data(), swap);
      } else {
        const held_stripes held(of, its.control->stripes_of(static_cast<std::size_t>(at - its.base), bytes), job_);
        if (!held.is_mine()) return;  // the job ends
        std::array<std::byte, largest_element> made{};
        std::memcpy(before.data(), at, bytes);
        swap(before.data(), made.data());
        std::memcpy(at, made.data(), bytes);
      }
      return answer(from, header, std::span(before).first(bytes));
    }
    case rma_message_kind::lock: {
      const auto kind = static_cast<lock_kind>(header.detail);
      const std::span<const std::byte> text = message.data();
      return try_lock({&of, {kind}, header, from, {reinterpret_cast<const char*>(text.data()), text.size()}, {}});
    }
    case rma_message_kind::unlock: return unlock(from, of, header);
    case rma_message_kind::flush: return answer(from, header);
    case rma_message_kind::notify:
      if (header.detail >= target_control::notifications) return damaged(from);
      if (its.control->notified[header.detail].add()) its.owner->notify();
      return;
    default: damaged(from);
  }
}

/// Each element as the ranks here do it (operations.cpp), but by a thread that cannot wait.
void process_windows::combine(int from, window_group& of, window_group::target& its, const arrived_rma_message& message,
                              std::byte* before) {
  const rma_message& header = message.header;
  const std::size_t element = header.element_bytes;
  combination how{.what = header.how, .how = {}, .element_bytes = element};
  if (element == 0 || element > largest_element || header.bytes % element != 0 ||
      (how.what == combination::kind::combine && !find_by_identity(header.reduction, how.how)))
    return damaged(from);
  const elements each{how, alignment_for(element)};
  stripe_room of_origin, of_result;
  for_each_block(message, [&](std::ptrdiff_t offset, std::size_t first, std::size_t bytes) {
    std::byte* const block = its.place_at(offset);
    for (std::size_t done = 0; done < bytes;) {
      std::byte* const place = block + done;
      const auto at = static_cast<std::size_t>(place - its.base);
      const bool by_instruction = uses_instructions(of, place, element);
      const std::size_t now = by_instruction ? element : std::min(bytes - done, left_in_stripe(at, element));
      if (how.what != combination::kind::none) std::memcpy(of_origin.bytes, message.data().data() + first + done, now);
      if (by_instruction) {
        accumulate_by_instruction(each, place, element, of_origin.bytes, before == nullptr ? nullptr : of_result.bytes);
      } else {
        const held_stripes held(of, its.control->stripes_of(at, now), job_);
        if (!held.is_mine()) return;  // the job ends
        if (before != nullptr) std::memcpy(of_result.bytes, place, now);
        each.combine(place, of_origin.bytes, now);
      }
      if (before != nullptr) std::memcpy(before + first + done, of_result.bytes, now);
      done += now;
    }
  });
}

// ---- locks ---------------------------------------------------------------------------------------------------------

bool process_windows::has_locked(waiting_lock& wanted) {
  window_group::target& its = wanted.of->at(wanted.wanted.target);
  const window_lock::outcome how = its.control->lock.try_lock(wanted.tried);
  if (how == window_lock::outcome::vain) {
    tell_holder(wanted);
    return false;
  }
  if (wanted.tried.kind == lock_kind::exclusive) its.control->holder.write(wanted.wanted.origin, wanted.call);
  if (how == window_lock::outcome::locked_and_wake) wanted.of->wake_all();
  answer(wanted.from, wanted.wanted);
  return true;
}

/// Reports of a rank that waits for ever say who it waits for.
void process_windows::tell_holder(waiting_lock& wanted) {
  const lock_note::seen who = wanted.of->at(wanted.wanted.target).control->holder.read();
  if (who == wanted.told_holder) return;
  wanted.told_holder = who;
  rma_message told = wanted.wanted;
  told.kind = rma_message_kind::held;
  told.rows = 0;
  job_.others()->send_active_message(wanted.from, active_message_for::windows,
                                     packed(told, {}, std::as_bytes(std::span(&who, 1))));
}

void process_windows::try_lock(waiting_lock wanted) {
  if (!has_locked(wanted)) waiting_.push_back(std::move(wanted));
}

void process_windows::unlock(int from, window_group& of, const rma_message& header) {
  window_group::target& its = of.at(header.target);
  const auto kind = static_cast<lock_kind>(header.detail);
  if (kind == lock_kind::exclusive) its.control->holder.wipe();
  if (its.control->lock.unlock(kind)) of.wake_all();
  answer(from, header);
}

bool process_windows::resume() noexcept {
  const std::lock_guard lock(guard_);
  std::erase_if(waiting_, [&](waiting_lock& each) { return has_locked(each); });
  return !waiting_.empty();
}

}  // namespace pure::core
