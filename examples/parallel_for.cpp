// parallel_for: an uneven loop, whose chunks waiting ranks execute. The Mandelbrot set, in blocks of rows: the ranks in
// the middle have most of the work. Those at the rim are soon done, wait in the gather, and take over.
//
//   purecxx -O2 parallel_for.cpp -o parallel_for
//   purerun -n 4 --stats ./parallel_for     # "stolen": how many chunks each rank has done for others
//
// Rank 0 also goes through all points alone, in an ordinary loop: the two must be equal.
// There is no twin in MPI: what helps there is to deal out the rows by hand, or OpenMP in each process.
// test: for n in 1 2 3 4 7; do purerun -n $n {} || exit; done
#include <pure/pure.hpp>

#include <complex>
#include <cstdio>
#include <string>
#include <vector>

constexpr std::size_t rows = 24, columns = 72;
constexpr int most = 5000;

// After how many steps the point leaves the circle of radius 2; `most` if it stays.
int steps_of(std::size_t row, std::size_t column) {
  const std::complex<double> c(-2.1 + 3.0 * double(column) / columns, -1.2 + 2.4 * (double(row) + 0.5) / rows);
  std::complex<double> z = 0;
  int steps = 0;
  while (steps < most && std::norm(z) <= 4.0) z = z * z + c, ++steps;
  return steps;
}

int main(int argc, char** argv) {
  return pure::run(argc, argv, [](pure::comm world) {
    const auto rank = static_cast<std::size_t>(world.rank()), size = static_cast<std::size_t>(world.size());
    const std::size_t first = rows * rank / size, last = rows * (rank + 1) / size;

    std::vector<int> mine((last - first) * columns);
    pure::parallel_for(pure::box{last - first, columns}, [&](std::size_t row, std::size_t column) {
      mine[row * columns + column] = steps_of(first + row, column);  // by whichever rank, each once
    });
    const std::vector<int> all = world.gatherv(mine).elements;  // a rank that waits here takes chunks of the others
    if (rank != 0) return 0;

    bool right = true;
    for (std::size_t row = 0; row < rows; ++row) {
      std::string line;
      for (std::size_t column = 0; column < columns; ++column) {
        const int steps = all[row * columns + column];
        right = right && steps == steps_of(row, column);
        line += steps == most ? '#' : steps > 12 ? '+' : steps > 5 ? '.' : ' ';
      }
      std::puts(line.c_str());
    }
    std::printf("the picture is %s\n", right ? "what one rank computes" : "WRONG");
    return right ? 0 : 1;
  });
}
