// Random programs that cannot deadlock on a correct MPI, whatever it buffers and whichever allowed matching it takes.
//
// A program is a few epochs, one after the other. In a *named* epoch every receive names its source: it is drawn at
// random and kept if it ends on the synchronous machine. In an *any* epoch receives may be from any source; there the
// structure sees to it that no allowed matching gets stuck (below), and a barrier ends it, so that its receives meet no
// later message. (The barrier is not made of messages: those would meet the receives, too.)
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "support/oracle/dice.hpp"
#include "support/oracle/model.hpp"
#include "support/oracle/program.hpp"

namespace oracle {

class generator {
 public:
  explicit generator(std::uint64_t seed) : dice_(seed) {
    made_.seed = seed;
    made_.steps.resize(at(dice_.chance(70) ? dice_.between(2, 4) : dice_.between(1, 9)));
  }

  program make() {
    const int epochs = dice_.between(1, 3);
    const int most = dice_.chance(10) ? 120 : 24;
    for (int epoch = 0; epoch < epochs; ++epoch) {
      choose_tags();
      begin_epoch();
      if (dice_.chance(50)) {
        add_named_epoch(dice_.below(most + 1));
      } else {
        add_any_epoch(dice_.below(most + 1));
        for (auto& steps : made_.steps) steps.push_back({step::kind::barrier});
      }
    }
    return std::move(made_);
  }

 private:
  using rank_steps = std::vector<std::vector<step>>;

  // ---- ingredients ----

  void choose_tags() {
    static constexpr int largest = 0x7fffffff;
    tags_.clear();
    const int kinds = dice_.between(1, 4);  // few, so that tags are equal often
    for (int i = 0; i < kinds; ++i)
      tags_.push_back(dice_.pick<int>({0, 1, 7, largest - 1, largest, dice_.below(largest)}));
  }

  std::size_t size() {
    static const std::vector<std::size_t> edges{0,    1,    3,    4,     8,     39,    40,    41,   63,
                                                64,   65,   899,  900,   901,   1024,  4095,  4096, 4097,
                                                8191, 8192, 8193, 16384, 32768, 65535, 65536, 65537};
    const int kind = dice_.below(100);
    if (kind < 35) return dice_.below<std::size_t>(65);
    if (kind < 75) return dice_.pick(edges);
    if (kind < 97) return dice_.below<std::size_t>(20'000);
    return 64 * 1024 + dice_.below<std::size_t>(240'000);
  }

  /// Sometimes one like an earlier one of the epoch, so that its persistent request is used again.
  message random_message() {
    message made{dice_.below(made_.ranks()), dice_.below(made_.ranks()), dice_.pick(tags_), size(),
                 dice_.chance(second_comm_percent_) ? 1 : 0};
    if (!epoch_messages_.empty() && dice_.chance(special_percent_ / 3)) made = dice_.pick(epoch_messages_);
    made.how = dice_.chance(special_percent_) ? static_cast<sending>(dice_.below(modes)) : sending::standard;
    epoch_messages_.push_back(made);
    return made;
  }
  receiving random_way() {
    return dice_.chance(special_percent_) ? static_cast<receiving>(dice_.below(ways)) : receiving::plain;
  }

  void begin_epoch() {
    special_percent_ = dice_.pick<int>({0, 30, 60, 100});
    second_comm_percent_ = dice_.pick<int>({0, 0, 0, 40});
    epoch_messages_.clear();
  }

  std::size_t some_room() { return dice_.chance(60) ? 0 : dice_.below<std::size_t>(100); }

  /// Completes the operations, in random order, by a random form, sometimes with null requests among them.
  step complete(std::vector<int> operations) {
    if (dice_.chance(20)) operations.push_back(nothing);
    dice_.shuffle(operations);
    return {step::kind::complete, nothing, nothing, std::move(operations),
            static_cast<completion>(dice_.below(completions))};
  }
  void complete_some(std::vector<step>& steps, std::vector<int>& pending) {
    if (pending.empty()) return;
    dice_.shuffle(pending);
    const auto split = pending.end() - 1 - static_cast<std::ptrdiff_t>(dice_.below(pending.size()));
    steps.push_back(complete({split, pending.end()}));
    pending.erase(split, pending.end());
  }
  void complete_all(std::vector<step>& steps, std::vector<int>& pending) {
    if (dice_.chance(50)) complete_some(steps, pending);
    if (!pending.empty()) steps.push_back(complete(std::exchange(pending, {})));
  }

  /// A receive; one that blocks is sometimes a matched probe, and `held`.
  void add_receive(std::vector<step>& steps, int r, bool blocks, std::vector<int>& pending, std::vector<int>& held) {
    if (!blocks) {
      steps.push_back({step::kind::irecv, nothing, r});
      pending.push_back(operation_of_receive(r));
    } else if (dice_.chance(special_percent_ / 4)) {
      steps.push_back({step::kind::mprobe, nothing, r});
      held.push_back(r);
    } else {
      steps.push_back({step::kind::recv, nothing, r});
    }
  }
  /// Receives what matched probes hold, in random order.
  void receive_held(std::vector<step>& steps, std::vector<int>& held) {
    dice_.shuffle(held);
    for (const int r : held) steps.push_back({step::kind::mrecv, nothing, r});
    held.clear();
  }

  /// A message to or from nobody.
  void add_null_operation(int rank, std::vector<step>& steps) {
    const int m = made_.add(message{rank, proc_null, dice_.pick(tags_), dice_.below<std::size_t>(100)});
    const int r = made_.add(receive{rank, proc_null, dice_.chance(50) ? any_tag : dice_.pick(tags_), 8});
    switch (dice_.below(3)) {
      case 0:
        steps.push_back({step::kind::send, m});
        steps.push_back({step::kind::recv, nothing, r});
        break;
      case 1: steps.push_back({step::kind::sendrecv, m, r}); break;
      default:
        steps.push_back({step::kind::isend, m});
        steps.push_back({step::kind::irecv, nothing, r});
        steps.push_back(complete({operation_of_message(m), operation_of_receive(r)}));
        break;
    }
  }

  void append(rank_steps& more) {
    for (std::size_t rank = 0; rank < more.size(); ++rank) {
      std::move(more[rank].begin(), more[rank].end(), std::back_inserter(made_.steps[rank]));
    }
  }

  // ---- named epochs: a global order of messages, each rank's part of it, then perturbed ----

  struct event {
    int sends = nothing;
    int receives = nothing;
    bool blocks = true;
  };

  void add_named_epoch(int messages) {
    std::vector<std::vector<event>> parts(at(made_.ranks()));
    std::vector<std::pair<int, int>> pairs;
    for (int i = 0; i < messages; ++i) {
      const message m = random_message();
      const int sends = made_.add(m);
      const int receives = made_.add(receive{m.to, m.from, m.tag, 0, m.comm, random_way()});
      parts[at(m.from)].push_back({.sends = sends});
      parts[at(m.to)].push_back({.receives = receives});
      pairs.emplace_back(sends, receives);
    }
    for (int attempt = 0; attempt < 10; ++attempt) {
      const int any_tag_percent = dice_.pick<int>({0, 0, 30, 100});
      for (const auto& [m, r] : pairs) {
        made_.receives[at(r)].tag = dice_.chance(any_tag_percent) ? any_tag : made_.sent(m).tag;
      }
      const std::size_t messages_before = made_.messages.size(), receives_before = made_.receives.size();
      rank_steps steps = random_steps(parts);
      if (settle_capacities(steps, pairs)) return append(steps);
      made_.messages.resize(messages_before);
      made_.receives.resize(receives_before);
    }
    for (const auto& [m, r] : pairs) made_.receives[at(r)].tag = made_.sent(m).tag;
    rank_steps steps = safe_steps(parts);
    settle_capacities(steps, pairs);
    append(steps);
  }

  rank_steps random_steps(std::vector<std::vector<event>> parts) {
    rank_steps steps(parts.size());
    const int blocking_percent = dice_.pick<int>({0, 30, 60, 100});
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      std::vector<event>& part = parts[rank];
      for (event& each : part) each.blocks = dice_.chance(blocking_percent);
      for (std::size_t i = 0; i < part.size(); ++i) {  // post some receives earlier, start some sends earlier
        if (part[i].blocks || !dice_.chance(40)) continue;
        const std::size_t to = i - dice_.below(std::min<std::size_t>(i, 8) + 1);
        std::rotate(part.begin() + static_cast<std::ptrdiff_t>(to), part.begin() + static_cast<std::ptrdiff_t>(i),
                    part.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      }
      std::vector<int> pending, held;
      for (std::size_t i = 0; i < part.size(); ++i) {
        const event& now = part[i];
        const event* const next = i + 1 < part.size() ? &part[i + 1] : nullptr;
        const bool opposite = next != nullptr && (next->sends == nothing) != (now.sends == nothing);
        if (now.blocks && opposite && next->blocks && dice_.chance(60)) {
          steps[rank].push_back(
              {step::kind::sendrecv, std::max(now.sends, next->sends), std::max(now.receives, next->receives)});
          made_.messages[at(steps[rank].back().sends)].how = sending::standard;
          ++i;
        } else if (now.sends != nothing) {
          steps[rank].push_back({now.blocks ? step::kind::send : step::kind::isend, now.sends});
          if (!now.blocks) pending.push_back(operation_of_message(now.sends));
        } else {
          add_receive(steps[rank], now.receives, now.blocks, pending, held);
        }
        if (dice_.chance(2)) add_null_operation(static_cast<int>(rank), steps[rank]);
        if (dice_.chance(30)) receive_held(steps[rank], held);
        if (dice_.chance(20)) complete_some(steps[rank], pending);
      }
      receive_held(steps[rank], held);
      complete_all(steps[rank], pending);
    }
    return steps;
  }

  /// Everything is started before anything is waited for.
  rank_steps safe_steps(const std::vector<std::vector<event>>& parts) {
    rank_steps steps(parts.size());
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      std::vector<int> pending;
      for (const event& each : parts[rank]) {
        const bool sends = each.sends != nothing;
        steps[rank].push_back({sends ? step::kind::isend : step::kind::irecv, each.sends, each.receives});
        pending.push_back(sends ? operation_of_message(each.sends) : operation_of_receive(each.receives));
      }
      complete_all(steps[rank], pending);
    }
    return steps;
  }

  /// Gives each receive room for its message, sometimes more; false if the steps deadlock.
  bool settle_capacities(const rank_steps& steps, const std::vector<std::pair<int, int>>& pairs) {
    program epoch{made_.seed, made_.messages, made_.receives, steps};
    synchronous_machine machine(epoch);
    if (!machine.runs_to_end()) return false;
    for (const auto& pair : pairs) {
      receive& each = made_.receives[at(pair.second)];
      each.capacity = made_.sent(machine.matching()[at(pair.second)]).bytes + some_room();
    }
    return true;
  }

  // ---- any epochs ----
  //
  // Receives of a rank are posted in an order in which each is sure to be satisfied, whatever the earlier ones take:
  // the earlier ones that overlap with it are fewer than the messages that match it. Later ones take nothing from it.
  // Ranks are of two kinds. An *eager* rank posts all its receives before it sends, so every message to it is matched
  // at once, and a blocking send to it ends. A *late* rank starts all its sends before it receives; messages to it are
  // sent without blocking, and waited for at the end only. So no rank waits for one that waits for it.

  static bool overlap(const receive& a, const receive& b) noexcept {
    const bool sources = a.source == b.source || a.source == any_source || b.source == any_source;
    return a.comm == b.comm && sources && (a.tag == b.tag || a.tag == any_tag || b.tag == any_tag);
  }

  /// For all messages to a rank: those of each communicator in such an order, the communicators mixed.
  std::vector<int> add_receives(int rank, const std::vector<int>& messages) {
    std::vector<int> of_comm[2];
    for (const int m : messages) of_comm[made_.sent(m).comm].push_back(m);
    const std::vector<int> first = add_receives(rank, 0, of_comm[0]), second = add_receives(rank, 1, of_comm[1]);
    std::vector<int> mixed;
    for (std::size_t i = 0, j = 0; mixed.size() < messages.size();) {
      const bool from_first = j == second.size() || (i < first.size() && dice_.chance(50));
      mixed.push_back(from_first ? first[i++] : second[j++]);
    }
    return mixed;
  }

  std::vector<int> add_receives(int rank, int comm, const std::vector<int>& messages) {
    const int wildcard_percent = dice_.pick<int>({10, 30, 60, 100});
    std::vector<int> receives;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      // Always sure: it matches all, and the earlier ones are fewer.
      receive wanted{rank, any_source, any_tag, 0, comm, random_way()};
      for (int attempt = 0; attempt < 4; ++attempt) {
        const message& like = made_.sent(dice_.pick(messages));
        const receive drawn{rank,
                            dice_.chance(wildcard_percent) ? any_source : like.from,
                            dice_.chance(wildcard_percent) ? any_tag : like.tag,
                            0,
                            comm,
                            wanted.how};
        const auto matching = std::count_if(messages.begin(), messages.end(),
                                            [&](int m) { return drawn.matches(made_.sent(m)); });
        const auto rivals = std::count_if(receives.begin(), receives.end(),
                                          [&](int r) { return overlap(drawn, made_.posted(r)); });
        if (rivals < matching) {
          wanted = drawn;
          break;
        }
      }
      for (const int m : messages) {
        if (wanted.matches(made_.sent(m))) wanted.capacity = std::max(wanted.capacity, made_.sent(m).bytes);
      }
      wanted.capacity += some_room();
      receives.push_back(made_.add(wanted));
    }
    return receives;
  }

  void add_any_epoch(int messages) {
    std::vector<std::vector<int>> from(at(made_.ranks())), to(at(made_.ranks()));
    for (int i = 0; i < messages; ++i) {
      const message m = random_message();
      const int number = made_.add(m);
      from[at(m.from)].push_back(number);
      to[at(m.to)].push_back(number);
    }
    std::vector<bool> eager(at(made_.ranks()));
    for (std::size_t rank = 0; rank < eager.size(); ++rank) eager[rank] = dice_.chance(60);

    // After a barrier the receives of all eager ranks are posted: messages to them may be ready sends.
    const bool has_ready_sends = dice_.chance(special_percent_ / 3);
    for (std::size_t m = made_.messages.size() - at(messages); has_ready_sends && m < made_.messages.size(); ++m) {
      message& each = made_.messages[m];
      if (eager[at(each.to)] && dice_.chance(50)) each.how = sending::ready;
    }
    rank_steps steps(at(made_.ranks()));
    for (int rank = 0; rank < made_.ranks(); ++rank) {
      const std::vector<int> receives = add_receives(rank, to[at(rank)]);
      if (eager[at(rank)]) {
        add_eager_rank(steps[at(rank)], from[at(rank)], receives, eager, has_ready_sends);
      } else {
        if (has_ready_sends) steps[at(rank)].push_back({step::kind::barrier});
        add_late_rank(steps[at(rank)], from[at(rank)], receives);
      }
      if (dice_.chance(5)) add_null_operation(rank, steps[at(rank)]);
    }
    append(steps);
  }

  void add_eager_rank(std::vector<step>& steps, const std::vector<int>& sends, const std::vector<int>& receives,
                      const std::vector<bool>& eager, bool has_ready_sends) {
    std::vector<int> pending, early;  // what may be waited for at the end, and what at any time
    for (const int r : receives) {
      steps.push_back({step::kind::irecv, nothing, r});
      pending.push_back(operation_of_receive(r));
    }
    if (has_ready_sends) steps.push_back({step::kind::barrier});
    for (const int m : sends) {
      const bool to_eager = eager[at(made_.sent(m).to)];
      if (to_eager && dice_.chance(50)) {
        steps.push_back({step::kind::send, m});
        continue;
      }
      steps.push_back({step::kind::isend, m});
      (to_eager ? early : pending).push_back(operation_of_message(m));
      if (dice_.chance(20)) complete_some(steps, early);
    }
    pending.insert(pending.end(), early.begin(), early.end());
    complete_all(steps, pending);
  }

  void add_late_rank(std::vector<step>& steps, const std::vector<int>& sends, const std::vector<int>& receives) {
    std::vector<int> pending, sent, held;
    for (const int m : sends) {
      steps.push_back({step::kind::isend, m});
      sent.push_back(operation_of_message(m));
    }
    for (const int r : receives) {
      add_receive(steps, r, dice_.chance(50), pending, held);
      if (dice_.chance(30)) receive_held(steps, held);
      if (dice_.chance(20)) complete_some(steps, pending);
    }
    receive_held(steps, held);
    pending.insert(pending.end(), sent.begin(), sent.end());
    complete_all(steps, pending);
  }

  dice dice_;
  program made_;
  // ---- of the epoch ----
  std::vector<int> tags_;
  std::vector<message> epoch_messages_;
  int special_percent_ = 0;  // of messages and receives that are not plain
  int second_comm_percent_ = 0;
};

inline program random_program(std::uint64_t seed) { return generator(seed).make(); }

}  // namespace oracle
