// What bodies call objects: the core's handle, or the number that the standard ABI has for what is predefined
// (constants.hpp). Entries make these names of the program's handles (standard_abi.hpp).
#pragma once

#include <cstdint>

namespace pure::core::mpi {

enum class named_object { comm, errhandler, file, group, info, message, op, request, session, type, win };

/// May be read and written where a handle of the standard ABI lies.
template <named_object>
struct [[gnu::may_alias]] object_name {
  std::uintptr_t value = 0;

  friend constexpr bool operator==(object_name, object_name) noexcept = default;
};

using comm_handle = object_name<named_object::comm>;
using errhandler_handle = object_name<named_object::errhandler>;
using file_handle = object_name<named_object::file>;
using group_handle = object_name<named_object::group>;
using info_handle = object_name<named_object::info>;
using message_handle = object_name<named_object::message>;
using op_handle = object_name<named_object::op>;
using request_handle = object_name<named_object::request>;
using session_handle = object_name<named_object::session>;
using type_handle = object_name<named_object::type>;
using win_handle = object_name<named_object::win>;

}  // namespace pure::core::mpi
