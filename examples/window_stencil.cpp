// Window stencil: a wave on a string. Each rank has a part of the string in a window, memory that the others reach: it
// puts its outermost points beside the parts of its neighbours, and notifies them. There is no receive, and no barrier.
//
//   purecxx -O2 window_stencil.cpp -o window_stencil
//   purerun -n 4 ./window_stencil
//
// Rank 0 also computes the whole string alone: the two must be equal, bit for bit.
// The same in MPI, where a fence of all ranks orders the steps: mpi/window_stencil.cpp.
// test: for n in 1 2 3 4 7; do purerun -n $n {} || exit; done
#include <pure/pure.hpp>

#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

constexpr std::size_t points = 300;  // of the string; its ends do not move
constexpr int steps = 230;

// Where the points of a part are after the next step, if they are at `now` and were at `before`; the outermost of the
// three have a neighbour on the left and one on the right. The result takes the place of `before`.
void step(std::span<const double> now, std::span<double> before, double left, double right) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    const double from_left = i > 0 ? now[i - 1] : left, from_right = i + 1 < now.size() ? now[i + 1] : right;
    before[i] = from_left + from_right - before[i];  // the wave equation, with a step in which a wave moves one point
  }
}

std::vector<double> plucked(std::size_t first, std::size_t last) {
  std::vector<double> shape;
  for (std::size_t i = first; i < last; ++i) shape.push_back(std::exp(-0.01 * std::pow(double(i) - points / 3.0, 2)));
  return shape;
}

int main(int argc, char** argv) {
  return pure::run(argc, argv, [](pure::comm world) {
    const auto rank = static_cast<std::size_t>(world.rank()), size = static_cast<std::size_t>(world.size());
    const int left = world.rank() - 1, right = world.rank() + 1;
    std::vector<double> now = plucked(points * rank / size, points * (rank + 1) / size), before = now;

    // Beside a part: [0] on its left and [1] on its right in even steps, [2] and [3] in odd ones. A neighbour may be
    // one step ahead, and must not overwrite what this rank still reads; it cannot be two ahead, for it waits for this
    // one.
    enum side { from_left, from_right };
    auto beside = pure::window<double>::allocate(world, 4, {.name = "beside"});
    for (int i = 0; i < steps; ++i) {
      const std::size_t place = i % 2 == 0 ? 0 : 2;
      if (left >= 0) beside.put_notify({&now.front(), 1}, {left, place + from_right}, from_right);
      if (right < world.size()) beside.put_notify({&now.back(), 1}, {right, place + from_left}, from_left);
      if (left >= 0) beside.wait_notified(1, from_left);
      if (right < world.size()) beside.wait_notified(1, from_right);
      step(now, before, beside.local()[place + from_left], beside.local()[place + from_right]);  // 0 at the ends
      now.swap(before);
    }
    const std::vector<double> string = world.gatherv(now).elements;
    beside.free();
    if (rank != 0) return 0;

    std::vector<double> alone = plucked(0, points), earlier = alone;
    for (int i = 0; i < steps; ++i, alone.swap(earlier)) step(alone, earlier, 0, 0);
    for (std::size_t i = 50; i < points; i += 50) std::printf("point %3zu: %+.9f\n", i, string[i]);
    std::printf("after %d steps the string is %s\n", steps, string == alone ? "what one rank computes" : "WRONG");
    return string == alone ? 0 : 1;
  });
}
