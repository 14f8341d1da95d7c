// What the ways to make a window share (create.cpp, create_spanning.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "coll/offers.hpp"
#include "machine/descriptor_exchange.hpp"
#include "window/window_group.hpp"
#include "window/window_wish.hpp"

namespace pure::core {

class communicator;
class window;

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
  bool is_refused = false;
  bool may_have_boxes = false;
  bool has_pool = false;         // of boxes
  std::uint32_t free_boxes = 0;  // there
  // of several processes
  std::size_t unit = 1;
  std::uint32_t number = 0;
  std::uint64_t domain = 0;  // of memory; 0: it makes none for others
  descriptor_exchange::contact contact{};
};

void wait_for_all_ranks(communicator& on, const call& by);

[[noreturn]] void throw_wrong_wish(const communicator& on, const call& by, errc code, const std::string& text);
/// Throws in all ranks if something is wrong in what they have offered. Collective.
void throw_problem(communicator& on, const call& by, const window_wish& wanted, const std::vector<window_offer>& all);
/// " in window "NAME"", or nothing.
std::string in_window(const std::string& name);
/// Observed by checks, if the job is to be checked. Has the name that was wished, or one with the number.
std::unique_ptr<window_group> new_group(const communicator& on, const window_wish& wanted, std::uint32_t number);
/// The number of the next window whose rank 0 is in this process.
std::uint32_t next_number() noexcept;
void say_refused(const window_group& of);

}  // namespace window_creation
}  // namespace pure::core
