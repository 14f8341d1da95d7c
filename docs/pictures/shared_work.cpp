// The paper's Figure 1 as a run: rank 0 has three times the work of the others. In the first two steps each computes
// its own, and they wait for it; in the last two, whoever waits executes chunks of its loop.
#include <pure/pure.hpp>

#include <cmath>
#include <vector>

namespace {

double work(std::size_t i) {
  double x = 1.0 + 1e-3 * static_cast<double>(i % 1000);
  for (int k = 0; k < 100; ++k) x = std::sqrt(x + 1.0 / (x + k));
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  return pure::run(argc, argv, [](pure::comm world) {
    const std::size_t n = world.rank() == 0 ? 600 : 200;
    std::vector<double> value(n);
    const auto compute = [&](std::size_t i) { value[i] = work(i); };
    for (int step = 0; step < 4; ++step) {
      if (step < 2) {
        for (std::size_t i = 0; i < n; ++i) compute(i);
      } else {
        pure::parallel_for(n, compute, pure::chunk_size(50));
      }
      // Every rank tells the next one its last value, and needs that of the one before.
      const int right = (world.rank() + 1) % world.size();
      const int left = (world.rank() + world.size() - 1) % world.size();
      auto sent = world.isend(value.back(), right);
      const auto theirs = world.recv<double>(left);
      sent.wait();
      if (!(theirs > 0)) return 1;
    }
    return 0;
  });
}
