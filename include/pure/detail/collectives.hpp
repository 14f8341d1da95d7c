// What both interfaces tell the library about a collective. Not for programs.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pure/call_site.hpp>
#include <pure/detail/failure.hpp>
#include <pure/export.hpp>

namespace pure::core {
class communicator;
}

namespace pure::detail {

enum class collective : std::uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  scan,
  exscan,
  reduce_scatter,  // also of equal blocks
  gather,
  scatter,
  allgather,
  alltoall
};
inline constexpr std::size_t collective_kinds = static_cast<std::size_t>(collective::alltoall) + 1;

/// How elements are combined: out[i] = left[i] op right[i], where `left` comes from lower ranks. `out` may be the same
/// array as `left` or `right`, and overlaps neither otherwise. Called by any rank, by several at once. May throw
/// (in_program).
struct reduction {
  using function = void (*)(const void* context, const void* left, const void* right, void* out, std::size_t count);
  function combine = nullptr;
  const void* context = nullptr;  // must live until the operation is complete
  std::size_t element_bytes = 0;
  /// Identifies operator and type to PURE_CHECK, which compares it between the ranks; 0: not comparable.
  std::uint64_t identity = 0;
  /// Set for sums of float and double: out[i] = the sum of operands[0..ranks)[i], rounded once
  /// (PURE_REPRODUCIBLE_SUMS).
  void (*sum_exactly)(const void* const operands[], int ranks, void* out, std::size_t count) = nullptr;
};

/// Where the blocks of a gather, scatter, all-gather or all-to-all lie in a buffer: one block per rank.
struct block_layout {
  std::size_t block_bytes = 0;           // of every block, one after the other; if `counts` is null
  const std::int64_t* counts = nullptr;  // of elements in the block of each rank
  const std::int64_t* displs =
      nullptr;  // of its first element, in elements (in bytes if there are types); null: one after the other
  std::size_t element_bytes = 1;
  /// If set, the size of the elements of rank r's block (all-to-all w); displs are then in bytes.
  std::size_t (*element_bytes_of)(const void* types, int r) = nullptr;
  const void* types = nullptr;

  [[nodiscard]] std::size_t bytes(int r) const noexcept {
    return counts == nullptr ? block_bytes : static_cast<std::size_t>(counts[r]) * element(r);
  }
  [[nodiscard]] std::ptrdiff_t offset(int r) const noexcept {
    if (counts == nullptr) return static_cast<std::ptrdiff_t>(block_bytes) * r;
    if (element_bytes_of != nullptr) return static_cast<std::ptrdiff_t>(displs[r]);
    if (displs != nullptr) return static_cast<std::ptrdiff_t>(displs[r]) * static_cast<std::ptrdiff_t>(element_bytes);
    std::ptrdiff_t sum = 0;
    for (int i = 0; i < r; ++i) sum += static_cast<std::ptrdiff_t>(bytes(i));
    return sum;
  }

 private:
  [[nodiscard]] std::size_t element(int r) const noexcept {
    return element_bytes_of != nullptr ? element_bytes_of(types, r) : element_bytes;
  }
};

/// One rank's part in one collective. Everything it points to must live until the operation is complete.
///
///   barrier                 nothing
///   bcast                   recv, count, element_bytes, root (recv is also what the root sends)
///   reduce, allreduce, scan, exscan   send (null: in place), recv, count, how, root
///   reduce_scatter          send (null: in place), recv, recv_blocks (the block of each rank), how; count is computed
///   gather                  send (null: in place at the root), count, element_bytes; at the root recv, recv_blocks
///   scatter                 recv (null: in place at the root), count, element_bytes; at the root send, send_blocks
///   allgather               send (null: in place), count, element_bytes, recv, recv_blocks
///   alltoall                send (null: in place), send_blocks, recv, recv_blocks
struct collective_arguments {
  // Member by member: gcc would clear the whole at once by a `rep stos`, which takes 50 ns.
  collective_arguments() noexcept {}

  collective kind = collective::barrier;
  int root = 0;
  const void* send = nullptr;
  void* recv = nullptr;
  std::size_t count = 0;          // elements
  std::size_t element_bytes = 0;  // of one
  std::uint32_t type = 0;         // identifies the type of the elements to PURE_CHECK, as `how` does; 0: not comparable
  block_layout send_blocks;
  block_layout recv_blocks;
  reduction how;
};

using request_handle = std::uint64_t;

extern "C" {
PURE_API failure* pure_cxx_run_collective(core::communicator* on, const char* operation, pure_call_site site,
                                          const collective_arguments* arguments);
PURE_API failure* pure_cxx_start_collective(core::communicator* on, const char* operation, pure_call_site site,
                                            const collective_arguments* arguments, request_handle* started);
PURE_API failure* pure_cxx_make_persistent_collective(core::communicator* on, const char* operation,
                                                      pure_call_site site, const collective_arguments* arguments,
                                                      request_handle* made);
PURE_API failure* pure_cxx_reproducible_sum_of_floats(core::communicator* on, const char* operation,
                                                      pure_call_site site, const float* elements, std::size_t count,
                                                      float* sum);
PURE_API failure* pure_cxx_reproducible_sum_of_doubles(core::communicator* on, const char* operation,
                                                       pure_call_site site, const double* elements, std::size_t count,
                                                       double* sum);
}

/// Runs the collective `operation` (a name for errors, valid for ever). Blocking. Throws pure::Error: root, count,
/// buffer (null, or the buffers overlap), mismatch (PURE_CHECK), state.
inline void run_collective(core::communicator& on, const char* operation, pure_call_site site,
                           const collective_arguments& arguments) {
  check(pure_cxx_run_collective(&on, operation, site, &arguments));
}
/// Starts it; complete it like any request.
inline request_handle start_collective(core::communicator& on, const char* operation, pure_call_site site,
                                       const collective_arguments& arguments) {
  request_handle started = 0;
  check(pure_cxx_start_collective(&on, operation, site, &arguments, &started));
  return started;
}
/// Makes a persistent one, inactive.
inline request_handle make_persistent_collective(core::communicator& on, const char* operation, pure_call_site site,
                                                 const collective_arguments& arguments) {
  request_handle made = 0;
  check(pure_cxx_make_persistent_collective(&on, operation, site, &arguments, &made));
  return made;
}

/// The sum of all `count` elements of all ranks, rounded once; collective.
inline float reproducible_sum(core::communicator& on, const char* operation, pure_call_site site, const float* elements,
                              std::size_t count) {
  float sum = 0;
  check(pure_cxx_reproducible_sum_of_floats(&on, operation, site, elements, count, &sum));
  return sum;
}
inline double reproducible_sum(core::communicator& on, const char* operation, pure_call_site site,
                               const double* elements, std::size_t count) {
  double sum = 0;
  check(pure_cxx_reproducible_sum_of_doubles(&on, operation, site, elements, count, &sum));
  return sum;
}

}  // namespace pure::detail
