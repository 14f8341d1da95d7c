// The library side of pure::window (pure/detail/windows.hpp).
#include <pure/detail/windows.hpp>

#include <algorithm>
#include <exception>

#include "api/cpp/door.hpp"
#include "api/cpp/shared_layout.hpp"
#include "runtime/call_error.hpp"
#include "window/create.hpp"
#include "window/operations.hpp"

namespace pure::detail {

using core::call;

static_assert(static_cast<int>(rma_kind::none) == static_cast<int>(core::combination::kind::none));
static_assert(static_cast<int>(rma_kind::replace) == static_cast<int>(core::combination::kind::replace));

namespace {

/// A window is used by its own rank.
void check_owner(const core::window& on, const call& by) {
  if (core::self() != &on.owner()) [[unlikely]]
    core::throw_wrong_call(by, errc::state, "a window is used by the rank that has made it, and not inside a task");
}

/// An offset that no memory has is out of range for the core, too.
core::window_place place_at(int rank, std::size_t offset, std::size_t bytes) noexcept {
  constexpr std::size_t most = PTRDIFF_MAX;
  return {rank, static_cast<std::int64_t>(std::min(offset, most)), bytes, nullptr};
}

/// Runs body(*on, by) for the owner of the window, where `by` is the call `operation`.
template <class Window, class Body>
failure* on_window(Window* on, const char* operation, const pure_call_site& site, Body body) {
  return at_boundary([&] {
    const call by{operation, site};
    check_owner(*on, by);
    body(*on, by);
  });
}

core::window_place place_at(int rank, std::size_t offset, std::size_t bytes, const core::layout* there) noexcept {
  core::window_place where = place_at(rank, offset, there == nullptr ? bytes : there->bytes());
  if (there != nullptr && !there->is_contiguous()) where.form = there;
  return where;
}

core::placed_message in_a_row(const void* data, std::size_t bytes) noexcept {
  return {const_cast<void*>(data), bytes, {}};
}

}  // namespace

failure* pure_cxx_make_window(core::communicator* on, pure_call_site site, const window_request* wanted,
                              window_pointer* made) {
  return on_communicator(on, "window", site, [&](core::communicator& own, const call& by) {
    const auto flavor = wanted->is_over_memory ? core::window_flavor::create : core::window_flavor::allocate;
    core::window_wish wish{.flavor = flavor,
                           .bytes = wanted->bytes,
                           .unit = static_cast<std::int64_t>(wanted->unit),
                           .memory = wanted->memory,
                           .options = {.is_contiguous = wanted->is_contiguous,
                                       .alignment = wanted->alignment,
                                       .pages = static_cast<core::page_kind>(wanted->pages),
                                       .atomics = static_cast<core::atomics_by>(wanted->atomics),
                                       .name = {wanted->name, wanted->name_length}},
                           .needs_epochs = false};
    *made = &core::make_window(own, by, wish);
  });
}

failure* pure_cxx_free_window(window_pointer* unused, pure_call_site site) {
  return on_window(*unused, "window::free", site, [&](core::window& own, const call& by) {
    const std::exception_ptr refused = core::free_window(own, by);
    *unused = nullptr;
    if (refused != nullptr) std::rethrow_exception(refused);
  });
}

void pure_cxx_abandon_window(core::window* unused) noexcept {
  if (core::self() == &unused->owner()) core::abandon(*unused);  // else the job ends it
}

failure* pure_cxx_part_bytes(const core::window* of, pure_call_site site, int rank, std::size_t* bytes) {
  return on_window(of, "window::size", site, [&](const core::window& own, const call& by) {
    *bytes = own.is_rank(by, rank) ? std::size_t{own.at(rank).bytes} : 0;
  });
}

failure* pure_cxx_part_of(const core::window* of, pure_call_site site, int rank, window_part* part) {
  return on_window(of, "window::part", site, [&](const core::window& own, const call& by) {
    if (own.is_rank(by, rank) && own.is_addressable(rank)) *part = {own.at(rank).base, std::size_t{own.at(rank).bytes}};
  });
}

failure* pure_cxx_whole_of(const core::window* of, pure_call_site site, window_part* whole) {
  return on_window(of, "window::whole", site, [&](const core::window& own, const call& by) {
    if (!own.shared().options().is_contiguous)
      own.throw_wrong(by, errc::rma_flavor,
                      "the memory of the ranks does not lie in a row: ask for placement::contiguous");
    std::size_t bytes = 0;
    for (int rank = 0; rank < own.size(); ++rank) bytes += own.at(rank).bytes;
    *whole = {own.at(0).base, bytes};
  });
}

failure* pure_cxx_atomic_element(core::window* of, pure_call_site site, int rank, std::size_t offset, std::size_t bytes,
                                 void** element) {
  return on_window(of, "window::atomic", site, [&](core::window& own, const call& by) {
    if (!own.is_rank(by, rank)) own.throw_wrong(by, errc::rank, "nobody has no elements");
    if (own.shared().options().atomics != core::atomics_by::hardware)
      own.throw_wrong(by, errc::rma_flavor,
                      "the window is not one of atomics::hardware, where instructions exclude calls");
    own.tell_observer(&core::window_observer::lets_know);
    *element = core::address_of(own, by, place_at(rank, offset, bytes));
  });
}

std::size_t pure_cxx_ranks_of(const core::window* of) noexcept { return static_cast<std::size_t>(of->size()); }

failure* pure_cxx_window_fence(core::window* on, pure_call_site site) {
  return on_window(on, "window::fence", site, [&](core::window& own, const call& by) { own.fence(by); });
}

failure* pure_cxx_window_post(core::window* on, pure_call_site site, number_list origins) {
  return on_window(on, "window::post", site, [&](core::window& own, const call& by) {
    own.post(by, {origins.first, origins.count});
  });
}

failure* pure_cxx_window_start(core::window* on, pure_call_site site, number_list targets) {
  return on_window(on, "window::start", site, [&](core::window& own, const call& by) {
    own.start(by, {targets.first, targets.count});
  });
}

failure* pure_cxx_window_complete(core::window* on, pure_call_site site) {
  return on_window(on, "window::complete", site, [&](core::window& own, const call& by) { own.complete(by); });
}

failure* pure_cxx_window_wait(core::window* on, pure_call_site site) {
  return on_window(on, "window::wait", site, [&](core::window& own, const call& by) { own.wait(by); });
}

failure* pure_cxx_window_test(core::window* on, pure_call_site site, bool* is_over) {
  return on_window(on, "window::test", site, [&](core::window& own, const call& by) { *is_over = own.test(by); });
}

failure* pure_cxx_window_lock(core::window* on, pure_call_site site, int rank, bool is_exclusive) {
  return on_window(on, "window::lock", site, [&](core::window& own, const call& by) {
    own.lock(by, rank, is_exclusive ? core::lock_kind::exclusive : core::lock_kind::shared);
  });
}

failure* pure_cxx_window_unlock(core::window* on, pure_call_site site, int rank) {
  return on_window(on, "window::unlock", site, [&](core::window& own, const call& by) { own.unlock(by, rank); });
}

failure* pure_cxx_window_lock_all(core::window* on, pure_call_site site) {
  return on_window(on, "window::lock_all", site, [&](core::window& own, const call& by) { own.lock_all(by); });
}

failure* pure_cxx_window_unlock_all(core::window* on, pure_call_site site) {
  return on_window(on, "window::unlock_all", site, [&](core::window& own, const call& by) { own.unlock_all(by); });
}

failure* pure_cxx_window_flush(core::window* on, pure_call_site site, int rank) {
  return on_window(on, "window::flush", site, [&](core::window& own, const call& by) { own.flush(by, rank); });
}

failure* pure_cxx_window_flush_all(core::window* on, pure_call_site site) {
  return on_window(on, "window::flush", site, [&](core::window& own, const call& by) { own.flush_all(by); });
}

failure* pure_cxx_window_sync(core::window* on, pure_call_site site) {
  return on_window(on, "window::sync", site, [&](core::window& own, const call&) { own.sync(); });
}

failure* pure_cxx_window_notify(core::window* on, pure_call_site site, int rank, int counter) {
  return on_window(on, "window::notify", site,
                   [&](core::window& own, const call& by) { own.notify(by, rank, counter); });
}

failure* pure_cxx_window_wait_notified(core::window* on, pure_call_site site, std::uint64_t count, int counter) {
  return on_window(on, "window::wait_notified", site,
                   [&](core::window& own, const call& by) { own.wait_notified(by, count, counter); });
}

failure* pure_cxx_window_test_notified(core::window* on, pure_call_site site, std::uint64_t count, int counter,
                                       bool* had_come) {
  return on_window(on, "window::test_notified", site,
                   [&](core::window& own, const call& by) { *had_come = own.test_notified(by, count, counter); });
}

failure* pure_cxx_window_put(core::window* on, pure_call_site site, const void* data, std::size_t bytes, int rank,
                             std::size_t offset) {
  return on_window(on, "window::put", site, [&](core::window& own, const call& by) {
    core::put(own, by, in_a_row(data, bytes), place_at(rank, offset, bytes));
  });
}

failure* pure_cxx_window_get(core::window* on, pure_call_site site, void* into, std::size_t bytes, int rank,
                             std::size_t offset) {
  return on_window(on, "window::get", site, [&](core::window& own, const call& by) {
    core::get(own, by, in_a_row(into, bytes), place_at(rank, offset, bytes));
  });
}

failure* pure_cxx_window_put_laid_out(core::window* on, pure_call_site site, const placed_message* data, int rank,
                                      std::size_t offset, const core::shared_layout* there) {
  return on_window(on, "window::put", site, [&](core::window& own, const call& by) {
    core::put(own, by, kept(*data), place_at(rank, offset, data->bytes, layout_in(there)));
  });
}

failure* pure_cxx_window_get_laid_out(core::window* on, pure_call_site site, const placed_message* into, int rank,
                                      std::size_t offset, const core::shared_layout* there) {
  return on_window(on, "window::get", site, [&](core::window& own, const call& by) {
    core::get(own, by, kept(*into), place_at(rank, offset, into->bytes, layout_in(there)));
  });
}

failure* pure_cxx_window_accumulate(core::window* on, pure_call_site site, const void* data, std::size_t bytes,
                                    void* before, int rank, std::size_t offset, rma_kind kind, const reduction* how) {
  const char* const operation = before == nullptr ? "window::accumulate" : "window::fetch_op";
  return on_window(on, operation, site, [&](core::window& own, const call& by) {
    const core::combination combined{static_cast<core::combination::kind>(kind), *how, how->element_bytes};
    const core::placed_message result = in_a_row(before, bytes);
    core::accumulate(own, by, in_a_row(data, bytes), before == nullptr ? nullptr : &result,
                     place_at(rank, offset, bytes), combined);
  });
}

failure* pure_cxx_window_accumulate_laid_out(core::window* on, pure_call_site site, const placed_message* data,
                                             const placed_message* before, int rank, std::size_t offset,
                                             const core::shared_layout* there, rma_kind kind, const reduction* how) {
  const char* const operation = before == nullptr ? "window::accumulate" : "window::get_accumulate";
  return on_window(on, operation, site, [&](core::window& own, const call& by) {
    const core::combination combined{static_cast<core::combination::kind>(kind), *how, how->element_bytes};
    const core::placed_message result = before == nullptr ? core::placed_message() : kept(*before);
    const std::size_t bytes = before != nullptr ? before->bytes : data->bytes;
    core::accumulate(own, by, kept(*data), before == nullptr ? nullptr : &result,
                     place_at(rank, offset, bytes, layout_in(there)), combined);
  });
}

failure* pure_cxx_window_compare_swap(core::window* on, pure_call_site site, const void* expected, const void* desired,
                                      void* before, std::size_t bytes, int rank, std::size_t offset) {
  return at_boundary([&] {
    const call by{"window::compare_swap", site};
    if (bytes > 64) on->throw_wrong(by, errc::type, "elements of more than 64 bytes are not compared and swapped");
    check_owner(*on, by);
    core::compare_and_swap(*on, by, expected, desired, before, bytes, rank, place_at(rank, offset, bytes).offset);
  });
}

}  // namespace pure::detail
