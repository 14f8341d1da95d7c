// Heat: a square plate, hot along its upper edge. Its rows are dealt out to the ranks in blocks; before each step,
// ranks exchange the rows at the borders of their blocks (the halo).
//
//   purecxx -O2 heat.cpp -o heat
//   purerun -n 4 ./heat 500       # so many steps
//
// Rank 0 also computes the whole plate alone: the two must be equal, bit for bit.
// The same in MPI: mpi/heat.cpp.
// test: for n in 1 2 3 4 7; do purerun -n $n {} 150 || exit; done
#include <pure/pure.hpp>

#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

constexpr std::size_t width = 64, height = 64;

// Rows of the plate, and one more above and below them: a neighbour's, or the edge of the plate.
struct block {
  std::size_t rows;
  std::vector<double> cells = std::vector<double>((rows + 2) * width), next = cells;

  std::span<double> row(std::size_t i) { return std::span(cells).subspan(i * width, width); }

  void heat_row_0() {
    for (std::size_t i = 0; i < width; ++i) cells[i] = next[i] = 100.0;
  }
  // Each cell becomes the mean of its four neighbours: the heat equation, with the longest stable step of time.
  void step() {
    for (std::size_t i = 1; i <= rows; ++i) {
      for (std::size_t c = i * width + 1; c < (i + 1) * width - 1; ++c)
        next[c] = 0.25 * (cells[c - width] + cells[c + width] + cells[c - 1] + cells[c + 1]);
    }
    cells.swap(next);
  }
};

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 500;
  return pure::run(argc, argv, [&](pure::comm world) {
    const auto rank = static_cast<std::size_t>(world.rank()), size = static_cast<std::size_t>(world.size());
    if (size > height) return std::fprintf(stderr, "heat: at most %zu ranks, one for each row\n", height), 2;
    const int above = rank > 0 ? world.rank() - 1 : pure::proc_null;  // proc_null: nobody is there, and nothing is sent
    const int below = rank + 1 < size ? world.rank() + 1 : pure::proc_null;

    block mine{.rows = height * (rank + 1) / size - height * rank / size};
    if (rank == 0) mine.heat_row_0();
    for (int i = 0; i < steps; ++i) {
      world.sendrecv(mine.row(1), above, mine.row(mine.rows + 1), below);
      world.sendrecv(mine.row(mine.rows), below, mine.row(0), above);
      mine.step();
    }
    const auto plate = world.gatherv(std::span(mine.cells).subspan(width, mine.rows * width));  // what rank 0 gets
    if (rank != 0) return 0;

    block whole{.rows = height};
    whole.heat_row_0();
    for (int i = 0; i < steps; ++i) whole.step();
    bool right = true;
    for (std::size_t i = 0; i < height * width; ++i) right = right && plate.elements[i] == whole.cells[width + i];
    for (const std::size_t i : {0U, 7U, 15U, 31U})
      std::printf("row %2zu: %.9f degrees in the middle\n", i, plate.elements[i * width + width / 2]);
    std::printf("after %d steps the plate is %s\n", steps, right ? "what one rank computes" : "WRONG");
    return right ? 0 : 1;
  });
}
