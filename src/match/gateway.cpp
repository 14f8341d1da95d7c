// The gateway: the turn, and the end. Messages out: gateway_out.cpp, match/gateway_direct_send.cpp, in: gateway_in.cpp.
// Modelled by tests/model/network_lock.pml.
#include "match/gateway.hpp"

#include <algorithm>

#include "runtime/cut_off_job.hpp"
#include "runtime/job.hpp"

namespace pure::core {

namespace {

/// Of the payloads that travel with their envelopes through a network that copies a larger one at once to where it
/// belongs. `eager_bytes`: above, such a message takes as long as the payload by itself, and is then copied once more.
std::size_t largest_inside_if_fast(std::size_t eager_bytes) noexcept {
  constexpr std::size_t usual = sizeof(wire_note) + std::size_t{8} * 1024;
  constexpr std::size_t at_least = 256;  // for entries with notes
  if (eager_bytes < at_least) return usual;
  return std::min(usual, wire::largest_payload(eager_bytes));
}

}  // namespace

gateway::gateway(rank_placement placement, network& over, std::vector<early_packet> arrived)
    : other_processes(over.peers().process, std::move(placement)),
      network_(over),
      largest_inside_(wire::largest_payload(over.peers().message_bytes)),
      largest_inside_if_fast_(std::min(largest_inside_, largest_inside_if_fast(over.peers().eager_bytes))),
      early_(std::move(arrived)),
      peers_of_(static_cast<std::size_t>(over.peers().processes)),
      packets_(over.peers().message_bytes) {}

gateway::~gateway() {
  for (const auto& end : ends_) {
    end->in.for_each([](const in_link& link) { delete &link; });
    adopt_announced(*end);  // which then destroys what a rank has made in its last moments
  }
}

void gateway::attach(job& of) {
  job_ = &of;
  ring_bytes_ = of.values().ring_bytes;
  is_checked_ = of.values().check;
  ways_ = special_ways::without(of.values().net_without);
  if (!ways_.pacing) pace_.never_waits();
  calls_.resize(static_cast<std::size_t>(of.size()));
  for (int index = 0; index < of.ranks_here(); ++index) {
    ends_.push_back(std::make_unique<local_end>());
    ends_.back()->rank = &of.worker(index);
  }
  for (const early_packet& each : early_)
    message_arrived(each.from_process, each.tag, each.bytes.data(), each.bytes.size());
  early_.clear();
}

void gateway::abort(int status) noexcept {
  run_apart([&] { network_.abort(status); });
  __builtin_unreachable();
}

// ---- the turn -------------------------------------------------------------------------------------------------------

void gateway::ring_for(rank_context&) noexcept {
  // Whoever notifies a proxy has left something, or has seen something, in what it shares with that process. Only
  // ranks do; a helper that ends a copy does it for the rank whose task that is.
  const rank_context* const caller = rank_of_thread();
  if (caller != nullptr && caller->index() < job_->ranks_here()) {
    left_by_rank(*ends_[static_cast<std::size_t>(caller->index())], nullptr);
  } else {
    for (const auto& each : ends_) say_work(*each);
    leave_work();
  }
}

void gateway_links::out_link::wake() noexcept { by.left_by_rank(end, this); }

/// By the rank whose end it is; null: not a message.
void gateway::left_by_rank(local_end& end, out_link* with_message) noexcept {
  if (!pace_.is_too_soon() || ++end.left_for_later % most_left_for_later == 0) return serve_own(end, with_message);
  if (with_message != nullptr) list(*with_message);
  leave_for_later(end);
}

/// Work that may wait until more has come to travel with it: for the next that polls, which may be the calling rank; or
/// else for the watch, which is woken for that.
void gateway::leave_for_later(local_end& end) noexcept {
  say_work(end);
  // seq_cst, both: as in leave_work(). The first for a holder of the network lock who has not looked at this end yet,
  // the second for one who gives the turn back just before the watch tries to take it.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // acq_rel: as in leave_work(); if it was set, whoever comes for that finds this, too
  if (has_work_.exchange(true, std::memory_order_acq_rel)) return;
  // seq_cst: as in leave_work(), and pairs with the fence in monitor::sleep()
  std::atomic_thread_fence(std::memory_order_seq_cst);
  job_->network_needs_a_look();
}

/// The calling rank has left work at its end: if the turn is free, it need not say so, and does just that.
void gateway::serve_own(local_end& end, out_link* with_message) noexcept {
  const auto forward = [&] {
    if (with_message != nullptr) forward_from(*with_message);
  };
  if (take_turn(end, forward)) return;
  if (with_message != nullptr) list(*with_message);
  say_work(end);
  leave_work();
}

/// After the caller has said which end has work.
void gateway::leave_work() noexcept {
  // release: not before what its end says; pairs with the fence in work()
  has_work_.store(true, std::memory_order_release);
  // seq_cst: the work before, the look at the turn after; pairs with the one in serve()
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
    // seq_cst: the turn has been given back before, the look after; pairs with the one in leave_work()
    std::atomic_thread_fence(std::memory_order_seq_cst);
  } while (has_work_.load(std::memory_order_relaxed));
}

/// By who has given the turn back: does what has been left meanwhile.
void gateway::serve_newcomers() noexcept {
  // seq_cst: as in serve()
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (has_work_.load(std::memory_order_relaxed)) serve();
}

int gateway::host() const noexcept { return network_.peers().host_of[static_cast<std::size_t>(process())]; }

bool gateway::try_keep_network() {
  if (!lock_.try_take()) return false;
  work();
  if (std::all_of(ends_.begin(), ends_.end(), [](const auto& end) { return end->unfinished.empty(); })) return true;
  let_network_go();
  poll(nullptr);  // too many packets are on their way
  return false;
}

void gateway::let_network_go() noexcept {
  lock_.give_back();
  serve_newcomers();
}

bool gateway::poll(rank_context* calling, int& looks) {
  bool moved = false;
  {
    const network_visit visit(lock_);
    if (!visit) {
      --looks;
      return false;
    }
    moved = is_anything_left() && work();
    polls_ = calling;
    if (calling != nullptr) ++polls_of_ranks_;
    // Where a look takes little, the way to it takes as long, and what comes meanwhile waits. (64 KB through MPICH's
    // shared memory: half a round trip is 0.05 us above raw MPI's, 0.11 with one look.) Other ranks want the turn, too.
    const bool may_look_again = ways_.looks && ends_.size() == 1 && !pace_.is_slow();
    bool has_moved = false;
    do {
      has_moved = runs_without_receive_ > 0 && look_after_runs();
      has_moved |= network_.poll(*this);
      --looks;
    } while (may_look_again && !has_moved && looks > 0 && !is_work_left());
    polls_ = nullptr;
    if (has_moved) {
      moved = true;
      if (is_anything_left()) work();  // what has been left meanwhile, and answers
    } else {
      pace_.has_polled_in_vain();
    }
  }
  serve_newcomers();
  return moved;
}

/// Everything that can be done without the network's having moved. True if there was something.
bool gateway::work() {
  bool moved = false;
  if (has_work_.load(std::memory_order_relaxed) || has_unfinished_) {
    has_work_.store(false, std::memory_order_relaxed);
    // seq_cst: before the ends are looked at. Who says so at one of them after that look sets has_work_ after this; and
    // what was said before has_work_ was set is seen. It pairs with the stores of has_work_ in leave_work() and
    // leave_for_later()
    std::atomic_thread_fence(std::memory_order_seq_cst);
    has_unfinished_ = false;
    for (const auto& end : ends_) {
      // acquire: what the rank has left; pairs with the release in say_work()
      if (!end->has_work.exchange(false, std::memory_order_acquire)) continue;
      moved = true;
      work_at(*end);
    }
  }
  send_off();
  return move_end_on() || moved;
}

/// What waits for room is tried again.
void gateway::work_at(local_end& end) {
  if (!work_for(end)) say_unfinished(end);
}

void gateway::say_unfinished(local_end& end) noexcept {
  end.has_work.store(true, std::memory_order_relaxed);
  has_unfinished_ = true;
}

/// Answers, and then everything that has been packed.
void gateway::send_off() {
  while (!answers_.empty()) {
    packet* const into = room_for(answers_.front().first, sizeof(wire_envelope));
    if (into == nullptr) break;
    static_cast<void>(into->entries.add(answers_.front().second));
    answers_.pop_front();
  }
  send_letters();
  send_all_packets();
}

bool gateway::work_for(local_end& end) {
  take_requests(end);
  take_asked_back(end);
  tell_matches(end);
  const bool is_done = put_waiting(end);
  adopt_announced(end);
  if (step_ > end_step::gathering) return true;  // nothing leaves any more
  forward_listed(end);
  return is_done && end.unfinished.empty();
}

// ---- the end --------------------------------------------------------------------------------------------------------

void gateway::own_mains_have_returned() {
  own_mains_ended_.store(true, std::memory_order_release);  // release: pairs with the acquire in move_end_on()
  leave_work();
}

bool gateway::has_nothing_to_send() const noexcept {
  return answers_.empty() && !control_.has_unsent() && being_packed_.empty() && packets_.on_their_way() == 0 &&
         !has_unfinished_ && !has_work_.load(std::memory_order_relaxed);
}

bool gateway::all_have_arrived() const noexcept {
  std::uint64_t arrived = 0;
  for (const peer& each : peers_of_) arrived += each.arrived + each.arrived_in_runs;
  return arrived == sent_to_all_[static_cast<std::size_t>(process())];
}

/// Large messages that nobody has received: their senders' networks wait for that.
void gateway::drop_unreceived() {
  for (const auto& each : payloads_.all()) {
    if (each->is_unreceived && !each->is_posted && !each->is_here) post(*each);
  }
}

/// Takes the next steps of the end. True if it took one.
bool gateway::move_end_on() {
  if (step_ == end_step::mains_run) {
    // acquire: pairs with the release in own_mains_have_returned()
    if (!own_mains_ended_.load(std::memory_order_acquire)) return false;
    step_ = end_step::gathering;
    is_step_done_ = network_.barrier(under_way_.going, network::everyone);
    if (!is_step_done_) return true;
  }
  if (step_ == end_step::gathering && is_step_done_ && has_nothing_to_send()) {
    step_ = end_step::counting;
    for (const peer& each : peers_of_) sent_to_all_.push_back(each.sent + each.sent_in_runs);
    is_step_done_ = network_.all_reduce(under_way_.going, network::everyone, sent_to_all_.data(), sent_to_all_.data(),
                                        sent_to_all_.size(), PURE_UINT64_T, PURE_SUM);
  }
  if (step_ == end_step::counting && is_step_done_ && all_have_arrived()) {
    step_ = end_step::draining;
    give_up_all();
    drop_unreceived();
  }
  if (step_ == end_step::draining && payloads_on_their_way_.read() == 0 && expected_ == 0) {
    step_ = end_step::leaving;
    is_step_done_ = network_.barrier(under_way_.going, network::everyone);
  }
  if (step_ == end_step::leaving && is_step_done_) {
    step_ = end_step::ended;
    has_ended_.store(true, std::memory_order_release);  // release: pairs with all_mains_have_returned()
    for (int index = 0; index < job_->workers(); ++index) job_->worker(index).notify();
    return true;
  }
  return false;
}

}  // namespace pure::core
