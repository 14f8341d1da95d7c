// Gather and all-gather of pure::comm: what each rank has, brought together. pure/collectives.hpp says what holds for
// all collectives.
//
// The v-variants take parts of different sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pure/detail/collective_call.hpp>

namespace pure {

template <class Comm>
class gathers {
 public:
  using here = call_site;

  // ---- gather (MPI 4.1, 6.5) ----

  /// On the root, the values, or the elements of the ranges, of all ranks, in the order of the ranks; elsewhere empty.
  template <class T>
  [[nodiscard]] auto gather(const T& x, int root = 0, here at = here::current()) const {
    const detail::collective_call call(self(), "gather", at);
    const std::size_t all = call.rank() == root ? detail::to_read(x).size() * call.size() : 0;
    auto result = detail::new_vector<detail::element_of<T>>(all);
    call.run(equal(call, kind::gather, x, result, root));
    return result;
  }
  /// `out` matters at the root only; its size is that of all parts. In place, for the root only: its part is in its
  /// place already.
  template <class In, class Out>
  void gather_into(const In& in, Out&& out, int root = 0, here at = here::current()) const {
    const detail::collective_call call(self(), "gather_into", at);
    call.run(equal(call, kind::gather, in, out, root));
  }
  template <class In, class Out>
  request igather_into(In&& in, Out&& out, int root = 0, here at = here::current()) const {
    detail::require_lasting<In, Out>();
    const detail::collective_call call(self(), "igather_into", at);
    return call.start(equal(call, kind::gather, in, out, root));
  }
  template <class In, class Out>
  persistent_request gather_init(In&& in, Out&& out, int root = 0, here at = here::current()) const {
    detail::require_lasting<In, Out>();
    const detail::collective_call call(self(), "gather_init", at);
    return call.prepare(equal(call, kind::gather, in, out, root));
  }

  /// The same for ranges of different sizes; what the root gets says which. Two gathers, the first of the sizes.
  template <class T>
  [[nodiscard]] auto gatherv(const T& x, int root = 0, here at = here::current()) const {
    const detail::collective_call call(self(), "gatherv", at);
    const auto count = static_cast<std::int64_t>(detail::to_read(x).size());
    blocks<detail::element_of<T>> result;
    if (call.rank() == root) result.counts.resize(call.size());
    call.run(equal(call, kind::gather, count, result.counts, root));
    result.elements = detail::new_vector<detail::element_of<T>>(detail::place_blocks(result.counts, result.displs));
    call.run(listed(call, kind::gather, x, result.elements, result.counts, result.displs, root));
    return result;
  }
  /// On the root, rank r's part has counts[r] elements and goes to out[displs[r]]; without displs, parts lie one after
  /// the other. `out`, counts and displs matter at the root only.
  template <class In, class Out>
  void gatherv_into(const In& in, Out&& out, count_list counts, int root = 0, count_list displs = {},
                    here at = here::current()) const {
    const detail::collective_call call(self(), "gatherv_into", at);
    call.run(listed(call, kind::gather, in, out, counts, displs, root));
  }
  /// counts and displs too must live until the request is complete.
  template <class In, class Out>
  request igatherv_into(In&& in, Out&& out, count_list counts, int root = 0, count_list displs = {},
                        here at = here::current()) const {
    detail::require_lasting<In, Out>();
    const detail::collective_call call(self(), "igatherv_into", at);
    return call.start(listed(call, kind::gather, in, out, counts, displs, root));
  }
  template <class In, class Out>
  persistent_request gatherv_init(In&& in, Out&& out, count_list counts, int root = 0, count_list displs = {},
                                  here at = here::current()) const {
    detail::require_lasting<In, Out>();
    const detail::collective_call call(self(), "gatherv_init", at);
    return call.prepare(listed(call, kind::gather, in, out, counts, displs, root));
  }

  // ---- all-gather (MPI 4.1, 6.7) ----

  /// The values, or the elements of the ranges, of all ranks, in the order of the ranks, on every rank.
  template <class T>
  [[nodiscard]] auto all_gather(const T& x, here at = here::current()) const {
    const detail::collective_call call(self(), "all_gather", at);
    auto result = detail::new_vector<detail::element_of<T>>(detail::to_read(x).size() * call.size());
    call.run(equal(call, kind::allgather, x, result));
    return result;
  }
  /// The size of `out` is that of all parts. In place, each rank's part is in its place already.
  template <class In, class Out>
  void all_gather_into(const In& in, Out&& out, here at = here::current()) const {
    const detail::collective_call call(self(), "all_gather_into", at);
    call.run(equal(call, kind::allgather, in, out));
  }
  template <class In, class Out>
  request iall_gather_into(In&& in, Out&& out, here at = here::current()) const {
    detail::require_lasting<In, Out>();
    const detail::collective_call call(self(), "iall_gather_into", at);
    return call.start(equal(call, kind::allgather, in, out));
  }
  template <class In, class Out>
  persistent_request all_gather_init(In&& in, Out&& out, here at = here::current()) const {
    detail::require_lasting<In, Out>();
    const detail::collective_call call(self(), "all_gather_init", at);
    return call.prepare(equal(call, kind::allgather, in, out));
  }

  /// The same for ranges of different sizes. Two all-gathers, the first of the sizes.
  template <class T>
  [[nodiscard]] auto all_gatherv(const T& x, here at = here::current()) const {
    const detail::collective_call call(self(), "all_gatherv", at);
    const auto count = static_cast<std::int64_t>(detail::to_read(x).size());
    blocks<detail::element_of<T>> result;
    result.counts.resize(call.size());
    call.run(equal(call, kind::allgather, count, result.counts));
    result.elements = detail::new_vector<detail::element_of<T>>(detail::place_blocks(result.counts, result.displs));
    call.run(listed(call, kind::allgather, x, result.elements, result.counts, result.displs));
    return result;
  }
  /// Rank r's part has counts[r] elements and goes to out[displs[r]]; without displs, parts lie one after the other.
  template <class In, class Out>
  void all_gatherv_into(const In& in, Out&& out, count_list counts, count_list displs = {},
                        here at = here::current()) const {
    const detail::collective_call call(self(), "all_gatherv_into", at);
    call.run(listed(call, kind::allgather, in, out, counts, displs));
  }
  /// counts and displs too must live until the request is complete.
  template <class In, class Out>
  request iall_gatherv_into(In&& in, Out&& out, count_list counts, count_list displs = {},
                            here at = here::current()) const {
    detail::require_lasting<In, Out>();
    const detail::collective_call call(self(), "iall_gatherv_into", at);
    return call.start(listed(call, kind::allgather, in, out, counts, displs));
  }
  template <class In, class Out>
  persistent_request all_gatherv_init(In&& in, Out&& out, count_list counts, count_list displs = {},
                                      here at = here::current()) const {
    detail::require_lasting<In, Out>();
    const detail::collective_call call(self(), "all_gatherv_init", at);
    return call.prepare(listed(call, kind::allgather, in, out, counts, displs));
  }

 private:
  using kind = detail::collective;

  [[nodiscard]] const Comm& self() const noexcept { return static_cast<const Comm&>(*this); }

  /// A part of `all` elements from each rank.
  template <class In, class Out>
  static detail::collective_arguments equal(const detail::collective_call& call, kind what, const In& in, Out& out,
                                            int root = 0) {
    detail::require_same_elements<In, Out>();
    using element = detail::element_of<Out>;
    const std::span<element> to = detail::to_fill(out);
    auto arguments = sent<element>(call, what, in, root);
    if (what == kind::gather && call.rank() != root) return arguments;
    if (detail::is_in_place<In>) {
      arguments.count = call.even_part(to.size());
    } else {
      call.require_size("the output", to.size(), arguments.count * call.size());
    }
    arguments.recv = detail::array_address(to);
    arguments.recv_blocks = detail::equal_blocks<element>(arguments.count);
    return arguments;
  }

  template <class In, class Out>
  static detail::collective_arguments listed(const detail::collective_call& call, kind what, const In& in, Out& out,
                                             count_list counts, count_list displs, int root = 0) {
    detail::require_same_elements<In, Out>();
    using element = detail::element_of<Out>;
    const std::span<element> to = detail::to_fill(out);
    auto arguments = sent<element>(call, what, in, root);
    if (what == kind::gather && call.rank() != root) return arguments;
    arguments.recv_blocks = call.blocks_of("the output", to, counts, displs);
    const auto own = static_cast<std::size_t>(counts[static_cast<std::size_t>(call.rank())]);
    if (detail::is_in_place<In>) {
      arguments.count = own;
    } else {
      call.require_size("this rank's part", arguments.count, own);
    }
    arguments.recv = detail::array_address(to);
    return arguments;
  }

  /// The arguments that say what this rank gives.
  template <class Element, class In>
  static detail::collective_arguments sent(const detail::collective_call& call, kind what, const In& in, int root) {
    auto arguments = detail::arguments_of<Element>(what, root);
    if constexpr (!detail::is_in_place<In>) {
      const std::span<const Element> from = detail::to_read(in);
      arguments.send = detail::array_address(from);
      arguments.count = from.size();
    } else if (what == kind::gather) {
      call.require_root_in_place(root);
    }
    return arguments;
  }
};

}  // namespace pure
