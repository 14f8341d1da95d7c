// Six fields of a grid: each rank has a block of cells, exchanges the planes at its ends with its neighbours, and then
// smooths every field. A whole program in which messages between processes are some of the time; bench/ways weighs what
// the gateway does for speed with it.
//
//   cmake --build --preset release --target net_halo
//   purerun -N 2 -n 2 build/release/tests/net_halo CELLS STEPS
//
// CELLS: of the edge of a rank's block; a plane has CELLS^2 doubles. Prints the median time of a step in microseconds
// and a sum of all fields, which does not depend on how messages travel.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <pure/pure.hpp>

namespace {

constexpr int fields = 6;

class block {
 public:
  explicit block(std::size_t edge) : edge_(edge), now_((edge + 2) * plane()), next_(now_.size()) {}

  [[nodiscard]] std::size_t plane() const noexcept { return edge_ * edge_; }
  /// 0 and edge + 1 are the neighbours'.
  [[nodiscard]] std::span<double> plane_at(std::size_t z) noexcept { return {&now_[z * plane()], plane()}; }

  void fill(int seed) noexcept {
    for (std::size_t i = 0; i < now_.size(); ++i) now_[i] = static_cast<double>((i * 7 + std::size_t(seed) * 13) % 101);
  }

  void smooth() noexcept {
    const std::size_t row = edge_;
    for (std::size_t z = 1; z <= edge_; ++z) {
      for (std::size_t y = 0; y < edge_; ++y) {
        const double* const at = &now_[z * plane() + y * row];
        const double* const south = y == 0 ? at : at - row;
        const double* const north = y + 1 == edge_ ? at : at + row;
        double* const to = &next_[z * plane() + y * row];
        for (std::size_t x = 1; x + 1 < edge_; ++x) {
          to[x] = 0.4 * at[x] + 0.1 * (at[x - 1] + at[x + 1] + south[x] + north[x] + at[x - plane()] + at[x + plane()]);
        }
        to[0] = at[0];
        to[edge_ - 1] = at[edge_ - 1];
      }
    }
    std::swap(now_, next_);
  }

  [[nodiscard]] double sum() const noexcept {
    double all = 0;
    for (std::size_t i = plane(); i < (edge_ + 1) * plane(); ++i) all += now_[i];
    return all;
  }

 private:
  std::size_t edge_;
  std::vector<double> now_, next_;
};

void exchange(pure::comm& world, std::array<block, fields>& all, std::size_t edge) {
  std::vector<pure::request> pending;
  pending.reserve(std::size_t{4} * fields);
  for (int side = 0; side < 2; ++side) {
    const int other = world.rank() + (side == 0 ? -1 : 1);
    if (other < 0 || other >= world.size()) continue;
    for (int f = 0; f < fields; ++f) {
      pending.push_back(world.irecv_into(all[std::size_t(f)].plane_at(side == 0 ? 0 : edge + 1), other, f));
    }
  }
  for (int side = 0; side < 2; ++side) {
    const int other = world.rank() + (side == 0 ? -1 : 1);
    if (other < 0 || other >= world.size()) continue;
    for (int f = 0; f < fields; ++f) {
      const std::span<const double> mine = all[std::size_t(f)].plane_at(side == 0 ? 1 : edge);
      pending.push_back(world.isend(mine, other, f));
    }
  }
  for (pure::request& each : pending) each.wait();
}

}  // namespace

int main(int argc, char** argv) {
  return pure::run(argc, argv, [&](pure::comm world) {
    const auto edge = static_cast<std::size_t>(argc > 1 ? std::atol(argv[1]) : 32);
    const int steps = argc > 2 ? std::atoi(argv[2]) : 200;
    if (edge < 2 || steps < 1) {
      std::fprintf(stderr, "usage: net_halo CELLS STEPS\n");
      std::exit(2);
    }
    std::array<block, fields> all{block(edge), block(edge), block(edge), block(edge), block(edge), block(edge)};
    for (int f = 0; f < fields; ++f) all[std::size_t(f)].fill(world.rank() * fields + f);
    std::vector<double> took;
    for (int step = 0; step < steps; ++step) {
      const auto begin = std::chrono::steady_clock::now();
      exchange(world, all, edge);
      for (block& each : all) each.smooth();
      took.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
    double sum = 0;
    for (const block& each : all) sum += each.sum();
    sum = world.all_reduce(sum, std::plus<>{});
    std::nth_element(took.begin(), took.begin() + steps / 2, took.end());
    if (world.rank() == 0) std::printf("%.3f us a step, sum %.17g\n", took[std::size_t(steps) / 2], sum);
  });
}
