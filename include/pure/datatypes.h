// Basic types and reduction operators of pure.h.
#ifndef PURE_DATATYPES_H
#define PURE_DATATYPES_H

#include <cstdint>

/// Basic types. A message is `count` elements; its size in bytes is count times the size of the type. A pair is sent as
/// the struct lies in memory, with its gap. Derived types come from pure_type_vector and its kin (pure/layouts.h).
enum pure_datatype : std::uint64_t {
  PURE_DATATYPE_NULL = 0,
  PURE_BYTE,
  PURE_CHAR,
  PURE_SIGNED_CHAR,
  PURE_UNSIGNED_CHAR,
  PURE_WCHAR,
  PURE_SHORT,
  PURE_UNSIGNED_SHORT,
  PURE_INT,
  PURE_UNSIGNED,
  PURE_LONG,
  PURE_UNSIGNED_LONG,
  PURE_LONG_LONG,
  PURE_UNSIGNED_LONG_LONG,
  PURE_FLOAT,
  PURE_DOUBLE,
  PURE_LONG_DOUBLE,
  PURE_BOOL,
  PURE_INT8_T,
  PURE_INT16_T,
  PURE_INT32_T,
  PURE_INT64_T,
  PURE_UINT8_T,
  PURE_UINT16_T,
  PURE_UINT32_T,
  PURE_UINT64_T,
  PURE_COMPLEX_FLOAT,   ///< std::complex<float>
  PURE_COMPLEX_DOUBLE,  ///< std::complex<double>
  PURE_SIZE_T,
  PURE_FLOAT_INT,  ///< pairs for PURE_MINLOC and PURE_MAXLOC: struct { float value; int index; } and so on
  PURE_DOUBLE_INT,
  PURE_LONG_INT,
  PURE_2INT,
  PURE_SHORT_INT,
  PURE_LONG_DOUBLE_INT
};

/// Reduction operators (MPI 4.1, 6.9.2). User operators come from pure_op_create.
///
/// Integer sums and products wrap. Logical results are 1 and 0. Where MPI is silent, about floating-point minimum and
/// maximum: a NaN in any operand gives a NaN, the one of the highest rank; of equal values (-0 and +0 are equal) the
/// one of the lowest rank is the result. PURE_MINLOC and PURE_MAXLOC: a NaN beats every number, and NaNs are equal.
enum pure_op : std::uint64_t {
  PURE_OP_NULL = 0,
  PURE_SUM,
  PURE_PROD,
  PURE_MIN,
  PURE_MAX,
  PURE_LAND,  ///< logical: integers and bool
  PURE_LOR,
  PURE_LXOR,
  PURE_BAND,  ///< bitwise: integers, bool and PURE_BYTE
  PURE_BOR,
  PURE_BXOR,
  PURE_MINLOC,  ///< (value, index) pairs: the least value, among equals the least index
  PURE_MAXLOC,
  PURE_REPLACE,  ///< of windows only: the origin's element (MPI 4.1, 12.3.4)
  PURE_NO_OP     ///< of windows only: the element that is there
};

/// inout[i] = in[i] op inout[i] for count elements; `in` comes from lower ranks. Called on any rank's thread, at the
/// same time on several; it must not communicate.
using pure_user_function = void (*)(const void* in, void* inout, std::int64_t count, pure_datatype type);

#endif  // PURE_DATATYPES_H
