// The constants of Pure's mpif.h and modules that are addresses.
#include "api/fortran/side.hpp"

namespace pure::fortran {

extern "C" {
alignas(64) address_constants purempif_;
alignas(64) char purempic_[2] = {' ', ' '};
}

void* constant_at(std::size_t offset) {
  switch (offset) {
    case offsetof(address_constants, bottom): return MPI_BOTTOM;
    case offsetof(address_constants, in_place): return MPI_IN_PLACE;
    case offsetof(address_constants, buffer_automatic): return MPI_BUFFER_AUTOMATIC;
    case offsetof(address_constants, unweighted): return MPI_UNWEIGHTED;
    case offsetof(address_constants, weights_empty): return MPI_WEIGHTS_EMPTY;
    case offsetof(address_constants, errcodes_ignore): return MPI_ERRCODES_IGNORE;
    case offsetof(address_constants, status_ignore): return MPI_STATUS_IGNORE;
    case offsetof(address_constants, statuses_ignore): return MPI_STATUSES_IGNORE;
    default: return reinterpret_cast<char*>(&purempif_) + offset;  // no constant begins there
  }
}

}  // namespace pure::fortran
