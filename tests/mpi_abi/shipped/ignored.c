/* What constants.f90 gives a function of C where it has no status: the header's pointers are to the same places. */
#include <mpi.h>
int is_status_ignore_(const MPI_Fint* status) { return status == MPI_F_STATUS_IGNORE; }
int are_statuses_ignore_(const MPI_Fint* statuses) { return statuses == MPI_F_STATUSES_IGNORE; }
