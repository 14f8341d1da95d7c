#include "window/process_windows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <type_traits>
#include <utility>

#include "runtime/wait.hpp"

namespace pure::core {

namespace {

bool is_rank_of(const window_group& of, int rank) noexcept { return rank >= 0 && rank < of.size(); }

/// Messages that are heard when they come, whatever waits for its turn: they speak of what ranks here have asked for,
/// or may look at.
template <class Message>
constexpr bool is_heard_at_once = Message::kind >= rma_kind::answer&& Message::kind <= rma_kind::wake;

}  // namespace

process_windows::process_windows(job& of) : job_(of) { of.others()->handle_by(window_messages, *this); }

process_windows::~process_windows() {
  for (const auto& [key, each] : windows_) delete each.group;
}

// ---- the ranks' side -----------------------------------------------------------------------------------------------

void process_windows::add(window_group& made) {
  const std::lock_guard lock(guard_);
  made.spanning()->still_using = made.spanning()->processes.size();
  windows_.emplace(made.spanning()->key.value(),
                   known_window{&made, std::vector<remote_access*>(static_cast<std::size_t>(made.size()))});
}

void process_windows::drop(window_group& unused) {
  const std::lock_guard lock(guard_);
  windows_.erase(unused.spanning()->key.value());
}

void process_windows::leave(window_group& unused) noexcept {
  window_group::spanning_part& its = *unused.spanning();
  const window_key key = its.key;
  const std::vector<int> processes = its.processes;
  bool is_over = false;
  if (its.boxes != nullptr) its.boxes->give_back(its.box);
  {
    const std::lock_guard lock(guard_);
    its.is_used_here = false;
    is_over = its.still_using == 0 || windows_.count(its.key.value()) == 0;
    if (is_over) windows_.erase(its.key.value());
  }
  for (const int each : processes) job_.others()->send_active_message(each, window_messages, packed(key, rma_leave{}));
  if (is_over) delete &unused;
}

void process_windows::end_part(window_group& of, int rank, part_end why) noexcept {
  window_group::target& its = of.at(rank);
  {
    const std::lock_guard lock(guard_);
    its.end(why);
  }
  // wait_until() throws when the job has failed, and a part may end in a destructor.
  // acquire: what has come; pairs with the release in part_payloads::moving::has_moved()
  while (its.payloads.load(std::memory_order_acquire) > 0 && !job_.ending()) {
    job_.others()->poll(its.owner);
    let_others_run(*its.owner);
  }
}

void process_windows::wake_elsewhere(const window_group& of) noexcept {
  const window_group::spanning_part& its = *of.spanning();
  for (const int each : its.mapping)
    job_.others()->send_active_message(each, window_messages, packed(its.key, rma_wake{}));
}

void process_windows::add_origin(window_group& of, int rank, remote_access* origin) noexcept {
  const std::lock_guard lock(guard_);
  const auto found = windows_.find(of.spanning()->key.value());
  if (found != windows_.end()) found->second.origins[static_cast<std::size_t>(rank)] = origin;
}

std::uint64_t process_windows::open_request(open_answer to) {
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
  to.add("locks of windows that are still wanted", operations_.locks().size());
  to.add("operations on windows that have not been done", in_turn_.size());
}

// ---- what other processes ask for ----------------------------------------------------------------------------------

void process_windows::damaged(int from) noexcept {
  job_.fail(fmt::format("a message about a window, of process {} to process {}, makes no sense: are both of the same "
                        "version of Pure?",
                        from, job_.others()->process()),
            1);
}

void process_windows::lacks_memory(int from) noexcept {
  job_.fail(fmt::format("process {}: out of memory: for an operation on a window, of process {}",
                        job_.others()->process(), from),
            1);
}

window_group* process_windows::find(window_key key) noexcept {
  const auto found = windows_.find(key.value());
  return found == windows_.end() ? nullptr : found->second.group;
}

bool process_windows::handle(int from, std::span<const std::byte> bytes) noexcept {
  try {
    const std::lock_guard lock(guard_);
    const bool makes_sense = read_rma_message(bytes, [&](const auto& message) { return take(from, message, bytes); });
    if (!makes_sense) damaged(from);
  } catch (const std::bad_alloc&) {
    lacks_memory(from);
  }
  delete_ended();
  return is_anything_left();
}

bool process_windows::resume() noexcept {
  {
    const std::lock_guard lock(guard_);
    operations_.locks().resume();
    in_turn_.resume([&](int from, std::span<const std::byte> bytes, partly_done& so_far) {
      step its = step::senseless;
      static_cast<void>(read_rma_message(bytes, [&]<class Message>(const arrived_rma<Message>& message) {
        if constexpr (!is_heard_at_once<Message>) its = take_turn(from, message, so_far);
        return true;
      }));
      if (its == step::senseless) damaged(from);
      return its != step::held;
    });
  }
  delete_ended();
  return is_anything_left();
}

/// The memory of windows is given back when nothing is locked.
void process_windows::delete_ended() noexcept {
  for (window_group* const each : ended_) delete each;
  ended_.clear();
}

template <class Message>
bool process_windows::take(int from, const arrived_rma<Message>& message, std::span<const std::byte> bytes) {
  if constexpr (is_heard_at_once<Message>) {
    return hear(from, message);
  } else {
    partly_done so_far;
    const bool is_behind = in_turn_.is_waiting(from);
    if constexpr (std::is_same_v<Message, rma_large_put>) {
      if (is_behind) operations_.keep_payload(from, message.what, so_far);
    }
    const step its = is_behind ? step::held : take_turn(from, message, so_far);
    if (its == step::held) in_turn_.keep(from, bytes, std::move(so_far));
    return its != step::senseless;
  }
}

process_windows::step process_windows::take_turn(int from, const arrived_rma<rma_leave>& message,
                                                 partly_done& /*so_far*/) {
  if (operations_.is_moving(from)) return step::held;
  window_group* const of = find(message.window);
  if (of == nullptr) return step::senseless;
  window_group::spanning_part& its = *of->spanning();
  if (--its.still_using == 0 && !its.is_used_here) {
    windows_.erase(message.window.value());
    ended_.push_back(of);
  }
  return step::done;
}

template <class Message>
process_windows::step process_windows::take_turn(int from, const arrived_rma<Message>& message, partly_done& so_far) {
  window_group* const of = find(message.window);
  const rma_ranks& ranks = message.what.ranks;
  if (of == nullptr || !is_rank_of(*of, ranks.origin) || !is_rank_of(*of, ranks.target) ||
      of->at(ranks.target).owner == nullptr)
    return step::senseless;
  return operations_.act(from, *of, message, so_far);
}

// ---- what they tell of what was asked for ---------------------------------------------------------------------------

bool process_windows::hear(int /*from*/, const arrived_rma<rma_wake>& message) {
  window_group* const of = find(message.window);
  if (of != nullptr) of->wake_here();
  return of != nullptr;
}

/// Null: it is no rank here that has a way to other processes, or has none any more.
remote_access* process_windows::origin_of(window_key window, const rma_ranks& ranks) noexcept {
  window_group* const of = find(window);
  if (of == nullptr || !is_rank_of(*of, ranks.origin) || !is_rank_of(*of, ranks.target)) return nullptr;
  return windows_.find(window.value())->second.origins[static_cast<std::size_t>(ranks.origin)];
}

bool process_windows::hear(int /*from*/, const arrived_rma<rma_held>& message) {
  remote_access* const origin = origin_of(message.window, message.what.ranks);
  if (origin == nullptr) return true;  // the window has been freed meanwhile
  if (message.what.who.rank >= find(message.window)->size()) return false;
  origin->note_holder(message.what.who);
  return true;
}

bool process_windows::hear(int /*from*/, const arrived_rma<rma_refused>& message) {
  const rma_refused& what = message.what;
  if (remote_access* const origin = origin_of(message.window, what.ranks)) {
    if (what.why != part_end::none) find(message.window)->at(what.ranks.target).end(what.why);
    origin->refuse(what.ranks.target, static_cast<std::uint64_t>(what.offset), what.bytes);
  }
  if (what.request != 0) answer_request(what.request, {});
  return true;
}

bool process_windows::hear(int /*from*/, const arrived_rma<rma_answer>& message) {
  answer_request(message.what.request, message.data);
  return true;
}

bool process_windows::hear(int from, const arrived_rma<rma_large_answer>& message) {
  const auto found = requests_.find(message.what.request);
  open_answer to;  // nobody waits any more
  if (found != requests_.end()) {
    if (found->second.bytes != message.what.bytes) return false;
    to = std::move(requests_.extract(found).mapped());
  }
  job_.others()->receive_payload(from, arriving_.add(std::move(to), message.what.bytes));
  return true;
}

void process_windows::answer_request(rma_request request, std::span<const std::byte> data) {
  const auto found = requests_.find(request);
  if (found == requests_.end()) return;  // nobody waits any more
  const auto node = requests_.extract(found);
  remote_access::answer(node.mapped(), data);
}

}  // namespace pure::core
