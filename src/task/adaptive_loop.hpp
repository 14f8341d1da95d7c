// A loop whose iterations are dealt in batches of about target_ns, by the clock.
//
// The ranks that work on it take batches from one shared counter; after each batch its rank says how many iterations
// the next one should have. So the batches follow the cost of the body wherever it changes, and the first batch is one
// iteration: nobody is stuck with a batch whose cost was not known. The owner, who waits for nothing else, takes
// several batches' worth at once: the counter's line then stays with the thieves. The chunks of the loop's task are
// permits to take one batch, not ranges: they can be taken in any order, and left.
//
// One word says how many batches are taken and how many iterations: each batch is cut so that the permits that are left
// suffice for what is left, and a permit that is in use but has no batch yet counts as left. (With two words the owner
// of two iterations did both, while a thief held the permit for one.)
//
// Lives on the owner's stack. A rank touches it only while it holds a chunk of the loop's task; the task's slot orders
// what the iterations write. All atomics here are relaxed: they only deal out numbers.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.hpp"

namespace pure::core {

class adaptive_loop {
 public:
  /// Iterations first..first+count-1.
  using function = void (*)(void* context, std::uint64_t first, std::uint64_t count);

  /// A batch: a stolen one costs something (D-batch-time), and a thief does not look at its own wait meanwhile.
  static constexpr std::int64_t target_ns = 20'000;
  /// A loop shorter than this is not worth a task.
  static constexpr std::int64_t worth_ns = 3'000;

  static constexpr std::uint64_t most_iterations = (std::uint64_t{1} << 48) - 1;

  /// `workers`: how many ranks may work on it. count <= most_iterations.
  adaptive_loop(function body, void* context, std::uint64_t count, std::uint32_t workers) noexcept
      : work_(body), context_(context), count_(count), workers_(workers) {}
  adaptive_loop(const adaptive_loop&) = delete;
  adaptive_loop& operator=(const adaptive_loop&) = delete;

  /// True if a first iteration that turns out to be long, and that nobody can share, would hardly matter: then begin().
  [[nodiscard]] bool has_many() const noexcept { return count_ / 32 >= workers_; }
  /// Owner, alone: does iterations until their cost is known; all of them, if that is not worth a task.
  void begin();

  [[nodiscard]] bool done() const noexcept { return next_in(dealt_.load(std::memory_order_relaxed)) == count_; }
  /// How many batches the rest may take; `most` <= 65535. Owner, once, alone.
  [[nodiscard]] std::uint32_t batches(std::uint32_t most) noexcept;

  enum class worker { owner, thief };
  /// Does up to `batches` batches. True if nothing is left to begin with. If the body throws, the rest is dropped.
  bool work(std::uint32_t batches, worker by);

 private:
  struct batch {
    std::uint64_t first, count;
  };
  // The word: batches since batches() above, iterations below.
  static constexpr int batch_shift = 48;
  static constexpr std::uint64_t one_batch = std::uint64_t{1} << batch_shift;
  static constexpr std::uint64_t next_in(std::uint64_t word) noexcept { return word & most_iterations; }

  batch take(worker by) noexcept;
  void run(batch what);
  void learn(std::uint64_t iterations, std::int64_t ns) noexcept;

  const function work_;
  void* const context_;
  const std::uint64_t count_;
  const std::uint32_t workers_;
  std::uint64_t permits_ = 0;  // written before the task opens
  // --- written by whoever takes a batch ---
  alignas(pair_bytes) std::atomic<std::uint64_t> dealt_{0};
  std::atomic<std::uint64_t> size_{1};  // iterations that take target_ns
};

}  // namespace pure::core
