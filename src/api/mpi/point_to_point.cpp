// Messages: their modes, probes, persistent ones (MPI 5.0, 3.2 to 3.6, and 3.8 to 3.11).
#include <fmt/core.h>

#include "api/mpi/bodies.hpp"
#include "api/mpi/door.hpp"
#include "api/mpi/types.hpp"
#include "comm/message_modes.hpp"
#include "comm/point_to_point.hpp"
#include "objects/attached_buffer.hpp"

namespace pure::core::mpi {

namespace {

/// The bytes of elements that lie in a row, of a predefined type; 0: of another type, or of no elements.
std::size_t bytes_in_a_row(const communicator& comm, const call& by, const void* buf, std::int64_t count,
                           type_handle datatype) {
  const std::size_t of_one = row_bytes_of(datatype);
  if (of_one == 0) return 0;
  const std::size_t bytes = bytes_of(comm, by, count, of_one);
  require_buffer(comm, by, buf, count);
  return bytes;
}

/// The elements of a message to or from `peer`. Nobody needs no type.
placed_message placed_for(int peer, const communicator& comm, const call& by, const void* buf, std::int64_t count,
                          type_handle type, const char* argument) {
  if (peer == constants::proc_null && type == constants::datatype_null) return {};
  return placed_at(comm, by, buf, count, type, argument);
}

call sending(const call& by, type_handle type) { return {by.operation, by.site, call::sends(code_of(type))}; }
call receiving(const call& by, type_handle type) { return {by.operation, by.site, call::receives(code_of(type))}; }
call exchanging(const call& by, type_handle sent, type_handle received) {
  return {by.operation, by.site, call::sends(code_of(sent)) | call::receives(code_of(received))};
}

void send_with(send_mode mode, const call& by, const void* buf, std::int64_t count, type_handle datatype, int dest,
               int tag, communicator& comm) {
  const call typed = sending(by, datatype);
  send_in_mode(comm, typed, mode, placed_for(dest, comm, typed, buf, count, datatype, "datatype"), dest, tag);
}

void start_with(send_mode mode, const call& by, const void* buf, std::int64_t count, type_handle datatype, int dest,
                int tag, communicator& comm, handle* request) {
  const call typed = sending(by, datatype);
  *request = start_send_in_mode(comm, typed, mode, placed_for(dest, comm, typed, buf, count, datatype, "datatype"),
                                dest, tag);
}

void make_with(send_mode mode, const call& by, const void* buf, std::int64_t count, type_handle datatype, int dest,
               int tag, communicator& comm, handle* request) {
  const call typed = sending(by, datatype);
  *request = make_persistent_send(comm, typed, mode, placed_for(dest, comm, typed, buf, count, datatype, "datatype"),
                                  dest, tag);
}

}  // namespace

// ---- sends ----

void bodies::Send(const call& by, const void* buf, MPI_Count count, type_handle datatype, int dest, int tag,
                  communicator& comm) {
  if (const std::size_t bytes = bytes_in_a_row(comm, by, buf, count, datatype); bytes != 0)
    return send(comm, sending(by, datatype), buf, bytes, dest, tag);
  send_with(send_mode::standard, by, buf, count, datatype, dest, tag, comm);
}
void bodies::Ssend(const call& by, const void* buf, MPI_Count count, type_handle datatype, int dest, int tag,
                   communicator& comm) {
  send_with(send_mode::synchronous, by, buf, count, datatype, dest, tag, comm);
}
void bodies::Bsend(const call& by, const void* buf, MPI_Count count, type_handle datatype, int dest, int tag,
                   communicator& comm) {
  send_with(send_mode::buffered, by, buf, count, datatype, dest, tag, comm);
}
void bodies::Rsend(const call& by, const void* buf, MPI_Count count, type_handle datatype, int dest, int tag,
                   communicator& comm) {
  send_with(send_mode::ready, by, buf, count, datatype, dest, tag, comm);
}

void bodies::Isend(const call& by, const void* buf, MPI_Count count, type_handle datatype, int dest, int tag,
                   communicator& comm, handle* request) {
  if (const std::size_t bytes = bytes_in_a_row(comm, by, buf, count, datatype); bytes != 0) {
    *request = start_send(comm, sending(by, datatype), buf, bytes, dest, tag);
  } else {
    start_with(send_mode::standard, by, buf, count, datatype, dest, tag, comm, request);
  }
}
void bodies::Issend(const call& by, const void* buf, MPI_Count count, type_handle datatype, int dest, int tag,
                    communicator& comm, handle* request) {
  start_with(send_mode::synchronous, by, buf, count, datatype, dest, tag, comm, request);
}
void bodies::Ibsend(const call& by, const void* buf, MPI_Count count, type_handle datatype, int dest, int tag,
                    communicator& comm, handle* request) {
  start_with(send_mode::buffered, by, buf, count, datatype, dest, tag, comm, request);
}
void bodies::Irsend(const call& by, const void* buf, MPI_Count count, type_handle datatype, int dest, int tag,
                    communicator& comm, handle* request) {
  start_with(send_mode::ready, by, buf, count, datatype, dest, tag, comm, request);
}

void bodies::Send_init(const call& by, const void* buf, MPI_Count count, type_handle datatype, int dest, int tag,
                       communicator& comm, handle* request) {
  make_with(send_mode::standard, by, buf, count, datatype, dest, tag, comm, request);
}
void bodies::Ssend_init(const call& by, const void* buf, MPI_Count count, type_handle datatype, int dest, int tag,
                        communicator& comm, handle* request) {
  make_with(send_mode::synchronous, by, buf, count, datatype, dest, tag, comm, request);
}
void bodies::Bsend_init(const call& by, const void* buf, MPI_Count count, type_handle datatype, int dest, int tag,
                        communicator& comm, handle* request) {
  make_with(send_mode::buffered, by, buf, count, datatype, dest, tag, comm, request);
}
void bodies::Rsend_init(const call& by, const void* buf, MPI_Count count, type_handle datatype, int dest, int tag,
                        communicator& comm, handle* request) {
  make_with(send_mode::ready, by, buf, count, datatype, dest, tag, comm, request);
}

// ---- receives ----

void bodies::Recv(const call& by, void* buf, MPI_Count count, type_handle datatype, int source, int tag,
                  communicator& comm, message_status* status) {
  const call typed = receiving(by, datatype);
  if (const std::size_t bytes = bytes_in_a_row(comm, by, buf, count, datatype); bytes != 0) {
    return receive(comm, typed, {buf, bytes, nullptr}, source, tag,
                   [status](const core::status& result) { fill(status, result); });
  }
  fill(status, receive(comm, typed, placed_for(source, comm, typed, buf, count, datatype, "datatype"), source, tag));
}

void bodies::Irecv(const call& by, void* buf, MPI_Count count, type_handle datatype, int source, int tag,
                   communicator& comm, handle* request) {
  const call typed = receiving(by, datatype);
  if (const std::size_t bytes = bytes_in_a_row(comm, by, buf, count, datatype); bytes != 0) {
    *request = start_receive(comm, typed, receive_place{buf, bytes, nullptr}, source, tag);
  } else {
    *request = start_receive(comm, typed, placed_for(source, comm, typed, buf, count, datatype, "datatype"), source,
                             tag);
  }
}

void bodies::Recv_init(const call& by, void* buf, MPI_Count count, type_handle datatype, int source, int tag,
                       communicator& comm, handle* request) {
  const call typed = receiving(by, datatype);
  *request = make_persistent_receive(comm, typed, placed_for(source, comm, typed, buf, count, datatype, "datatype"),
                                     source, tag);
}

// ---- send-receives ----

void bodies::Sendrecv(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype, int dest,
                      int sendtag, void* recvbuf, MPI_Count recvcount, type_handle recvtype, int source, int recvtag,
                      communicator& comm, message_status* status) {
  const call typed = exchanging(by, sendtype, recvtype);
  const std::size_t sent = bytes_in_a_row(comm, by, sendbuf, sendcount, sendtype);
  const std::size_t received = bytes_in_a_row(comm, by, recvbuf, recvcount, recvtype);
  if (sent != 0 && received != 0) {
    const receive_place place{recvbuf, received, nullptr};
    return fill(status, send_receive(comm, typed, sendbuf, sent, dest, sendtag, place, source, recvtag));
  }
  const placed_message what = placed_for(dest, comm, typed, sendbuf, sendcount, sendtype, "sendtype");
  const placed_message where = placed_for(source, comm, typed, recvbuf, recvcount, recvtype, "recvtype");
  fill(status, send_receive(comm, typed, what, dest, sendtag, where, source, recvtag));
}

void bodies::Sendrecv_replace(const call& by, void* buf, MPI_Count count, type_handle datatype, int dest, int sendtag,
                              int source, int recvtag, communicator& comm, message_status* status) {
  const call typed = exchanging(by, datatype, datatype);
  const placed_message there = placed_at(comm, typed, buf, count, datatype, "datatype");
  fill(status, send_receive_replace(comm, typed, there, dest, sendtag, source, recvtag));
}

void bodies::Isendrecv(const call& by, const void* sendbuf, MPI_Count sendcount, type_handle sendtype, int dest,
                       int sendtag, void* recvbuf, MPI_Count recvcount, type_handle recvtype, int source, int recvtag,
                       communicator& comm, handle* request) {
  const call typed = exchanging(by, sendtype, recvtype);
  const placed_message what = placed_for(dest, comm, typed, sendbuf, sendcount, sendtype, "sendtype");
  const placed_message where = placed_for(source, comm, typed, recvbuf, recvcount, recvtype, "recvtype");
  *request = start_send_receive(comm, typed, what, dest, sendtag, where, source, recvtag);
}

void bodies::Isendrecv_replace(const call& by, void* buf, MPI_Count count, type_handle datatype, int dest, int sendtag,
                               int source, int recvtag, communicator& comm, handle* request) {
  const call typed = exchanging(by, datatype, datatype);
  const placed_message there = placed_at(comm, typed, buf, count, datatype, "datatype");
  *request = start_send_receive_replace(comm, typed, there, dest, sendtag, source, recvtag);
}

// ---- probes ----

namespace {

/// A message that a matched probe has taken out is the core's handle, but for none; one from nobody is a constant.
message_handle name_of_message(handle taken, const status& found) noexcept {
  if (found.source == proc_null) return constants::message_no_proc;
  return taken.is_null() ? constants::message_null : name_of_object<message_handle>(taken.value);
}

handle message_of(const call& by, message_handle message) {
  if (message == constants::message_null) throw_error(by, constants::err_request, "the message is MPI_MESSAGE_NULL");
  return {message.value};
}

}  // namespace

void bodies::Probe(const call& by, int source, int tag, communicator& comm, message_status* status) {
  probe(comm, by, source, tag, [status](const core::status& found) { fill(status, found); });
}

void bodies::Iprobe(const call& by, int source, int tag, communicator& comm, int* flag, message_status* status) {
  core::status found;
  *flag = probe_now(comm, by, source, tag, found) ? 1 : 0;
  if (*flag == 1) fill(status, found);
}

void bodies::Mprobe(const call& by, int source, int tag, communicator& comm, message_handle* message,
                    message_status* status) {
  core::status found;
  const handle taken = matched_probe(comm, by, source, tag, found);
  *message = name_of_message(taken, found);
  fill(status, found);
}

void bodies::Improbe(const call& by, int source, int tag, communicator& comm, int* flag, message_handle* message,
                     message_status* status) {
  core::status found;
  const handle taken = matched_probe_now(comm, by, source, tag, found);
  *flag = taken.is_null() ? 0 : 1;
  if (*flag == 0) return;
  *message = name_of_message(taken, found);
  fill(status, found);
}

void bodies::Mrecv(const call& by, void* buf, MPI_Count count, type_handle datatype, message_handle* message,
                   message_status* status) {
  communicator& world = world_of(by);
  const call typed = receiving(by, datatype);
  if (*message == constants::message_no_proc) {
    *message = constants::message_null;
    return fill(status, status_from_nobody);
  }
  handle taken = message_of(by, *message);
  const core::status result = receive_message(world, typed, taken,
                                              placed_at(world, typed, buf, count, datatype, "datatype"));
  *message = taken.is_null() ? constants::message_null : *message;
  fill(status, result);
  world.requests().throw_if_failed(typed, result);
}

void bodies::Imrecv(const call& by, void* buf, MPI_Count count, type_handle datatype, message_handle* message,
                    handle* request) {
  communicator& world = world_of(by);
  const call typed = receiving(by, datatype);
  if (*message == constants::message_no_proc) {
    *message = constants::message_null;
    *request = finished_receive;
    return;
  }
  handle taken = message_of(by, *message);
  *request = start_receive_message(world, typed, taken, placed_at(world, typed, buf, count, datatype, "datatype"));
  *message = taken.is_null() ? constants::message_null : *message;
}

// ---- buffers of buffered sends ----

namespace {

void attach(const communicator& on, const call& by, send_buffer& to, void* buffer, std::int64_t size) {
  attach_buffer(on, by, to, {buffer, size, buffer == constants::buffer_automatic});
}

void detach(const communicator& on, const call& by, send_buffer& from, void* buffer_addr, MPI_Count* size) {
  const buffer_memory was = detach_buffer(on, by, from);
  give_pointer(buffer_addr, was.is_automatic ? constants::buffer_automatic : was.memory);
  *size = was.size;
}

}  // namespace

void bodies::Buffer_attach(const call& by, void* buffer, MPI_Count size) {
  const communicator& world = world_of(by);
  attach(world, by, world.requests().buffers().of_rank(), buffer, size);
}
void bodies::Buffer_detach(const call& by, void* buffer_addr, MPI_Count* size) {
  const communicator& world = world_of(by);
  detach(world, by, world.requests().buffers().of_rank(), buffer_addr, size);
}
void bodies::Buffer_flush(const call& by) {
  send_buffers& all = world_of(by).requests().buffers();
  all.flush(by, all.of_rank());
}
void bodies::Buffer_iflush(const call& by, handle* request) {
  requests& all = world_of(by).requests();
  *request = all.adopt(by, send_buffers::pending_flush(all.buffers().of_rank()));
}
void bodies::Comm_attach_buffer(const call& by, communicator& comm, void* buffer, MPI_Count size) {
  attach(comm, by, buffer_of(comm), buffer, size);
}
void bodies::Comm_detach_buffer(const call& by, communicator& comm, void* buffer_addr, MPI_Count* size) {
  detach(comm, by, buffer_of(comm), buffer_addr, size);
}
void bodies::Comm_flush_buffer(const call& by, communicator& comm) {
  comm.requests().buffers().flush(by, buffer_of(comm));
}
void bodies::Comm_iflush_buffer(const call& by, communicator& comm, handle* request) {
  *request = comm.requests().adopt(by, send_buffers::pending_flush(buffer_of(comm)));
}

}  // namespace pure::core::mpi
