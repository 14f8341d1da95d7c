// The table, the summary and the result line; report.hpp says when they are printed.
#include "report.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string>

#include "../available_memory.h"

namespace amr {
namespace {

struct spread {
  double most, mean;
  [[nodiscard]] double imbalance() const { return mean > 0 ? most / mean : 1; }
};

spread over_ranks(const mesh& m, double mine) {
  spread result{mine, mine};
  MPI_Allreduce(MPI_IN_PLACE, &result.most, 1, MPI_DOUBLE, MPI_MAX, m.comm);
  MPI_Allreduce(MPI_IN_PLACE, &result.mean, 1, MPI_DOUBLE, MPI_SUM, m.comm);
  result.mean /= m.ranks;
  return result;
}

// Of steps one by one: the sums of what the busiest rank of each computed, and of the average rank.
spread over_ranks_by_step(const mesh& m, const std::vector<double>& steps, std::size_t first) {
  const int count = static_cast<int>(steps.size() - first);
  std::vector<double> most(steps.begin() + static_cast<std::ptrdiff_t>(first), steps.end()), sum = most;
  MPI_Allreduce(MPI_IN_PLACE, most.data(), count, MPI_DOUBLE, MPI_MAX, m.comm);
  MPI_Allreduce(MPI_IN_PLACE, sum.data(), count, MPI_DOUBLE, MPI_SUM, m.comm);
  spread result{0, 0};
  for (const double s : most) result.most += s;
  for (const double s : sum) result.mean += s / m.ranks;
  return result;
}

double sum(const mesh& m, double mine) { return over_ranks(m, mine).mean * m.ranks; }

}  // namespace

void stopwatch::end_step() {
  const double now = seconds_[static_cast<std::size_t>(phase::computing)];
  computing_of_steps_.push_back(now - computing_before_);
  computing_before_ = now;
}

bool memory_suffices(const mesh& m) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(m.comm, MPI_COMM_TYPE_SHARED, m.rank, MPI_INFO_NULL, &node);
  const double faces = 12.0 * m.form.cells * m.form.cells * m.form.variables;  // in buffers, given and taken
  double needed = static_cast<double>(m.blocks.size()) * (static_cast<double>(m.form.doubles()) + faces) * 8 /
                  (1 << 20);
  MPI_Allreduce(MPI_IN_PLACE, &needed, 1, MPI_DOUBLE, MPI_SUM, node);
  MPI_Comm_free(&node);
  const double available = available_bytes() / (1 << 20);
  int lacking = needed > available;
  const double most = over_ranks(m, needed).most;
  MPI_Allreduce(MPI_IN_PLACE, &lacking, 1, MPI_INT, MPI_MAX, m.comm);
  if (m.rank == 0) {
    std::fprintf(lacking != 0 ? stderr : stdout,
                 "%s%zu blocks at the start need %.1f MiB on a node, which has %.0f MiB.\n",
                 lacking != 0 ? "amr: " : "", m.all.leaves().size(), most, available);
  }
  return lacking == 0;
}

table::table(const mesh& m) {
  if (m.rank != 0) return;
  std::printf("    step  seconds   blocks per rank      imbalance  blocks per level\n");
  std::printf("                    least   mean   most\n");
}

void table::line(const mesh& m, const stopwatch& watch, int step, double seconds) {
  const spread computing = over_ranks_by_step(m, watch.computing_of_steps(), steps_seen_);
  steps_seen_ = watch.computing_of_steps().size();
  if (m.rank != 0) return;
  const block_counts c = count(m);
  std::printf("%8d %8.3f %8d %6.1f %6d %14.3f ", step, seconds, c.least, 1.0 * static_cast<double>(c.all) / m.ranks,
              c.most, computing.imbalance());
  for (const long long n : c.per_level) std::printf(" %lld", n);
  std::printf("\n");
  std::fflush(stdout);
}

void print_check(const mesh& m, const char* when, const checksum& now, const checksum& start) {
  if (m.rank == 0) std::printf("checksum %s: %016" PRIx64 ", drift %.1e\n", when, now.bits, now.drift_since(start));
}

void print_summary(const mesh& m, const stopwatch& watch, const totals& t, const checksum& start, const checksum& end) {
  static constexpr const char* names[] = {"computing", "communicating", "refining", "balancing", "checking"};
  std::array<spread, phases> all{};
  for (std::size_t p = 0; p < phases; ++p) all[p] = over_ranks(m, watch.seconds()[p]);
  const spread seconds = over_ranks(m, t.seconds);
  const spread by_step = over_ranks_by_step(m, watch.computing_of_steps(), 0);
  const double messages = sum(m, static_cast<double>(t.messages)), bytes = sum(m, static_cast<double>(t.bytes));
  const double swept = sum(m, static_cast<double>(t.swept));
  if (m.rank != 0) return;
  const block_counts blocks = count(m);
  std::printf("\nseconds          mean   busiest\n");
  for (std::size_t p = 0; p < phases; ++p) std::printf("%-13s %7.3f %9.3f\n", names[p], all[p].mean, all[p].most);
  std::printf("%-13s %7.3f %9.3f\n\n", "all", seconds.mean, seconds.most);
  std::printf("blocks           %lld\n", blocks.all);
  std::printf("cells swept      %.4g million per second\n", swept / seconds.most / 1e6);
  std::printf("messages         %.1f per rank and step, %.1f KiB each\n", messages / m.ranks / std::max(t.steps, 1),
              messages > 0 ? bytes / messages / 1024 : 0);
  std::printf("imbalance        %.3f of the whole run, %.3f step by step (busiest over mean, computing)\n",
              all[0].imbalance(), by_step.imbalance());
  std::printf("drift            %.1e of a variable's mean\n\n", end.drift_since(start));
  for (std::size_t v = 0; v < end.mean.size(); ++v) {
    std::printf("variable %zu: mean %.17g, mean square %.17g\n", v, end.mean[v], end.mean_square[v]);
  }
  std::printf("result: seconds=%.6f checksum=%016" PRIx64
              " imbalance=%.4f step_imbalance=%.4f computing_max=%.6f computing_mean=%.6f communicating_max=%.6f "
              "communicating_mean=%.6f refining=%.6f balancing=%.6f ranks=%d blocks=%lld drift=%.2e\n",
              seconds.most, end.bits, all[0].imbalance(), by_step.imbalance(), all[0].most, all[0].mean, all[1].most,
              all[1].mean, all[2].most, all[3].most, m.ranks, blocks.all, end.drift_since(start));
}

}  // namespace amr
