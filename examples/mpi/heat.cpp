// The MPI twin of heat.cpp.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr std::size_t width = 64, height = 64;
constexpr int of_row = width;  // MPI counts in int

// Rows of the plate, and one more above and below them: a neighbour's, or the edge of the plate.
struct block {
  std::size_t rows;
  std::vector<double> cells = std::vector<double>((rows + 2) * width), next = cells;

  double* row(std::size_t i) { return &cells[i * width]; }

  void heat_row_0() {
    for (std::size_t i = 0; i < width; ++i) cells[i] = next[i] = 100.0;
  }
  void step() {
    for (std::size_t i = 1; i <= rows; ++i) {
      for (std::size_t c = i * width + 1; c < (i + 1) * width - 1; ++c)
        next[c] = 0.25 * (cells[c - width] + cells[c + width] + cells[c - 1] + cells[c + 1]);
    }
    cells.swap(next);
  }
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? std::atoi(argv[1]) : 500;
  int me = 0, all = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  const auto rank = static_cast<std::size_t>(me), size = static_cast<std::size_t>(all);
  if (size > height) MPI_Abort(MPI_COMM_WORLD, 2);
  const int above = me > 0 ? me - 1 : MPI_PROC_NULL;
  const int below = me + 1 < all ? me + 1 : MPI_PROC_NULL;

  block mine{.rows = height * (rank + 1) / size - height * rank / size};
  if (rank == 0) mine.heat_row_0();
  for (int i = 0; i < steps; ++i) {
    MPI_Sendrecv(mine.row(1), of_row, MPI_DOUBLE, above, 0, mine.row(mine.rows + 1), of_row, MPI_DOUBLE, below, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(mine.row(mine.rows), of_row, MPI_DOUBLE, below, 0, mine.row(0), of_row, MPI_DOUBLE, above, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mine.step();
  }

  // A gather of different sizes: rank 0 has to know them, and where each begins.
  std::vector<int> counts(size), displs(size);
  for (std::size_t r = 0; r < size; ++r) {
    counts[r] = static_cast<int>((height * (r + 1) / size - height * r / size) * width);
    displs[r] = static_cast<int>(height * r / size * width);
  }
  std::vector<double> plate(height * width);
  MPI_Gatherv(mine.row(1), counts[rank], MPI_DOUBLE, plate.data(), counts.data(), displs.data(), MPI_DOUBLE, 0,
              MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank != 0) return 0;

  block whole{.rows = height};
  whole.heat_row_0();
  for (int i = 0; i < steps; ++i) whole.step();
  bool right = true;
  for (std::size_t i = 0; i < height * width; ++i) right = right && plate[i] == whole.cells[width + i];
  for (const std::size_t i : {0U, 7U, 15U, 31U})
    std::printf("row %2zu: %.9f degrees in the middle\n", i, plate[i * width + width / 2]);
  std::printf("after %d steps the plate is %s\n", steps, right ? "what one rank computes" : "WRONG");
  return right ? 0 : 1;
}
