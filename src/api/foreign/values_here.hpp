// The parts of the generated conversions (values.hpp).
#pragma once

#include <climits>
#include <iterator>

#include "api/foreign/core_entries.hpp"

namespace pure::foreign {

/// For a number that means nothing there, and would be a constant here: an error wherever it is an argument.
inline constexpr int not_a_value = INT_MIN + 1;
/// Likewise, in a sum of bits.
inline constexpr int unknown_bit = 1 << 30;

/// Below are predefined handles, or none (MPI 5.0, 20.2).
inline constexpr std::uintptr_t predefined_limit = 0x400;

/// A handle that is an address means the core's, or the address of an object of the door or the program, whose first
/// word says what it is. No address has one of the highest bits, which all handles have but those of requests; and
/// nothing lies in the first page.
inline std::uintptr_t said_by(const void* handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  constexpr std::uintptr_t lowest = 4096, limit = std::uintptr_t{1} << 47;
  return value - lowest < limit - lowest ? *static_cast<const std::uintptr_t*>(handle) : value;
}

/// A handle that is an int.
template <class Name>
struct known_number {
  int number = 0;
  Name name;
};

// clang-format off
template <class Name> Name made_of_number(int number);
template <> inline comm_handle made_of_number(int number) { return pure_MPI_Comm_fromint(number); }
template <> inline errhandler_handle made_of_number(int number) { return pure_MPI_Errhandler_fromint(number); }
template <> inline file_handle made_of_number(int number) { return pure_MPI_File_fromint(number); }
template <> inline group_handle made_of_number(int number) { return pure_MPI_Group_fromint(number); }
template <> inline info_handle made_of_number(int number) { return pure_MPI_Info_fromint(number); }
template <> inline message_handle made_of_number(int number) { return pure_MPI_Message_fromint(number); }
template <> inline op_handle made_of_number(int number) { return pure_MPI_Op_fromint(number); }
template <> inline request_handle made_of_number(int number) { return pure_MPI_Request_fromint(number); }
template <> inline session_handle made_of_number(int number) { return pure_MPI_Session_fromint(number); }
template <> inline type_handle made_of_number(int number) { return pure_MPI_Type_fromint(number); }
template <> inline win_handle made_of_number(int number) { return pure_MPI_Win_fromint(number); }

inline int number_of_made(comm_handle made) { return pure_MPI_Comm_toint(made); }
inline int number_of_made(errhandler_handle made) { return pure_MPI_Errhandler_toint(made); }
inline int number_of_made(file_handle made) { return pure_MPI_File_toint(made); }
inline int number_of_made(group_handle made) { return pure_MPI_Group_toint(made); }
inline int number_of_made(info_handle made) { return pure_MPI_Info_toint(made); }
inline int number_of_made(message_handle made) { return pure_MPI_Message_toint(made); }
inline int number_of_made(op_handle made) { return pure_MPI_Op_toint(made); }
inline int number_of_made(request_handle made) { return pure_MPI_Request_toint(made); }
inline int number_of_made(session_handle made) { return pure_MPI_Session_toint(made); }
inline int number_of_made(type_handle made) { return pure_MPI_Type_toint(made); }
inline int number_of_made(win_handle made) { return pure_MPI_Win_toint(made); }
// clang-format on

/// Error classes and codes: a program's own begin above each side's MPI_ERR_LASTCODE.
int code_in(int given);
int other_code_out(int given);
inline int code_out(int given) {
  if (given == constants::success) [[likely]]
    return MPI_SUCCESS;
  return other_code_out(given);
}
static_assert(MPI_SUCCESS == constants::success);

inline int same(int given) { return given; }

}  // namespace pure::foreign
