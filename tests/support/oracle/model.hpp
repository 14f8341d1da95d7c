// The oracle: which outcomes of a program the MPI standard allows (MPI 4.1, 3.5), decided without running Pure.
//
//   synchronous_machine   a sequential machine on which no other send is buffered than those that ask for it: a program
//   without any-source receives that
//                         ends here ends on every correct implementation
//   expected_matching     the only outcome of such a program
//   complaint_about       whether the outcome of any program that ran is an allowed one
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "support/oracle/program.hpp"

namespace oracle {

inline std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

class synchronous_machine {
 public:
  explicit synchronous_machine(const program& p)
      : p_(p),
        receive_of_(p.messages.size(), nothing),
        message_of_(p.receives.size(), nothing),
        is_held_(p.receives.size(), false),
        waiting_(at(p.ranks())),
        posted_(at(p.ranks())),
        next_(at(p.ranks()), 0),
        started_(at(p.ranks()), false) {}

  /// Runs the ranks in turn until none can go on; true if all have ended.
  bool runs_to_end() {
    for (bool any = true; any;) {
      any = false;
      for (int rank = 0; rank < p_.ranks(); ++rank) {
        while (advance(rank)) any = true;
      }
    }
    for (int rank = 0; rank < p_.ranks(); ++rank) {
      if (next_[at(rank)] < p_.steps[at(rank)].size()) return false;
    }
    return true;
  }

  /// By receive.
  [[nodiscard]] const std::vector<int>& matching() const noexcept { return message_of_; }

 private:
  bool advance(int rank) {
    if (next_[at(rank)] == p_.steps[at(rank)].size()) return false;
    const step& s = p_.steps[at(rank)][next_[at(rank)]];
    if (!started_[at(rank)]) {
      if (s.what == step::kind::mprobe) is_held_[at(s.receives)] = true;
      if (s.what == step::kind::mrecv) {
        is_held_[at(s.receives)] = false;
      } else if (s.receives != nothing) {
        post(s.receives);
      }
      if (s.sends != nothing) send(s.sends);
      started_[at(rank)] = true;
    }
    const bool blocks = s.what == step::kind::send || s.what == step::kind::recv || s.what == step::kind::sendrecv ||
                        s.what == step::kind::mprobe;
    if (blocks && !((s.sends == nothing || is_sent(s.sends)) && (s.receives == nothing || is_received(s.receives)))) {
      return false;
    }
    for (const int operation : s.operations) {
      if (operation != nothing &&
          !(is_send(operation) ? is_sent(index_of(operation)) : is_received(index_of(operation))))
        return false;
    }
    started_[at(rank)] = false;
    ++next_[at(rank)];
    return true;
  }

  [[nodiscard]] bool is_sent(int m) const noexcept {
    if (p_.sent(m).to == proc_null || p_.sent(m).how == sending::buffered) return true;
    return receive_of_[at(m)] != nothing && !is_held_[at(receive_of_[at(m)])];
  }
  [[nodiscard]] bool is_received(int r) const noexcept {
    return message_of_[at(r)] != nothing || p_.posted(r).source == proc_null;
  }

  void send(int m) {
    if (p_.sent(m).to == proc_null) return;
    std::vector<int>& posted = posted_[at(p_.sent(m).to)];
    const auto found = std::find_if(posted.begin(), posted.end(),
                                    [&](int r) { return p_.posted(r).matches(p_.sent(m)); });
    if (found == posted.end()) {
      waiting_[at(p_.sent(m).to)].push_back(m);
    } else {
      match(m, *found);
      posted.erase(found);
    }
  }
  void post(int r) {
    if (p_.posted(r).source == proc_null) return;
    std::vector<int>& waiting = waiting_[at(p_.posted(r).at)];
    const auto found = std::find_if(waiting.begin(), waiting.end(),
                                    [&](int m) { return p_.posted(r).matches(p_.sent(m)); });
    if (found == waiting.end()) {
      posted_[at(p_.posted(r).at)].push_back(r);
    } else {
      match(*found, r);
      waiting.erase(found);
    }
  }
  void match(int m, int r) {
    receive_of_[at(m)] = r;
    message_of_[at(r)] = m;
  }

  const program& p_;
  std::vector<int> receive_of_;            // by message
  std::vector<int> message_of_;            // by receive
  std::vector<bool> is_held_;              // by receive: matched by a probe, not yet received
  std::vector<std::vector<int>> waiting_;  // by receiver: sent, not matched
  std::vector<std::vector<int>> posted_;   // by receiver: posted, not matched
  std::vector<std::size_t> next_;          // by rank: its step
  std::vector<bool> started_;              // by rank: whether that step has started
};

/// Every start and end of a step, and every match, as a node of a graph; an edge says what came first.
class event_order {
 public:
  explicit event_order(const program& p) : matches_(p.receives.size()) {
    std::size_t steps = 0;
    for (const auto& all : p.steps) steps += all.size();
    after_.resize(matches_ + 2 * steps);
    std::vector<std::size_t> meetings;  // of the barriers: nodes of their own
    std::size_t node = matches_;
    for (const auto& all : p.steps) {
      std::size_t barriers = 0;
      for (std::size_t i = 0; i < all.size(); ++i, node += 2) {
        if (i > 0) add(node - 1, node);  // a rank's steps come one after the other
        add(node, node + 1);
        if (all[i].what != step::kind::barrier) continue;
        if (barriers == meetings.size()) {
          meetings.push_back(after_.size());
          after_.emplace_back();
        }
        add(node, meetings[barriers]);
        add(meetings[barriers], node + 1);
        ++barriers;
      }
    }
  }

  void add(std::size_t before, std::size_t after) { after_[before].push_back(after); }
  [[nodiscard]] static std::size_t match(int r) noexcept { return at(r); }
  [[nodiscard]] std::size_t start(std::size_t step) const noexcept { return matches_ + 2 * step; }
  [[nodiscard]] std::size_t end(std::size_t step) const noexcept { return matches_ + 2 * step + 1; }

  /// True if the events can have happened one after the other.
  [[nodiscard]] bool is_possible() const {
    std::vector<std::size_t> before(after_.size(), 0), ready;
    for (const auto& each : after_) {
      for (const std::size_t node : each) ++before[node];
    }
    for (std::size_t node = 0; node < before.size(); ++node) {
      if (before[node] == 0) ready.push_back(node);
    }
    std::size_t done = 0;
    for (; !ready.empty(); ++done) {
      const std::size_t node = ready.back();
      ready.pop_back();
      for (const std::size_t next : after_[node]) {
        if (--before[next] == 0) ready.push_back(next);
      }
    }
    return done == after_.size();
  }

 private:
  std::size_t matches_;
  std::vector<std::vector<std::size_t>> after_;
};

/// Where each message and receive starts and each receive is sure to be matched, as numbers of steps in the order of
/// `program::steps`.
struct step_numbers {
  std::vector<std::size_t> sent, posted, matched;  // by message, by receive, by receive

  explicit step_numbers(const program& p)
      : sent(p.messages.size()), posted(p.receives.size()), matched(p.receives.size()) {
    std::size_t number = 0;
    for (const auto& all : p.steps) {
      for (const step& s : all) {
        if (s.sends != nothing) sent[at(s.sends)] = number;
        const bool posts = s.receives != nothing && s.what != step::kind::mrecv;
        if (posts) posted[at(s.receives)] = matched[at(s.receives)] = number;
        for (const int operation : s.operations) {
          if (operation != nothing && !is_send(operation)) matched[at(index_of(operation))] = number;
        }
        ++number;
      }
    }
  }
};

/// The matching, by receive, of a program whose receives all name their source: each message, in the order of sending,
/// takes the first posted receive that matches it. Nothing if the program has an any-source receive.
inline std::optional<std::vector<int>> expected_matching(const program& p) {
  const step_numbers when(p);
  std::vector<int> messages, receives;
  for (int m = 0; m < static_cast<int>(p.messages.size()); ++m) {
    if (p.sent(m).to != proc_null) messages.push_back(m);
  }
  for (int r = 0; r < static_cast<int>(p.receives.size()); ++r) {
    if (p.posted(r).source == any_source) return std::nullopt;
    if (p.posted(r).source != proc_null) receives.push_back(r);
  }
  std::sort(messages.begin(), messages.end(), [&](int a, int b) { return when.sent[at(a)] < when.sent[at(b)]; });
  std::sort(receives.begin(), receives.end(), [&](int a, int b) { return when.posted[at(a)] < when.posted[at(b)]; });
  std::vector<int> matching(p.receives.size(), nothing);
  for (const int m : messages) {
    const auto found = std::find_if(receives.begin(), receives.end(), [&](int r) {
      return matching[at(r)] == nothing && p.posted(r).matches(p.sent(m));
    });
    if (found != receives.end()) matching[at(*found)] = m;
  }
  return matching;
}

namespace detail {

/// Whose message each receive got. Messages too short to carry their number are told apart by source, tag and size;
/// equal ones cannot be, and were then received in the order of posting.
inline std::string find_matching(const program& p, const step_numbers& when, const std::vector<outcome>& outcomes,
                                 std::vector<int>& matching) {
  matching.assign(p.receives.size(), nothing);
  std::vector<bool> taken(p.messages.size(), false);
  std::vector<int> messages(p.messages.size()), receives(p.receives.size());
  for (std::size_t i = 0; i < messages.size(); ++i) messages[i] = static_cast<int>(i);
  for (std::size_t i = 0; i < receives.size(); ++i) receives[i] = static_cast<int>(i);
  std::sort(messages.begin(), messages.end(), [&](int a, int b) { return when.sent[at(a)] < when.sent[at(b)]; });
  std::sort(receives.begin(), receives.end(), [&](int a, int b) { return when.posted[at(a)] < when.posted[at(b)]; });
  for (const int r : receives) {
    const receive& wanted = p.posted(r);
    const outcome& got = outcomes[at(r)];
    if (!got.complaint.empty()) return fmt::format("r{}: {}", r, got.complaint);
    if (!got.complete) return fmt::format("r{} is not complete", r);
    const std::string said = fmt::format("r{}'s status is source {}, tag {}, {} bytes", r, got.source, got.tag,
                                         got.bytes);
    if (wanted.source == proc_null) {
      if (got.source != proc_null || got.tag != any_tag || got.bytes != 0) return said + "; it receives from proc_null";
      continue;
    }
    const message as_said{got.source, wanted.at, got.tag, got.bytes, wanted.comm};
    if (!wanted.matches(as_said)) return said + "; it did not ask for that";
    int m = got.from_message;
    for (std::size_t i = 0; m == nothing && i < messages.size(); ++i) {
      const message& each = p.sent(messages[i]);
      const bool fits = each.from == got.source && each.to == wanted.at && each.tag == got.tag &&
                        each.bytes == got.bytes && each.comm == wanted.comm;
      if (fits && !taken[at(messages[i])]) m = messages[i];
    }
    if (m == nothing) return said + "; no such message is left";
    const message& sent = p.sent(m);
    if (sent.from != got.source || sent.to != wanted.at || sent.tag != got.tag || sent.bytes != got.bytes ||
        sent.comm != wanted.comm) {
      return said + fmt::format("; but it got m{}", m);
    }
    if (taken[at(m)]) return fmt::format("m{} was received twice, the second time by r{}", m, r);
    taken[at(m)] = true;
    matching[at(r)] = m;
  }
  for (int m = 0; m < static_cast<int>(p.messages.size()); ++m) {
    if (!taken[at(m)] && p.sent(m).to != proc_null) return fmt::format("m{} was not received", m);
  }
  return "";
}

}  // namespace detail

/// What is wrong with the outcomes, by receive, of a program that ran to its end; empty if the standard allows them.
/// `completed`: when each send was seen to be complete, on the clock of the run; empty if nobody has looked.
inline std::string complaint_about(const program& p, const std::vector<outcome>& outcomes,
                                   const std::vector<std::uint64_t>& completed = {}) {
  const step_numbers when(p);
  std::vector<int> matching;
  if (std::string wrong = detail::find_matching(p, when, outcomes, matching); !wrong.empty()) return wrong;

  if (const auto expected = expected_matching(p); expected && *expected != matching) {
    for (std::size_t r = 0; r < matching.size(); ++r) {
      if (matching[r] != (*expected)[r]) {
        return fmt::format("r{} got m{}; the only right one is m{}", r, matching[r], (*expected)[r]);
      }
    }
  }

  std::vector<int> receive_of(p.messages.size(), nothing);
  for (std::size_t r = 0; r < matching.size(); ++r) {
    if (matching[r] != nothing) receive_of[at(matching[r])] = static_cast<int>(r);
  }
  event_order order(p);
  for (int r = 0; r < static_cast<int>(matching.size()); ++r) {
    const int m = matching[at(r)];
    if (m == nothing) continue;
    order.add(order.start(when.posted[at(r)]), event_order::match(r));
    order.add(order.start(when.sent[at(m)]), event_order::match(r));
    if (!completed.empty() && p.sent(m).is_synchronous() && completed[at(m)] < outcomes[at(r)].began) {
      return fmt::format("the synchronous send of m{} was complete before r{}, which got it, had started", m, r);
    }
    order.add(event_order::match(r), order.end(when.matched[at(r)]));
    // Messages of one sender: an older one that would do must have been taken.
    for (int older = 0; older < static_cast<int>(p.messages.size()); ++older) {
      const bool same_pair = p.sent(older).from == p.sent(m).from && p.sent(older).to == p.sent(m).to;
      if (same_pair && when.sent[at(older)] < when.sent[at(m)] && p.posted(r).matches(p.sent(older))) {
        order.add(event_order::match(receive_of[at(older)]), event_order::match(r));
      }
    }
    // Receives of one rank: one posted earlier that would do must have been satisfied.
    for (int earlier = 0; earlier < static_cast<int>(p.receives.size()); ++earlier) {
      const bool before = p.posted(earlier).at == p.posted(r).at && when.posted[at(earlier)] < when.posted[at(r)];
      if (before && p.posted(earlier).matches(p.sent(m))) order.add(event_order::match(earlier), event_order::match(r));
    }
  }
  if (order.is_possible()) return "";
  std::string text = "messages or receives overtook each other; the matching was";
  for (std::size_t r = 0; r < matching.size(); ++r) {
    if (matching[r] != nothing) text += fmt::format(" r{}<-m{}", r, matching[r]);
  }
  return text;
}

}  // namespace oracle
