#include "window/create.hpp"

#include <fmt/core.h>

#include <atomic>
#include <bit>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/say.hpp"
#include "base/text.hpp"
#include "runtime/call_error.hpp"
#include "runtime/wait.hpp"
#include "window/checks/window_checks.hpp"
#include "window/window_creation.hpp"
#include "window/window_table.hpp"

namespace pure::core {

namespace {

using namespace window_creation;

void check_wish(const communicator& on, const call& by, const window_wish& wanted) {
  if (wanted.unit <= 0)
    throw_wrong_wish(on, by, errc::displacement, fmt::format("the unit of displacements is {} bytes", wanted.unit));
  if (!std::has_single_bit(wanted.options.alignment)) {
    throw_wrong_wish(on, by, errc::argument,
                     fmt::format("an alignment of {} bytes is no power of two", wanted.options.alignment));
  }
  if (wanted.flavor == window_flavor::create && wanted.memory == nullptr && wanted.bytes > 0)
    throw_wrong_wish(on, by, errc::buffer, fmt::format("the memory is null, but has {}", rounded_bytes(wanted.bytes)));
}

const char* name_of_flavor(window_flavor flavor) noexcept {
  switch (flavor) {
    case window_flavor::create: return "a window of memory that is there";
    case window_flavor::allocate: return "a window with memory of its own";
    case window_flavor::dynamic: return "a dynamic window";
    case window_flavor::shared: return "a shared window";
  }
  return "";
}

part_memory memory_for(const window_wish& wanted, bool is_in_one_piece) {
  const bool has_own = !is_in_one_piece &&
                       (wanted.flavor == window_flavor::allocate || wanted.flavor == window_flavor::shared);
  return has_own ? part_memory(wanted.bytes, wanted.options.alignment, wanted.options.pages)
                 : part_memory::control_for(wanted.bytes);
}

/// The pages that each rank touches are those that begin in its part.
void touch_own(const window_group::target& own) noexcept {
  const std::size_t page = page_bytes();
  const auto begin = reinterpret_cast<std::uintptr_t>(own.base);
  const std::uintptr_t first = (begin + page - 1) / page * page;
  if (first < begin + own.bytes) touch_pages(own.base + (first - begin), own.bytes - (first - begin));
}

}  // namespace

namespace window_creation {

void throw_wrong_wish(const communicator& on, const call& by, errc code, const std::string& text) {
  throw call_error(by, code, fmt::format("rank {} of {}: {}", on.rank(), on.name(), text));
}

std::string in_window(const std::string& name) {
  return name.empty() ? std::string() : fmt::format(" in window \"{}\"", name);
}

void throw_problem(communicator& on, const call& by, const window_wish& wanted, const std::vector<window_offer>& all) {
  require_none_refused(on, by, all, wanted.wrong);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].problem != errc::success) {
      throw_wrong_wish(on, by, errc::no_memory,
                       fmt::format("there is no memory for the {} of rank {}{}: is there a limit "
                                   "(ulimit -v, a control group)?",
                                   rounded_bytes(all[i].bytes), i, in_window(wanted.options.name)));
    }
    if (all[i].flavor != all[0].flavor) {
      throw_wrong_wish(
          on, by, errc::mismatch,
          fmt::format("rank 0 makes {}, rank {} {}", name_of_flavor(all[0].flavor), i, name_of_flavor(all[i].flavor)));
    }
    if (all[i].options != all[0].options) {
      throw_wrong_wish(on, by, errc::mismatch,
                       fmt::format("ranks 0 and {} pass different options (placement, alignment, pages, atomics)", i));
    }
  }
}

std::unique_ptr<window_group> new_group(const communicator& on, const window_wish& wanted, std::uint32_t number) {
  const auto ranks = static_cast<std::size_t>(on.size());
  auto made = std::make_unique<window_group>(
      number, ranks, wanted.flavor, wanted.options,
      wanted.options.name.empty() ? fmt::format("{} of {}", number, on.name()) : wanted.options.name);
  if (on.owner().owner().values().check) made->observe_by(std::make_unique<window_checks>(ranks));
  return made;
}

std::uint32_t next_number() noexcept {
  static std::atomic<std::uint32_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void wait_for_all_ranks(communicator& on, const call& by) {
  detail::collective_arguments what;
  what.kind = detail::collective::barrier;
  run_collective(on, by, what);
}

void say_refused(const window_group& of) {
  if (of.refused().empty()) return;
  say("pure: warning: window \"{}\" is on normal pages, and not on the huge ones that were asked for: {}\n", *of.name(),
      of.refused());
}

}  // namespace window_creation

namespace {

window& make_window_of(communicator& on, const call& by, const window_wish& wanted) {
  if (on.shared().part_here() != nullptr) return make_spanning_window(on, by, wanted);
  const bool is_in_one_piece = wanted.options.is_contiguous && wanted.flavor != window_flavor::create &&
                               wanted.flavor != window_flavor::dynamic;
  window_offer own{.options = wanted.options.identity(),
                   .bytes = wanted.bytes,
                   .flavor = wanted.flavor,
                   .is_refused = wanted.wrong.has_value()};
  part_memory memory;
  try {
    if (!own.is_refused) memory = memory_for(wanted, is_in_one_piece);
    if (on.rank() == 0) own.group = new_group(on, wanted, next_number()).release();
  } catch (const std::bad_alloc&) {
    own.problem = errc::no_memory;
  }
  const std::vector<window_offer> all = gather_all(on, by, own);
  window_group* const group = all[0].group;
  try {
    throw_problem(on, by, wanted, all);
  } catch (...) {
    if (group != nullptr) group->release();
    throw;
  }

  window_group::target& mine = group->at(on.rank());
  mine.base = wanted.flavor == window_flavor::create ? static_cast<std::byte*>(wanted.memory) : memory.data();
  mine.bytes = wanted.bytes;
  mine.unit = static_cast<std::size_t>(wanted.unit);
  mine.control = memory.control();
  mine.owner = &on.owner();
  if (on.rank() == 0) group->set_refused(memory.refused());
  mine.memory = std::move(memory);
  window& made = window_table::of(on.owner()).add(on, *group, wanted.needs_epochs);
  wait_for_all_ranks(on, by);
  if (is_in_one_piece) {
    if (on.rank() == 0) group->allocate_for_all();
    wait_for_all_ranks(on, by);
    if (group->has_failed()) {
      window_table::of(on.owner()).remove(made);
      std::size_t bytes = 0;
      for (const window_offer& each : all) bytes += each.bytes;
      throw_wrong_wish(on, by, errc::no_memory,
                       fmt::format("there is no memory for the {} of all ranks{}", rounded_bytes(bytes),
                                   in_window(wanted.options.name)));
    }
    touch_own(mine);
    wait_for_all_ranks(on, by);
  }
  if (on.rank() == 0) say_refused(*group);
  return made;
}

}  // namespace

window& make_window(communicator& on, const call& by, const window_wish& wanted) {
  if (wanted.wrong) return make_window_of(on, by, wanted);
  return make_window_of(on, by, wish_of([&] {
                          check_wish(on, by, wanted);
                          return wanted;
                        }));
}

std::exception_ptr free_window(window& unused, const call& by) {
  unused.require_no_epoch(by);
  if (unused.remote() != nullptr) unused.remote()->flush_all(by);  // also notifications, which nobody waits for
  unused.meet(by);
  std::exception_ptr refused;
  try {
    unused.throw_if_refused(by);
  } catch (...) {
    refused = std::current_exception();
  }
  window_group& shared = unused.shared();
  if (shared.spanning() != nullptr) {
    window_table::of(unused.owner()).remove(unused);
    return refused;
  }
  // Memory goes back by the thread that has taken it: another one would have to enter that one's heap, where its next
  // window is made at the same time, and one of the two would sleep (D-own-parts). All have met, and nobody uses a part
  // any more.
  const part_memory own = std::move(unused.own().memory);
  if (unused.rank() == 0) static_cast<void>(comes_soon([&] { return shared.is_last_reference(); }));
  window_table::of(unused.owner()).remove(unused);
  return refused;
}

void abandon(window& unused) noexcept { window_table::of(unused.owner()).remove(unused); }

}  // namespace pure::core
