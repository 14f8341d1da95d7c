/* Solves a Poisson equation in three dimensions with hypre's conjugate gradients and its algebraic multigrid, whose
 * loops are OpenMP's; one of the ranks waits now and then for another, and helps. */
#include <mpi.h>
#include <stdio.h>
#include "_hypre_parcsr_ls.h"

static void solve(HYPRE_ParCSRMatrix matrix, HYPRE_ParVector right, HYPRE_ParVector answer, int coarsening,
                  int interpolation, int relaxation) {
  HYPRE_Solver outer, inner;
  HYPRE_Int steps;
  HYPRE_Real residual, norm;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  HYPRE_ParVectorSetConstantValues(answer, 0.0);
  HYPRE_BoomerAMGCreate(&inner);
  HYPRE_BoomerAMGSetCoarsenType(inner, coarsening);
  HYPRE_BoomerAMGSetInterpType(inner, interpolation);
  HYPRE_BoomerAMGSetRelaxType(inner, relaxation);
  HYPRE_BoomerAMGSetMaxIter(inner, 1);
  HYPRE_BoomerAMGSetTol(inner, 0.0);
  HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &outer);
  HYPRE_PCGSetTol(outer, 1e-9);
  HYPRE_PCGSetMaxIter(outer, 50);
  HYPRE_PCGSetPrecond(outer, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSolve, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSetup,
                      inner);
  HYPRE_ParCSRPCGSetup(outer, matrix, right, answer);
  HYPRE_ParCSRPCGSolve(outer, matrix, right, answer);
  HYPRE_PCGGetNumIterations(outer, &steps);
  HYPRE_PCGGetFinalRelativeResidualNorm(outer, &residual);
  HYPRE_ParVectorInnerProd(answer, answer, &norm);
  if (rank == 0)
    printf("coarsening %d, interpolation %d, relaxation %d: %d iterations, residual %s, norm %.13g\n", coarsening,
           interpolation, relaxation, steps, residual < 1e-9 ? "small" : "large", norm);
  HYPRE_ParCSRPCGDestroy(outer);
  HYPRE_BoomerAMGDestroy(inner);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  HYPRE_Init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  HYPRE_Real values[4] = {6, -1, -1, -1};
  HYPRE_ParCSRMatrix matrix = (HYPRE_ParCSRMatrix)GenerateLaplacian(MPI_COMM_WORLD, 12, 12, 12, ranks, 1, 1, rank, 0, 0,
                                                                    values);
  HYPRE_BigInt* rows = hypre_ParCSRMatrixRowStarts((hypre_ParCSRMatrix*)matrix);
  HYPRE_ParVector right, answer;
  HYPRE_ParVectorCreate(MPI_COMM_WORLD, 12 * 12 * 12, rows, &right);
  HYPRE_ParVectorCreate(MPI_COMM_WORLD, 12 * 12 * 12, rows, &answer);
  HYPRE_ParVectorInitialize(right);
  HYPRE_ParVectorInitialize(answer);
  HYPRE_ParVectorSetConstantValues(right, 1.0);
  const int kinds[][3] = {{8, 6, 18}, {10, 6, 8}, {8, 17, 18},  {8, 0, 18},
                          {6, 3, 6},  {8, 4, 16}, {10, 14, 18}, {22, 8, 7}};
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    solve(matrix, right, answer, kinds[i][0], kinds[i][1], kinds[i][2]);
  HYPRE_ParVectorDestroy(right);
  HYPRE_ParVectorDestroy(answer);
  HYPRE_ParCSRMatrixDestroy(matrix);
  HYPRE_Finalize();
  MPI_Finalize();
  return 0;
}
