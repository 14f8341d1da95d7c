// Windows, for benchmarks: one interface over pure.h and over MPI. Words are of 8 bytes, and so are displacements. See
// bench.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "bench.hpp"

namespace bench {

/// How an MPI is asked for the memory: by MPI_Win_allocate, or by MPI_Win_allocate_shared; or the memory is the
/// program's, which processes do not share.
enum class window_kind { allocated, shared, created };

/// Memory of the program, for windows over it.
struct free_pages {
  void operator()(void* pages) const { ::operator delete (pages, std::align_val_t{4096}); }
};
using own_pages = std::unique_ptr<void, free_pages>;
inline own_pages make_pages(std::size_t bytes) { return own_pages(::operator new (bytes, std::align_val_t{4096})); }

}  // namespace bench

#if defined(BENCH_PURE)
#include "windows_pure.hpp"
#else
#include "windows_mpi.hpp"
#endif
