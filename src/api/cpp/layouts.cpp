// The library side of the typed interface: layouts, and messages that are laid out.
#include <fmt/core.h>

#include <stdexcept>

#include <pure/detail/library.hpp>
#include <pure/error.hpp>
#include <pure/layout.hpp>

#include "api/cpp/door.hpp"
#include "comm/group.hpp"
#include "comm/message_modes.hpp"
#include "layout/layout.hpp"
#include "runtime/call_error.hpp"

namespace pure::detail {

using core::call;
using core::communicator;

namespace {

template <class Make>
layout_pointer make_layout(const pure_call_site& site, Make make) {
  try {
    return std::make_shared<const core::layout>(make());
  } catch (const std::length_error& too_large) {
    core::throw_wrong_call({"layout", site}, errc::argument, too_large.what());
  }
}

}  // namespace

layout_pointer row_layout(pure_call_site site, std::size_t bytes) {
  return make_layout(site, [&] { return core::layout(bytes); });
}

layout_pointer repeated_layout(pure_call_site site, const core::layout& what, std::size_t count,
                               std::ptrdiff_t stride) {
  return make_layout(site, [&] { return what.repeated(count, stride); });
}

layout_pointer joined_layout(pure_call_site site, const layout_part* parts, std::size_t count) {
  return make_layout(site, [&] {
    std::vector<core::layout::part> all;
    all.reserve(count);
    for (std::size_t i = 0; i < count; ++i) all.push_back({parts[i].offset, parts[i].what});
    return core::layout::joined(all);
  });
}

std::size_t bytes_of(const core::layout& form) noexcept { return form.bytes(); }

void require_inside(pure_call_site site, const core::layout& form, std::size_t element_bytes, std::size_t elements) {
  const auto unit = static_cast<std::ptrdiff_t>(element_bytes);
  const std::ptrdiff_t first = form.true_lower_bound() / unit;
  const std::ptrdiff_t last = form.true_upper_bound() / unit - 1;
  if (form.bytes() == 0 || (first >= 0 && last < static_cast<std::ptrdiff_t>(elements))) return;
  core::throw_wrong_call(
      {"layout::of", site}, errc::argument,
      fmt::format("the layout takes elements {} to {}, but the range has {}", first, last, elements));
}

void send_laid_out(communicator& on, pure_call_site site, send_mode mode, const placed_message& what, int dest,
                   int tag) {
  const call by{send_names[mode], site};
  check_owner(on, by);
  core::send_in_mode(on, by, mode, what, dest, tag);
}

request_handle start_send_laid_out(communicator& on, pure_call_site site, send_mode mode, const placed_message& what,
                                   int dest, int tag) {
  const call by{start_send_names[mode], site};
  check_owner(on, by);
  return core::start_send_in_mode(on, by, mode, what, dest, tag).value;
}

status receive_laid_out(communicator& on, pure_call_site site, const placed_message& where, int source, int tag) {
  const call by{"recv_into", site};
  check_owner(on, by);
  return public_status(core::receive(on, by, where, source, tag));
}

request_handle start_receive_laid_out(communicator& on, pure_call_site site, const placed_message& where, int source,
                                      int tag) {
  const call by{"irecv_into", site};
  check_owner(on, by);
  return core::start_receive(on, by, where, source, tag).value;
}

status send_receive_laid_out(communicator& on, pure_call_site site, const placed_message& what, int dest, int send_tag,
                             const placed_message& where, int source, int receive_tag) {
  const call by{"sendrecv", site};
  check_owner(on, by);
  return public_status(core::send_receive(on, by, what, dest, send_tag, where, source, receive_tag));
}

status receive_message_laid_out(communicator& on, pure_call_site site, request_handle& message,
                                const placed_message& where) {
  const call by{"message::recv_into", site};
  check_owner(on, by);
  core::handle taken{message};
  const core::status result = core::receive_message(on, by, taken, where);
  message = taken.value;
  on.requests().throw_if_failed(by, result);
  return public_status(result);
}

request_handle start_receive_message_laid_out(communicator& on, pure_call_site site, request_handle& message,
                                              const placed_message& where) {
  const call by{"message::irecv_into", site};
  check_owner(on, by);
  core::handle taken{message};
  const core::handle started = core::start_receive_message(on, by, taken, where);
  message = taken.value;
  return started.value;
}

}  // namespace pure::detail
