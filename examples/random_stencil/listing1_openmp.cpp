// Listing 1 with OpenMP: each rank's threads share its elements. The averages, too: Listing 1 has more ranks for them.
// (In the layout of the listings, with their arrays whose size is known at run time; the build allows them for this
// file.)
// The layout is the paper's.
// clang-format off
#include <mpi.h>

#include "listings.hpp"

void rand_stencil_openmp(double* const a, size_t arr_sz, size_t iters, int my_rank,
                         int n_ranks) {
    double temp[arr_sz];
    for (auto it = 0; it < iters; ++it) {
#pragma omp parallel for schedule(dynamic, 64)
        for (size_t i = 0; i < arr_sz; ++i) {
            temp[i] = random_work(a[i]);
        }
#pragma omp parallel for schedule(static)
        for (size_t i = 1; i < arr_sz - 1; ++i) {
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
