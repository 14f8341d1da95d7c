// Carries out a plan on Pure and compares all buffers with the serial oracle.
//
// Every buffer lies between guards and begins at an element's boundary, not at a line's. Operations are completed in
// any order, by any of the completion functions; at most 20 are in flight. Persistent ones are started in another order
// on every rank, some of them earlier than planned. No deadlock can come from that: a rank waits only for operations
// before its place in the plan, which every rank starts without waiting for later ones.
#pragma once

#include <pure.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <pure/pure.hpp>

#include "support/collective_oracle/completions.hpp"
#include "support/collective_oracle/door.hpp"
#include "support/collective_oracle/shared_run.hpp"
#include "support/pauses.hpp"

namespace collective_oracle {

class rank_runner {
 public:
  /// `world`: of the plan's ranks.
  rank_runner(shared_run& run, door& through, bool reorders, pure_comm world = PURE_COMM_WORLD)
      : run_(run),
        p_(run.p),
        door_(through),
        me_(rank_of_caller_in(world)),
        reorders_(reorders),
        dice_(run.p.seed * 100 + at(me_)),
        pauses_(dice_.next()),
        comms_(p_.communicators.size(), PURE_COMM_NULL) {
    comms_[0] = world;
    is_patient_ = dice_.chance(50);
  }

  void run() {
    for (std::size_t i = 0; i < p_.steps.size();) {
      start_early(i);
      if (is_start(p_.steps[i])) {
        i = start_window(i);
      } else {
        carry_out(p_.steps[i++]);
      }
      complete_some();
    }
    complete(everything(), dice_.below(ways_to_complete));
    for (int c = static_cast<int>(comms_.size()); --c > 0;) release(c);
    release_requests_of(0);
  }

 private:
  struct live {  // an operation whose buffers are in use
    guarded send, recv;
    pure_request requests[2] = {PURE_REQUEST_NULL, PURE_REQUEST_NULL};
    int start = 0;
    int pending = 0;        // requests
    bool is_early = false;  // the plan has not come to its start: it must not be waited for
  };

  static constexpr int most_in_flight = 20;

  static int rank_of_caller_in(pure_comm world) {
    int rank = 0;
    pure_comm_rank(world, &rank);
    return rank;
  }
  int rank_in(const operation& o) const { return p_.of(o).rank_of(me_); }

  void carry_out(const step& s) {
    pauses_.maybe();
    switch (s.does) {
      case step::action::make: return make(p_.makings[at(s.index)], s.index);
      case step::action::release: return release(s.index);
      default: break;
    }
    const operation& o = p_.operations[at(s.index)];
    if (rank_in(o) < 0) return;
    switch (s.does) {
      case step::action::init: {
        live& l = prepare(s.index, 0);
        l.requests[0] = door_.init(call_of(s.index, l));
        return;
      }
      case step::action::restart: return restart(s);
      case step::action::start: return start(s.index);
      default: {
        live& l = prepare(s.index, 0);
        count(s.index);
        if (o.what == kind::exchange) {
          exchange(s.index, l, nullptr);
        } else {
          door_.run(call_of(s.index, l));
        }
        verify(s.index, l);
        live_.erase(s.index);
      }
    }
  }

  static bool is_start(const step& s) { return s.does == step::action::start || s.does == step::action::restart; }

  /// Consecutive starts: those on different communicators may be in any order, and those of persistent operations in
  /// any order with all others.
  std::size_t start_window(std::size_t from) {
    std::map<int, std::vector<step>> in_order;  // by communicator; persistent operations by a number of their own
    std::vector<int> turns;
    std::size_t end = from;
    const std::size_t longest = reorders_ ? 8 : 1;
    for (; end < p_.steps.size() && end - from < longest && is_start(p_.steps[end]); ++end) {
      const step& s = p_.steps[end];
      const bool is_persistent = s.does == step::action::restart;
      const int key = is_persistent ? -1 - s.index : p_.operations[at(s.index)].on;
      if (is_persistent && in_order.contains(key)) break;  // it would wait for the one before
      in_order[key].push_back(s);
      turns.push_back(key);
    }
    dice_.shuffle(turns);
    std::map<int, std::size_t> next;
    for (const int key : turns) carry_out(in_order[key][next[key]++]);
    return end;
  }

  void restart(const step& s) {
    live& l = live_[s.index];
    if (l.is_early) {
      l.is_early = false;
      return;
    }
    if (l.pending > 0) complete({{s.index, 0}}, dice_.below(ways_to_complete));
    l.start = s.start;
    refill(s.index, l);
    count(s.index);
    l.pending = 1;
    door_.restart(l.requests[0], call_of(s.index, l));
    finish_if_done(s.index, l);
  }

  /// Perhaps the next start of a persistent operation that the plan has for later.
  void start_early(std::size_t from) {
    if (!reorders_ || !dice_.chance(25)) return;
    for (std::size_t i = from; i < std::min(from + 10, p_.steps.size()); ++i) {
      const step& s = p_.steps[i];
      if (s.does != step::action::restart) continue;
      const auto its = live_.find(s.index);
      if (its == live_.end() || its->second.pending > 0) continue;  // not this rank's, not made yet, or under way
      restart(s);
      its->second.is_early = true;
      return;
    }
  }

  void start(int index) {
    live& l = prepare(index, 0);
    count(index);
    if (p_.operations[at(index)].what == kind::exchange) {
      l.pending = 2;
      exchange(index, l, l.requests);
    } else {
      l.pending = 1;
      l.requests[0] = door_.start(call_of(index, l));
      finish_if_done(index, l);
    }
  }
  void finish_if_done(int index, live& l) {
    if (l.requests[0] == PURE_REQUEST_NULL) finish({index, 0}, PURE_REQUEST_NULL);
  }

  void exchange(int index, live& l, pure_request* requests) {
    const operation& o = p_.operations[at(index)];
    const part& a = part_of(index, l);
    const int n = p_.of(o).size(), me = rank_in(o);
    const call c = call_of(index, l);
    const int to = (me + 1) % n, from = (me + n - 1) % n;
    if (requests == nullptr) {
      pure_sendrecv_msg(c.send, a.send_count, a.send_type, to, index, c.recv, a.recv_count, a.recv_type, from, index,
                        c.comm);
    } else {
      pure_isend_msg(c.send, a.send_count, a.send_type, to, index, c.comm, &requests[0]);
      pure_irecv_msg(c.recv, a.recv_count, a.recv_type, from, index, c.comm, &requests[1]);
    }
  }

  // ---- communicators ----

  void make(const making& m, int tag) {
    const communicator& parent = p_.communicators[at(m.parent)];
    const int me = parent.rank_of(me_);
    if (me < 0) return;
    const int color = m.colors[at(me)];
    pure_comm made = PURE_COMM_NULL;
    const pure_comm from = comms_[at(m.parent)];
    if (m.by == making::call::dup) {
      pure_comm_dup(from, &made);
    } else if (m.by == making::call::split) {
      pure_comm_split(from, color < 0 ? int{PURE_UNDEFINED} : color, m.keys[at(me)], &made);
    } else {
      std::vector<int> ranks;
      for (const int member : p_.communicators[at(m.made[0])].members) ranks.push_back(parent.rank_of(member));
      pure_group all = PURE_GROUP_NULL, some = PURE_GROUP_NULL;
      pure_comm_group(from, &all);
      pure_group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
      if (m.by == making::call::create_from_group) {
        pure_comm_create(from, some, &made);
      } else if (color == 0) {
        pure_comm_create_group(from, some, tag, &made);
      }
      pure_group_free(&all);
      pure_group_free(&some);
    }
    if (color >= 0) comms_[at(m.made[at(color)])] = made;
    if (color < 0 && made != PURE_COMM_NULL) run_.complain("a rank that is in no communicator got one");
  }

  void release(int index) {
    pure_comm& comm = comms_[at(index)];
    if (comm == PURE_COMM_NULL) return;
    std::vector<std::pair<int, int>> left = everything();
    std::erase_if(left, [&](const auto& each) { return p_.operations[at(each.first)].on != index; });
    complete(std::move(left), dice_.below(ways_to_complete));
    release_requests_of(index);
    pure_comm_free(&comm);
  }
  void release_requests_of(int communicator) {
    std::erase_if(live_, [&](const auto& each) {
      if (p_.operations[at(each.first)].on != communicator) return false;
      pure_request request = each.second.requests[0];
      door_.release(request);  // what is left is persistent and complete
      return true;
    });
  }

  // ---- buffers ----

  const part& part_of(int index, const live& l) const {
    return run_.parts[at(index)][at(l.start)][at(rank_in(p_.operations[at(index)]))];
  }

  live& prepare(int index, int start) {
    live& l = live_[index];
    l.start = start;
    const part& a = part_of(index, l);
    l.send.place(a.sent.size(), a.send_shift_bytes);
    l.recv.place(a.after.size(), a.recv_shift_bytes);
    refill(index, l);
    return l;
  }
  void refill(int index, live& l) {
    const part& a = part_of(index, l);
    l.send.fill(a.sent);
    l.recv.overwrite();
    l.recv.fill(a.before);
  }

  static void* pointer_to(pointer what, guarded& buffer) {
    return what == pointer::data ? buffer.data() : what == pointer::in_place ? PURE_IN_PLACE : nullptr;
  }
  call call_of(int index, live& l) {
    const operation& o = p_.operations[at(index)];
    const part& a = run_.parts[at(index)][0][at(rank_in(o))];  // arguments are those of the first start
    return {o,
            a,
            pointer_to(a.send_pointer, l.send),
            pointer_to(a.recv_pointer, l.recv),
            comms_[at(o.on)],
            rank_in(o),
            p_.of(o).size()};
  }

  void count(int index) { run_.entered[at(index)].fetch_add(1, std::memory_order_relaxed); }

  void verify(int index, live& l) {
    const operation& o = p_.operations[at(index)];
    const part& a = part_of(index, l);
    const auto complain = [&](const std::string& what) {
      run_.complain(fmt::format("rank {} ({} of c{}), #{} {}, start {}: {}", me_, rank_in(o), o.on, index, to_text(o),
                                l.start, what));
    };
    if (!l.send.guards_are_intact()) complain("wrote around the send buffer");
    if (!l.recv.guards_are_intact()) complain("wrote around the receive buffer");
    if (!std::equal(a.sent.begin(), a.sent.end(), l.send.data())) complain("the send buffer has changed");
    if (o.what == kind::barrier) {
      // relaxed: the barrier is what must order this after the counting
      const int entered = run_.entered[at(index)].load(std::memory_order_relaxed),
                due = p_.of(o).size() * (l.start + 1);
      if (entered < due) complain(fmt::format("{} had entered, not {}", entered, due));
    }
    const std::size_t checked = std::min(a.after.size(), a.unchecked_from);
    if (std::equal(a.after.begin(), a.after.begin() + static_cast<std::ptrdiff_t>(checked), l.recv.data())) return;
    const std::size_t element = is_reduction(o.what) ? size_of(o.type) : 1;
    for (std::size_t i = 0; i < checked; i += element) {
      const std::byte *const expected = a.after.data() + i, *const got = l.recv.data() + i;
      if (is_reduction(o.what) ? is_same_result(o.op, o.type, expected, got) : *expected == *got) continue;
      return complain(
          fmt::format("byte {} of {}: expected {}, got {}", i, checked, hex(expected, element), hex(got, element)));
    }
  }
  static std::string hex(const std::byte* from, std::size_t bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes; ++i) text += fmt::format("{:02x}", static_cast<unsigned>(from[i]));
    return text;
  }

  // ---- completion ----

  using pending_request = std::pair<int, int>;  // operation, and which of its requests

  std::vector<pending_request> everything() const {
    std::vector<pending_request> all;
    for (const auto& [index, l] : live_) {
      for (int i = 0; i < 2; ++i) {
        if (l.pending > 0 && !l.is_early && l.requests[i] != PURE_REQUEST_NULL) all.emplace_back(index, i);
      }
    }
    return all;
  }

  void complete_some() {
    auto all = everything();
    const bool is_full = static_cast<int>(all.size()) > most_in_flight;
    if (all.empty() || (!is_full && !dice_.chance(is_patient_ ? 8 : 40))) return;
    dice_.shuffle(all);
    const std::size_t most = is_full ? all.size() : 1 + dice_.below(all.size());
    all.resize(most);
    complete(std::move(all), dice_.below(ways_to_complete));
  }

  void complete(std::vector<pending_request> which, int how) {
    std::vector<pure_request> requests;
    for (const auto& [index, i] : which) requests.push_back(live_[index].requests[i]);
    complete_all(requests, how, [&](std::size_t i) {
      finish(which[i], requests[i]);
      pauses_.maybe();
    });
    for (const int index : over_) {
      door_.release(live_[index].requests[0]);
      live_.erase(index);
    }
    over_.clear();
  }

  void finish(const pending_request& which, pure_request after) {
    live& l = live_[which.first];
    const operation& o = p_.operations[at(which.first)];
    const bool is_persistent = o.how == form::persistent;
    if (!is_persistent && after != PURE_REQUEST_NULL) run_.complain("a completed request is not null");
    l.requests[which.second] = after;
    if (--l.pending > 0) return;
    verify(which.first, l);
    if (!is_persistent) {
      live_.erase(which.first);
    } else if (reorders_ && l.start + 1 == o.starts && dice_.chance(50)) {
      over_.push_back(which.first);
    }
  }

  shared_run& run_;
  const plan& p_;
  door& door_;
  const int me_;
  const bool reorders_;
  bool is_patient_ = false;
  oracle::dice dice_;
  test_support::pauses pauses_;
  std::vector<pure_comm> comms_;
  std::map<int, live> live_;
  std::vector<int> over_;  // persistent ones whose last start is complete, and which are to be freed
};

/// What is wrong with the way Door carries out the plan, or empty. Throws what pure::run throws. `reorders`: ranks
/// start operations of different communicators in different orders, for doors that do not block.
template <class Door>
std::string run_plan(const plan& p, bool reorders = true) {
  shared_run run(p);
  pure::run(p.ranks, [&] {
    Door through;
    rank_runner(run, through, reorders).run();
  });
  return run.complaint;
}

}  // namespace collective_oracle
