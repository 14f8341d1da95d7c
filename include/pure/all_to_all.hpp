// All-to-all of pure::comm: each rank gives each other one block (MPI 4.1, 6.8). pure/collectives.hpp says what holds
// for all collectives.
//
// Block j of rank i becomes block i of rank j. The v-variants take blocks of different sizes. In place, the blocks that
// come replace those that go, so i gives j as much as j gives i.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <pure/detail/collective_call.hpp>

namespace pure {

template <class Comm>
class all_to_alls {
 public:
  using here = call_site;

  /// Equal blocks: the size of the range is a multiple of the number of ranks.
  template <class Range>
  [[nodiscard]] auto all_to_all(const Range& x, here at = here::current()) const {
    const detail::collective_call call(self(), "all_to_all", at);
    auto result = detail::new_vector<detail::element_of<Range>>(detail::to_read(x).size());
    call.run(equal(call, x, result));
    return result;
  }
  template <class In, class Out>
  void all_to_all_into(const In& in, Out&& out, here at = here::current()) const {
    const detail::collective_call call(self(), "all_to_all_into", at);
    call.run(equal(call, in, out));
  }
  template <class In, class Out>
  request iall_to_all_into(In&& in, Out&& out, here at = here::current()) const {
    detail::require_lasting<In, Out>();
    const detail::collective_call call(self(), "iall_to_all_into", at);
    return call.start(equal(call, in, out));
  }
  template <class In, class Out>
  persistent_request all_to_all_init(In&& in, Out&& out, here at = here::current()) const {
    detail::require_lasting<In, Out>();
    const detail::collective_call call(self(), "all_to_all_init", at);
    return call.prepare(equal(call, in, out));
  }

  /// counts[r] elements for rank r, one block after the other. Two all-to-alls, the first of the counts.
  template <class Range>
  [[nodiscard]] auto all_to_allv(const Range& x, count_list counts, here at = here::current()) const {
    const detail::collective_call call(self(), "all_to_allv", at);
    const auto from = detail::to_read(x);
    blocks<detail::element_of<Range>> result;
    (void)call.blocks_of("the input", from, counts);
    result.counts.resize(call.size());
    call.run(equal(call, counts, result.counts));
    result.elements = detail::new_vector<detail::element_of<Range>>(detail::place_blocks(result.counts, result.displs));
    call.run(listed(call, x, counts, result.elements, result.counts, {}, result.displs));
    return result;
  }
  /// send_counts[r] elements from in[send_displs[r]] go to rank r, and recv_counts[r] come from it, to
  /// out[recv_displs[r]]. Without displs, blocks lie one after the other. In place, what is sent is not looked at.
  template <class In, class Out>
  void all_to_allv_into(const In& in, count_list send_counts, Out&& out, count_list recv_counts,
                        count_list send_displs = {}, count_list recv_displs = {}, here at = here::current()) const {
    const detail::collective_call call(self(), "all_to_allv_into", at);
    call.run(listed(call, in, send_counts, out, recv_counts, send_displs, recv_displs));
  }
  /// counts and displs too must live until the request is complete.
  template <class In, class Out>
  request iall_to_allv_into(In&& in, count_list send_counts, Out&& out, count_list recv_counts,
                            count_list send_displs = {}, count_list recv_displs = {}, here at = here::current()) const {
    detail::require_lasting<In, Out>();
    const detail::collective_call call(self(), "iall_to_allv_into", at);
    return call.start(listed(call, in, send_counts, out, recv_counts, send_displs, recv_displs));
  }
  template <class In, class Out>
  persistent_request all_to_allv_init(In&& in, count_list send_counts, Out&& out, count_list recv_counts,
                                      count_list send_displs = {}, count_list recv_displs = {},
                                      here at = here::current()) const {
    detail::require_lasting<In, Out>();
    const detail::collective_call call(self(), "all_to_allv_init", at);
    return call.prepare(listed(call, in, send_counts, out, recv_counts, send_displs, recv_displs));
  }

 private:
  [[nodiscard]] const Comm& self() const noexcept { return static_cast<const Comm&>(*this); }

  template <class In, class Out>
  static detail::collective_arguments equal(const detail::collective_call& call, const In& in, Out& out) {
    detail::require_same_elements<In, Out>();
    using element = detail::element_of<Out>;
    const std::span<element> to = detail::to_fill(out);
    auto arguments = detail::arguments_of<element>(detail::collective::alltoall);
    arguments.recv = detail::array_address(to);
    arguments.count = call.even_part(to.size());
    arguments.recv_blocks = detail::equal_blocks<element>(arguments.count);
    if constexpr (!detail::is_in_place<In>) {
      const std::span<const element> from = detail::to_read(in);
      call.require_size("the output", to.size(), from.size());
      arguments.send = detail::array_address(from);
      arguments.send_blocks = arguments.recv_blocks;
    }
    return arguments;
  }

  template <class In, class Out>
  static detail::collective_arguments listed(const detail::collective_call& call, const In& in,
                                             [[maybe_unused]] count_list send_counts, Out& out, count_list recv_counts,
                                             [[maybe_unused]] count_list send_displs, count_list recv_displs) {
    detail::require_same_elements<In, Out>();
    using element = detail::element_of<Out>;
    const std::span<element> to = detail::to_fill(out);
    auto arguments = detail::arguments_of<element>(detail::collective::alltoall);
    arguments.recv = detail::array_address(to);
    arguments.recv_blocks = call.blocks_of("the output", to, recv_counts, recv_displs);
    if constexpr (!detail::is_in_place<In>) {
      const std::span<const element> from = detail::to_read(in);
      arguments.send = detail::array_address(from);
      arguments.send_blocks = call.blocks_of("the input", from, send_counts, send_displs);
    }
    return arguments;
  }
};

}  // namespace pure
