// Windows, for benchmarks: one interface over pure.h and over MPI. Words are of 8 bytes, and so are displacements. See
// bench.hpp.
#pragma once

#include "bench.hpp"

namespace bench {

/// How an MPI is asked for the memory: by MPI_Win_allocate, or by MPI_Win_allocate_shared.
enum class window_kind { allocated, shared };

}  // namespace bench

#if defined(BENCH_PURE)
#include "windows_pure.hpp"
#else
#include "windows_mpi.hpp"
#endif
