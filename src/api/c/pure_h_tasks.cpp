// pure/tasks.h: loops, reductions and the paper's task from C. The library of MPI programs exports them, too.
//
// Only a rank's own thread shares its work. Whoever else calls, does it alone, and so does a chunk
// (task/parallel_loop.hpp).
#include <pure.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>

#include "api/c/door.hpp"
#include "base/cache_line.hpp"
#include "base/second_name.hpp"
#include "runtime/call_error.hpp"
#include "task/chunks.hpp"
#include "task/parallel_loop.hpp"

using namespace pure::core;

namespace {

constexpr std::size_t most_iterations = SIZE_MAX / 2;
constexpr std::size_t blocks_of_reduction = 1024;  // part of the contract: it decides about the last bits

/// Whether the calling thread's work is done by itself, and is no error: it runs for no rank, or is a guest of one,
/// which may be in a call of its own.
bool is_alone() noexcept { return (self() == nullptr && rank_in_chunk() == nullptr) || is_guest(); }

void check(const call& by, bool is_right, const char* text) {
  if (!is_right) [[unlikely]]
    throw_wrong_call(by, pure::errc::argument, text);
}

/// Where the array of the options begins, seen from its first cache line: chunks begin at iterations k * unit - lead.
loop_shape shape_of(const call& by, std::size_t count, const pure_loop_options& options) {
  loop_shape shape{.iterations = count, .unit = 1, .lead = 0, .chunk = options.chunk};
  if (options.data == nullptr) return shape;
  check(by, options.element_bytes != 0, "the options name an array, but not the bytes of an element (element_bytes)");
  shape.unit = line_bytes / std::gcd(line_bytes, options.element_bytes);
  const auto address = reinterpret_cast<std::uintptr_t>(options.data);
  std::size_t nearest = line_bytes, first = 0;  // the element that is nearest to the beginning of a line
  for (std::size_t element = 0; element < shape.unit; ++element) {
    const std::size_t off = (address + element * options.element_bytes) % line_bytes;
    if (off < nearest) nearest = off, first = element;
  }
  shape.lead = (shape.unit - first) % shape.unit;
  return shape;
}

void run(const call& by, loop_function work, void* context, const loop_shape& shape) {
  if (shape.iterations == 0) return;
  if (!is_alone()) return run_loop(by, work, context, shape);
  const std::uint64_t most = shape.chunk != 0 ? shape.chunk : shape.iterations;
  for (std::uint64_t first = 0; first < shape.iterations; first += std::min(most, shape.iterations - first)) {
    work(context, first, std::min(most, shape.iterations - first));
  }
}

struct c_loop {
  pure_loop_body* body;
  void* context;

  static void work(void* of, std::uint64_t first, std::uint64_t count) {
    const c_loop& loop = *static_cast<const c_loop*>(of);
    run_callback("pure_parallel_for", [&] { loop.body(first, first + count, loop.context); });
  }
};

/// The blocks of a reduction, and their values in one piece of memory, as aligned as that of malloc. The result stays
/// as it came in until all of them are done.
struct c_reduction {
  pure_reduce_body* body;
  void* context;
  std::size_t count, bytes, length;
  void* result;
  std::byte* values = nullptr;

  [[nodiscard]] void* value(std::uint64_t block) const noexcept { return values + block * stride(); }
  [[nodiscard]] std::size_t stride() const noexcept {
    return (bytes + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) * alignof(std::max_align_t);
  }
  static void work(void* of, std::uint64_t first_block, std::uint64_t blocks) {
    const c_reduction& all = *static_cast<const c_reduction*>(of);
    for (std::uint64_t block = first_block; block < first_block + blocks; ++block) {
      const std::size_t first = block * all.length;
      std::memcpy(all.value(block), all.result, all.bytes);
      run_callback("pure_parallel_reduce", [&] {
        all.body(first, first + std::min(all.length, all.count - first), all.value(block), all.context);
      });
    }
  }
};

void reduce(const call& by, c_reduction& all, pure_combine* combine) {
  if (all.count == 0) return;
  const std::size_t blocks = (all.count - 1) / all.length + 1;
  if (all.bytes > most_iterations / 2 || blocks > most_iterations / all.stride()) throw std::bad_alloc();
  const auto memory = std::make_unique_for_overwrite<std::byte[]>(blocks * all.stride());
  all.values = memory.get();
  run(by, c_reduction::work, &all, {.iterations = blocks});
  for (std::size_t block = 0; block < blocks; ++block) {
    run_callback(by.operation, [&] { combine(all.result, all.value(block), all.context); });
  }
}

struct c_task {
  const pure_task& task;
  void* per_execution;

  static void work(void* of, std::uint32_t first, std::uint32_t last) {
    const c_task& now = *static_cast<const c_task*>(of);
    run_callback("pure_task_execute", [&] { now.task.body(first, last, now.per_execution, now.task.context); });
  }
};

}  // namespace

int pure_parallel_for(std::size_t count, pure_loop_body* body, void* context, const pure_loop_options* options) {
  const call by{"pure_parallel_for", site_of_call::returning_to(__builtin_return_address(0))};
  return c_door([&] {
    check(by, body != nullptr, "the body is null");
    check(by, count <= most_iterations, "the count is more than 2^63 - 1: is it a negative number?");
    c_loop loop{body, context};
    run(by, c_loop::work, &loop, shape_of(by, count, options == nullptr ? pure_loop_options{} : *options));
  });
}

int pure_parallel_reduce(std::size_t count, void* result, std::size_t bytes, pure_reduce_body* body,
                         pure_combine* combine, void* context, const pure_loop_options* options) {
  const call by{"pure_parallel_reduce", site_of_call::returning_to(__builtin_return_address(0))};
  return c_door([&] {
    check(by, body != nullptr && combine != nullptr, "the body, or the function that combines, is null");
    check(by, result != nullptr && bytes != 0, "there is no result: it is null, or has no bytes");
    check(by, count <= most_iterations, "the count is more than 2^63 - 1: is it a negative number?");
    const std::size_t length = options != nullptr && options->chunk != 0 ? options->chunk
                               : count == 0                              ? 1
                                                                         : (count - 1) / blocks_of_reduction + 1;
    c_reduction all{body, context, count, bytes, length, result};
    reduce(by, all, combine);
  });
}

int pure_task_execute(const pure_task* task, void* per_execution) {
  const call by{"pure_task_execute", site_of_call::returning_to(__builtin_return_address(0))};
  return c_door([&] {
    check(by, task != nullptr && task->body != nullptr, "the task, or its body, is null");
    c_task now{*task, per_execution};
    if (is_alone()) return c_task::work(&now, 0, pure_task_chunks() - 1);
    run_task(by, {c_task::work, &now});
  });
}

unsigned pure_task_chunks() { return is_alone() ? 1 : chunks_of_task({"pure_task_chunks", {}}); }

void pure_task_items(std::size_t count, std::size_t element_bytes, unsigned first_chunk, unsigned last_chunk,
                     std::size_t* first, std::size_t* last) {
  const std::size_t together = element_bytes == 0 || element_bytes >= line_bytes ? 1 : line_bytes / element_bytes;
  const index_span span = items_of_chunks(count, together, first_chunk, last_chunk, pure_task_chunks());
  *first = span.first;
  *last = span.first + span.count;
}

PURE_SECOND_NAME(pure_core_parallel_for, pure_parallel_for);
PURE_SECOND_NAME(pure_core_parallel_reduce, pure_parallel_reduce);
PURE_SECOND_NAME(pure_core_task_execute, pure_task_execute);
PURE_SECOND_NAME(pure_core_task_chunks, pure_task_chunks);
PURE_SECOND_NAME(pure_core_task_items, pure_task_items);
