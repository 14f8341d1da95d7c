// What the ways to make a window share (create.cpp, create_spanning.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "coll/collective.hpp"
#include "window/create.hpp"
#include "window/descriptor_exchange.hpp"
#include "window/window_group.hpp"

namespace pure::core {

/// Of a communicator whose ranks are in several processes. Throws as make_window.
window& make_spanning_window(communicator& on, const call& by, const window_wish& wanted);

namespace window_creation {

/// What a rank tells all others.
struct window_offer {
  window_group* group = nullptr;  // of the first rank of its process, for the ranks there
  std::uint64_t options = 0;
  std::size_t bytes = 0;
  window_flavor flavor = window_flavor::allocate;
  errc problem = errc::success;
  // of several processes
  std::size_t unit = 1;
  std::uint32_t number = 0;
  std::uint64_t domain = 0;  // of descriptors
  descriptor_exchange::socket_name socket{};
};

/// Of all ranks.
template <class Told>
std::vector<Told> gather_all(communicator& on, const call& by, const Told& own) {
  std::vector<Told> all(static_cast<std::size_t>(on.size()));
  detail::collective_arguments what;
  what.kind = detail::collective::allgather;
  what.send = &own;
  what.count = sizeof own;
  what.element_bytes = 1;
  what.recv = all.data();
  what.recv_blocks.block_bytes = sizeof own;
  run_collective(on, by, what);
  return all;
}

void wait_for_all_ranks(communicator& on, const call& by);

[[noreturn]] void throw_wrong_wish(const communicator& on, const call& by, errc code, const std::string& text);
/// The same in all ranks, if there is something in what they have offered.
void throw_problem(const communicator& on, const call& by, const std::string& name,
                   const std::vector<window_offer>& all);
/// " in window "NAME"", or nothing.
std::string in_window(const std::string& name);
/// The number of the next window whose rank 0 is in this process.
std::uint32_t next_number() noexcept;
void say_refused(const window_group& of);

}  // namespace window_creation
}  // namespace pure::core
