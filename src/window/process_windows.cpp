#include "window/process_windows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "base/datatype.hpp"
#include "coll/operators.hpp"
#include "window/element_operations.hpp"
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

process_windows::process_windows(job& of) : job_(of) { of.others()->handle_by(window_messages, *this); }

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
  for (const int each : processes) job_.others()->send_active_message(each, window_messages, packed(told));
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
  for (const int each : of.spanning()->mapping) job_.others()->send_active_message(each, window_messages, packed(told));
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
  to.add("locks of windows that are still wanted", locks_.size());
  to.add("operations on windows that have not been done", in_turn_.size());
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
    return is_anything_left();
  }
  const rma_message& header = message.header;
  if (header.kind == rma_message_kind::answer || header.kind == rma_message_kind::refused ||
      header.kind == rma_message_kind::held) {
    answer_arrived(message);
    return is_anything_left();
  }
  if (header.kind == rma_message_kind::wake) {
    const std::lock_guard lock(guard_);
    if (window_group* const of = find(header.window)) {
      of->wake_here();
    } else {
      damaged(from);
    }
    return is_anything_left();
  }
  if (in_turn_.is_waiting(from)) {
    in_turn_.keep(from, bytes);
    return true;
  }
  window_group* over = nullptr;
  {
    const std::lock_guard lock(guard_);
    partly_done so_far;
    if (take(from, message, so_far, over) == step::held) in_turn_.keep(from, bytes, std::move(so_far));
  }
  delete over;
  return is_anything_left();
}

process_windows::step process_windows::take(int from, const arrived_rma_message& message, partly_done& so_far,
                                            window_group*& over) {
  const rma_message& header = message.header;
  window_group* const of = find(header.window);
  if (of == nullptr) {
    damaged(from);
  } else if (header.kind == rma_message_kind::leave) {
    window_group::spanning_part& its = *of->spanning();
    if (--its.still_using == 0 && !its.is_used_here) {
      windows_.erase(header.window.value());
      over = of;
    }
  } else if (header.target < 0 || header.target >= of->size() || of->at(header.target).owner == nullptr) {
    damaged(from);
  } else {
    return do_operation(from, *of, message, so_far);
  }
  return step::done;
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
  job_.others()->send_active_message(from, window_messages, packed(told));
}

process_windows::step process_windows::do_operation(int from, window_group& of, const arrived_rma_message& message,
                                                    partly_done& so_far) {
  const rma_message& header = message.header;
  window_group::target& its = of.at(header.target);
  const bool is_dynamic = of.flavor() == window_flavor::dynamic;
  const bool has_place = header.kind <= rma_message_kind::check_written;
  if (has_place && !are_there(its, message, is_dynamic)) {
    const part_end why = its.ended.load(std::memory_order_relaxed);
    const bool is_possible = is_dynamic || why != part_end::none;
    is_possible&& header.rows > 0 ? refuse(from, header, message.row(0), why) : damaged(from);
    return step::done;
  }
  if (is_question(header.kind)) {
    const std::optional<std::string> told = answer_to(of, message);
    told ? send_answer(*job_.others(), from, header, std::as_bytes(std::span(*told))) : damaged(from);
    return step::done;
  }
  const std::span<const std::byte> data = message.data();
  const std::size_t brings = header.kind == rma_message_kind::put            ? header.bytes
                             : header.kind == rma_message_kind::compare_swap ? 2 * header.bytes
                             : header.kind == rma_message_kind::accumulate && header.how != combination::kind::none
                                 ? header.bytes
                                 : 0;
  const bool has_text = header.kind == rma_message_kind::lock;  // of any length
  if (data.size() != brings && !has_text) {
    damaged(from);
    return step::done;
  }
  switch (header.kind) {
    case rma_message_kind::put:
      for_each_block(message, [&](std::ptrdiff_t offset, std::size_t first, std::size_t bytes) {
        std::memcpy(its.place_at(offset), data.data() + first, bytes);
      });
      break;
    case rma_message_kind::get: {
      std::vector<std::byte> found(header.bytes);
      for_each_block(message, [&](std::ptrdiff_t offset, std::size_t first, std::size_t bytes) {
        std::memcpy(found.data() + first, its.place_at(offset), bytes);
      });
      send_answer(*job_.others(), from, header, found);
      break;
    }
    case rma_message_kind::accumulate: return combine(from, of, its, message, so_far);
    case rma_message_kind::compare_swap: return swap(from, of, its, message);
    case rma_message_kind::lock:
      locks_.lock(from, of, header, {reinterpret_cast<const char*>(data.data()), data.size()});
      break;
    case rma_message_kind::unlock: locks_.unlock(from, of, header); break;
    case rma_message_kind::flush: send_answer(*job_.others(), from, header); break;
    case rma_message_kind::notify:
      if (header.detail >= target_control::notifications) {
        damaged(from);
      } else if (its.control->notified[header.detail].add()) {
        its.owner->notify();
      }
      break;
    default: damaged(from);
  }
  return step::done;
}

process_windows::step process_windows::swap(int from, window_group& of, window_group::target& its,
                                            const arrived_rma_message& message) {
  const std::size_t bytes = message.header.bytes;
  if (bytes > largest_element) {
    damaged(from);
    return step::done;
  }
  const std::byte* const data = message.data().data();
  std::array<std::byte, largest_element> before{};
  const element_piece there = first_piece(of, its, its.place_at(message.row(0).offset), bytes, bytes);
  if (!swap_element(tried_stripes(of, its), there, data, data + bytes, before.data())) return step::held;
  send_answer(*job_.others(), from, message.header, std::span(before).first(bytes));
  return step::done;
}

/// From `so_far` on.
process_windows::step process_windows::combine(int from, window_group& of, window_group::target& its,
                                               const arrived_rma_message& message, partly_done& so_far) {
  const rma_message& header = message.header;
  const std::size_t element = header.element_bytes;
  combination how{.what = header.how, .how = {}, .element_bytes = element};
  if (element == 0 || element > largest_element || header.bytes % element != 0 ||
      (how.what == combination::kind::combine && !find_by_identity(header.reduction, how.how))) {
    damaged(from);
    return step::done;
  }
  const elements each{how, alignment_for(element)};
  stripe_room of_origin, of_result;
  so_far.before.resize(header.wants_before != 0 ? header.bytes : 0);
  bool is_held = false;
  for_each_block(message, [&](std::ptrdiff_t offset, std::size_t first, std::size_t bytes) {
    while (!is_held && so_far.bytes < first + bytes) {
      const std::size_t done = so_far.bytes - first;
      const element_piece now = first_piece(of, its, its.place_at(offset) + done, bytes - done, element);
      if (how.what != combination::kind::none)
        std::memcpy(of_origin.bytes, message.data().data() + so_far.bytes, now.bytes);
      std::byte* const before = so_far.before.empty() ? nullptr : of_result.bytes;
      is_held = !accumulate_piece(tried_stripes(of, its), each, now, of_origin.bytes, before);
      if (is_held) return;
      if (before != nullptr) std::memcpy(so_far.before.data() + so_far.bytes, before, now.bytes);
      so_far.bytes += now.bytes;
    }
  });
  if (is_held) return step::held;
  send_answer(*job_.others(), from, header, so_far.before);
  return step::done;
}

bool process_windows::resume() noexcept {
  std::vector<std::unique_ptr<window_group>> over;
  {
    const std::lock_guard lock(guard_);
    locks_.resume();
    in_turn_.resume([&](int from, std::span<const std::byte> bytes, partly_done& so_far) {
      window_group* ended = nullptr;
      const bool is_done = take(from, arrived_rma_message(bytes), so_far, ended) == step::done;
      if (ended != nullptr) over.emplace_back(ended);
      return is_done;
    });
  }
  return is_anything_left();
}

}  // namespace pure::core
