// Derived datatypes of pure.h: messages that are not a row of basic elements (MPI 4.1, chapter 5).
//
// A derived type says where the elements lie, relative to a buffer's address, and in which order they travel. It may be
// used wherever a point-to-point message takes a type; what one end sends laid out, the other may receive laid out
// otherwise, or in a row. The bytes are copied once, from layout to layout, without packing, unless they lie far apart
// at both ends (PURE_PACKED_COPY_MAX). Collectives take them, too: there what does not lie in a row is packed on the
// way.
//
// Bounds (MPI 4.1, 5.1.6): a type begins with its first byte. Elements of it follow one another at its extent, which
// ends with its last byte, rounded up to the alignment of its basic types: a struct's is sizeof of the struct. Blocks
// without elements have no effect. Where a part has bounds that were set (_create_resized, _create_subarray), these
// count for the whole, and no others.
//
// A type belongs to the rank that made it. Sizes and displacements that have no unit here are bytes. Errors of all:
// PURE_ERR_COUNT for a negative count or length, PURE_ERR_TYPE for a type that is none, PURE_ERR_ARG for null pointers
// and for sizes that no memory has.
#ifndef PURE_LAYOUTS_H
#define PURE_LAYOUTS_H

#include <cstdint>

#include <pure/datatypes.h>
#include <pure/number_array.h>
#include <pure/call_site.hpp>
#include <pure/export.hpp>

/// `count` elements, one after the other at the old type's extent.
PURE_API int pure_type_contiguous(std::int64_t count, pure_datatype old_type, pure_datatype* new_type,
                                  pure_call_site site = pure_call_site::current());

/// `count` blocks of `block_length` elements, which begin `stride` elements apart; hvector: `stride` bytes.
PURE_API int pure_type_vector(std::int64_t count, std::int64_t block_length, std::int64_t stride,
                              pure_datatype old_type, pure_datatype* new_type,
                              pure_call_site site = pure_call_site::current());
PURE_API int pure_type_create_hvector(std::int64_t count, std::int64_t block_length, std::int64_t stride,
                                      pure_datatype old_type, pure_datatype* new_type,
                                      pure_call_site site = pure_call_site::current());

/// `count` blocks: block i has block_lengths[i] elements and begins displacements[i] elements from the start;
/// hindexed: bytes. indexed_block: all blocks have one length.
PURE_API int pure_type_indexed(std::int64_t count, pure_number_array block_lengths, pure_number_array displacements,
                               pure_datatype old_type, pure_datatype* new_type,
                               pure_call_site site = pure_call_site::current());
PURE_API int pure_type_create_hindexed(std::int64_t count, pure_number_array block_lengths,
                                       pure_number_array displacements, pure_datatype old_type, pure_datatype* new_type,
                                       pure_call_site site = pure_call_site::current());
PURE_API int pure_type_create_indexed_block(std::int64_t count, std::int64_t block_length,
                                            pure_number_array displacements, pure_datatype old_type,
                                            pure_datatype* new_type, pure_call_site site = pure_call_site::current());

/// The members of a struct: block_lengths[i] elements of types[i], displacements[i] bytes from its start.
PURE_API int pure_type_create_struct(std::int64_t count, pure_number_array block_lengths,
                                     pure_number_array displacements, const pure_datatype types[],
                                     pure_datatype* new_type, pure_call_site site = pure_call_site::current());

/// In which order the elements of an array lie: C, the last index runs fastest; or Fortran, the first.
enum pure_array_order : int { PURE_ORDER_C = 0, PURE_ORDER_FORTRAN = 1 };

/// The part subsizes[] from starts[] on of an array with `dimensions` dimensions and sizes[] elements. Its extent is
/// the whole array's. Errors: PURE_ERR_ARG, for a part that is not inside.
PURE_API int pure_type_create_subarray(int dimensions, pure_number_array sizes, pure_number_array subsizes,
                                       pure_number_array starts, pure_array_order order, pure_datatype old_type,
                                       pure_datatype* new_type, pure_call_site site = pure_call_site::current());

/// The same elements, but the next one of several begins `extent` bytes further on, or before, if it is negative (MPI
/// 4.1, 5.1.7).
PURE_API int pure_type_create_resized(pure_datatype old_type, std::int64_t lower_bound, std::int64_t extent,
                                      pure_datatype* new_type, pure_call_site site = pure_call_site::current());

/// Does nothing: a type may be used as soon as it is made. For programs ported from MPI.
PURE_API int pure_type_commit(pure_datatype* type, pure_call_site site = pure_call_site::current());
/// Frees the name, and sets it to PURE_DATATYPE_NULL. Pending messages and types made of it keep what they need. Basic
/// types cannot be freed.
PURE_API int pure_type_free(pure_datatype* type, pure_call_site site = pure_call_site::current());

/// Distances in bytes: elements of the type begin `extent` apart. true: of its first byte and of all its bytes; 0 and
/// 0, if it has none.
PURE_API int pure_type_get_extent(pure_datatype type, std::int64_t* lower_bound, std::int64_t* extent,
                                  pure_call_site site = pure_call_site::current());
PURE_API int pure_type_get_true_extent(pure_datatype type, std::int64_t* true_lower_bound, std::int64_t* true_extent,
                                       pure_call_site site = pure_call_site::current());

#endif  // PURE_LAYOUTS_H
