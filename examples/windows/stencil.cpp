// Experiment 1: what the halo exchange of a five-point stencil costs by messages and by shared windows, and what the
// placement of a window does to the computation (MPI + MPI, section 5.3, figure 6).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "options.hpp"
#include "stencil_exchange.hpp"

namespace windows {
namespace {

using clock = std::chrono::steady_clock;

double median(std::vector<double>& of) {
  const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
  std::nth_element(of.begin(), middle, of.end());
  return *middle;
}

struct times {
  double communication_us = 0, computation_us = 0, step_us = 0;
};

struct outcome {
  times median_step;  // averaged over the ranks
  digest result;
};

// What one mode with one placement has done, round by round.
struct series {
  std::string mode, where;
  std::vector<outcome> rounds;

  [[nodiscard]] double median_of(double times::*which) const {
    std::vector<double> all;
    for (const outcome& each : rounds) all.push_back(each.median_step.*which);
    return median(all);
  }
};

outcome run(team& ranks, rank_grid shape, int n, const std::string& mode, placement where, int steps) {
  const auto halos = make_exchange(mode, ranks, shape, n, where);
  std::vector<double> communication, computation, whole;
  for (auto* each : {&communication, &computation, &whole}) each->reserve(static_cast<std::size_t>(steps));
  ranks.barrier();
  for (int i = 0; i < steps; ++i) {
    const auto microseconds = [](clock::time_point from, clock::time_point to) {
      return std::chrono::duration<double, std::micro>(to - from).count();
    };
    const int number = i % 2;
    const auto begin = clock::now();
    halos->exchange(number);
    const auto middle = clock::now();
    line beyond[sides];
    halos->around(number, beyond);
    step(halos->own(1 - number).cells, halos->own(number).cells, halos->mine(), beyond);
    const auto end = clock::now();
    communication.push_back(microseconds(begin, middle));
    computation.push_back(microseconds(middle, end));
    whole.push_back(microseconds(begin, end));
  }
  digest all = digest_of(halos->own(steps % 2).cells, halos->mine());
  std::uint64_t sums[] = {all.sum, all.bits};
  ranks.sum(sums);
  double averages[] = {median(communication), median(computation), median(whole)};
  ranks.sum(averages);
  for (double& each : averages) each /= ranks.size();
  return {{averages[0], averages[1], averages[2]}, {sums[0], sums[1]}};
}

int steps_for(int n) { return n <= 64 ? 4000 : n <= 256 ? 1000 : n <= 1024 ? 100 : 12; }

double percent_less(double value, double than) { return 100 * (1 - value / than); }

// Of communication alone, and of the whole step: who reads a neighbour's cells in place pays for it while it computes.
void print_savings(const std::vector<series>& all) {
  const auto messages = std::find_if(all.begin(), all.end(), [](const series& s) { return s.mode == "messages"; });
  for (const series& each : all) {
    if (messages == all.end() || each.mode == "messages") continue;
    const auto saved = [&](double times::*which) {
      return percent_less(each.median_of(which), messages->median_of(which));
    };
    std::printf("  %s, %s: %.1f %% less communication than by messages, %.1f %% less for the whole step\n",
                each.mode.c_str(), each.where.c_str(), saved(&times::communication_us), saved(&times::step_us));
  }
  for (const series& together : all) {
    for (const series& apart : all) {
      if (together.where != "contiguous" || apart.where != "separate" || together.mode != apart.mode) continue;
      std::printf("  %s: computation on contiguous parts takes %+.1f %% of that on separate ones\n",
                  together.mode.c_str(),
                  -percent_less(together.median_of(&times::computation_us), apart.median_of(&times::computation_us)));
    }
  }
}

// Whether all results are the same, and, if asked, those of the serial program.
bool agree(const std::vector<series>& all, int n, int steps, bool verify) {
  const digest first = all.front().rounds.front().result;
  bool same = true;
  for (const series& each : all) {
    for (const outcome& round : each.rounds) same = same && round.result == first;
  }
  if (!same) std::fprintf(stderr, "windows_stencil: N = %d: not all modes have the same cells\n", n);
  if (!verify) return same;
  const bool right = serial_digest(n, steps) == first;
  if (right) {
    std::printf("  verified: all %d x %d cells equal a serial computation's\n", n, n);
  } else {
    std::fprintf(stderr, "windows_stencil: N = %d: the cells are not those of a serial computation\n", n);
  }
  return same && right;
}

bool measure(team& ranks, rank_grid shape, int n, const stencil_options& options) {
  const int steps = options.steps > 0 ? options.steps : steps_for(n);
  std::vector<series> all;
  for (const std::string& mode : options.modes) {
    if (mode == "messages") {
      all.push_back({mode, "own", {}});
    } else {
      for (const std::string& where : options.placements) all.push_back({mode, where, {}});
    }
  }
  // Every round runs everything, so that what disturbs the machine meets all of them.
  for (int round = 0; round < options.rounds; ++round) {
    for (series& each : all) {
      const placement where = each.where == "contiguous" ? placement::contiguous : placement::separate;
      each.rounds.push_back(run(ranks, shape, n, each.mode, where, steps));
    }
  }
  std::uint64_t wrong = 0;
  if (ranks.rank() == 0) {
    for (const series& each : all) {
      const digest& result = each.rounds.front().result;
      std::printf("%5d %6d  %-9s %-11s %12.3f %12.3f %12.3f  %.12g %016llx\n", n, steps, each.mode.c_str(),
                  each.where.c_str(), each.median_of(&times::communication_us), each.median_of(&times::computation_us),
                  each.median_of(&times::step_us), result.checksum(), static_cast<unsigned long long>(result.bits));
    }
    print_savings(all);
    wrong = agree(all, n, steps, options.verify) ? 0 : 1;
    std::fflush(stdout);
  }
  ranks.sum({&wrong, 1});
  return wrong == 0;
}

int stencil(team& ranks, int argc, char** argv) {
  stencil_options options;
  if (const auto status = parse(argc, argv, ranks.rank() == 0, options)) return *status;
  rank_grid shape = near_square(ranks.size());
  if (options.ranks_x > 0) shape = {options.ranks_x, options.ranks_y};
  if (static_cast<long>(shape.x) * shape.y != ranks.size()) {
    throw failure(text("--grid %dx%d has %ld ranks, but this job has %d", shape.x, shape.y,
                       static_cast<long>(shape.x) * shape.y, ranks.size()));
  }
  for (const int n : options.sizes) {
    if (n < std::max(shape.x, shape.y)) {
      throw failure(text("N = %d: %d x %d ranks cannot share so few cells; N must be at least %d", n, shape.x, shape.y,
                         std::max(shape.x, shape.y)));
    }
  }
  if (ranks.rank() == 0) {
    std::printf("windows_stencil on %s: %d ranks, %d x %d; rounds: %d\n", team::name(), ranks.size(), shape.x, shape.y,
                options.rounds);
    std::printf(
        "    N  steps  mode      window      communication  computation    step (us)  checksum     hash of all bits\n");
  }
  bool right = true;
  for (const int n : options.sizes) right = measure(ranks, shape, n, options) && right;
  return right ? 0 : 1;
}

}  // namespace
}  // namespace windows

int main(int argc, char** argv) { return windows::launch(argc, argv, "windows_stencil", windows::stencil); }
