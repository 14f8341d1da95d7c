#include "task/adaptive_loop.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace pure::core {

namespace {

/// The next batch may have that many times the iterations of the one that was measured: a first iteration is often
/// cheaper.
constexpr std::uint64_t growth = 128;
/// The first batches, while nobody can help, are that many times shorter.
constexpr std::uint64_t cautious = 20;
/// A batch of that length tells the cost of an iteration.
constexpr std::int64_t known_ns = adaptive_loop::target_ns / cautious / 2;
/// The owner's batches are that many times longer.
constexpr std::uint64_t owners = 4;
/// Towards the end batches become shorter, down to target_ns / shortest.
constexpr std::uint64_t shortest = 20;

}  // namespace

void adaptive_loop::begin() {
  std::int64_t now = now_ns();
  for (batch next{0, 1};;) {
    run(next);
    const std::uint64_t at = next.first + next.count;
    dealt_.store(at, std::memory_order_relaxed);
    if (at == count_) return;
    const std::int64_t end = now_ns();
    const std::int64_t took_ns = end - now;
    now = end;
    learn(next.count, took_ns);
    const std::uint64_t size = size_.load(std::memory_order_relaxed);
    const std::uint64_t left = count_ - at;
    if (static_cast<double>(left) * target_ns < static_cast<double>(size) * worth_ns && next.count > 1) {
      next = {at, left};  // (a first iteration alone says little: the cache was cold)
    } else if (took_ns >= known_ns) {
      return;
    } else {
      next = {at, std::clamp<std::uint64_t>(size / cautious, 1, left)};
    }
  }
}

std::uint32_t adaptive_loop::batches(std::uint32_t most) noexcept {
  const std::uint64_t left = count_ - next_in(dealt_.load(std::memory_order_relaxed));
  const std::uint64_t size = size_.load(std::memory_order_relaxed);
  permits_ = std::min<std::uint64_t>({2 * (left / size) + std::uint64_t{32} * workers_, left, most});
  return static_cast<std::uint32_t>(permits_);
}

bool adaptive_loop::work(std::uint32_t batches, worker by) {
  std::int64_t now = 0;
  for (; batches != 0; --batches) {
    const batch mine = take(by);
    if (mine.count == 0) return true;
    if (now == 0) now = now_ns();
    run(mine);
    const std::int64_t end = now_ns();
    learn(mine.count, end - now);
    now = end;
  }
  return false;
}

adaptive_loop::batch adaptive_loop::take(worker by) noexcept {
  std::uint64_t word = dealt_.load(std::memory_order_relaxed);
  const std::uint64_t size = size_.load(std::memory_order_relaxed);
  const std::uint64_t wanted = by == worker::owner ? owners * size : size;
  for (;;) {
    const std::uint64_t first = next_in(word);
    const std::uint64_t left = count_ - first;
    if (left == 0) return {};
    const std::uint64_t permits = permits_ - (word >> batch_shift);  // the caller's is one: at least 1
    std::uint64_t taken = std::min(wanted, std::max(left / (2 * workers_), size / shortest));
    taken = std::min(left, std::max({taken, left / permits + (left % permits != 0 ? 1 : 0), std::uint64_t{1}}));
    if (dealt_.compare_exchange_weak(word, word + one_batch + taken, std::memory_order_relaxed)) return {first, taken};
  }
}

void adaptive_loop::run(batch what) {
  try {
    work_(context_, what.first, what.count);
  } catch (...) {
    dealt_.store(count_, std::memory_order_relaxed);
    throw;
  }
}

/// A rank that was off its core in between is wrong once: its next batch is too short.
void adaptive_loop::learn(std::uint64_t iterations, std::int64_t ns) noexcept {
  const double size = static_cast<double>(iterations) * target_ns / static_cast<double>(std::max<std::int64_t>(ns, 1));
  const double limit = static_cast<double>(iterations) * growth;
  const double rounded = std::min(size, limit) + 0.5;  // two iterations of a little more than half a batch are one
  size_.store(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rounded)), std::memory_order_relaxed);
}

}  // namespace pure::core
