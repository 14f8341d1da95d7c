// Data packed into memory of the program (MPI 5.0, 5.2 and 5.3).
#include <fmt/core.h>

#include <memory>
#include <string_view>

#include "api/mpi/bodies.hpp"
#include "api/mpi/types.hpp"
#include "objects/external32.hpp"
#include "objects/packing.hpp"
#include "runtime/call_error.hpp"

namespace pure::core::mpi {

namespace {

void check_representation(const call& by, const char* datarep) {
  if (std::string_view(datarep) != "external32")
    throw_error(by, constants::err_unsupported_datarep, fmt::format("there is no representation \"{}\"", datarep));
}

/// Of `count` elements.
std::size_t external_bytes(std::int64_t count, const datatype& type) {
  return static_cast<std::size_t>(count) * external32::bytes_of(*type.signature);
}

}  // namespace

void bodies::Pack(const call& by, const void* inbuf, MPI_Count incount, type_handle datatype, void* outbuf,
                  MPI_Count outsize, MPI_Count* position, communicator& comm) {
  const placed_message from = placed_at(comm, by, inbuf, incount, datatype, "datatype");
  if (from.bytes > 0) check_pointer(by, outbuf, constants::err_buffer, "outbuf");
  pack(by, from, outbuf, outsize, *position);
}

void bodies::Unpack(const call& by, const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf,
                    MPI_Count outcount, type_handle datatype, communicator& comm) {
  const placed_message to = placed_at(comm, by, outbuf, outcount, datatype, "datatype");
  if (to.bytes > 0) check_pointer(by, inbuf, constants::err_buffer, "inbuf");
  unpack(by, inbuf, insize, *position, to);
}

void bodies::Pack_size(const call& by, MPI_Count incount, type_handle datatype, communicator& comm, MPI_Count* size) {
  *size = static_cast<MPI_Count>(
      bytes_of(comm, by, incount, committed_type_of(by, datatype, "datatype").form->bytes()));
}

void bodies::Pack_external(const call& by, const char* datarep, const void* inbuf, MPI_Count incount,
                           type_handle datatype, void* outbuf, MPI_Count outsize, MPI_Count* position) {
  check_representation(by, datarep);
  const core::datatype& type = committed_type_of(by, datatype, "datatype");
  const placed_message from = core::placed_at(world_of(by), by, inbuf, incount, type);
  const std::size_t bytes = external_bytes(incount, type);
  const std::size_t at = place_in_buffer(by, outsize, *position, bytes);
  if (bytes > 0) check_pointer(by, outbuf, constants::err_buffer, "outbuf");
  const std::unique_ptr<std::byte[]> native = packed_copy(from);
  external32::from_native(*type_signature::repeated(static_cast<std::uint64_t>(incount), type.signature), native.get(),
                          static_cast<std::byte*>(outbuf) + at);
  *position += static_cast<MPI_Count>(bytes);
}

void bodies::Unpack_external(const call& by, const char* datarep, const void* inbuf, MPI_Count insize,
                             MPI_Count* position, void* outbuf, MPI_Count outcount, type_handle datatype) {
  check_representation(by, datarep);
  const core::datatype& type = committed_type_of(by, datatype, "datatype");
  const placed_message to = core::placed_at(world_of(by), by, outbuf, outcount, type);
  const std::size_t bytes = external_bytes(outcount, type);
  const std::size_t at = place_in_buffer(by, insize, *position, bytes);
  if (bytes > 0) check_pointer(by, inbuf, constants::err_buffer, "inbuf");
  const auto native = std::make_unique<std::byte[]>(to.bytes);
  external32::to_native(*type_signature::repeated(static_cast<std::uint64_t>(outcount), type.signature),
                        static_cast<const std::byte*>(inbuf) + at, native.get());
  copy_laid_out({static_cast<std::byte*>(to.base), to.form.get()}, {native.get(), nullptr}, 0, to.bytes);
  *position += static_cast<MPI_Count>(bytes);
}

void bodies::Pack_external_size(const call& by, const char* datarep, MPI_Count incount, type_handle datatype,
                                MPI_Count* size) {
  check_representation(by, datarep);
  *size = static_cast<MPI_Count>(external_bytes(incount, committed_type_of(by, datatype, "datatype")));
}

}  // namespace pure::core::mpi
