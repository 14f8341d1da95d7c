// Messages of predefined types, and their requests (MPI 5.0, chapter 3).
#include <fmt/core.h>

#include "api/mpi/bodies.hpp"
#include "api/mpi/door.hpp"
#include "comm/point_to_point.hpp"
#include "objects/arguments.hpp"

namespace pure::core::mpi {

namespace {

std::size_t bytes_at(const communicator& comm, const call& by, const void* buf, std::int64_t count,
                     MPI_Datatype datatype, const char* name) {
  const std::size_t bytes = bytes_of(comm, by, count, element_of(by, datatype, name).bytes);
  require_buffer(comm, by, buf, count);
  return bytes;
}

/// The handle of a program's variable, while the core works on it.
class completed_request {
 public:
  explicit completed_request(MPI_Request* variable) : variable_(variable), value_(handle_of(*variable)) {}
  completed_request(const completed_request&) = delete;
  completed_request& operator=(const completed_request&) = delete;
  ~completed_request() { *variable_ = name_of(value_); }
  [[nodiscard]] handle& value() noexcept { return value_; }

 private:
  MPI_Request* variable_;
  handle value_;
};

void complete(const communicator& world, const call& by, completed_request& one, MPI_Status* to) {
  world.requests().finish_or_throw(by, one.value(), [&](const status& result) { fill(to, result); });
}

}  // namespace

void bodies::Send(const call& by, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                  communicator& comm) {
  send(comm, by, buf, bytes_at(comm, by, buf, count, datatype, "datatype"), dest, tag);
}

void bodies::Recv(const call& by, void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                  communicator& comm, MPI_Status* status) {
  const receive_place place{buf, bytes_at(comm, by, buf, count, datatype, "datatype"), nullptr};
  receive(comm, by, place, source, tag, [status](const core::status& result) { fill(status, result); });
}

void bodies::Sendrecv(const call& by, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                      int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
                      communicator& comm, MPI_Status* status) {
  const std::size_t bytes = bytes_at(comm, by, sendbuf, sendcount, sendtype, "sendtype");
  const receive_place place{recvbuf, bytes_at(comm, by, recvbuf, recvcount, recvtype, "recvtype"), nullptr};
  fill(status, send_receive(comm, by, sendbuf, bytes, dest, sendtag, place, source, recvtag));
}

void bodies::Isend(const call& by, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                   communicator& comm, MPI_Request* request) {
  *request = name_of(start_send(comm, by, buf, bytes_at(comm, by, buf, count, datatype, "datatype"), dest, tag));
}

void bodies::Irecv(const call& by, void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                   communicator& comm, MPI_Request* request) {
  const receive_place place{buf, bytes_at(comm, by, buf, count, datatype, "datatype"), nullptr};
  *request = name_of(start_receive(comm, by, place, source, tag));
}

void bodies::Wait(const call& by, MPI_Request* request, MPI_Status* status) {
  const communicator& world = world_of(by);
  completed_request one(request);
  world.requests().wait(by, one.value());
  complete(world, by, one, status);
}

void bodies::Test(const call& by, MPI_Request* request, int* flag, MPI_Status* status) {
  const communicator& world = world_of(by);
  completed_request one(request);
  world.requests().check(by, one.value());
  *flag = world.requests().test(one.value()) ? 1 : 0;
  if (*flag == 1) complete(world, by, one, status);
}

void bodies::Get_count(const call& by, const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  const auto element = static_cast<std::int64_t>(element_of(by, datatype, "datatype").bytes);
  const std::int64_t bytes = bytes_in(*status);
  *count = bytes % element == 0 ? bytes / element : std::int64_t{MPI_UNDEFINED};
}

}  // namespace pure::core::mpi
