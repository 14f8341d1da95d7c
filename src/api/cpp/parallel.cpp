// The library side of the parallel loops.
#include <algorithm>

#include <pure/detail/loops.hpp>
#include <pure/detail/tasks.hpp>

#include "runtime/job.hpp"
#include "runtime/rank.hpp"
#include "task/adaptive_loop.hpp"
#include "task/task_service.hpp"

namespace pure::detail {

namespace {

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

void run_fixed(const char* operation, pure_call_site site, const unit_loop& loop) {
  const std::uint64_t chunks = (loop.units() - 1) / loop.units_in_chunk() + 1;
  fixed_loop fixed{loop, loop.units_in_chunk(), (chunks - 1) / most_chunks + 1};
  run_chunks(
      operation, site,
      [](void* context, std::uint32_t first, std::uint32_t last) {
        static_cast<const fixed_loop*>(context)->run(first, std::uint64_t{last} - first + 1);
      },
      &fixed, static_cast<std::uint32_t>((chunks - 1) / fixed.chunks_in_share + 1));
}

void run_in_place(const char* operation, pure_call_site site, unit_loop& loop) {
  run_chunks(
      operation, site,
      [](void* context, std::uint32_t, std::uint32_t) {
        const auto& all = *static_cast<const unit_loop*>(context);
        if (all.shape.iterations != 0) all.work(all.context, 0, all.shape.iterations);
      },
      &loop, 1);
}

struct shared_loop {
  core::adaptive_loop loop;
  core::task_service& owner;
};

void run_measured(const char* operation, pure_call_site site, core::rank_context& rank, unit_loop& loop) {
  core::task_service& tasks = core::task_service::of(rank);
  shared_loop shared{{[](void* context, std::uint64_t first, std::uint64_t count) {
                        static_cast<const unit_loop*>(context)->run(first, count);
                      },
                      &loop, loop.units(), static_cast<std::uint32_t>(rank.owner().workers())},
                     tasks};
  const core::call by{operation, site};
  if (shared.loop.has_many()) {
    const auto begin = [](void* context, std::uint32_t, std::uint32_t) {
      static_cast<shared_loop*>(context)->loop.begin();
    };
    tasks.execute(by, {begin, &shared}, 1);
    if (shared.loop.done()) return;
  }
  const auto work = [](void* context, std::uint32_t first, std::uint32_t last) {
    auto& all = *static_cast<shared_loop*>(context);
    const bool is_owner = core::rank_in_chunk() == &all.owner.rank();
    if (all.loop.work(last - first + 1,
                      is_owner ? core::adaptive_loop::worker::owner : core::adaptive_loop::worker::thief)) {
      all.owner.drop_rest();
    }
  };
  tasks.execute(by, {work, &shared}, shared.loop.batches(most_chunks));
}

}  // namespace

void run_loop(const char* operation, pure_call_site site, loop_function work, void* context, const loop_shape& shape) {
  unit_loop loop{work, context, shape};
  core::rank_context* const rank = core::self();
  if (shape.chunk != 0 && shape.iterations != 0) {
    run_fixed(operation, site, loop);
  } else if (rank == nullptr || rank->owner().workers() == 1 || shape.iterations == 0 || loop.units() == 1) {
    run_in_place(operation, site, loop);  // or is outside a rank, and says so
  } else {
    run_measured(operation, site, *rank, loop);
  }
}

}  // namespace pure::detail
