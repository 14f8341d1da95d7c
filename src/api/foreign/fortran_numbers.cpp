// Handles and statuses as Fortran has them (MPI 5.0, 19.3.4 and 19.3.5): numbers of this interface for what is
// predefined, and the core's for what was made.
#include "api/foreign/entry.hpp"

namespace pure::foreign {

namespace {

template <class Handle>
struct numbered {
  MPI_Fint number;
  Handle handle;
};

template <class Handle, std::size_t count>
const numbered<Handle>* find_number(const numbered<Handle> (&all)[count], MPI_Fint number) {
  for (const numbered<Handle>& each : all)
    if (each.number == number) return &each;
  return nullptr;
}
template <class Handle, std::size_t count>
const numbered<Handle>* find_handle(const numbered<Handle> (&all)[count], Handle handle) {
  for (const numbered<Handle>& each : all)
    if (each.handle == handle) return &each;
  return nullptr;
}

}  // namespace

}  // namespace pure::foreign

using namespace pure::foreign;

// The one after the other, since MPI_Op_c2f and its kin are seldom called; Fortran's library has tables of its own.
#define PURE_FOREIGN_NUMBERS(name, handle_type, kind, ...)                                          \
  extern "C" MPI_Fint PMPI_##name##_c2f(handle_type handle) {                                       \
    static const numbered<handle_type> all[] = {__VA_ARGS__};                                       \
    if (const auto* const known = find_handle(all, handle); known != nullptr) return known->number; \
    return number_of_made(kind##_in(handle));                                                       \
  }                                                                                                 \
  PURE_FOREIGN_NAME(MPI_##name##_c2f);                                                              \
  extern "C" handle_type PMPI_##name##_f2c(MPI_Fint number) {                                       \
    static const numbered<handle_type> all[] = {__VA_ARGS__};                                       \
    if (const auto* const known = find_number(all, number); known != nullptr) return known->handle; \
    return kind##_out(made_of_number<kind##_handle>(number));                                       \
  }                                                                                                 \
  PURE_FOREIGN_NAME(MPI_##name##_f2c);

#define PURE_FOREIGN_SAME_NUMBERS(name, handle_type)                           \
  extern "C" MPI_Fint PMPI_##name##_c2f(handle_type handle) { return handle; } \
  PURE_FOREIGN_NAME(MPI_##name##_c2f);                                         \
  extern "C" handle_type PMPI_##name##_f2c(MPI_Fint number) { return number; } \
  PURE_FOREIGN_NAME(MPI_##name##_f2c);

#include "api/foreign/fortran_numbers.inc"

extern "C" {

// The INTEGERs of a status lie as the fields do.
int PMPI_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status) {
  std::memcpy(f_status, c_status, sizeof *c_status);
  return MPI_SUCCESS;
}
PURE_FOREIGN_NAME(MPI_Status_c2f);
int PMPI_Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status) {
  std::memcpy(c_status, f_status, sizeof *c_status);
  return MPI_SUCCESS;
}
PURE_FOREIGN_NAME(MPI_Status_f2c);

}  // extern "C"
