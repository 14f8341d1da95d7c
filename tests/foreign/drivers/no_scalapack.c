/* ScaLAPACK and BLACS for MUMPS, which calls them for a dense part of some hundreds of unknowns: no run has one. */
#include <stdio.h>
#include <stdlib.h>

#define NOT_HERE(name)                                            \
  void name(void) {                                               \
    fprintf(stderr, "MUMPS needs ScaLAPACK here: " #name "\n"); \
    exit(1);                                                      \
  }
NOT_HERE(blacs_gridexit_)
NOT_HERE(blacs_gridinfo_)
NOT_HERE(blacs_gridinit_)
NOT_HERE(descinit_)
NOT_HERE(numroc_)
NOT_HERE(pdgetrf_)
NOT_HERE(pdgetrs_)
NOT_HERE(pdpotrf_)
NOT_HERE(pdpotrs_)
