// pure::window<T>: memory that the ranks of a comm share, and one-sided communication, typed (C++20; MPI 4.1, chapter
// 12).
//
//     auto halo = pure::window<double>::allocate(world, 2 * n);
//     halo.put(edge, {right, n});          // into the memory of another rank
//     halo.notify(right);                  // who is told, and sees it
//     halo.wait_notified();                // from the left
//     use(halo.local());
//
// A window belongs to the rank that has made it with the others, and is used on that rank's thread only. Epochs are not
// asked for, as if all ranks were locked (lock_all); what orders operations is up to the program: notifications,
// fences, locks, or messages. Memory of ranks of the same process, and, where the window has allocated it, of the same
// machine is addressable, and operations on it are complete when they return. Other memory is reached by messages: put
// and accumulate are complete there after a flush, fence or unlock, and before what a notification says. What becomes
// visible to whom, and when: docs/windows.md. Every call that fails throws pure::Error with the window, the ranks and
// the call site; all: rank, rma_range (memory that is not in the window), win, state.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pure/buffer.hpp>
#include <pure/comm.hpp>
#include <pure/detail/operators.hpp>
#include <pure/detail/windows.hpp>
#include <pure/layout.hpp>

namespace pure {

/// Where the memory of each rank lies.
enum class placement : int {
  separate,   ///< from a page on, on pages of its own, which the rank has touched first: they are on its NUMA node
  contiguous  ///< behind that of the rank before
};

/// By what atomic operations exclude each other.
enum class atomics : int {
  any_type,  ///< locks: all types, and any lengths
  hardware   ///< instructions, for integers of up to 8 bytes: they also exclude std::atomic_ref (window::atomic)
};

/// What kind of pages is asked for; what is not granted is said on stderr.
enum class pages : int { normal, transparent, reserved };

/// The same on all ranks, but for the name.
struct window_options {
  placement where = placement::separate;
  std::size_t alignment = 1;  ///< of each rank's memory (contiguous: of the first one's), a power of two, in bytes
  pure::atomics by = atomics::any_type;
  pure::pages on = pages::normal;
  std::string name = {};  ///< for errors and hang reports
};

/// An element of the memory of a rank.
struct window_target {
  int rank = 0;
  std::size_t offset = 0;  ///< in elements
};

enum class lock_mode : int { shared, exclusive };

/// For accumulate and fetch_op: the new element is the origin's, or the one that is there.
struct replace {};
struct no_op {};

template <class T>
class window;

/// Holds the lock of a rank until its end, which throws what unlock() throws, unless another exception is on its way.
template <class T>
class window_lock_guard {
 public:
  window_lock_guard(window<T>& of, int rank, lock_mode mode, call_site at) : of_(of), rank_(rank), at_(at) {
    of.lock(rank, mode, at);
  }
  window_lock_guard(const window_lock_guard&) = delete;
  window_lock_guard& operator=(const window_lock_guard&) = delete;
  ~window_lock_guard() noexcept(false) {
    try {
      of_.unlock(rank_, at_);
    } catch (...) {
      if (std::uncaught_exceptions() == exceptions_) throw;
    }
  }

 private:
  window<T>& of_;
  int rank_;
  call_site at_;
  int exceptions_ = std::uncaught_exceptions();
};

template <class T>
class window {
  static_assert(plain_value<T>, "Pure: elements of a window are trivially copyable, and no pointers.");

 public:
  using here = call_site;
  static constexpr int notifications = 8;

  /// `count` elements, zeros, for this rank; collective over `on`. Errors, of all ranks alike, also where the arguments
  /// of one alone are wrong: argument (an alignment that is no power of two), no_memory, mismatch
  /// (other options), rma_shared (contiguous, and not all ranks are on one machine).
  [[nodiscard]] static window allocate(const comm& on, std::size_t count, const window_options& options = {},
                                       here at = here::current()) {
    return window(on, at, request(options, nullptr, count));
  }
  /// Over memory that is there, which outlives the window: until free() has returned. Collective.
  [[nodiscard]] static window over(const comm& on, std::span<T> mine, const window_options& options = {},
                                   here at = here::current()) {
    return window(on, at, request(options, mine.data(), mine.size(), true));
  }

  window(window&& from) noexcept : on_(std::exchange(from.on_, nullptr)), rank_(from.rank_) {}
  window& operator=(window&& from) noexcept {
    if (this != &from) {
      leave();
      on_ = std::exchange(from.on_, nullptr);
      rank_ = from.rank_;
    }
    return *this;
  }
  /// This rank uses it no longer; memory that the window has allocated lasts until that holds for all. A part that is
  /// over() memory is taken back: operations on it are errors from now on, of the ranks that call them. Does not block.
  ~window() { leave(); }
  /// Collective: returns when all ranks have called. Errors: rma_sync, for a rank that has an epoch open.
  void free(here at = here::current()) {
    static_cast<void>(its(at));
    detail::free_window(on_, at);
  }

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int ranks(here at = here::current()) const { return static_cast<int>(detail::ranks_of(its(at))); }
  /// How many elements that rank has.
  [[nodiscard]] std::size_t size(int rank, here at = here::current()) const {
    return detail::part_bytes(its(at), at, rank) / sizeof(T);
  }
  /// The memory of this rank.
  [[nodiscard]] std::span<T> local(here at = here::current()) const { return part(rank_, at); }
  /// The memory of any rank; empty if it is not addressable. Plain memory: what another rank writes there is seen after
  /// a synchronization only.
  [[nodiscard]] std::span<T> part(int rank, here at = here::current()) const {
    const detail::window_part found = detail::part_of(its(at), at, rank);
    return {static_cast<T*>(found.base), found.bytes / sizeof(T)};
  }
  /// The memory of all ranks, in their order, of a contiguous window. Errors: rma_flavor, for another one.
  [[nodiscard]] std::span<T> whole(here at = here::current()) const {
    const detail::window_part found = detail::whole_of(its(at), at);
    return {static_cast<T*>(found.base), found.bytes / sizeof(T)};
  }
  /// One element, for operations that exclude fetch_op and its kin. Errors: rma_range; rma_flavor, unless the window is
  /// one of atomics::hardware.
  [[nodiscard]] std::atomic_ref<T> atomic(window_target of, here at = here::current()) const {
    static_assert(std::atomic_ref<T>::is_always_lock_free, "Pure: there are no atomic instructions for this type.");
    return std::atomic_ref<T>(*static_cast<T*>(detail::atomic_element(its(at), at, of.rank, of.offset, sizeof(T))));
  }

  // ---- synchronization -----------------------------------------------------------------------------------------

  /// Collective. What all ranks have stored and put before is seen by all behind it.
  void fence(here at = here::current()) { detail::window_fence(its(at), at); }
  /// Exposes this rank's memory to the ranks of a group. Does not block; wait() ends it when all have completed.
  void post(const group& origins, here at = here::current()) { detail::window_post(its(at), at, origins.numbers_); }
  /// Waits until the ranks of a group have exposed theirs to this one; complete() ends it.
  void start(const group& targets, here at = here::current()) { detail::window_start(its(at), at, targets.numbers_); }
  void complete(here at = here::current()) { detail::window_complete(its(at), at); }
  void wait(here at = here::current()) { detail::window_wait(its(at), at); }
  [[nodiscard]] bool test(here at = here::current()) { return detail::window_test(its(at), at); }

  /// Waits until nobody holds the lock of that rank who excludes this. Errors: rma_sync, if this rank holds it.
  void lock(int rank, lock_mode mode = lock_mode::exclusive, here at = here::current()) {
    detail::window_lock(its(at), at, rank, mode == lock_mode::exclusive);
  }
  void unlock(int rank, here at = here::current()) { detail::window_unlock(its(at), at, rank); }
  [[nodiscard]] window_lock_guard<T> scoped_lock(int rank, lock_mode mode = lock_mode::exclusive,
                                                 here at = here::current()) {
    return window_lock_guard<T>(*this, rank, mode, at);
  }
  /// Shared locks of all ranks.
  void lock_all(here at = here::current()) { detail::window_lock_all(its(at), at); }
  void unlock_all(here at = here::current()) { detail::window_unlock_all(its(at), at); }
  /// The operations of this rank on that one's memory, or on all, are complete there.
  void flush(int rank, here at = here::current()) { detail::window_flush(its(at), at, rank); }
  void flush(here at = here::current()) { detail::window_flush_all(its(at), at); }
  /// A memory barrier: loads and stores before it come before those behind it. May be spun on, as flush().
  void sync(here at = here::current()) { detail::window_sync(its(at), at); }

  // ---- notifications: counters 0 to 7 of each rank ---------------------------------------------------------------

  /// Adds one to a counter of `rank`, who then sees what this rank has stored and put before. Does not block.
  void notify(int rank, int counter = 0, here at = here::current()) {
    detail::window_notify(its(at), at, rank, counter);
  }
  /// Waits until so many have come to this rank, and takes them.
  void wait_notified(std::uint64_t count = 1, int counter = 0, here at = here::current()) {
    detail::window_wait_notified(its(at), at, count, counter);
  }
  /// True if so many had come, which are taken then.
  [[nodiscard]] bool test_notified(std::uint64_t count = 1, int counter = 0, here at = here::current()) {
    return detail::window_test_notified(its(at), at, count, counter);
  }
  void put_notify(std::span<const T> data, window_target to, int counter = 0, here at = here::current()) {
    put(data, to, at);
    notify(to.rank, counter, at);
  }

  // ---- operations --------------------------------------------------------------------------------------------------

  void put(std::span<const T> data, window_target to, here at = here::current()) {
    detail::window_put(its(at), at, data.data(), data.size_bytes(), to.rank, to.offset);
  }
  void put(const T& value, window_target to, here at = here::current()) { put(std::span<const T>(&value, 1), to, at); }
  void get(std::span<T> into, window_target from, here at = here::current()) const {
    detail::window_get(its(at), at, into.data(), into.size_bytes(), from.rank, from.offset);
  }
  [[nodiscard]] T get(window_target from, here at = here::current()) const {
    T value;
    get(std::span<T>(&value, 1), from, at);
    return value;
  }

  /// Laid out at this end, or there, or at both (MPI 4.1, 12.3): `there` describes elements of the target's memory from
  /// to.offset on. Errors: count, if the two ends have not the same number of elements.
  template <class Element>
  requires std::is_same_v<std::remove_const_t<Element>, T>
  void put(const laid_out<Element>& data, window_target to, here at = here::current()) {
    detail::window_put_laid_out(its(at), at, detail::bytes_to_send(data), to.rank, to.offset, nullptr);
  }
  template <class Element>
  requires std::is_same_v<std::remove_const_t<Element>, T>
  void put(const laid_out<Element>& data, window_target to, const layout<T>& there, here at = here::current()) {
    detail::window_put_laid_out(its(at), at, detail::bytes_to_send(data), to.rank, to.offset, there.form_.get());
  }
  void put(std::span<const T> data, window_target to, const layout<T>& there, here at = here::current()) {
    detail::window_put_laid_out(its(at), at, in_a_row(data.data(), data.size()), to.rank, to.offset, there.form_.get());
  }
  void get(const laid_out<T>& into, window_target from, here at = here::current()) const {
    detail::window_get_laid_out(its(at), at, detail::bytes_to_fill(into), from.rank, from.offset, nullptr);
  }
  void get(const laid_out<T>& into, window_target from, const layout<T>& there, here at = here::current()) const {
    detail::window_get_laid_out(its(at), at, detail::bytes_to_fill(into), from.rank, from.offset, there.form_.get());
  }
  void get(std::span<T> into, window_target from, const layout<T>& there, here at = here::current()) const {
    detail::window_get_laid_out(its(at), at, in_a_row(into.data(), into.size()), from.rank, from.offset,
                                there.form_.get());
  }

  /// there[i] = op(there[i], data[i]), atomically for each i. Op: as in reductions, one of those that pure.h has for T;
  /// or pure::replace.
  template <class Op>
  void accumulate(std::span<const T> data, window_target to, Op, here at = here::current()) {
    combine<Op>(data, nullptr, to, at);
  }
  template <class Op>
  void accumulate(const T& value, window_target to, Op op, here at = here::current()) {
    accumulate(std::span<const T>(&value, 1), to, op, at);
  }
  /// The same; before[i]: what was there. As many elements as data has. Op may be pure::no_op. Errors: count.
  template <class Op>
  void get_accumulate(std::span<const T> data, std::span<T> before, window_target to, Op, here at = here::current()) {
    if (before.size() != data.size()) throw Error(errc::count, "get_accumulate: the two spans have other lengths", at);
    combine<Op>(data, before.data(), to, at);
  }
  /// Laid out, as for put and get: `data` and `before` are ranges of elements, or laid out. Errors: count, unless they
  /// and `there` have the same number of elements.
  template <class Element, class Op>
  void accumulate(const laid_out<Element>& data, window_target to, Op, here at = here::current()) {
    combine_laid_out<Op>(placed(data), nullptr, to, nullptr, at);
  }
  template <class Data, class Op>
  void accumulate(const Data& data, window_target to, const layout<T>& there, Op, here at = here::current()) {
    combine_laid_out<Op>(placed(data), nullptr, to, there.form_.get(), at);
  }
  template <class Data, class Before, class Op>
  requires(detail::is_laid_out<Data> || detail::is_laid_out<std::remove_cvref_t<Before>>) void get_accumulate(
      const Data& data, Before&& before, window_target to, Op, here at = here::current()) {
    const detail::placed_message into = place_to_fill(before);
    combine_laid_out<Op>(placed(data), &into, to, nullptr, at);
  }
  template <class Data, class Before, class Op>
  void get_accumulate(const Data& data, Before&& before, window_target to, const layout<T>& there, Op,
                      here at = here::current()) {
    const detail::placed_message into = place_to_fill(before);
    combine_laid_out<Op>(placed(data), &into, to, there.form_.get(), at);
  }

  /// get_accumulate of one element, which it returns as it was.
  template <class Op>
  T fetch_op(const T& value, window_target to, Op, here at = here::current()) {
    T before;
    combine<Op>(std::span<const T>(&value, 1), &before, to, at);
    return before;
  }
  /// Atomic reads and writes of one element.
  [[nodiscard]] T load(window_target from, here at = here::current()) { return fetch_op(T{}, from, no_op{}, at); }
  void store(const T& value, window_target to, here at = here::current()) { accumulate(value, to, replace{}, at); }
  /// `desired` replaces what is there, if that has the bytes of `expected`. Returns what was there.
  T compare_swap(const T& expected, const T& desired, window_target to, here at = here::current()) {
    static_assert(std::has_unique_object_representations_v<T>,
                  "Pure: values of this type that are equal may have other bytes.");
    T before;
    detail::window_compare_swap(its(at), at, &expected, &desired, &before, sizeof(T), to.rank, to.offset);
    return before;
  }

 private:
  window(const comm& on, call_site at, const detail::window_request& wanted)
      : on_(detail::make_window(*on.on_, at, wanted)), rank_(on.rank()) {}

  static detail::window_request request(const window_options& options, T* memory, std::size_t count,
                                        bool is_over_memory = false) {
    const std::size_t alignment = options.alignment > alignof(T) ? options.alignment : alignof(T);
    return {.memory = memory,
            .bytes = count * sizeof(T),
            .unit = sizeof(T),
            .is_over_memory = is_over_memory,
            .is_contiguous = options.where == placement::contiguous,
            .alignment = alignment,
            .pages = static_cast<int>(options.on),
            .atomics = static_cast<int>(options.by),
            .name = options.name.data(),
            .name_length = options.name.size()};
  }
  static detail::placed_message in_a_row(const T* data, std::size_t count) noexcept {
    return {const_cast<T*>(data), count * sizeof(T), nullptr};
  }
  [[nodiscard]] core::window& its(call_site at) const {
    if (on_ == nullptr) throw Error(errc::win, "a window that was freed, or moved from", at);
    return *on_;
  }
  void leave() noexcept {
    if (on_ != nullptr) detail::abandon_window(*std::exchange(on_, nullptr));
  }
  template <class Data>
  static detail::placed_message placed(const Data& data) {
    if constexpr (detail::is_laid_out<Data>) {
      static_assert(std::is_same_v<std::remove_const_t<std::remove_pointer_t<decltype(data.data)>>, T>,
                    "Pure: elements of a window go with elements of the same type.");
      return detail::bytes_to_send(data);
    } else {
      const std::span<const T> all(data);
      return in_a_row(all.data(), all.size());
    }
  }
  template <class Before>
  static detail::placed_message place_to_fill(Before& before) {
    if constexpr (detail::is_laid_out<std::remove_const_t<Before>>) {
      static_assert(std::is_same_v<decltype(before.data), T*>, "Pure: before has elements of the window's type.");
      return detail::bytes_to_fill(before);
    } else {
      const std::span<T> all(before);
      return in_a_row(all.data(), all.size());
    }
  }

  /// How Op makes new elements.
  template <class Op>
  struct combination {
    static constexpr bool is_replace = std::is_same_v<Op, replace>, is_nothing = std::is_same_v<Op, no_op>;
    static constexpr bool is_built_in = detail::built_in_op_of<Op, T>() != PURE_OP_NULL &&
                                        detail::built_in_type_of<T>() != PURE_DATATYPE_NULL;
    static_assert(sizeof(T) <= 64, "Pure: atomic operations are on elements of at most 64 bytes.");
    static_assert(
        is_built_in || is_replace || is_nothing,
        "Pure: atomic operations take the operators that pure.h has for such elements (std::plus<>, pure::min, "
        "...), pure::replace or pure::no_op.");
    static constexpr detail::rma_kind kind = is_replace   ? detail::rma_kind::replace
                                             : is_nothing ? detail::rma_kind::none
                                                          : detail::rma_kind::combine;
    static detail::reduction how() {
      detail::reduction made;
      made.element_bytes = sizeof(T);
      if constexpr (is_built_in) made = detail::reduction_of<T>(Op{});
      return made;
    }
  };
  template <class Op>
  void combine(std::span<const T> data, T* before, window_target to, call_site at) {
    detail::window_accumulate(its(at), at, data.data(), data.size_bytes(), before, to.rank, to.offset,
                              combination<Op>::kind, combination<Op>::how());
  }
  template <class Op>
  void combine_laid_out(const detail::placed_message& data, const detail::placed_message* before, window_target to,
                        const core::shared_layout* there, call_site at) {
    detail::window_accumulate_laid_out(its(at), at, data, before, to.rank, to.offset, there, combination<Op>::kind,
                                       combination<Op>::how());
  }

  detail::window_pointer on_;
  int rank_;
};

}  // namespace pure
