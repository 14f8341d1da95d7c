// The library side of pure::window (pure/detail/windows.hpp).
#include <pure/detail/windows.hpp>

#include <algorithm>
#include <exception>
#include <vector>

#include "api/cpp/door.hpp"
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

}  // namespace

window_pointer make_window(core::communicator& on, pure_call_site site, const window_request& wanted) {
  const call by{"window", site};
  check_owner(on, by);
  core::window_wish wish{.flavor = wanted.is_over_memory ? core::window_flavor::create : core::window_flavor::allocate,
                         .bytes = wanted.bytes,
                         .unit = static_cast<std::int64_t>(wanted.unit),
                         .memory = wanted.memory,
                         .options = {.is_contiguous = wanted.is_contiguous,
                                     .alignment = wanted.alignment,
                                     .pages = static_cast<core::page_kind>(wanted.pages),
                                     .atomics = static_cast<core::atomics_by>(wanted.atomics),
                                     .name = wanted.name},
                         .needs_epochs = false};
  return &core::make_window(on, by, wish);
}

void free_window(window_pointer& unused, pure_call_site site) {
  const call by{"window::free", site};
  check_owner(*unused, by);
  const std::exception_ptr refused = core::free_window(*unused, by);
  unused = nullptr;
  if (refused != nullptr) std::rethrow_exception(refused);
}

void abandon_window(core::window& unused) noexcept {
  if (core::self() == &unused.owner()) core::abandon(unused);  // else the job ends it
}

std::size_t part_bytes(const core::window& of, pure_call_site site, int rank) {
  const call by{"window::size", site};
  check_owner(of, by);
  return of.is_rank(by, rank) ? std::size_t{of.at(rank).bytes} : 0;
}

window_part part_of(const core::window& of, pure_call_site site, int rank) {
  const call by{"window::part", site};
  check_owner(of, by);
  if (!of.is_rank(by, rank) || !of.is_addressable(rank)) return {nullptr, 0};
  return {of.at(rank).base, std::size_t{of.at(rank).bytes}};
}

window_part whole_of(const core::window& of, pure_call_site site) {
  const call by{"window::whole", site};
  check_owner(of, by);
  if (!of.shared().options().is_contiguous)
    of.throw_wrong(by, errc::rma_flavor,
                   "the memory of the ranks does not lie in a row: ask for placement::contiguous");
  std::size_t bytes = 0;
  for (int rank = 0; rank < of.size(); ++rank) bytes += of.at(rank).bytes;
  return {of.at(0).base, bytes};
}

void* atomic_element(core::window& of, pure_call_site site, int rank, std::size_t offset, std::size_t bytes) {
  const call by{"window::atomic", site};
  check_owner(of, by);
  if (!of.is_rank(by, rank)) of.throw_wrong(by, errc::rank, "nobody has no elements");
  if (of.shared().options().atomics != core::atomics_by::hardware)
    of.throw_wrong(by, errc::rma_flavor,
                   "the window is not one of atomics::hardware, where instructions exclude calls");
  if (of.shared().checks() != nullptr) core::origin_checks(of.as_checked()).lets_know();
  return core::address_of(of, by, place_at(rank, offset, bytes));
}

std::size_t ranks_of(const core::window& of) noexcept { return static_cast<std::size_t>(of.size()); }

namespace {

template <class Act>
decltype(auto) on_window(core::window& on, const call& by, Act act) {
  check_owner(on, by);
  return act();
}

}  // namespace

void window_fence(core::window& on, pure_call_site site) {
  const call by{"window::fence", site};
  on_window(on, by, [&] { on.fence(by); });
}
void window_post(core::window& on, pure_call_site site, const std::vector<int>& origins) {
  const call by{"window::post", site};
  on_window(on, by, [&] { on.post(by, origins); });
}
void window_start(core::window& on, pure_call_site site, const std::vector<int>& targets) {
  const call by{"window::start", site};
  on_window(on, by, [&] { on.start(by, targets); });
}
void window_complete(core::window& on, pure_call_site site) {
  const call by{"window::complete", site};
  on_window(on, by, [&] { on.complete(by); });
}
void window_wait(core::window& on, pure_call_site site) {
  const call by{"window::wait", site};
  on_window(on, by, [&] { on.wait(by); });
}
bool window_test(core::window& on, pure_call_site site) {
  const call by{"window::test", site};
  return on_window(on, by, [&] { return on.test(by); });
}
void window_lock(core::window& on, pure_call_site site, int rank, bool is_exclusive) {
  const call by{"window::lock", site};
  on_window(on, by, [&] { on.lock(by, rank, is_exclusive ? core::lock_kind::exclusive : core::lock_kind::shared); });
}
void window_unlock(core::window& on, pure_call_site site, int rank) {
  const call by{"window::unlock", site};
  on_window(on, by, [&] { on.unlock(by, rank); });
}
void window_lock_all(core::window& on, pure_call_site site) {
  const call by{"window::lock_all", site};
  on_window(on, by, [&] { on.lock_all(by); });
}
void window_unlock_all(core::window& on, pure_call_site site) {
  const call by{"window::unlock_all", site};
  on_window(on, by, [&] { on.unlock_all(by); });
}
void window_flush(core::window& on, pure_call_site site, int rank) {
  const call by{"window::flush", site};
  on_window(on, by, [&] { on.flush(by, rank); });
}
void window_flush_all(core::window& on, pure_call_site site) {
  const call by{"window::flush", site};
  on_window(on, by, [&] { on.flush_all(by); });
}
void window_sync(core::window& on, pure_call_site site) {
  on_window(on, {"window::sync", site}, [&] { on.sync(); });
}
void window_notify(core::window& on, pure_call_site site, int rank, int counter) {
  const call by{"window::notify", site};
  on_window(on, by, [&] { on.notify(by, rank, counter); });
}
void window_wait_notified(core::window& on, pure_call_site site, std::uint64_t count, int counter) {
  const call by{"window::wait_notified", site};
  on_window(on, by, [&] { on.wait_notified(by, count, counter); });
}
bool window_test_notified(core::window& on, pure_call_site site, std::uint64_t count, int counter) {
  const call by{"window::test_notified", site};
  return on_window(on, by, [&] { return on.test_notified(by, count, counter); });
}

namespace {

core::placed_message in_a_row(const void* data, std::size_t bytes) noexcept {
  return {const_cast<void*>(data), bytes, {}};
}

}  // namespace

void window_put(core::window& on, pure_call_site site, const void* data, std::size_t bytes, int rank,
                std::size_t offset) {
  const call by{"window::put", site};
  on_window(on, by, [&] { core::put(on, by, in_a_row(data, bytes), place_at(rank, offset, bytes)); });
}

void window_get(core::window& on, pure_call_site site, void* into, std::size_t bytes, int rank, std::size_t offset) {
  const call by{"window::get", site};
  on_window(on, by, [&] { core::get(on, by, in_a_row(into, bytes), place_at(rank, offset, bytes)); });
}

namespace {

core::window_place place_at(int rank, std::size_t offset, std::size_t bytes, const core::layout* there) noexcept {
  core::window_place where = place_at(rank, offset, there == nullptr ? bytes : there->bytes());
  if (there != nullptr && !there->is_contiguous()) where.form = there;
  return where;
}

}  // namespace

void window_put_laid_out(core::window& on, pure_call_site site, const placed_message& data, int rank,
                         std::size_t offset, const core::layout* there) {
  const call by{"window::put", site};
  on_window(on, by, [&] { core::put(on, by, data, place_at(rank, offset, data.bytes, there)); });
}

void window_get_laid_out(core::window& on, pure_call_site site, const placed_message& into, int rank,
                         std::size_t offset, const core::layout* there) {
  const call by{"window::get", site};
  on_window(on, by, [&] { core::get(on, by, into, place_at(rank, offset, into.bytes, there)); });
}

void window_accumulate(core::window& on, pure_call_site site, const void* data, std::size_t bytes, void* before,
                       int rank, std::size_t offset, rma_kind kind, const reduction& how) {
  const call by{before == nullptr ? "window::accumulate" : "window::fetch_op", site};
  const core::combination combined{static_cast<core::combination::kind>(kind), how, how.element_bytes};
  const core::placed_message result = in_a_row(before, bytes);
  on_window(on, by, [&] {
    core::accumulate(on, by, in_a_row(data, bytes), before == nullptr ? nullptr : &result,
                     place_at(rank, offset, bytes), combined);
  });
}

void window_accumulate_laid_out(core::window& on, pure_call_site site, const placed_message& data,
                                const placed_message* before, int rank, std::size_t offset, const core::layout* there,
                                rma_kind kind, const reduction& how) {
  const call by{before == nullptr ? "window::accumulate" : "window::get_accumulate", site};
  const core::combination combined{static_cast<core::combination::kind>(kind), how, how.element_bytes};
  const std::size_t bytes = before != nullptr ? before->bytes : data.bytes;
  on_window(on, by, [&] { core::accumulate(on, by, data, before, place_at(rank, offset, bytes, there), combined); });
}

void window_compare_swap(core::window& on, pure_call_site site, const void* expected, const void* desired, void* before,
                         std::size_t bytes, int rank, std::size_t offset) {
  const call by{"window::compare_swap", site};
  if (bytes > 64) on.throw_wrong(by, errc::type, "elements of more than 64 bytes are not compared and swapped");
  on_window(on, by, [&] {
    core::compare_and_swap(on, by, expected, desired, before, bytes, rank, place_at(rank, offset, bytes).offset);
  });
}

}  // namespace pure::detail
