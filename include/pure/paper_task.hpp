// PureTask and its index ranges: the paper's task interface (PPoPP '24, 3.2), C++17.
//
// A task is a body, usually a lambda, that works on a range of chunks. execute() runs all chunks and returns when the
// last one is done.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <pure/call_site.hpp>
#include <pure/detail/failure.hpp>
#include <pure/detail/tasks.hpp>

/// Number of a chunk, from 0.
using chunk_id_t = unsigned;

namespace pure::detail {

inline constexpr std::size_t cache_line_bytes = 64;

}  // namespace pure::detail

/// A range of indices, both ends included, as the paper's loops expect: `for (auto i = min_idx; i <= max_idx; ++i)`.
/// The type is signed, so that an empty range (0, -1) runs the loop not at all.
using pure_index_t = std::ptrdiff_t;

/// The part of an array of `size` elements of T that chunks start_chunk..end_chunk (both included) stand for. Parts are
/// whole cache lines, counted from the array's beginning, so that chunks of an aligned array do not share lines; every
/// index is in exactly one chunk; remainders are spread evenly. A chunk may be empty: the range is then (0, -1).
template <class T>
std::pair<pure_index_t, pure_index_t> pure_aligned_idx_range(std::size_t size, chunk_id_t start_chunk,
                                                             chunk_id_t end_chunk) {
  constexpr std::size_t per_line = sizeof(T) >= pure::detail::cache_line_bytes
                                       ? 1
                                       : pure::detail::cache_line_bytes / sizeof(T);
  const auto range = pure::detail::indices_of_chunks(size, per_line, start_chunk, end_chunk,
                                                     pure::detail::task_chunks());
  if (range.count == 0) return {0, -1};
  return {static_cast<pure_index_t>(range.first), static_cast<pure_index_t>(range.first + range.count - 1)};
}

/// The slides' shorter form: one chunk.
template <class T>
std::pair<pure_index_t, pure_index_t> pure_aligned_idx_range(std::size_t size, chunk_id_t chunk) {
  return pure_aligned_idx_range<T>(size, chunk, chunk);
}

/// The same without regard to cache lines: parts differ by at most one element. For reading, or for work that writes
/// elsewhere.
template <class T>
std::pair<pure_index_t, pure_index_t> pure_unaligned_idx_range(std::size_t size, chunk_id_t start_chunk,
                                                               chunk_id_t end_chunk) {
  const auto range = pure::detail::indices_of_chunks(size, 1, start_chunk, end_chunk, pure::detail::task_chunks());
  if (range.count == 0) return {0, -1};
  return {static_cast<pure_index_t>(range.first), static_cast<pure_index_t>(range.first + range.count - 1)};
}

template <class T>
std::pair<pure_index_t, pure_index_t> pure_unaligned_idx_range(std::size_t size, chunk_id_t chunk) {
  return pure_unaligned_idx_range<T>(size, chunk, chunk);
}

/// A piece of the program that is executed in chunks, possibly by several ranks at once (paper 3.2). The body is one of
///     (chunk_id_t start_chunk, chunk_id_t end_chunk, std::optional<void*> per_exe_args)
///     (chunk_id_t start_chunk, chunk_id_t end_chunk)
///     (chunk_id_t chunk)
/// It must be safe to run for different chunks at the same time, and must not send or receive. A task may be executed
/// any number of times; its copies share one body.
class PureTask {
 public:
  template <class Body, class = std::enable_if_t<!std::is_same_v<std::decay_t<Body>, PureTask>>>
  PureTask(Body body)  // NOLINT: implicit, as the paper writes `PureTask t = [..]`
      : body_(std::make_shared<Body>(std::move(body))), work_(work<Body>) {}

  /// Runs every chunk, and returns when all are done, by this rank and by those that wait meanwhile. What the body
  /// throws leaves execute(), when the chunks in progress have ended; the others are dropped. Called by a rank, on its
  /// own thread; inside a chunk, the nested task runs in place.
  void execute(pure_call_site at = pure_call_site::current()) { run(std::nullopt, at); }
  /// The same; every chunk gets `per_exe_args`, which must live until execute() returns.
  void execute(void* per_exe_args, pure_call_site at = pure_call_site::current()) { run(per_exe_args, at); }

 private:
  struct execution {
    void* body;
    std::optional<void*> arguments;
  };

  /// What a chunk runs: called straight by the library, with an execution.
  template <class Body>
  static void work(void* context, chunk_id_t start, chunk_id_t end) {
    pure::detail::in_program([=] { run_body<Body>(context, start, end); });
  }
  template <class Body>
  static void run_body(void* context, chunk_id_t start, chunk_id_t end) {
    const auto& now = *static_cast<const execution*>(context);
    Body& body = *static_cast<Body*>(now.body);
    if constexpr (std::is_invocable_v<Body&, chunk_id_t, chunk_id_t, std::optional<void*>>) {
      body(start, end, now.arguments);
    } else if constexpr (std::is_invocable_v<Body&, chunk_id_t, chunk_id_t>) {
      body(start, end);
    } else {
      static_assert(std::is_invocable_v<Body&, chunk_id_t>,
                    "Pure: the body of a PureTask takes (chunk_id_t start_chunk, chunk_id_t end_chunk, "
                    "std::optional<void*> per_exe_args), or the first two, or one chunk_id_t.");
      for (chunk_id_t chunk = start; chunk <= end; ++chunk) body(chunk);
    }
  }

  void run(std::optional<void*> per_exe_args, const pure_call_site& at) {
    execution now{body_.get(), per_exe_args};
    pure::detail::run_task("PureTask::execute", at, work_, &now);
  }

  std::shared_ptr<void> body_;
  pure::detail::chunk_function work_;
};
