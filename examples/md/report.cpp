// All output of a run but its errors.
#include "report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "failure.hpp"
#include "text.hpp"

namespace md {
namespace {

constexpr double progress_interval_s = 0.5;
constexpr double absurd_temperature_k = 1e8;

}  // namespace

report::report(const options& o, messages& job, const potential& p, const loops& l, simulation& s)
    : options_(o), job_(job), simulation_(s), speaks_(job.rank() == 0), on_terminal_(isatty(STDERR_FILENO) == 1) {
  if (speaks_) heading(p, l);
}

void report::heading(const potential& p, const loops& l) const {
  const grid& g = simulation_.rank_grid();
  const int3& n = options_.unit_cells;
  std::printf("md on %s: molecular dynamics\n", messages::system());
  std::printf("  potential   %s\n", p.description().c_str());
  std::printf("  crystal     %.0f atoms: %d x %d x %d unit cells of %.6g A\n", simulation_.atom_count(), n[0], n[1],
              n[2], g.box[0] / n[0]);
  if (!options_.voids.empty()) {
    std::printf("  voids       %zu, without their %.0f atoms\n", options_.voids.size(),
                options_.atom_count() - simulation_.atom_count());
  }
  std::printf("  ranks       %d as %d x %d x %d\n", job_.size(), g.ranks[0], g.ranks[1], g.ranks[2]);
  std::printf("  loops       %s\n", l.description().c_str());
  std::printf("  run         %lld steps of %g fs from %g K\n\n", static_cast<long long>(options_.steps), options_.dt_fs,
              options_.temperature_k);
  std::printf("%9s %10s %16s %16s %14s %9s %12s\n", "", "", "total", "potential", "kinetic", "", "million");
  std::printf("%9s %10s %16s %16s %14s %9s %12s\n", "step", "fs", "eV/atom", "eV/atom", "eV/atom", "kelvin", "atoms/s");
  std::fflush(stdout);
}

void report::line(std::int64_t step) {
  last_ = simulation_.observe();
  const double now_s = messages::wtime_s();
  if (step == 0) {
    first_ = last_;
    start_s_ = last_line_s_ = last_progress_s_ = now_s;
  }
  const double n = last_.atoms;
  if (!std::isfinite(last_.total_ev()) || last_.temperature_k() > absurd_temperature_k ||
      n != simulation_.atom_count()) {
    clear_progress();
    throw failure(
        text("the simulation blew up before step %lld (%.3g K, %.0f of %.0f atoms left): "
             "a smaller --dt, --temperature or --delta may help",
             static_cast<long long>(step), last_.temperature_k(), n, simulation_.atom_count()));
  }
  if (speaks_) {
    clear_progress();
    std::printf("%9lld %10.2f %16.10f %16.10f %14.10f %9.3f", static_cast<long long>(step),
                static_cast<double>(step) * options_.dt_fs, last_.total_ev() / n, last_.potential_ev / n,
                last_.kinetic_ev / n, last_.temperature_k());
    if (step > last_step_) {
      std::printf(" %12.3f", n * static_cast<double>(step - last_step_) / (now_s - last_line_s_) / 1e6);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  last_line_s_ = messages::wtime_s();
  last_step_ = step;
}

void report::progress(std::int64_t step) {
  if (!speaks_ || !on_terminal_) return;
  const double now_s = messages::wtime_s();
  if (now_s - last_progress_s_ < progress_interval_s) return;
  last_progress_s_ = now_s;
  progress_shown_ = true;
  const double left_s = (now_s - start_s_) / static_cast<double>(step) * static_cast<double>(options_.steps - step);
  std::fprintf(stderr, "\r\033[K%9lld of %lld steps, %.0f s left", static_cast<long long>(step),
               static_cast<long long>(options_.steps), left_s);
}

void report::clear_progress() {
  if (progress_shown_) std::fprintf(stderr, "\r\033[K");
  progress_shown_ = false;
}

void report::summary() {
  const double loop_s = last_line_s_ - start_s_;
  const time_spent& t = simulation_.times();
  const exchange::traffic& sent = simulation_.traffic();
  std::array<double, 6> sums{t.pairs, t.forces, t.exchange, t.integrate, sent.messages, sent.bytes};
  job_.sum(sums);
  std::vector<double> computing_s(static_cast<std::size_t>(job_.size()));
  computing_s[static_cast<std::size_t>(job_.rank())] = simulation_.computing_s();
  job_.sum(computing_s);
  if (!speaks_) return;

  const double ranks = job_.size();
  const double atom_steps = last_.atoms * static_cast<double>(options_.steps);
  const double timed_s = sums[0] + sums[1] + sums[2] + sums[3];
  const auto percent = [&](double s) { return timed_s > 0 ? 100 * s / timed_s : 0.0; };
  const vec3& p = last_.momentum;
  const double momentum = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);

  std::printf("\n  atoms           %.0f\n", last_.atoms);
  std::printf("  loop time       %.4f s\n", loop_s);
  if (options_.steps > 0) {
    std::printf("  speed           %.3f million atoms/s, %.4f us per atom, step and rank\n", atom_steps / loop_s / 1e6,
                1e6 * loop_s * ranks / atom_steps);
    std::printf("  time went to    pairs %.0f %%, forces %.0f %%, exchange %.0f %%, integration %.0f %%\n",
                percent(sums[0]), percent(sums[1]), percent(sums[2]), percent(sums[3]));
    const double most_s = *std::ranges::max_element(computing_s);
    const double mean_s = std::accumulate(computing_s.begin(), computing_s.end(), 0.0) / ranks;
    std::printf("  computing       %.4f s by the busiest rank, %.4f s on average: imbalance %.3f\n", most_s, mean_s,
                most_s / mean_s);
    std::printf("  messages        %.1f per step and rank, %.1f KB on average\n",
                sums[4] / ranks / static_cast<double>(options_.steps), sums[4] > 0 ? sums[5] / sums[4] / 1000 : 0.0);
  }
  std::printf("  energy drift    %+.3e eV/atom\n", (last_.total_ev() - first_.total_ev()) / last_.atoms);
  std::printf("  momentum        %.1e eV fs/A, %.1e of the sum of the atoms' momenta\n", momentum,
              last_.momentum_scale > 0 ? momentum / last_.momentum_scale : 0.0);
}

}  // namespace md
