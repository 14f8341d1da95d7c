// The library side of the typed interface: layouts, and messages that are laid out.
#include <fmt/core.h>

#include <stdexcept>

#include <pure/detail/layouts.hpp>
#include <pure/detail/point_to_point.hpp>
#include <pure/error.hpp>

#include "api/cpp/door.hpp"
#include "api/cpp/shared_layout.hpp"
#include "comm/group.hpp"
#include "comm/message_modes.hpp"
#include "layout/layout.hpp"
#include "runtime/call_error.hpp"

namespace pure::detail {

using core::call;
using core::communicator;
using core::shared_layout;

namespace {

template <class Make>
failure* make_layout(const pure_call_site& site, shared_layout** made, Make make) {
  return at_boundary([&] {
    try {
      *made = new shared_layout(make());
    } catch (const std::length_error& too_large) {
      core::throw_wrong_call({"layout", site}, errc::argument, too_large.what());
    }
  });
}

}  // namespace

failure* pure_cxx_row_layout(pure_call_site site, std::size_t bytes, shared_layout** made) {
  return make_layout(site, made, [&] { return core::layout(bytes); });
}

failure* pure_cxx_repeated_layout(pure_call_site site, const shared_layout* what, std::size_t count,
                                  std::ptrdiff_t stride, shared_layout** made) {
  return make_layout(site, made, [&] { return what->form->repeated(count, stride); });
}

failure* pure_cxx_joined_layout(pure_call_site site, const layout_part* parts, std::size_t count,
                                shared_layout** made) {
  return make_layout(site, made, [&] {
    std::vector<core::layout::part> all;
    all.reserve(count);
    for (std::size_t i = 0; i < count; ++i) all.push_back({parts[i].offset, parts[i].what->form.get()});
    return core::layout::joined(all);
  });
}

void pure_cxx_retain_layout(shared_layout* form) noexcept {
  form->uses.fetch_add(1, std::memory_order_relaxed);  // relaxed: whoever calls has one, which lasts
}

void pure_cxx_release_layout(shared_layout* form) noexcept {
  // acq_rel: the others' uses are over before the last one destroys it; pairs with itself, in
  // pure_cxx_release_layout()
  if (form->uses.fetch_sub(1, std::memory_order_acq_rel) == 1) delete form;
}

std::size_t pure_cxx_bytes_of(const shared_layout* form) noexcept { return form->form->bytes(); }

failure* pure_cxx_require_inside(pure_call_site site, const shared_layout* form, std::size_t element_bytes,
                                 std::size_t elements) {
  return at_boundary([&] {
    const core::layout& what = *form->form;
    const auto unit = static_cast<std::ptrdiff_t>(element_bytes);
    const std::ptrdiff_t first = what.true_lower_bound() / unit;
    const std::ptrdiff_t last = what.true_upper_bound() / unit - 1;
    if (what.bytes() == 0 || (first >= 0 && last < static_cast<std::ptrdiff_t>(elements))) return;
    core::throw_wrong_call(
        {"layout::of", site}, errc::argument,
        fmt::format("the layout takes elements {} to {}, but the range has {}", first, last, elements));
  });
}

failure* pure_cxx_send_laid_out(communicator* on, pure_call_site site, send_mode mode, const placed_message* what,
                                int dest, int tag) {
  return on_communicator(on, send_names[mode], site, [&](communicator& own, const call& by) {
    core::send_in_mode(own, by, mode, kept(*what), dest, tag);
  });
}

failure* pure_cxx_start_send_laid_out(communicator* on, pure_call_site site, send_mode mode, const placed_message* what,
                                      int dest, int tag, request_handle* started) {
  return on_communicator(on, start_send_names[mode], site, [&](communicator& own, const call& by) {
    *started = core::start_send_in_mode(own, by, mode, kept(*what), dest, tag).value;
  });
}

failure* pure_cxx_receive_laid_out(communicator* on, pure_call_site site, const placed_message* where, int source,
                                   int tag, status* outcome) {
  return on_communicator(on, "recv_into", site, [&](communicator& own, const call& by) {
    *outcome = public_status(core::receive(own, by, kept(*where), source, tag));
  });
}

failure* pure_cxx_start_receive_laid_out(communicator* on, pure_call_site site, const placed_message* where, int source,
                                         int tag, request_handle* started) {
  return on_communicator(on, "irecv_into", site, [&](communicator& own, const call& by) {
    *started = core::start_receive(own, by, kept(*where), source, tag).value;
  });
}

failure* pure_cxx_send_receive_laid_out(communicator* on, pure_call_site site, const placed_message* what, int dest,
                                        int send_tag, const placed_message* where, int source, int receive_tag,
                                        status* outcome) {
  return on_communicator(on, "sendrecv", site, [&](communicator& own, const call& by) {
    *outcome = public_status(
        core::send_receive(own, by, kept(*what), dest, send_tag, kept(*where), source, receive_tag));
  });
}

failure* pure_cxx_receive_message_laid_out(communicator* on, pure_call_site site, request_handle* message,
                                           const placed_message* where, status* outcome) {
  return on_communicator(on, "message::recv_into", site, [&](communicator& own, const call& by) {
    core::handle taken{*message};
    const core::status result = core::receive_message(own, by, taken, kept(*where));
    *message = taken.value;
    own.requests().throw_if_failed(by, result);
    *outcome = public_status(result);
  });
}

failure* pure_cxx_start_receive_message_laid_out(communicator* on, pure_call_site site, request_handle* message,
                                                 const placed_message* where, request_handle* started) {
  return on_communicator(on, "message::irecv_into", site, [&](communicator& own, const call& by) {
    core::handle taken{*message};
    const core::handle made = core::start_receive_message(own, by, taken, kept(*where));
    *message = taken.value;
    *started = made.value;
  });
}

}  // namespace pure::detail
