// Data packed into memory of the program (MPI 4.1, 5.2), and addresses. Part of pure.h.
//
// What is packed has no gaps and no heads: packed data may be sent as PURE_PACKED, and be received as what it was made
// of, or the other way round. Local; `comm` is for MPI's sake. The forms with int are for programs ported from MPI:
// what does not fit is _ARG.
#ifndef PURE_PACKING_H
#define PURE_PACKING_H

#include <pure.h>

/// Packed data in messages: bytes, which match every type (purerun --check).
inline constexpr pure_datatype PURE_PACKED = static_cast<pure_datatype>(64);

/// The buffer of a derived type whose displacements are addresses, from pure_get_address (MPI 4.1, 4.1.12): in
/// messages, collectives and packing.
inline constexpr void* PURE_BOTTOM = nullptr;

/// Copies `count` elements to pack_buf, of `size` bytes, from byte *position on, and moves *position behind them.
/// Errors: _ARG, where there is no room.
PURE_API int pure_pack(const void* buf, std::int64_t count, pure_datatype type, void* pack_buf, std::int64_t size,
                       std::int64_t* position, pure_comm comm, pure_call_site site = pure_call_site::current());
PURE_API int pure_pack(const void* buf, std::int64_t count, pure_datatype type, void* pack_buf, std::int64_t size,
                       int* position, pure_comm comm, pure_call_site site = pure_call_site::current());
/// And back. Errors: _ARG, where there is not so much.
PURE_API int pure_unpack(const void* pack_buf, std::int64_t size, std::int64_t* position, void* buf, std::int64_t count,
                         pure_datatype type, pure_comm comm, pure_call_site site = pure_call_site::current());
PURE_API int pure_unpack(const void* pack_buf, std::int64_t size, int* position, void* buf, std::int64_t count,
                         pure_datatype type, pure_comm comm, pure_call_site site = pure_call_site::current());
/// The bytes that so many elements take, exactly.
PURE_API int pure_pack_size(std::int64_t count, pure_datatype type, pure_comm comm, std::int64_t* size,
                            pure_call_site site = pure_call_site::current());
PURE_API int pure_pack_size(std::int64_t count, pure_datatype type, pure_comm comm, int* size,
                            pure_call_site site = pure_call_site::current());

/// The address as a number, for displacements: absolute ones, or their differences (MPI 4.1, 5.1.5).
PURE_API int pure_get_address(const void* location, std::int64_t* address,
                              pure_call_site site = pure_call_site::current());

#endif  // PURE_PACKING_H
