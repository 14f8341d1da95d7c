// Reductions of pure::comm: reduce, all-reduce, scans, reduce-scatter, reproducible sums. pure/collectives.hpp says
// what holds for all collectives.
//
// The operator is any function object, op(a, b) (see pure/operators.hpp), which must be associative. Operands are taken
// in the order of the ranks, `a` from lower ones, so it need not commute; the same ranks in the same places give the
// same bits, whatever the timing. Any rank may call it, several at once, on operands of others: it must not
// communicate, and must do the same on every rank. Blocking forms use the caller's object; the others keep a copy.
//
// Ranges are reduced element by element: those with the same index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pure/detail/collective_call.hpp>

namespace pure {

template <class Comm>
class reductions {
 public:
  using here = call_site;

  // ---- all-reduce (MPI 4.1, 6.9.6) ----

  /// The reduction of every rank's x, on every rank.
  template <class T, class Op>
  [[nodiscard]] auto all_reduce(const T& x, const Op& op, here at = here::current()) const {
    const detail::collective_call call(self(), "all_reduce", at);
    auto result = detail::copy_of(x);
    call.run(elementwise(call, kind::allreduce, x, result, op));
    return result;
  }
  template <class In, class Out, class Op>
  void all_reduce_into(const In& in, Out&& out, const Op& op, here at = here::current()) const {
    const detail::collective_call call(self(), "all_reduce_into", at);
    call.run(elementwise(call, kind::allreduce, in, out, op));
  }
  /// all_reduce_into(pure::in_place, data, op).
  template <class T, class Op>
  void all_reduce_in_place(T&& data, const Op& op, here at = here::current()) const {
    const detail::collective_call call(self(), "all_reduce_in_place", at);
    call.run(elementwise(call, kind::allreduce, in_place, data, op));
  }
  template <class In, class Out, class Op>
  request iall_reduce_into(In&& in, Out&& out, Op op, here at = here::current()) const {
    const detail::collective_call call(self(), "iall_reduce_into", at);
    return call.start_keeping<In, Out>(
        op, [&](const Op& kept) { return elementwise(call, kind::allreduce, in, out, kept); });
  }
  template <class In, class Out, class Op>
  persistent_request all_reduce_init(In&& in, Out&& out, Op op, here at = here::current()) const {
    const detail::collective_call call(self(), "all_reduce_init", at);
    return call.prepare_keeping<In, Out>(
        op, [&](const Op& kept) { return elementwise(call, kind::allreduce, in, out, kept); });
  }

  // ---- reduce (MPI 4.1, 6.9.1) ----

  /// The reduction on the root: a std::optional of a value or std::array, or a std::vector. Elsewhere it is empty.
  template <class T, class Op>
  [[nodiscard]] auto reduce(const T& x, const Op& op, int root = 0, here at = here::current()) const {
    const detail::collective_call call(self(), "reduce", at);
    return result_if(call.rank() == root, x,
                     [&](auto& result) { call.run(elementwise(call, kind::reduce, x, result, op, root)); });
  }
  /// `out` matters at the root only. In place, the others' data is in `out` too, and stays as it is.
  template <class In, class Out, class Op>
  void reduce_into(const In& in, Out&& out, const Op& op, int root = 0, here at = here::current()) const {
    const detail::collective_call call(self(), "reduce_into", at);
    call.run(elementwise(call, kind::reduce, in, out, op, root));
  }
  template <class In, class Out, class Op>
  request ireduce_into(In&& in, Out&& out, Op op, int root = 0, here at = here::current()) const {
    const detail::collective_call call(self(), "ireduce_into", at);
    return call.start_keeping<In, Out>(
        op, [&](const Op& kept) { return elementwise(call, kind::reduce, in, out, kept, root); });
  }
  template <class In, class Out, class Op>
  persistent_request reduce_init(In&& in, Out&& out, Op op, int root = 0, here at = here::current()) const {
    const detail::collective_call call(self(), "reduce_init", at);
    return call.prepare_keeping<In, Out>(
        op, [&](const Op& kept) { return elementwise(call, kind::reduce, in, out, kept, root); });
  }

  // ---- scans (MPI 4.1, 6.11) ----

  /// The reduction of the x of ranks 0 to this one.
  template <class T, class Op>
  [[nodiscard]] auto scan(const T& x, const Op& op, here at = here::current()) const {
    const detail::collective_call call(self(), "scan", at);
    auto result = detail::copy_of(x);
    call.run(elementwise(call, kind::scan, x, result, op));
    return result;
  }
  template <class In, class Out, class Op>
  void scan_into(const In& in, Out&& out, const Op& op, here at = here::current()) const {
    const detail::collective_call call(self(), "scan_into", at);
    call.run(elementwise(call, kind::scan, in, out, op));
  }
  template <class In, class Out, class Op>
  request iscan_into(In&& in, Out&& out, Op op, here at = here::current()) const {
    const detail::collective_call call(self(), "iscan_into", at);
    return call.start_keeping<In, Out>(op,
                                       [&](const Op& kept) { return elementwise(call, kind::scan, in, out, kept); });
  }
  template <class In, class Out, class Op>
  persistent_request scan_init(In&& in, Out&& out, Op op, here at = here::current()) const {
    const detail::collective_call call(self(), "scan_init", at);
    return call.prepare_keeping<In, Out>(op,
                                         [&](const Op& kept) { return elementwise(call, kind::scan, in, out, kept); });
  }

  /// The reduction of the x of the ranks before this one, as reduce returns it: empty on rank 0, which has none.
  template <class T, class Op>
  [[nodiscard]] auto exscan(const T& x, const Op& op, here at = here::current()) const {
    const detail::collective_call call(self(), "exscan", at);
    return result_if(call.rank() != 0, x,
                     [&](auto& result) { call.run(elementwise(call, kind::exscan, x, result, op)); });
  }
  /// The reduction of `initial` and the x of the ranks before this one, as std::exclusive_scan: `initial` on rank 0.
  template <class T, class Op>
  requires(detail::has_fixed_size<T> && !plain_range<T>) [[nodiscard]] T
      exscan(const T& x, const Op& op, const std::type_identity_t<T>& initial, here at = here::current()) const {
    const std::optional<T> before = exscan(x, op, at);
    return before ? static_cast<T>(std::invoke(op, initial, *before)) : initial;
  }
  /// Rank 0's `out` is left alone.
  template <class In, class Out, class Op>
  void exscan_into(const In& in, Out&& out, const Op& op, here at = here::current()) const {
    const detail::collective_call call(self(), "exscan_into", at);
    call.run(elementwise(call, kind::exscan, in, out, op));
  }
  template <class In, class Out, class Op>
  request iexscan_into(In&& in, Out&& out, Op op, here at = here::current()) const {
    const detail::collective_call call(self(), "iexscan_into", at);
    return call.start_keeping<In, Out>(op,
                                       [&](const Op& kept) { return elementwise(call, kind::exscan, in, out, kept); });
  }
  template <class In, class Out, class Op>
  persistent_request exscan_init(In&& in, Out&& out, Op op, here at = here::current()) const {
    const detail::collective_call call(self(), "exscan_init", at);
    return call.prepare_keeping<In, Out>(
        op, [&](const Op& kept) { return elementwise(call, kind::exscan, in, out, kept); });
  }

  // ---- reduce-scatter (MPI 4.1, 6.10) ----

  /// This rank's part of the reduction, which is cut into one part for each rank: equal ones, or of counts[r] elements
  /// for rank r.
  template <class Range, class Op>
  [[nodiscard]] auto reduce_scatter(const Range& x, const Op& op, here at = here::current()) const {
    const detail::collective_call call(self(), "reduce_scatter", at);
    auto result = detail::new_vector<detail::element_of<Range>>(call.even_part(detail::to_read(x).size()));
    call.run(scattered(call, x, result, op));
    return result;
  }
  template <class Range, class Op>
  [[nodiscard]] auto reduce_scatter(const Range& x, count_list counts, const Op& op, here at = here::current()) const {
    const detail::collective_call call(self(), "reduce_scatter", at);
    (void)call.blocks_of("the input", detail::to_read(x), counts);
    auto result = detail::new_vector<detail::element_of<Range>>(
        static_cast<std::size_t>(counts[static_cast<std::size_t>(call.rank())]));
    call.run(scattered(call, x, result, op, &counts));
    return result;
  }
  /// The size of `out` is that of every rank's part. In place, all parts are in `out`, and the result is at its front:
  /// the rest may change.
  template <class In, class Out, class Op>
  void reduce_scatter_into(const In& in, Out&& out, const Op& op, here at = here::current()) const {
    const detail::collective_call call(self(), "reduce_scatter_into", at);
    call.run(scattered(call, in, out, op));
  }
  template <class In, class Out, class Op>
  void reduce_scatter_into(const In& in, count_list counts, Out&& out, const Op& op, here at = here::current()) const {
    const detail::collective_call call(self(), "reduce_scatter_into", at);
    call.run(scattered(call, in, out, op, &counts));
  }
  template <class In, class Out, class Op>
  request ireduce_scatter_into(In&& in, Out&& out, Op op, here at = here::current()) const {
    const detail::collective_call call(self(), "ireduce_scatter_into", at);
    return call.start_keeping<In, Out>(op, [&](const Op& kept) { return scattered(call, in, out, kept); });
  }
  /// `counts` too must live until the request is complete.
  template <class In, class Out, class Op>
  request ireduce_scatter_into(In&& in, count_list counts, Out&& out, Op op, here at = here::current()) const {
    const detail::collective_call call(self(), "ireduce_scatter_into", at);
    return call.start_keeping<In, Out>(op, [&](const Op& kept) { return scattered(call, in, out, kept, &counts); });
  }
  template <class In, class Out, class Op>
  persistent_request reduce_scatter_init(In&& in, Out&& out, Op op, here at = here::current()) const {
    const detail::collective_call call(self(), "reduce_scatter_init", at);
    return call.prepare_keeping<In, Out>(op, [&](const Op& kept) { return scattered(call, in, out, kept); });
  }
  template <class In, class Out, class Op>
  persistent_request reduce_scatter_init(In&& in, count_list counts, Out&& out, Op op,
                                         here at = here::current()) const {
    const detail::collective_call call(self(), "reduce_scatter_init", at);
    return call.prepare_keeping<In, Out>(op, [&](const Op& kept) { return scattered(call, in, out, kept, &counts); });
  }

  // ---- sums that do not depend on the number of ranks ----

  /// The sum of all elements of all ranks, rounded once: the same bits for any number of ranks and any distribution of
  /// the elements over them. Of float or double; ranks may have different numbers of them.
  template <class T>
  [[nodiscard]] auto reproducible_sum(const T& x, here at = here::current()) const {
    using element = detail::element_of<T>;
    static_assert(std::is_same_v<element, float> || std::is_same_v<element, double>,
                  "Pure: a reproducible sum is one of float or double.");
    return detail::collective_call(self(), "reproducible_sum", at).sum_reproducibly(detail::to_read(x));
  }

 private:
  using kind = detail::collective;

  [[nodiscard]] const Comm& self() const noexcept { return static_cast<const Comm&>(*this); }

  /// What `body` makes of a result like x; empty unless there `is` one.
  template <class T, class Body>
  static auto result_if(bool is, const T& x, Body body) {
    if constexpr (detail::has_fixed_size<T>) {
      auto result = detail::copy_of(x);
      body(result);
      return is ? std::optional(result) : std::nullopt;
    } else {
      decltype(detail::copy_of(x)) result;
      if (is) result = detail::copy_of(x);
      body(result);
      return result;
    }
  }
  static bool has_result(const detail::collective_call& call, kind what, int root) noexcept {
    if (what == kind::reduce) return call.rank() == root;
    return what != kind::exscan || call.rank() != 0;
  }

  template <class In, class Out, class Op>
  static detail::collective_arguments elementwise(const detail::collective_call& call, kind what, const In& in,
                                                  Out& out, const Op& op, int root = 0) {
    detail::require_same_elements<In, Out>();
    using element = detail::element_of<Out>;
    const std::span<element> to = detail::to_fill(out);
    const bool has_result = reductions::has_result(call, what, root);
    auto arguments = detail::arguments_of<element>(what, root);
    arguments.how = detail::reduction_of<element>(op);
    if constexpr (detail::is_in_place<In>) {
      arguments.count = to.size();
      if (!has_result) arguments.send = detail::array_address(to);
    } else {
      const std::span<const element> from = detail::to_read(in);
      arguments.count = from.size();
      arguments.send = detail::array_address(from);
      if (has_result) call.require_size("the output", to.size(), from.size());
    }
    if (has_result) arguments.recv = detail::array_address(to);
    return arguments;
  }

  template <class In, class Out, class Op>
  static detail::collective_arguments scattered(const detail::collective_call& call, const In& in, Out& out,
                                                const Op& op, const count_list* counts = nullptr) {
    detail::require_same_elements<In, Out>();
    using element = detail::element_of<Out>;
    const std::span<element> to = detail::to_fill(out);
    std::span<const element> from = to;
    auto arguments = detail::arguments_of<element>(kind::reduce_scatter);
    if constexpr (!detail::is_in_place<In>) {
      from = detail::to_read(in);
      arguments.send = detail::array_address(from);
    }
    arguments.recv = detail::array_address(to);
    arguments.how = detail::reduction_of<element>(op);
    if (counts != nullptr) {
      arguments.recv_blocks = call.blocks_of("the input", from, *counts);
      arguments.count = static_cast<std::size_t>((*counts)[static_cast<std::size_t>(call.rank())]);
      std::size_t all = 0;
      for (const std::int64_t count : *counts) all += static_cast<std::size_t>(count);
      call.require_size("the input", from.size(), all);
    } else {
      arguments.count = call.even_part(from.size());
      arguments.recv_blocks = detail::equal_blocks<element>(arguments.count);
    }
    if (!detail::is_in_place<In>) call.require_size("the output", to.size(), arguments.count);
    return arguments;
  }
};

}  // namespace pure
