// Trains LIBLINEAR's models on points that it makes itself; the ranks have more and less to do, so that some wait and
// help.
#include <mpi.h>

#include <cstdio>
#include <vector>

#include "linear.h"

namespace {
constexpr int features = 60;

double next(unsigned& seed) {
  seed = seed * 1664525U + 1013904223U;
  return static_cast<double>(seed >> 8) / (1 << 24) - 0.5;
}

void quiet(const char*) {}
}  // namespace

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int points = rank == 0 ? 700 : 60;
  set_print_string_function(quiet);
  std::vector<feature_node> nodes;
  std::vector<feature_node*> rows(points);
  std::vector<double> targets(points);
  unsigned seed = 7 + rank;
  nodes.reserve(static_cast<size_t>(points) * (features + 1));
  for (int i = 0; i < points; i++) {
    rows[i] = nodes.data() + nodes.size();
    double sum = 0;
    for (int j = 1; j <= features; j++) {
      if ((i + j) % 3 == 0) continue;
      nodes.push_back({j, next(seed)});
      sum += nodes.back().value * (j % 7 - 3);
    }
    nodes.push_back({-1, 0});
    targets[i] = sum + next(seed) > 0 ? 1 : -1;
  }
  const problem all = {points, features, targets.data(), rows.data(), -1};
  for (const int type :
       {L2R_LR, L2R_L2LOSS_SVC, L2R_L2LOSS_SVC_DUAL, L2R_L1LOSS_SVC_DUAL, L1R_L2LOSS_SVC, L1R_LR, L2R_L2LOSS_SVR}) {
    parameter how = {};
    how.solver_type = type;
    how.eps = 1e-3;
    how.C = 1;
    how.nr_thread = 1;
    how.p = 0.1;
    how.regularize_bias = 1;
    model* const found = train(&all, &how);
    double norm = 0, sum = 0, norms, sums;
    for (int j = 0; j < features; j++) {
      norm += found->w[j] * found->w[j];
      sum += found->w[j] * j;
    }
    MPI_Reduce(&norm, &norms, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&sum, &sums, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) std::printf("solver %d: norm %.14g, sum %.14g\n", type, norms, sums);
    free_and_destroy_model(const_cast<model**>(&found));
  }
  MPI_Finalize();
  return 0;
}
