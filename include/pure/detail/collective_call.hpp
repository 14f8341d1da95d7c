// What the collectives of pure::comm are made of: data as arrays, checks of sizes, and the three ways to run. Not for
// programs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pure/buffer.hpp>
#include <pure/call_site.hpp>
#include <pure/detail/collectives.hpp>
#include <pure/detail/failure.hpp>
#include <pure/detail/operators.hpp>
#include <pure/persistent_request.hpp>
#include <pure/request.hpp>

namespace pure {

/// pure::in_place, for the input of a collective: the input is in the output, which the result replaces.
struct in_place_t {
  explicit in_place_t() = default;
};
inline constexpr in_place_t in_place{};

/// How many elements the blocks of the ranks have, or where they begin: one number per rank.
using count_list = std::span<const std::int64_t>;

namespace detail {

extern "C" {
PURE_API failure* pure_cxx_wrong_size(core::communicator* on, const char* operation, pure_call_site site,
                                      const char* what, std::size_t has, std::size_t needs);
PURE_API failure* pure_cxx_uneven(core::communicator* on, const char* operation, pure_call_site site,
                                  std::size_t elements);
PURE_API failure* pure_cxx_in_place(core::communicator* on, const char* operation, pure_call_site site, int root);
PURE_API failure* pure_cxx_require_blocks(core::communicator* on, const char* operation, pure_call_site site,
                                          const char* what, const std::int64_t* counts, std::size_t counts_size,
                                          const std::int64_t* displs, std::size_t displs_size, std::size_t elements);
}

// The library checks who calls, then throws: comm or state, or else count.
[[noreturn]] inline void throw_wrong_size(core::communicator& on, const char* operation, pure_call_site site,
                                          const char* what, std::size_t has, std::size_t needs) {
  throw_failure(pure_cxx_wrong_size(&on, operation, site, what, has, needs));
}
[[noreturn]] inline void throw_uneven(core::communicator& on, const char* operation, pure_call_site site,
                                      std::size_t elements) {
  throw_failure(pure_cxx_uneven(&on, operation, site, elements));
}
[[noreturn]] inline void throw_in_place(core::communicator& on, const char* operation, pure_call_site site, int root) {
  throw_failure(pure_cxx_in_place(&on, operation, site, root));
}
/// Throws unless there is one count per rank, none negative, and the blocks are inside `elements` elements.
inline void require_blocks(core::communicator& on, const char* operation, pure_call_site site, const char* what,
                           count_list counts, count_list displs, std::size_t elements) {
  check(pure_cxx_require_blocks(&on, operation, site, what, counts.data(), counts.size(), displs.data(), displs.size(),
                                elements));
}

// ---- data as arrays -------------------------------------------------------------------------------------------

template <class T>
struct element {
  using type = T;
};
template <plain_range T>
struct element<T> {
  using type = std::ranges::range_value_t<T>;
};
template <class T>
using element_of = typename element<std::remove_cvref_t<T>>::type;

template <class T>
inline constexpr bool is_in_place = std::is_same_v<std::remove_cvref_t<T>, in_place_t>;

template <class T>
std::span<const element_of<T>> to_read(const T& data) noexcept {
  const auto bytes = bytes_to_send(data);
  return {static_cast<const element_of<T>*>(bytes.data), bytes.size / sizeof(element_of<T>)};
}

template <class T>
std::span<element_of<T>> to_fill(T& data) noexcept {
  const auto bytes = bytes_to_fill(data);
  return {static_cast<element_of<T>*>(bytes.data), bytes.size / sizeof(element_of<T>)};
}

/// The address of an array, also of an empty one: null has a meaning of its own, "in place".
template <class T>
T* array_address(std::span<T> data) noexcept {
  return data.data() == nullptr ? reinterpret_cast<T*>(alignof(T)) : data.data();
}

/// The input and the output of a collective.
template <class In, class Out>
constexpr void require_same_elements() {
  if constexpr (!is_in_place<In>) {
    require_message_data<In>();
    require_message_data<Out>();
    static_assert(std::is_same_v<element_of<In>, element_of<Out>>,
                  "Pure: the elements of the input and of the output have different types.");
  }
}

/// What an operation uses after the call has returned is an object with a name, or a span of one.
template <class... T>
constexpr void require_lasting() {
  static_assert(((std::is_lvalue_reference_v<T> || is_borrowed_view<T> || is_in_place<T>)&&...),
                "Pure: the data of a non-blocking or persistent operation must live until it is complete: a temporary "
                "does not. Give it a name.");
}

// ---- results --------------------------------------------------------------------------------------------------

template <class>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;

/// Data whose type says how many elements it has, and owns them.
template <class T>
inline constexpr bool has_fixed_size = is_std_array<T> || !plain_range<T>;

template <class T>
constexpr void require_vector_of() {
  static_assert(!std::is_same_v<T, bool>,
                "Pure: the result would be a std::vector<bool>, which keeps its elements as bits. Use char, or the "
                "form of the operation that ends in _into.");
}

/// Room for a result.
template <class T>
std::vector<T> new_vector(std::size_t count) {
  require_vector_of<T>();
  static_assert(std::is_default_constructible_v<T>,
                "Pure: a vector of results needs elements with a default constructor. Use the form of the operation "
                "that ends in _into.");
  return std::vector<T>(count);
}

/// A copy that owns its elements.
template <class T>
auto copy_of(const T& data) {
  require_message_data<T>();
  if constexpr (has_fixed_size<T>) {
    return data;
  } else {
    require_vector_of<element_of<T>>();
    const auto elements = to_read(data);
    return std::vector<element_of<T>>(elements.begin(), elements.end());
  }
}

// ---- the call -------------------------------------------------------------------------------------------------

/// One call of a collective: on which communicator, its name for errors, and where it was made.
class collective_call {
 public:
  template <class Comm>
  collective_call(const Comm& comm, const char* operation, call_site at) noexcept
      : on_(*comm.on_), world_(*comm.world_), rank_(comm.rank()), size_(comm.size()), operation_(operation), at_(at) {}

  [[nodiscard]] core::communicator& on() const noexcept { return on_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(size_); }

  void run(const collective_arguments& arguments) const { run_collective(on_, operation_, at_, arguments); }

  [[nodiscard]] request start(const collective_arguments& arguments) const {
    return {world_, start_collective(on_, operation_, at_, arguments)};
  }
  [[nodiscard]] persistent_request prepare(const collective_arguments& arguments) const {
    return {world_, make_persistent_collective(on_, operation_, at_, arguments)};
  }

  /// The same for a reduction of In to Out: arguments(op) gives its arguments for an op that lives as long as the
  /// request.
  template <class In, class Out, class Op, class Arguments>
  [[nodiscard]] request start_keeping(const Op& op, Arguments arguments) const {
    require_lasting<In, Out>();
    auto kept = kept_copy(op);
    request started = start(arguments(kept != nullptr ? *kept : op));
    if (kept != nullptr) started.keep(std::move(kept));
    return started;
  }
  template <class In, class Out, class Op, class Arguments>
  [[nodiscard]] persistent_request prepare_keeping(const Op& op, Arguments arguments) const {
    require_lasting<In, Out>();
    auto kept = kept_copy(op);
    persistent_request prepared = prepare(arguments(kept != nullptr ? *kept : op));
    if (kept != nullptr) prepared.keep(std::move(kept));
    return prepared;
  }

  template <class T>
  [[nodiscard]] T sum_reproducibly(std::span<const T> elements) const {
    return reproducible_sum(on_, operation_, at_, elements.data(), elements.size());
  }

  // ---- checks; they throw count ----

  void require_size(const char* what, std::size_t has, std::size_t needs) const {
    if (has != needs) [[unlikely]]
      throw_wrong_size(on_, operation_, at_, what, has, needs);
  }
  /// The size of one rank's part.
  [[nodiscard]] std::size_t even_part(std::size_t elements) const {
    if (elements % size() != 0) [[unlikely]]
      throw_uneven(on_, operation_, at_, elements);
    return elements / size();
  }
  /// Where the blocks of `data` lie.
  template <class T>
  [[nodiscard]] block_layout blocks_of(const char* what, std::span<T> data, count_list counts,
                                       count_list displs = {}) const {
    require_blocks(on_, operation_, at_, what, counts, displs, data.size());
    return {.counts = counts.data(), .displs = displs.data(), .element_bytes = sizeof(T)};
  }
  void require_root_in_place(int root) const {
    if (rank_ != root) [[unlikely]]
      throw_in_place(on_, operation_, at_, root);
  }

 private:
  core::communicator& on_;
  core::communicator& world_;  // what requests keep
  int rank_;
  int size_;
  const char* operation_;
  call_site at_;
};

/// What PURE_CHECK compares of the type of elements. pure.h has numbers without the highest bit.
template <class T>
consteval std::uint32_t type_identity() {
  std::uint32_t hash = 2166136261U;  // FNV-1a, of a text that has the name of T
  for (const char* c = __PRETTY_FUNCTION__; *c != 0; ++c) hash = (hash ^ static_cast<unsigned char>(*c)) * 16777619U;
  return hash | 0x80000000U;
}

/// Without buffers.
template <class T>
collective_arguments arguments_of(collective kind, int root = 0) {
  collective_arguments arguments;
  arguments.kind = kind;
  arguments.root = root;
  arguments.element_bytes = sizeof(T);
  arguments.type = type_identity<T>();
  return arguments;
}

template <class T>
block_layout equal_blocks(std::size_t elements_each) noexcept {
  return {.block_bytes = elements_each * sizeof(T), .element_bytes = sizeof(T)};
}

/// The place of each block, one after the other; returns the number of all elements.
inline std::size_t place_blocks(count_list counts, std::vector<std::int64_t>& displs) {
  displs.reserve(counts.size());
  std::int64_t all = 0;
  for (const std::int64_t count : counts) {
    displs.push_back(all);
    all += count;
  }
  return static_cast<std::size_t>(all);
}

}  // namespace detail

/// The blocks of all ranks, one after the other in the order of the ranks.
template <class T>
struct blocks {
  std::vector<T> elements;
  std::vector<std::int64_t> counts;  ///< elements of each rank's block
  std::vector<std::int64_t> displs;  ///< where it begins in `elements`

  /// The block of `rank`.
  [[nodiscard]] std::span<const T> operator[](int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return std::span(elements).subspan(static_cast<std::size_t>(displs[r]), static_cast<std::size_t>(counts[r]));
  }
};

}  // namespace pure
