// The collectives of pure::comm, typed (C++20; paper, 4.2; MPI 4.1, chapter 6).
//
// Every rank of the comm calls the same collectives in the same order, with the same root, operator and types, and with
// the same sizes where nothing else is said. Data is a value or a contiguous range of plain values (pure/buffer.hpp).
//
//   all_reduce(x, op)              returns its result: a value for a value, a std::array for a std::array, a
//                                  std::vector for any other range
//   all_reduce_into(in, out, op)   puts it into `out`, which has its size: no allocation; `in` may be pure::in_place
//   iall_reduce_into(in, out, op)  starts it; `in` must not change and `out` belongs to the request until it is
//   complete all_reduce_init(in, out, op)   prepares it, to be started any number of times
//
// So for each. The blocking ones return when this rank's part is done, which may be before others have entered; a
// non-blocking one proceeds inside any wait of its rank. `in` and `out` must not overlap.
//
// Errors: root; count (sizes that do not fit, both numbers named); buffer (overlap); mismatch (a rank gives another
// one, or itself, more or less than it expects); comm, state. A call that throws counts: the rank's next collective meets
// the next one of the others, who are not told (docs/collectives.md). With PURE_CHECK=1 (purerun --check) mismatch also
// where ranks have called different collectives, with other arguments or with wrong ones: both are named.
#pragma once

#include <pure/all_to_all.hpp>
#include <pure/detail/collective_call.hpp>
#include <pure/gather.hpp>
#include <pure/reductions.hpp>
#include <pure/scatter.hpp>

namespace pure {

/// The collectives as members of Comm, which derives from this. Barrier and broadcast are here.
template <class Comm>
class collectives : public reductions<Comm>, public gathers<Comm>, public scatters<Comm>, public all_to_alls<Comm> {
 public:
  using here = call_site;

  /// Returns when every rank has entered it (MPI 4.1, 6.3).
  void barrier(here at = here::current()) const { detail::collective_call(self(), "barrier", at).run({}); }
  request ibarrier(here at = here::current()) const {
    return detail::collective_call(self(), "ibarrier", at).start({});
  }
  persistent_request barrier_init(here at = here::current()) const {
    return detail::collective_call(self(), "barrier_init", at).prepare({});
  }

  /// Gives every rank the root's data, a value or the elements of a range, which has the same size everywhere (MPI 4.1,
  /// 6.4).
  template <class T>
  void bcast(T&& data, int root = 0, here at = here::current()) const {
    detail::collective_call(self(), "bcast", at).run(bcast_arguments(data, root));
  }
  /// The same for an object of any type, whose size may differ: pure::serialized(object) of <pure/serialized.hpp>.
  template <class T>
  void bcast(serialized_object<T> object, int root = 0, here at = here::current()) const;
  template <class T>
  request ibcast(T&& data, int root = 0, here at = here::current()) const {
    detail::require_lasting<T>();
    return detail::collective_call(self(), "ibcast", at).start(bcast_arguments(data, root));
  }
  template <class T>
  persistent_request bcast_init(T&& data, int root = 0, here at = here::current()) const {
    detail::require_lasting<T>();
    return detail::collective_call(self(), "bcast_init", at).prepare(bcast_arguments(data, root));
  }

  /// The same for a vector or string that only the root knows the size of: the others' are resized. Two broadcasts, of
  /// the size and of the elements.
  template <class Container>
  void bcast_resized(Container& container, int root = 0, here at = here::current()) const {
    detail::require_message_data<Container>();
    static_assert(detail::growing_container<Container>,
                  "Pure: only what has a resize(), like std::vector and std::string, takes the size of the root's.");
    const detail::collective_call call(self(), "bcast_resized", at);
    std::uint64_t size = container.size();
    call.run(bcast_arguments(size, root));
    if (call.rank() != root) container.resize(static_cast<std::size_t>(size));
    call.run(bcast_arguments(container, root));
  }

 private:
  [[nodiscard]] const Comm& self() const noexcept { return static_cast<const Comm&>(*this); }

  template <class T>
  static detail::collective_arguments bcast_arguments(T& data, int root) {
    const auto elements = detail::to_fill(data);
    auto arguments = detail::arguments_of<detail::element_of<T>>(detail::collective::bcast, root);
    arguments.recv = detail::array_address(elements);
    arguments.count = elements.size();
    return arguments;
  }
};

}  // namespace pure
