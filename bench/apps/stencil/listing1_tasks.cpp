// Listing 1, an MPI program, with a task: ranks that wait for a neighbour take over elements of others. What was added to
// ../../../examples/random_stencil/listing1_mpi.cpp is the function and the three lines that call it, in place of a loop.
// The layout is the paper's.
// clang-format off
#include <mpi.h>
#include <pure/tasks.h>

#include <utility>

#include "listings.hpp"

static void work_on(size_t first, size_t last, void* context) {
    auto [a, temp] = *static_cast<std::pair<double*, double*>*>(context);
    for (auto i = first; i < last; ++i) {
        temp[i] = random_work(a[i]);
    }
}

void rand_stencil_tasks(double* const a, size_t arr_sz, size_t iters, int my_rank,
                        int n_ranks) {
    double temp[arr_sz];
    for (auto it = 0; it < iters; ++it) {
        std::pair<double*, double*> arrays{a, temp};
        pure_loop_options by_lines{0, temp, sizeof(double)};
        pure_parallel_for(arr_sz, work_on, &arrays, &by_lines);
        for (auto i = 1; i < arr_sz - 1; ++i) {
            a[i] = (temp[i - 1] + temp[i] + temp[i + 1]) / 3.0;
        }
        if (my_rank > 0) {
            MPI_Send(&temp[0], 1, MPI_DOUBLE, my_rank - 1, 0, MPI_COMM_WORLD);
            double neighbor_hi_val;
            MPI_Recv(&neighbor_hi_val, 1, MPI_DOUBLE, my_rank - 1, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            a[0] = (neighbor_hi_val + temp[0] + temp[1]) / 3.0;
        } // ends if not first rank
        if (my_rank < n_ranks - 1) {
            MPI_Send(&temp[arr_sz - 1], 1, MPI_DOUBLE, my_rank + 1, 0,
                     MPI_COMM_WORLD);
            double neighbor_lo_val;
            MPI_Recv(&neighbor_lo_val, 1, MPI_DOUBLE, my_rank + 1, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            a[arr_sz - 1] =
                    (temp[arr_sz - 2] + temp[arr_sz - 1] + neighbor_lo_val) /
                    3.0;
        } // ends if not last rank
    }     // ends for all iterations
}
