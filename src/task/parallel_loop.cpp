#include "task/parallel_loop.hpp"

#include <algorithm>

#include "runtime/call_error.hpp"
#include "runtime/forked_child.hpp"
#include "runtime/job.hpp"
#include "runtime/rank.hpp"
#include "task/adaptive_loop.hpp"
#include "task/task_service.hpp"

namespace pure::core {

namespace {

[[noreturn]] void throw_outside(const call& by) {
  throw call_error(by, errc::state,
                   is_forked_from_worker()
                       ? forked_child_text()
                       : "called outside a rank; a task is executed by a rank, inside main or pure::run");
}

/// Where self() is null: a task in a chunk runs in place.
void run_without_rank(const call& by, const task& what, std::uint32_t chunks) {
  if (rank_in_chunk() == nullptr) throw_outside(by);
  what.work(what.context, 0, chunks - 1);
}

/// The loop, with units for iterations.
struct unit_loop {
  loop_function work;
  void* context;
  loop_shape shape;

  [[nodiscard]] std::uint64_t units() const noexcept { return (shape.iterations + shape.lead - 1) / shape.unit + 1; }
  [[nodiscard]] std::uint64_t units_in_chunk() const noexcept { return (shape.chunk - 1) / shape.unit + 1; }
  void run(std::uint64_t first, std::uint64_t count) const {
    const std::uint64_t from = first == 0 ? 0 : first * shape.unit - shape.lead;
    const std::uint64_t to = std::min(shape.iterations, (first + count) * shape.unit - shape.lead);
    work(context, from, to - from);
  }
};

struct fixed_loop {
  const unit_loop& loop;
  std::uint64_t units_in_chunk, chunks_in_share;

  void run(std::uint64_t first_share, std::uint64_t shares) const {
    const std::uint64_t units = loop.units();
    const std::uint64_t end = std::min(units, (first_share + shares) * chunks_in_share * units_in_chunk);
    for (std::uint64_t at = first_share * chunks_in_share * units_in_chunk; at < end; at += units_in_chunk) {
      loop.run(at, std::min(units_in_chunk, end - at));
    }
  }
};

void run_fixed(const call& by, const unit_loop& loop) {
  const std::uint64_t chunks = (loop.units() - 1) / loop.units_in_chunk() + 1;
  fixed_loop fixed{loop, loop.units_in_chunk(), (chunks - 1) / task_slot::most_chunks + 1};
  const auto work = [](void* context, std::uint32_t first, std::uint32_t last) {
    static_cast<const fixed_loop*>(context)->run(first, std::uint64_t{last} - first + 1);
  };
  run_chunks(by, {work, &fixed}, static_cast<std::uint32_t>((chunks - 1) / fixed.chunks_in_share + 1));
}

void run_in_place(const call& by, unit_loop& loop) {
  const auto work = [](void* context, std::uint32_t, std::uint32_t) {
    const auto& all = *static_cast<const unit_loop*>(context);
    if (all.shape.iterations != 0) all.work(all.context, 0, all.shape.iterations);
  };
  run_chunks(by, {work, &loop}, 1);
}

struct shared_loop {
  adaptive_loop loop;
  task_service& owner;
};

void run_measured(const call& by, rank_context& rank, unit_loop& loop) {
  task_service& tasks = task_service::of(rank);
  shared_loop shared{{[](void* context, std::uint64_t first, std::uint64_t count) {
                        static_cast<const unit_loop*>(context)->run(first, count);
                      },
                      &loop, loop.units(), static_cast<std::uint32_t>(rank.owner().workers())},
                     tasks};
  part_of_call next = part_of_call::first;
  if (shared.loop.has_many()) {
    const auto begin = [](void* context, std::uint32_t, std::uint32_t) {
      static_cast<shared_loop*>(context)->loop.begin();
    };
    tasks.execute(by, {begin, &shared}, 1);
    if (shared.loop.done()) return;
    next = part_of_call::further;
  }
  const auto work = [](void* context, std::uint32_t first, std::uint32_t last) {
    auto& all = *static_cast<shared_loop*>(context);
    const bool is_owner = rank_in_chunk() == &all.owner.rank();
    if (all.loop.work(last - first + 1, is_owner ? adaptive_loop::worker::owner : adaptive_loop::worker::thief)) {
      all.owner.drop_rest();
    }
  };
  tasks.execute(by, {work, &shared}, shared.loop.batches(task_slot::most_chunks), next);
}

}  // namespace

void run_loop(const call& by, loop_function work, void* context, const loop_shape& shape) {
  unit_loop loop{work, context, shape};
  rank_context* const rank = self();
  if (shape.chunk != 0 && shape.iterations != 0) {
    run_fixed(by, loop);
  } else if (rank == nullptr || rank->owner().workers() == 1 || shape.iterations == 0 || loop.units() == 1) {
    run_in_place(by, loop);  // or is outside a rank, and says so
  } else if (loop.units() > adaptive_loop::most_iterations) {
    loop.shape.chunk = shape.iterations / task_slot::most_chunks;
    run_fixed(by, loop);
  } else {
    run_measured(by, *rank, loop);
  }
}

void run_chunks(const call& by, const task& what, std::uint32_t chunks) {
  if (chunks == 0) return;
  rank_context* const rank = self();
  if (rank == nullptr) [[unlikely]]
    return run_without_rank(by, what, chunks);
  task_service::of(*rank).execute(by, what, chunks);
}

std::uint32_t chunks_of_task(const call& by) {
  const rank_context* const rank = rank_of_thread();
  if (rank == nullptr) throw_outside(by);
  return static_cast<std::uint32_t>(rank->owner().values().max_task_chunks);
}

void run_task(const call& by, const task& what) {
  rank_context* const rank = self();
  if (rank == nullptr) [[unlikely]]
    return run_without_rank(by, what, chunks_of_task(by));
  task_service& tasks = task_service::of(*rank);
  tasks.execute(by, what, tasks.chunks_of_paper_task());
}

}  // namespace pure::core
