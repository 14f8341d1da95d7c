// MPI_Op_create (MPI 5.0, 6.9.5).
#include "api/fortran/callbacks.hpp"

namespace pure::fortran {

namespace {

using combination = void(void* in, void* inout, integer* length, integer* datatype);
using large_combination = void(void* in, void* inout, MPI_Count* length, integer* datatype);
constexpr std::size_t most_operators = 64;

template <std::size_t at>
struct call_operator;
template <std::size_t at>
struct call_large_operator;
trampolines<MPI_User_function, call_operator, most_operators> operators;
trampolines<MPI_User_function_c, call_large_operator, most_operators> large_operators;

template <std::size_t at>
struct call_operator {
  static void call(void* in, void* inout, int* length, MPI_Datatype* datatype) {
    integer number = number_of(*datatype);
    reinterpret_cast<combination*>(operators.procedures[at])(in, inout, length, &number);
  }
};
template <std::size_t at>
struct call_large_operator {
  static void call(void* in, void* inout, MPI_Count* length, MPI_Datatype* datatype) {
    integer number = number_of(*datatype);
    reinterpret_cast<large_combination*>(large_operators.procedures[at])(in, inout, length, &number);
  }
};

void create(const char* function, any_procedure procedure, integer commutes, bool is_large, integer* op,
            integer* ierror) {
  MPI_Op made = none<MPI_Op>;
  int code = MPI_SUCCESS;
  if (create_op_in_pure() != nullptr) {
    code = create_op_in_pure()(procedure, is_true(commutes), is_large ? 1 : 0, &made);
  } else if (is_large) {
    MPI_User_function_c* const in_c = large_operators.of(procedure);
    if (in_c == nullptr)
      return raise(function, MPI_ERR_INTERN, "no more than 64 functions can be operators with this MPI", ierror);
    code = MPI_Op_create_c(in_c, is_true(commutes), &made);
  } else {
    MPI_User_function* const in_c = operators.of(procedure);
    if (in_c == nullptr)
      return raise(function, MPI_ERR_INTERN, "no more than 64 functions can be operators with this MPI", ierror);
    code = MPI_Op_create(in_c, is_true(commutes), &made);
  }
  give(made, op);
  give_error(ierror, code);
}

}  // namespace

extern "C" {

void pmpi_op_create_(any_procedure user_fn, const integer* commute, integer* op, integer* ierror) {
  called_from(__builtin_return_address(0));
  create("MPI_Op_create", user_fn, *commute, false, op, ierror);
}
PURE_FORTRAN_NAMES_AND_F08(mpi_op_create, MPI_OP_CREATE);

void pmpi_op_create_c_f08_(any_procedure user_fn, const integer* commute, integer* op, integer* ierror) {
  called_from(__builtin_return_address(0));
  create("MPI_Op_create_c", user_fn, *commute, true, op, ierror);
}
PURE_FORTRAN_NAMES(mpi_op_create_c_f08, MPI_OP_CREATE_C_F08);

}  // extern "C"

}  // namespace pure::fortran
