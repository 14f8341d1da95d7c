// Listings 1 and 2: what they compute with, and what they offer.
#pragma once

#include <cstddef>

/// Takes an unknown amount of time and does not modify its argument's array: the paper's random_work. Deterministic.
/// Half of all values cost one unit, a quarter two, an eighth four, and so on up to 4096, so that one element can take
/// as long as a thousand others. Any thread.
double random_work(double value);

/// Sets the unit, in steps of about a nanosecond. All ranks pass the same before they start to work.
void set_work_unit(long steps);

/// Listing 2 and Listing 1 of the paper: `iters` steps of the stencil on this rank's `arr_sz` elements, at least 2.
void rand_stencil_pure(double* const a, size_t arr_sz, size_t iters, int my_rank, int n_ranks);
void rand_stencil_mpi(double* const a, size_t arr_sz, size_t iters, int my_rank, int n_ranks);
