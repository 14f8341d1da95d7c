// The versions of the stencil. Each does `iters` steps on this rank's `arr_sz` elements, at least 2; all compute the
// same bits.
#pragma once

#include <cstddef>

#include "random_work.hpp"

/// Listing 2 of the paper, on Pure, and the same without the task: messages only.
void rand_stencil_pure(double* const a, size_t arr_sz, size_t iters, int my_rank, int n_ranks);
void rand_stencil_messages(double* const a, size_t arr_sz, size_t iters, int my_rank, int n_ranks);

/// Listing 1 of the paper, on MPI; with a task (bench/apps/stencil); with OpenMP: fewer ranks, each with several threads.
void rand_stencil_mpi(double* const a, size_t arr_sz, size_t iters, int my_rank, int n_ranks);
void rand_stencil_tasks(double* const a, size_t arr_sz, size_t iters, int my_rank, int n_ranks);
void rand_stencil_openmp(double* const a, size_t arr_sz, size_t iters, int my_rank, int n_ranks);
