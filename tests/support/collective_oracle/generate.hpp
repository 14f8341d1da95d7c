// Random plans that are correct on any MPI: every rank makes the calls of a communicator in one order.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "support/collective_oracle/plan.hpp"

namespace collective_oracle {

class generator {
 public:
  generator(std::uint64_t seed, int ranks) : dice_(seed) {
    made_.seed = seed;
    made_.ranks = ranks;
    communicator world;
    for (int r = 0; r < ranks; ++r) world.members.push_back(r);
    made_.communicators.push_back(std::move(world));
    alive_ = {0};
    is_large_ = dice_.chance(3);
    bytes_left_ = is_large_ ? 100'000'000 : 12'000'000;
  }

  plan make() {
    for (int left = dice_.between(4, 35); left > 0; --left) {
      if (dice_.chance(12) && alive_.size() < 12) add_communicators();
      if (dice_.chance(3)) release_communicator();
      while (!restarts_.empty() && dice_.chance(30)) restart();
      add_operation();
    }
    while (!restarts_.empty()) restart();
    return std::move(made_);
  }

 private:
  void add(step::action does, int index, int start = 0) { made_.steps.push_back({does, index, start}); }

  // ---- communicators ----

  void add_communicators() {
    making m;
    m.by = static_cast<making::call>(dice_.below(4));
    m.parent = dice_.pick(alive_);
    const communicator parent = made_.communicators[at(m.parent)];
    const int n = parent.size();
    m.colors.assign(at(n), 0);
    m.keys.assign(at(n), 0);
    const int colors = m.by == making::call::split ? dice_.between(1, std::min(n, 3)) : 1;
    const int order = dice_.below(3);
    if (m.by != making::call::dup) {
      for (int r = 0; r < n; ++r) {
        m.colors[at(r)] = dice_.chance(10) ? -1 : dice_.below(colors);
        m.keys[at(r)] = order == 0 ? 0 : order == 1 ? -r : dice_.below(n);
      }
    }
    for (int color = 0; color < colors; ++color) {
      std::vector<int> ranks;
      for (int r = 0; r < n; ++r) {
        if (m.colors[at(r)] == color) ranks.push_back(r);
      }
      std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) { return m.keys[at(a)] < m.keys[at(b)]; });
      communicator made{.members = {}, .parent = m.parent};
      for (const int r : ranks) made.members.push_back(parent.members[at(r)]);
      m.made.push_back(static_cast<int>(made_.communicators.size()));
      if (!ranks.empty()) alive_.push_back(m.made.back());
      made_.communicators.push_back(std::move(made));
    }
    if (made_.communicators[at(m.made[0])].members.empty() && m.by != making::call::split) {  // of no group
      alive_.push_back(m.made[0]);
      made_.communicators[at(m.made[0])].members.push_back(parent.members[0]);
      m.colors[0] = 0;
    }
    add(step::action::make, static_cast<int>(made_.makings.size()));
    made_.makings.push_back(std::move(m));
  }

  void release_communicator() {
    if (alive_.size() < 2) return;
    const std::size_t i = 1 + dice_.below(alive_.size() - 1);
    std::erase_if(restarts_, [&](const auto& each) { return made_.operations[at(each.first)].on == alive_[i]; });
    add(step::action::release, alive_[i]);
    alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  // ---- operations ----

  void restart() {
    const std::size_t i = dice_.below(restarts_.size());
    auto& [index, start] = restarts_[i];
    add(step::action::restart, index, start);
    if (++start == made_.operations[at(index)].starts)
      restarts_.erase(restarts_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  std::int64_t choose_count(std::size_t element_bytes) {
    const auto size = static_cast<std::int64_t>(element_bytes);
    if (is_large_ && dice_.chance(25)) return 300'000;
    switch (dice_.below(8)) {
      case 0: return dice_.below(2);
      case 1: return 3 + 2 * dice_.below(10);
      case 2:
      case 3: return dice_.between(4, 9);
      case 4: return std::max<std::int64_t>(0, dice_.between(1, 4) * 64 / size + dice_.between(-1, 1));
      case 5: return 2048 / size + dice_.between(-1, 1);
      case 6: return dice_.below(3000);
      default: return dice_.chance(50) ? 10'000 : 65'536 / size + dice_.between(-1, 1);
    }
  }

  void choose_type(operation& o) {
    do {
      o.op = 1 + dice_.below(last_operator);
      o.type = static_cast<pure_datatype>(1 + dice_.below(static_cast<int>(last_type)));
    } while (is_reduction(o.what) && !is_allowed(o.op, o.type));
  }

  void choose_counts(operation& o, int n) {
    const auto about = [&](std::int64_t count) { return dice_.chance(25) ? 0 : dice_.below(2 * count + 1); };
    switch (o.what) {
      case kind::reduce_scatter:
        for (int r = 0; r < n; ++r) o.counts.push_back(about(o.count / n + 1));
        break;
      case kind::gatherv:
      case kind::scatterv:
      case kind::allgatherv:
        for (int r = 0; r < n; ++r) o.counts.push_back(about(o.count));
        break;
      case kind::alltoallw:
        for (int i = 0; i < n * n; ++i) {
          o.types.push_back(static_cast<pure_datatype>(1 + dice_.below(static_cast<int>(last_type))));
        }
        [[fallthrough]];
      case kind::alltoallv:
        for (int i = 0; i < n * n; ++i) o.counts.push_back(about(o.count));
        break;
      default: break;
    }
    if (!o.in_place) return;
    for (int i = 0; i < n; ++i) {  // what a rank gets must fit where its own data was
      for (int j = 0; j < i; ++j) {
        if (o.what == kind::alltoallv || o.what == kind::alltoallw) o.counts[at(i * n + j)] = o.counts[at(j * n + i)];
        if (o.what == kind::alltoallw) o.types[at(i * n + j)] = o.types[at(j * n + i)];
      }
    }
  }

  void add_operation() {
    operation o;
    o.seed = dice_.next();
    o.what = static_cast<kind>(dice_.below(kinds));
    o.on = dice_.chance(40) ? 0 : dice_.pick(alive_);
    const int n = made_.communicators[at(o.on)].size();
    o.root = dice_.below(n);
    o.how = dice_.chance(35) ? form::blocking : dice_.chance(70) ? form::nonblocking : form::persistent;
    if (o.what == kind::exchange && o.how == form::persistent) o.how = form::nonblocking;
    if (o.how == form::persistent) o.starts = dice_.between(1, 3);
    choose_type(o);
    o.in_place = dice_.chance(25) && o.what != kind::barrier && o.what != kind::bcast && o.what != kind::exchange;

    const bool is_square = o.what == kind::reduce_scatter_block || o.what >= kind::allgather;
    const std::int64_t traffic_per_element = std::int64_t{3} * n * (is_square ? n : 2) * o.starts *
                                             (o.what == kind::alltoallw ? 32
                                                                        : static_cast<std::int64_t>(size_of(o.type)));
    o.count = choose_count(size_of(o.type));
    if (o.count * traffic_per_element > bytes_left_ / 3) o.count = dice_.below(6);
    bytes_left_ = std::max<std::int64_t>(0, bytes_left_ - o.count * traffic_per_element);
    choose_counts(o, n);

    const int index = static_cast<int>(made_.operations.size());
    if (o.how == form::persistent) {
      add(step::action::init, index);
      restarts_.emplace_back(index, 0);
    } else {
      add(o.how == form::blocking ? step::action::run : step::action::start, index);
    }
    made_.operations.push_back(std::move(o));
  }

  oracle::dice dice_;
  plan made_;
  std::vector<int> alive_;                     // communicators
  std::vector<std::pair<int, int>> restarts_;  // persistent operations and their next starts
  bool is_large_ = false;
  std::int64_t bytes_left_ = 0;
};

/// Plan of the given seed, for 1 to `most_ranks` ranks.
inline plan random_plan(std::uint64_t seed, int most_ranks = 17) {
  oracle::dice dice(seed ^ 0x5eed);
  const int ranks = dice.chance(65) ? dice.between(2, 5) : dice.between(1, most_ranks);
  return generator(seed, std::min(ranks, most_ranks)).make();
}

}  // namespace collective_oracle
