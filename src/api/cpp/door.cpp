// The library side of the typed interface: the most frequent messages (pure/detail/point_to_point.hpp).
#include <fmt/core.h>

#include <pure/detail/point_to_point.hpp>
#include <pure/error.hpp>

#include "api/cpp/door.hpp"
#include "comm/point_to_point.hpp"
#include "runtime/call_error.hpp"
#include "runtime/forked_child.hpp"
#include "task/task_service.hpp"

namespace pure::detail {

using core::call;
using core::communicator;

void throw_not_usable(const communicator& on, const call& by) {
  if (core::self() == &on.owner()) {
    core::throw_bad_argument(on, by, errc::comm,
                             "the communicator has been freed already, by another copy of its comm");
  }
  if (core::is_forked_from_worker()) core::throw_bad_argument(on, by, errc::state, core::forked_child_text());
  if (core::rank_in_chunk() != nullptr)
    core::throw_bad_argument(on, by, errc::state, core::why_no_calls(*core::rank_in_chunk()));
  const core::rank_context* const caller = core::self();
  const std::string who = caller == nullptr ? "a thread that is no rank" : fmt::format("rank {}", caller->number());
  core::throw_bad_argument(on, by, errc::state,
                           fmt::format("its comm was used by {}: a comm belongs to its rank's own thread", who));
}

failure* pure_cxx_send(communicator* on, pure_call_site site, const void* data, std::size_t bytes, int dest, int tag) {
  return on_communicator(on, "send", site,
                         [&](communicator& own, const call& by) { core::send(own, by, data, bytes, dest, tag); });
}

failure* pure_cxx_send_moved(communicator* on, pure_call_site site, const moved_operations* operations, void* object,
                             int dest, int tag) {
  core::moved_value value(*operations, object);  // first: whatever happens, the object has an owner
  return on_communicator(on, "send", site, [&](communicator& own, const call& by) {
    core::send_moved(own, by, std::move(value), dest, tag);
  });
}

failure* pure_cxx_receive(communicator* on, pure_call_site site, const receive_place* place, int source, int tag,
                          status* outcome) {
  return on_communicator(on, "recv", site, [&](communicator& own, const call& by) {
    core::receive(own, by, *place, source, tag, [&](const core::status& result) { *outcome = public_status(result); });
  });
}

failure* pure_cxx_send_receive(communicator* on, pure_call_site site, const void* data, std::size_t bytes, int dest,
                               int send_tag, const receive_place* place, int source, int receive_tag, status* outcome) {
  return on_communicator(on, "sendrecv", site, [&](communicator& own, const call& by) {
    *outcome = public_status(core::send_receive(own, by, data, bytes, dest, send_tag, *place, source, receive_tag));
  });
}

failure* pure_cxx_start_send(communicator* on, pure_call_site site, const void* data, std::size_t bytes, int dest,
                             int tag, request_handle* started) {
  return on_communicator(on, "isend", site, [&](communicator& own, const call& by) {
    *started = core::start_send(own, by, data, bytes, dest, tag).value;
  });
}

failure* pure_cxx_start_send_moved(communicator* on, pure_call_site site, const moved_operations* operations,
                                   void* object, int dest, int tag, request_handle* started) {
  core::moved_value value(*operations, object);
  return on_communicator(on, "isend", site, [&](communicator& own, const call& by) {
    *started = core::start_send_moved(own, by, std::move(value), dest, tag).value;
  });
}

failure* pure_cxx_start_receive(communicator* on, pure_call_site site, const receive_place* place, int source, int tag,
                                request_handle* started) {
  return on_communicator(on, "irecv_into", site, [&](communicator& own, const call& by) {
    *started = core::start_receive(own, by, *place, source, tag).value;
  });
}

failure* pure_cxx_short_message(communicator* on, pure_call_site site, const status* outcome,
                                std::size_t wanted_bytes) {
  return at_boundary([&] {
    core::throw_bad_argument(
        *on, {"recv", site}, errc::type,
        fmt::format("the message from rank {}, tag {}, has {} bytes, but the value asked for has {}; "
                    "use the sender's type",
                    outcome->source(), outcome->tag(), outcome->bytes(), wanted_bytes));
  });
}

}  // namespace pure::detail
