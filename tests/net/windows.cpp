// Windows whose ranks are in several processes: windows FIRST_SEED ROUNDS
//
// A round makes a window of some kind, fills it, and has some epochs, of all kinds. In an epoch each rank does
// operations on parts of all ranks, which all ranks draw alike; so each knows what every part holds afterwards. A part
// has three thirds, which change their places from epoch to epoch: one for puts, cut into a slice for each origin; one
// to which everybody adds; one that is only read.
#include <pure.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include <fmt/core.h>

#include "net/modelled_window.hpp"

namespace {

using namespace net_windows;

/// Places in a part, in words.
struct range {
  std::int64_t first = 0, count = 0;
};

class round_of_windows : modelled_window {
 public:
  using modelled_window::modelled_window;

  void run() {
    make();
    fill();
    for (int epoch = 0, epochs = 2 + both_.below(4); epoch < epochs; ++epoch) {
      epoch_ = epoch;
      switch (both_.below(5)) {
        case 0: by_fence(); break;
        case 1: by_locks(); break;
        case 2: by_lock_all(); break;
        case 3: by_post_and_start(); break;
        case 4: by_notifications(); break;
      }
      compare();
    }
    count_together();
    free();
  }

 private:
  // ---- operations ----

  /// A third of a part, by its use in this epoch: 0 put, 1 added to, 2 read.
  [[nodiscard]] range third(int rank, int use) const {
    const std::int64_t words = words_[static_cast<std::size_t>(rank)], which = (use + epoch_) % 3;
    return {which * words / 3, (which + 1) * words / 3 - which * words / 3};
  }
  [[nodiscard]] range slice(int rank, int origin) const {
    const range all = third(rank, 0);
    const std::int64_t first = all.count * origin / size_, behind = all.count * (origin + 1) / size_;
    return {all.first + first, behind - first};
  }

  struct pending_get {
    words got, expected;
  };

  /// The operations of all ranks on the part of `target`, in the model; those of the caller are done, too.
  void operate_on(int target) {
    std::vector<std::int64_t>& part = model_[static_cast<std::size_t>(target)];
    const range added = third(target, 1), read = third(target, 2);
    for (int origin = 0; origin < size_; ++origin) {
      const bool is_mine = origin == me_;
      const range own = slice(target, origin);
      if (own.count > 0) put_into(target, own, part, is_mine);
      for (int left = both_.below(4); left > 0 && added.count > 0; --left) add_to(target, added, part, is_mine);
      if (read.count > 0 && both_.chance(60)) get_from(target, read, part, is_mine);
    }
  }

  void put_into(int target, range own, std::vector<std::int64_t>& part, bool is_mine) {
    const int way = both_.below(4);
    if (way == 0) return;
    const std::uint64_t key = both_.next();
    const std::int64_t stride = way == 2 ? 3 : 1, count = (own.count + stride - 1) / stride;
    words data(static_cast<std::size_t>(way == 3 ? 2 * count : count));
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::int64_t>(mix(key + i) >> 1);
    if (way == 3 && own.count > 0) {  // compare and swap of the first word: once in vain, once not
      std::int64_t& there = part[static_cast<std::size_t>(own.first)];
      if (is_mine) {
        auto& results = results_.emplace_back(pending_get{words(2), {there, there}});
        const std::int64_t wrong = there + 1;
        swap(target, own.first, data[0], wrong, results.got.data());
        swap(target, own.first, data[0], there, results.got.data() + 1);
      }
      there = data[0];
      return;
    }
    for (std::int64_t i = 0; i < count; ++i)
      part[static_cast<std::size_t>(own.first + i * stride)] = data[static_cast<std::size_t>(i)];
    if (!is_mine) return;
    if (stride == 1) {
      if (own_.chance(20)) {
        pure_request request = PURE_REQUEST_NULL;
        ok(pure_rput(data.data(), count, PURE_INT64_T, target, displacement(target, own.first), count, PURE_INT64_T,
                     win_, &request),
           "rput");
        pure_wait(&request);
      } else {
        ok(pure_put(data.data(), count, PURE_INT64_T, target, displacement(target, own.first), count, PURE_INT64_T,
                    win_),
           "put");
      }
      return;
    }
    const strided_type strided(count, stride);
    ok(pure_put(data.data(), count, PURE_INT64_T, target, displacement(target, own.first), 1, strided.type, win_),
       "put");
  }

  struct strided_type {
    strided_type(std::int64_t count, std::int64_t stride) { pure_type_vector(count, 1, stride, PURE_INT64_T, &type); }
    strided_type(const strided_type&) = delete;
    strided_type& operator=(const strided_type&) = delete;
    ~strided_type() { pure_type_free(&type); }
    pure_datatype type;
  };

  void swap(int target, std::int64_t word, std::int64_t desired, std::int64_t expected, std::int64_t* result) {
    ok(pure_compare_and_swap(&desired, &expected, result, PURE_INT64_T, target, displacement(target, word), win_),
       "compare_and_swap");
  }

  void add_to(int target, range added, std::vector<std::int64_t>& part, bool is_mine) {
    const std::int64_t first = added.first + both_.below(static_cast<int>(added.count));
    const std::int64_t left = added.first + added.count - first;
    const std::int64_t count = both_.chance(40) ? 1 : 1 + both_.below(static_cast<int>(left));
    const auto value = static_cast<std::int64_t>(both_.below(1000));
    const int way = both_.below(4);
    const bool is_strided = way == 3 && 2 * count - 1 <= left;
    for (std::int64_t i = 0; i < count; ++i) part[static_cast<std::size_t>(first + i * (is_strided ? 2 : 1))] += value;
    if (!is_mine) return;
    const words data(static_cast<std::size_t>(count), value);
    if (way == 0 && count == 1) {
      ok(pure_fetch_and_op(&value, keep_word(), PURE_INT64_T, target, displacement(target, first), PURE_SUM, win_),
         "fetch_and_op");
    } else if (way == 1) {
      auto& results = results_.emplace_back(pending_get{words(static_cast<std::size_t>(count)), {}});
      ok(pure_get_accumulate(data.data(), count, PURE_INT64_T, results.got.data(), count, PURE_INT64_T, target,
                             displacement(target, first), count, PURE_INT64_T, PURE_SUM, win_),
         "get_accumulate");
    } else if (is_strided) {
      const strided_type strided(count, 2);
      ok(pure_accumulate(data.data(), count, PURE_INT64_T, target, displacement(target, first), 1, strided.type,
                         PURE_SUM, win_),
         "accumulate");
    } else {
      ok(pure_accumulate(data.data(), count, PURE_INT64_T, target, displacement(target, first), count, PURE_INT64_T,
                         PURE_SUM, win_),
         "accumulate");
    }
  }

  std::int64_t* keep_word() {
    results_.emplace_back(pending_get{words(1), {}});
    return results_.back().got.data();
  }

  void get_from(int target, range read, const std::vector<std::int64_t>& part, bool is_mine) {
    const std::int64_t first = read.first + both_.below(static_cast<int>(read.count));
    const std::int64_t count = 1 + both_.below(static_cast<int>(read.first + read.count - first));
    const bool is_strided = both_.chance(30), is_request = both_.chance(20);
    if (!is_mine) return;
    const std::int64_t stride = is_strided ? 2 : 1, taken = (count + stride - 1) / stride;
    auto& results = results_.emplace_back(pending_get{words(static_cast<std::size_t>(taken)), {}});
    for (std::int64_t i = 0; i < taken; ++i)
      results.expected.push_back(part[static_cast<std::size_t>(first + i * stride)]);
    const strided_type strided(taken, stride);
    const std::int64_t disp = displacement(target, first);
    if (is_request) {
      pure_request request = PURE_REQUEST_NULL;
      ok(pure_rget(results.got.data(), taken, PURE_INT64_T, target, disp, 1, strided.type, win_, &request), "rget");
      pure_wait(&request);
      expect(results.got == results.expected, "rget brought something else");
    } else {
      ok(pure_get(results.got.data(), taken, PURE_INT64_T, target, disp, 1, strided.type, win_), "get");
    }
  }

  void operate() {
    for (int target = 0; target < size_; ++target) operate_on(target);
  }
  /// When the epoch is over.
  void check_results() {
    for (const pending_get& each : results_) {
      if (!each.expected.empty())
        expect(each.got == each.expected, fmt::format("epoch {}: an operation brought something else", epoch_));
    }
    results_.clear();
  }

  // ---- epochs ----

  /// A promise that is true; made now and then.
  [[nodiscard]] int perhaps(int promise) { return both_.chance(60) ? promise : 0; }

  /// Each rank fills its part by stores before the fence that opens, as programs do; then nothing has preceded.
  void by_fence() {
    const bool stores = both_.chance(50);
    if (stores) {
      for (auto& part : model_) {
        for (std::int64_t& each : part) each += 5;
      }
      const auto& own = model_[static_cast<std::size_t>(me_)];
      if (!own.empty()) std::memcpy(base_, own.data(), own.size() * 8);
    }
    ok(pure_win_fence(perhaps(PURE_MODE_NOPRECEDE) | (stores ? 0 : perhaps(PURE_MODE_NOSTORE)), win_), "fence");
    operate();
    ok(pure_win_fence(perhaps(PURE_MODE_NOSTORE) | perhaps(PURE_MODE_NOSUCCEED) | perhaps(PURE_MODE_NOPUT), win_),
       "fence");
    check_results();
    ok(pure_win_fence(PURE_MODE_NOSUCCEED | perhaps(PURE_MODE_NOPRECEDE), win_), "fence");
  }
  void by_locks() {
    for (int target = 0; target < size_; ++target) {
      ok(pure_win_lock(both_.chance(50) ? PURE_LOCK_EXCLUSIVE : PURE_LOCK_SHARED, target, 0, win_), "lock");
      operate_on(target);
      if (own_.chance(30)) ok(pure_win_flush(target, win_), "flush");
      ok(pure_win_unlock(target, win_), "unlock");
    }
    check_results();
  }
  void by_lock_all() {
    ok(pure_win_lock_all(perhaps(PURE_MODE_NOCHECK), win_), "lock_all");  // all share
    operate();
    if (own_.chance(30)) ok(pure_win_flush_all(win_), "flush_all");
    ok(pure_win_unlock_all(win_), "unlock_all");
    check_results();
  }
  void by_post_and_start() {
    pure_group all = PURE_GROUP_NULL;
    ok(pure_win_get_group(win_, &all), "group");
    const int checked = perhaps(PURE_MODE_NOCHECK);
    ok(pure_win_post(all, checked | perhaps(PURE_MODE_NOSTORE), win_), "post");
    if (checked != 0) pure_barrier(comm_);  // so all have called post
    ok(pure_win_start(all, checked, win_), "start");
    operate();
    ok(pure_win_complete(win_), "complete");
    if (own_.chance(50)) {
      int is_over = 0;
      while (is_over == 0) ok(pure_win_test(win_, &is_over), "test");
    } else {
      ok(pure_win_wait(win_), "wait");
    }
    check_results();
    ok(pure_group_free(&all), "group");
  }
  /// Each rank puts into its slice of the next one's part, and tells it.
  void by_notifications() {
    const int next = (me_ + 1) % size_, before = (me_ + size_ - 1) % size_,
              counter = both_.below(PURE_WIN_NOTIFICATIONS);
    const std::uint64_t key = both_.next();
    ok(pure_win_lock_all(0, win_), "lock_all");
    for (int origin = 0; origin < size_; ++origin) {
      const int target = (origin + 1) % size_;
      const range own = slice(target, origin);
      words data(static_cast<std::size_t>(own.count));
      for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<std::int64_t>(mix(key + i + static_cast<std::uint64_t>(origin)) >> 1);
        model_[static_cast<std::size_t>(target)][static_cast<std::size_t>(own.first) + i] = data[i];
      }
      if (origin != me_) continue;
      ok(pure_put(data.data(), own.count, PURE_INT64_T, next, displacement(next, own.first), own.count, PURE_INT64_T,
                  win_),
         "put");
      ok(pure_win_notify(next, counter, win_), "notify");
    }
    ok(pure_win_wait_notified(1, counter, win_), "wait_notified");
    const range got = slice(me_, before);
    for (std::int64_t i = got.first; i < got.first + got.count; ++i)
      expect(base_[i] == model_[static_cast<std::size_t>(me_)][static_cast<std::size_t>(i)],
             "a notification came before what was put");
    ok(pure_win_unlock_all(win_), "unlock_all");
  }

  /// All ranks at once: counters at rank 0, by one call, by compare and swap, and under its lock.
  void count_together() {
    constexpr std::int64_t rounds = 12;
    if (words_[0] < 3) return;
    std::vector<std::int64_t>& part = model_[0];
    std::int64_t seen = 0, now = 0;
    const std::int64_t one = 1;
    for (int i = 0; i < rounds; ++i) {
      ok(pure_win_lock(PURE_LOCK_SHARED, 0, 0, win_), "lock");
      ok(pure_fetch_and_op(&one, &seen, PURE_INT64_T, 0, displacement(0, 0), PURE_SUM, win_), "fetch_and_op");
      ok(pure_win_flush(0, win_), "flush");
      expect(seen >= part[0] && seen < part[0] + rounds * size_, "a counter was never so");
      for (std::int64_t expected = part[1];; expected = now) {
        const std::int64_t made = expected + 1;
        ok(pure_compare_and_swap(&made, &expected, &now, PURE_INT64_T, 0, displacement(0, 1), win_),
           "compare_and_swap");
        ok(pure_win_flush(0, win_), "flush");
        if (now == expected) break;
      }
      ok(pure_win_unlock(0, win_), "unlock");
      ok(pure_win_lock(PURE_LOCK_EXCLUSIVE, 0, 0, win_), "lock");
      ok(pure_get(&seen, 1, PURE_INT64_T, 0, displacement(0, 2), 1, PURE_INT64_T, win_), "get");
      ok(pure_win_flush(0, win_), "flush");
      ++seen;
      ok(pure_put(&seen, 1, PURE_INT64_T, 0, displacement(0, 2), 1, PURE_INT64_T, win_), "put");
      ok(pure_win_unlock(0, win_), "unlock");
    }
    pure_barrier(comm_);
    for (std::size_t i = 0; i < 3; ++i) part[i] += rounds * size_;
    compare();
  }

  std::vector<pending_get> results_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: windows FIRST_SEED ROUNDS\n");
    return 2;
  }
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const int me = pure_rank();
  pure_comm halves = PURE_COMM_NULL;  // of every second rank
  pure_comm_split(PURE_COMM_WORLD, me % 2, me, &halves);
  for (int round = 0; round < std::atoi(argv[2]); ++round) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(round);
    round_of_windows(seed, seed % 3 == 0 ? halves : PURE_COMM_WORLD).run();
  }
  if (me == 0) fmt::print("windows: right\n");
  return 0;
}
