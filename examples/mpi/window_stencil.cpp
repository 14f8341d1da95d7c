// The MPI twin of window_stencil.cpp: MPI's windows have no notifications, so a fence of all ranks ends each step.
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

constexpr std::size_t points = 300;  // of the string; its ends do not move
constexpr int steps = 230;

void step(std::span<const double> now, std::span<double> before, double left, double right) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    const double from_left = i > 0 ? now[i - 1] : left, from_right = i + 1 < now.size() ? now[i + 1] : right;
    before[i] = from_left + from_right - before[i];
  }
}

std::vector<double> plucked(std::size_t first, std::size_t last) {
  std::vector<double> shape;
  for (std::size_t i = first; i < last; ++i) shape.push_back(std::exp(-0.01 * std::pow(double(i) - points / 3.0, 2)));
  return shape;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int my_rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto rank = static_cast<std::size_t>(my_rank), size = static_cast<std::size_t>(ranks);
  const int left = my_rank > 0 ? my_rank - 1 : MPI_PROC_NULL, right = my_rank + 1 < ranks ? my_rank + 1 : MPI_PROC_NULL;
  std::vector<double> now = plucked(points * rank / size, points * (rank + 1) / size), before = now;

  enum side { from_left, from_right };
  double* beside = nullptr;
  MPI_Win window;
  MPI_Win_allocate(4 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &beside, &window);
  MPI_Win_fence(0, window);
  for (int i = 0; i < 4; ++i) beside[i] = 0;
  MPI_Win_fence(0, window);
  for (int i = 0; i < steps; ++i) {
    const int place = i % 2 == 0 ? 0 : 2;
    MPI_Put(&now.front(), 1, MPI_DOUBLE, left, place + from_right, 1, MPI_DOUBLE, window);
    MPI_Put(&now.back(), 1, MPI_DOUBLE, right, place + from_left, 1, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    step(now, before, beside[place + from_left], beside[place + from_right]);
    now.swap(before);
  }

  // A gather of different sizes: rank 0 has to know them, and where each begins.
  std::vector<int> counts, displs;
  for (std::size_t r = 0; r < size; ++r) {
    displs.push_back(static_cast<int>(points * r / size));
    counts.push_back(static_cast<int>(points * (r + 1) / size) - displs.back());
  }
  std::vector<double> string(points);
  MPI_Gatherv(now.data(), static_cast<int>(now.size()), MPI_DOUBLE, string.data(), counts.data(), displs.data(),
              MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Win_free(&window);
  MPI_Finalize();
  if (rank != 0) return 0;

  std::vector<double> alone = plucked(0, points), earlier = alone;
  for (int i = 0; i < steps; ++i, alone.swap(earlier)) step(alone, earlier, 0, 0);
  for (std::size_t i = 50; i < points; i += 50) std::printf("point %3zu: %+.9f\n", i, string[i]);
  std::printf("after %d steps the string is %s\n", steps, string == alone ? "what one rank computes" : "WRONG");
  return string == alone ? 0 : 1;
}
