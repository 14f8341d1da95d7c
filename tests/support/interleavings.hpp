// What lock-free code is given under test in place of its atomics, its data and its sleep (exploration.hpp runs it in
// every order of its steps).
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/exploration.hpp"

namespace test_support::interleavings {

/// In every order; and there were so many, at least, so that the threads have met.
inline void expect_right(const verdict& its, std::uint64_t least_executions) {
  EXPECT_EQ(its.failure, "");
  EXPECT_TRUE(its.is_complete);
  EXPECT_GE(its.executions, least_executions) << "the threads did not meet";
}

/// In place of std::atomic<T>: the same names, for what the code under test uses.
template <class T>
class model_atomic {
 public:
  static constexpr bool is_always_lock_free = true;

  // NOLINTNEXTLINE(google-explicit-constructor): as std::atomic
  constexpr model_atomic(T initial) : initial_(initial) {}
  model_atomic(const model_atomic&) = delete;
  model_atomic& operator=(const model_atomic&) = delete;

  T load(std::memory_order order) const {
    exploration& all = exploration::now();
    all.step();
    prepare();
    std::size_t oldest = all.seen(location_);
    for (std::size_t i = history_.size(); i-- > oldest;) {
      if (all.clock()[history_[i].thread] < history_[i].time) continue;
      oldest = i;  // it happens before this load
      break;
    }
    const std::size_t index = history_.size() - 1 - all.choose_age(history_.size() - oldest);
    all.seen(location_) = index;
    if (acquires(order)) all.clock().join(history_[index].released);
    return history_[index].value;
  }
  void store(T value, std::memory_order order) {
    exploration::now().step();
    prepare();
    append(value, order, {});
  }
  T exchange(T value, std::memory_order order) {
    return modify(order, [&](T) { return value; });
  }
  T fetch_add(T by, std::memory_order order) {
    return modify(order, [&](T before) { return static_cast<T>(before + by); });
  }
  T fetch_sub(T by, std::memory_order order) {
    return modify(order, [&](T before) { return static_cast<T>(before - by); });
  }
  T fetch_and(T with, std::memory_order order) {
    return modify(order, [&](T before) { return static_cast<T>(before & with); });
  }
  T fetch_or(T with, std::memory_order order) {
    return modify(order, [&](T before) { return static_cast<T>(before | with); });
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure) {
    exploration::now().step();
    return compare_exchange(expected, desired, success, failure);
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order success, std::memory_order failure) {
    exploration& all = exploration::now();
    all.step();
    prepare();
    if (history_.back().value == expected && all.fails_for_no_reason()) return false;
    return compare_exchange(expected, desired, success, failure);
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order order) {
    return compare_exchange_strong(expected, desired, order, without_release(order));
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order order) {
    return compare_exchange_weak(expected, desired, order, without_release(order));
  }

 private:
  struct store_event {
    T value;
    int thread;
    std::uint32_t time;  // of that thread
    vector_clock released;
  };

  static bool acquires(std::memory_order order) {
    return order != std::memory_order_relaxed && order != std::memory_order_release;
  }
  static bool releases(std::memory_order order) {
    return order == std::memory_order_release || order == std::memory_order_acq_rel;
  }
  static std::memory_order without_release(std::memory_order order) {
    return order == std::memory_order_acq_rel   ? std::memory_order_acquire
           : order == std::memory_order_release ? std::memory_order_relaxed
                                                : order;
  }

  /// The first access to the variable in an execution; the variable may have been made outside.
  void prepare() const {
    if (!history_.empty()) return;
    location_ = exploration::now().new_location();
    history_.push_back({initial_, 0, 0, {}});
  }
  void append(T value, std::memory_order order, const vector_clock& sequence) {
    exploration& all = exploration::now();
    vector_clock& clock = all.clock();
    clock.tick(all.self());
    vector_clock released = sequence;
    if (releases(order)) released.join(clock);
    history_.push_back({value, all.self(), clock[all.self()], released});
    all.seen(location_) = history_.size() - 1;
  }
  template <class Change>
  T modify(std::memory_order order, Change change) {
    exploration::now().step();
    prepare();
    const store_event before = history_.back();
    if (acquires(order)) exploration::now().clock().join(before.released);
    append(change(before.value), order, before.released);  // goes on with the sequence
    return before.value;
  }
  bool compare_exchange(T& expected, T desired, std::memory_order success, std::memory_order failure) {
    prepare();
    exploration& all = exploration::now();
    const store_event before = history_.back();
    const bool is_equal = before.value == expected;
    if (acquires(is_equal ? success : failure)) all.clock().join(before.released);
    if (is_equal) {
      append(desired, success, before.released);
    } else {
      all.seen(location_) = history_.size() - 1;
      expected = before.value;
    }
    return is_equal;
  }

  T initial_;
  mutable std::vector<store_event> history_;  // in the order of modification
  mutable std::size_t location_ = 0;
};

/// Data that is no atomic: two accesses of which one writes, neither before the other, are a data race.
template <class T>
class checked {
 public:
  explicit checked(T initial = {}) : value_(initial) {}

  [[nodiscard]] T read() const {
    exploration& all = exploration::now();
    all.require(all.clock().covers(written_), "a data race: a read beside a write");
    all.clock().tick(all.self());
    read_.join(all.clock());
    return value_;
  }
  void write(T value) {
    exploration& all = exploration::now();
    all.require(all.clock().covers(written_), "a data race: two writes");
    all.require(all.clock().covers(read_), "a data race: a write beside a read");
    all.clock().tick(all.self());
    written_ = all.clock();
    value_ = value;
  }

 private:
  T value_;
  vector_clock written_;
  mutable vector_clock read_;
};

/// Who sleeps, as the one wait of the ranks does it (runtime/wait.hpp; tests/model/park.pml): announced, one more look,
/// then asleep unless somebody has woken it.
class parked_thread {
 public:
  void announce() {
    exploration::now().step();
    state_ = state::announced;
  }
  void stay() { state_ = state::awake; }
  void sleep() {
    exploration::now().step();
    if (state_ != state::announced) return;
    state_ = state::asleep;
    exploration::now().wait_until([this] { return state_ == state::awake; });
  }
  void wake() {
    exploration::now().step();
    state_ = state::awake;
  }

 private:
  enum class state : std::uint8_t { awake, announced, asleep };
  state state_ = state::awake;
};

}  // namespace test_support::interleavings
