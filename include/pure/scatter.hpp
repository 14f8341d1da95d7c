// Scatter of pure::comm: a part of the root's range for each rank. pure/collectives.hpp says what holds for all
// collectives.
//
// The v-variants make parts of different sizes.
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
class scatters {
 public:
  using here = call_site;

  /// Equal parts of the root's range, in the order of the ranks; what the others pass matters not, only its type
  /// (MPI 4.1, 6.6). Two collectives: the root's size is broadcast first. Errors: count, on every rank, for a size that
  /// is no multiple of the number of ranks.
  template <class Range>
  [[nodiscard]] auto scatter(const Range& all, int root = 0, here at = here::current()) const {
    const detail::collective_call call(self(), "scatter", at);
    std::uint64_t size = detail::to_read(all).size();
    auto sizes = detail::arguments_of<std::uint64_t>(detail::collective::bcast, root);
    sizes.recv = &size;
    sizes.count = 1;
    call.run(sizes);
    auto part = detail::new_vector<detail::element_of<Range>>(call.even_part(static_cast<std::size_t>(size)));
    call.run(equal(call, all, part, root));
    return part;
  }
  /// One element of the root's range, which has as many as there are ranks. One collective.
  template <class Range>
  [[nodiscard]] auto scatter_value(const Range& all, int root = 0, here at = here::current()) const {
    const detail::collective_call call(self(), "scatter_value", at);
    detail::require_message_data<Range>();
    using element = detail::element_of<Range>;
    static_assert(std::is_default_constructible_v<element>, "Pure: scatter_value needs a value to receive into.");
    element value{};
    call.run(equal(call, all, value, root));
    return value;
  }
  /// The size of `out` is that of each part; `all` matters at the root only. In place (`out` is pure::in_place), for
  /// the root only: its part stays where it is.
  template <class In, class Out>
  void scatter_into(const In& all, Out&& out, int root = 0, here at = here::current()) const {
    const detail::collective_call call(self(), "scatter_into", at);
    call.run(equal(call, all, out, root));
  }
  template <class In, class Out>
  request iscatter_into(In&& all, Out&& out, int root = 0, here at = here::current()) const {
    detail::require_lasting<In, Out>();
    const detail::collective_call call(self(), "iscatter_into", at);
    return call.start(equal(call, all, out, root));
  }
  template <class In, class Out>
  persistent_request scatter_init(In&& all, Out&& out, int root = 0, here at = here::current()) const {
    detail::require_lasting<In, Out>();
    const detail::collective_call call(self(), "scatter_init", at);
    return call.prepare(equal(call, all, out, root));
  }

  /// counts[r] elements of the root's range for rank r, one part after the other; range and counts matter at the root
  /// only. Two scatters, the first of the counts.
  template <class Range>
  [[nodiscard]] auto scatterv(const Range& all, count_list counts, int root = 0, here at = here::current()) const {
    const detail::collective_call call(self(), "scatterv", at);
    std::int64_t count = 0;
    if (call.rank() == root) (void)call.blocks_of("the input", detail::to_read(all), counts);
    call.run(equal(call, counts, count, root));
    auto part = detail::new_vector<detail::element_of<Range>>(static_cast<std::size_t>(count));
    call.run(listed(call, all, counts, {}, part, root));
    return part;
  }
  /// Rank r's part has counts[r] elements from all[displs[r]]; without displs, parts lie one after the other. `all`,
  /// counts and displs matter at the root only. In place: as scatter_into.
  template <class In, class Out>
  void scatterv_into(const In& all, count_list counts, Out&& out, int root = 0, count_list displs = {},
                     here at = here::current()) const {
    const detail::collective_call call(self(), "scatterv_into", at);
    call.run(listed(call, all, counts, displs, out, root));
  }
  /// counts and displs too must live until the request is complete.
  template <class In, class Out>
  request iscatterv_into(In&& all, count_list counts, Out&& out, int root = 0, count_list displs = {},
                         here at = here::current()) const {
    detail::require_lasting<In, Out>();
    const detail::collective_call call(self(), "iscatterv_into", at);
    return call.start(listed(call, all, counts, displs, out, root));
  }
  template <class In, class Out>
  persistent_request scatterv_init(In&& all, count_list counts, Out&& out, int root = 0, count_list displs = {},
                                   here at = here::current()) const {
    detail::require_lasting<In, Out>();
    const detail::collective_call call(self(), "scatterv_init", at);
    return call.prepare(listed(call, all, counts, displs, out, root));
  }

 private:
  [[nodiscard]] const Comm& self() const noexcept { return static_cast<const Comm&>(*this); }

  template <class In, class Out>
  static detail::collective_arguments equal(const detail::collective_call& call, const In& all, Out& out, int root) {
    using element = detail::element_of<In>;
    const std::span<const element> from = detail::to_read(all);
    auto arguments = received<In>(call, out, root);
    if (call.rank() != root) return arguments;
    if (detail::is_in_place<Out>) {
      arguments.count = call.even_part(from.size());
    } else {
      call.require_size("the input", from.size(), arguments.count * call.size());
    }
    arguments.send = detail::array_address(from);
    arguments.send_blocks = detail::equal_blocks<element>(arguments.count);
    return arguments;
  }

  template <class In, class Out>
  static detail::collective_arguments listed(const detail::collective_call& call, const In& all, count_list counts,
                                             count_list displs, Out& out, int root) {
    using element = detail::element_of<In>;
    const std::span<const element> from = detail::to_read(all);
    auto arguments = received<In>(call, out, root);
    if (call.rank() != root) return arguments;
    arguments.send_blocks = call.blocks_of("the input", from, counts, displs);
    const auto own = static_cast<std::size_t>(counts[static_cast<std::size_t>(call.rank())]);
    if (detail::is_in_place<Out>) {
      arguments.count = own;
    } else {
      call.require_size("the output", arguments.count, own);
    }
    arguments.send = detail::array_address(from);
    return arguments;
  }

  /// The arguments that say what this rank gets.
  template <class In, class Out>
  static detail::collective_arguments received(const detail::collective_call& call, Out& out, int root) {
    auto arguments = detail::arguments_of<detail::element_of<In>>(detail::collective::scatter, root);
    if constexpr (detail::is_in_place<Out>) {
      call.require_root_in_place(root);
    } else {
      detail::require_same_elements<In, Out>();
      const auto to = detail::to_fill(out);
      arguments.recv = detail::array_address(to);
      arguments.count = to.size();
    }
    return arguments;
  }
};

}  // namespace pure
