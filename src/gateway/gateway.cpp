// Modelled by tests/model/network_lock.pml.
#include "gateway/gateway.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "runtime/cut_off_job.hpp"
#include "runtime/job.hpp"

namespace pure::core {

namespace {

/// Of the payloads that travel with their envelopes through a network that copies a larger one at once to where it
/// belongs. `eager_bytes`: above, such a message takes as long as the payload by itself, and is then copied once more.
std::size_t most_inside_if_fast(std::size_t eager_bytes) noexcept {
  constexpr std::size_t usual = sizeof(wire_note) + std::size_t{8} * 1024;
  constexpr std::size_t at_least = 256;  // for entries with notes
  if (eager_bytes < at_least) return usual;
  return std::min(usual, wire::largest_payload(eager_bytes));
}

}  // namespace

gateway_context::gateway_context(int own_process, const rank_placement& of_ranks, network& over)
    : net(over),
      process(own_process),
      placement(of_ranks),
      largest_inside(wire::largest_payload(over.peers().message_bytes)),
      largest_inside_if_fast(std::min(largest_inside, most_inside_if_fast(over.peers().eager_bytes))),
      peers(static_cast<std::size_t>(over.peers().processes)) {}

void gateway_context::damaged(int from_process) const {
  running->fail(fmt::format("a message of process {} to process {} is damaged, or of another version of Pure",
                            from_process, process),
                1);
}

void gateway_context::damaged(int from, int to, int tag, std::size_t bytes) const {
  running->fail(
      fmt::format(
          "rank {} has sent {} bytes with tag {} to rank {}, and other bytes have come from process {} to process "
          "{}: they were damaged on the way (by {}), which is a fault there, or in Pure",
          from, bytes, tag, to, placement.process_of(from), process, net.peers().library),
      1);
}

void gateway_context::add_open_accounts(open_accounts& to) const {
  to.add("payloads on their way", payloads_on_their_way.read());
  to.add("named messages that have been handed over", handed_over.named());
  for (const auto& end : ends) {
    to.add("senders without room in the network", end->unfinished.size());
    to.add("senders without room in their ring", end->full.size());
    to.add("sends that are asked back", end->asked_back.size());
    end->in.for_each([&](in_link& link) {
      to.add("messages without room in their ring", link.waiting.size());
      to.add("holds of a pair", link.holds);
      to.add("messages behind a run", link.run.behind.size());
      link.streams.for_each([&](const in_stream& each) {
        to.add("messages of a stream whose envelopes have not come", each.owed);
        to.add("messages of a run before which one is missing", each.ahead);
        to.add("payloads of a stream without a receive", each.unposted);
      });
    });
  }
  for (const peer& each : peers) {
    to.add("packets that have not been dealt with", each.arrived - each.dealt_with);
    to.add("payloads without a receive", each.unposted.size());
  }
}

gateway::gateway(rank_placement placement_of_ranks, network& over, std::vector<early_packet> arrived)
    : remote_ranks(over.peers().process, std::move(placement_of_ranks)),
      context_(process(), placement(), over),
      early_(std::move(arrived)) {}

gateway::~gateway() {
  for (const auto& end : context_.ends) {
    end->in.for_each([](const in_link& link) { delete &link; });
    outbox::adopt_announced(*end);  // which then destroys what a rank has made in its last moments
  }
}

void gateway::add_open_accounts(open_accounts& to) {
  context_.add_open_accounts(to);
  packets_.add_open_accounts(to);
  out_.add_open_accounts(to);
  payloads_.add_open_accounts(to);
  foreseen_.add_open_accounts(to);
  runs_.add_open_accounts(to);
  control_.add_open_accounts(to);
  active_payloads_.add_open_accounts(to);
}

void gateway::attach(job& of) {
  context_.running = &of;
  context_.ring_bytes = of.values().ring_bytes;
  context_.is_checked = of.values().check;
  context_.ways = special_ways::without(of.values().net_without);
  if (!context_.ways.pacing) context_.pace.never_waits();
  texts_.make_logs(of.size());
  for (int index = 0; index < of.ranks_here(); ++index) {
    context_.ends.push_back(std::make_unique<local_end>());
    context_.ends.back()->rank = &of.worker(index);
  }
  for (const early_packet& each : early_)
    message_arrived(each.from_process, each.tag, each.bytes.data(), each.bytes.size());
  early_.clear();
}

void gateway::abort(int status) noexcept {
  run_apart([&] { context_.net.abort(status); });
  __builtin_unreachable();
}

void gateway::ring_for(int) noexcept {
  // Whoever notifies a proxy has left something, or has seen something, in what it shares with that process. Only
  // ranks do; a helper that ends a copy does it for the rank whose task that is.
  const rank_context* const caller = rank_of_thread();
  if (caller != nullptr && caller->index() < context_.running->ranks_here()) {
    left_by_rank(context_.end_of(*caller), nullptr);
  } else {
    for (const auto& each : context_.ends) gateway_context::say_work(*each);
    leave_work();
  }
}

/// By the rank whose end it is; null: not a message.
void gateway::left_by_rank(local_end& end, out_link* with_message) noexcept {
  if (!context_.pace.is_too_soon() || ++end.left_for_later % most_left_for_later == 0)
    return serve_own(end, with_message);
  if (with_message != nullptr) outbox::list(*with_message);
  leave_for_later(end);
}

/// Work that may wait until more has come to travel with it: for the next that polls, which may be the calling rank; or
/// else for the watch, which is woken for that.
void gateway::leave_for_later(local_end& end) noexcept {
  gateway_context::say_work(end);
  // seq_cst, both: as in leave_work(). The first for a holder of the network lock who has not looked at this end yet,
  // the second for one who gives the lock back just before the watch tries to take it.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // acq_rel: as in leave_work(); if it was set, whoever comes for that finds this, too
  if (context_.has_work.exchange(true, std::memory_order_acq_rel)) return;
  // seq_cst: as in leave_work(), and pairs with the fence in monitor::sleep()
  std::atomic_thread_fence(std::memory_order_seq_cst);
  context_.running->network_needs_a_look();
}

/// The calling rank has left work at its end: if the lock is free, it need not say so, and does just that.
void gateway::serve_own(local_end& end, out_link* with_message) noexcept {
  bool is_done = false;
  {
    const network_visit visit(lock_);
    if (visit) {
      work_at(end);
      if (with_message != nullptr) out_.forward_from(*with_message);
      send_off();
      is_done = true;
    }
  }
  if (is_done) return serve_newcomers();
  if (with_message != nullptr) outbox::list(*with_message);
  gateway_context::say_work(end);
  leave_work();
}

/// After the caller has said which end has work.
void gateway::leave_work() noexcept {
  // release: not before what its end says; pairs with the fence in work()
  context_.has_work.store(true, std::memory_order_release);
  // seq_cst: the work before, the look at the lock after; pairs with the one in serve()
  std::atomic_thread_fence(std::memory_order_seq_cst);
  serve();
}

/// Does what has been left, unless another thread does: then that one looks again.
void gateway::serve() noexcept {
  do {
    {
      const network_visit visit(lock_);
      if (!visit) return;
      work();
    }
    // seq_cst: the lock has been given back before, the look after; pairs with the one in leave_work()
    std::atomic_thread_fence(std::memory_order_seq_cst);
  } while (context_.has_work.load(std::memory_order_relaxed));
}

/// By who has given the lock back: does what has been left meanwhile.
void gateway::serve_newcomers() noexcept {
  // seq_cst: as in serve()
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (context_.has_work.load(std::memory_order_relaxed)) serve();
}

int gateway::host_of(int process) const noexcept {
  return context_.net.peers().host_of[static_cast<std::size_t>(process)];
}

bool gateway::try_keep_network() {
  if (!lock_.try_take()) return false;
  work();
  if (std::all_of(context_.ends.begin(), context_.ends.end(), [](const auto& end) { return end->unfinished.empty(); }))
    return true;
  let_network_go();
  poll(nullptr);  // too many packets are on their way
  return false;
}

void gateway::let_network_go() noexcept {
  lock_.give_back();
  serve_newcomers();
}

bool gateway::poll(rank_context* calling) {
  bool moved = false;
  {
    const network_visit visit(lock_);
    if (!visit) return false;
    moved = is_anything_left() && work();
    context_.polls = calling;
    if (calling != nullptr) ++polls_of_ranks_;
    bool has_moved = runs_.lacks_receive() && runs_.look_after();
    has_moved |= context_.net.poll(*this);
    context_.polls = nullptr;
    if (has_moved) {
      moved = true;
      if (is_anything_left()) work();  // what has been left meanwhile, and answers
    } else {
      context_.pace.has_polled_in_vain();
    }
  }
  serve_newcomers();
  return moved;
}

/// The look behind arm() is one of the same visit: that of another thread, which had the lock meanwhile, may have come
/// before it, and nobody rings for what came between the two.
bool gateway::may_sleep_soundly() {
  bool is_quiet = false;
  {
    const network_visit visit(lock_);
    if (!visit) return false;
    context_.net.arm();
    is_quiet = !runs_.lacks_receive() && !context_.net.poll(*this) && !is_anything_left();
    if (!is_quiet) {
      context_.net.disarm();
      if (is_anything_left()) work();
    }
  }
  serve_newcomers();
  return is_quiet;
}

/// Everything that can be done without the network's having moved. True if there was something.
bool gateway::work() {
  bool moved = false;
  if (context_.has_work.load(std::memory_order_relaxed) || context_.has_unfinished) {
    context_.has_work.store(false, std::memory_order_relaxed);
    // seq_cst: before the ends are looked at. Who says so at one of them after that look sets has_work after this; and
    // what was said before has_work was set is seen. It pairs with the stores of has_work in leave_work() and
    // leave_for_later()
    std::atomic_thread_fence(std::memory_order_seq_cst);
    context_.has_unfinished = false;
    for (const auto& end : context_.ends) {
      // acquire: what the rank has left; pairs with the release in say_work()
      if (!end->has_work.exchange(false, std::memory_order_acquire)) continue;
      moved = true;
      work_at(*end);
    }
  }
  active_.resume();
  send_off();
  return end_.move_on() || moved;
}

/// What waits for room is tried again.
void gateway::work_at(local_end& end) {
  if (!work_for(end)) context_.say_unfinished(end);
}

/// Answers, and then everything that has been packed.
void gateway::send_off() {
  packets_.send_answers();
  send_control_messages();
  packets_.send_all();
}

bool gateway::work_for(local_end& end) {
  payloads_.take_requests(end);
  out_.take_asked_back(end);
  in_.tell_matches(end);
  const bool is_done = in_.put_waiting(end);
  outbox::adopt_announced(end);
  if (context_.has_stopped_sending()) return true;  // nothing leaves any more
  out_.forward_listed(end);
  return is_done && end.unfinished.empty();
}

void gateway::own_mains_have_returned() {
  end_.own_mains_have_returned();
  leave_work();
}

/// Whether work() may find something.
bool gateway::is_anything_left() const noexcept {
  return is_work_left() || context_.has_unfinished || !packets_.is_empty() || control_.has_unsent() ||
         active_.has_to_resume() || end_.have_own_mains_returned();
}

void out_link::wake() noexcept { by.left_by_rank(end, this); }

}  // namespace pure::core
