#include "cg_solver.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace windows {

double exact_solution(int row) {
  const unsigned scattered = static_cast<unsigned>(row) * 2654435761U;
  return 1 + 0.5 * std::sin(0.37 * row) + (scattered >> 24U) / 256.0;
}

namespace {

using clock = std::chrono::steady_clock;
double seconds_since(clock::time_point begin) { return std::chrono::duration<double>(clock::now() - begin).count(); }

// Dot products of vectors of which each rank has its planes.
class plane_sums {
 public:
  plane_sums(team& ranks, const mesh& points)
      : ranks_(ranks), plane_(points.plane()), mine_(share(points.nz, ranks.rank(), ranks.size())) {
    sums_.resize(static_cast<std::size_t>(points.nz));
  }

  double dot(const double* a, const double* b) {
    // The planes of other ranks are zeros here, which change no bit of a sum over the ranks.
    std::fill(sums_.begin(), sums_.end(), 0.0);
    for (int k = mine_.begin; k < mine_.end; ++k) {
      double sum = 0;
      for (int i = 0; i < plane_; ++i) sum += *a++ * *b++;
      sums_[static_cast<std::size_t>(k)] = sum;
    }
    ranks_.sum(sums_);
    double all = 0;
    for (const double sum : sums_) all += sum;
    return all;
  }

 private:
  team& ranks_;
  int plane_;
  range mine_;
  std::vector<double> sums_;
};

}  // namespace

solution solve(team& ranks, const matrix& a, shared_vectors& vectors, preconditioner& m, const limits& to) {
  const mesh& points = a.points();
  const range planes = share(points.nz, ranks.rank(), ranks.size());
  const int first = planes.begin * points.plane(), rows = planes.size() * points.plane();
  double *const r = vectors.r.first() + first, *const z = vectors.z.first() + first;
  double *const p = vectors.p.first() + first, *const all_p = vectors.p.first();
  std::vector<double> x(static_cast<std::size_t>(rows)), ap(static_cast<std::size_t>(rows));
  plane_sums sums(ranks, points);

  for (int i = 0; i < rows; ++i) p[i] = exact_solution(first + i);
  vectors.p.fence();
  for (int i = 0; i < rows; ++i) r[i] = a.times(first + i, all_p);
  vectors.p.fence();  // all have read p
  std::fill(p, p + rows, 0.0);

  solution found;
  found.history.push_back(std::sqrt(sums.dot(r, r)));
  const auto begin = clock::now();
  double rho = 1;
  while (found.iterations() < to.most_iterations && !found.has_converged(to)) {
    const auto sweeps_begin = clock::now();
    m.apply(vectors);
    found.seconds_in_sweeps += seconds_since(sweeps_begin);
    const double last_rho = rho;
    rho = sums.dot(r, z);
    const double beta = found.iterations() == 0 ? 0 : rho / last_rho;
    for (int i = 0; i < rows; ++i) p[i] = z[i] + beta * p[i];
    vectors.p.fence();
    for (int i = 0; i < rows; ++i) ap[static_cast<std::size_t>(i)] = a.times(first + i, all_p);
    const double alpha = rho / sums.dot(p, ap.data());  // to which every rank has come: all have read p
    for (int i = 0; i < rows; ++i) {
      x[static_cast<std::size_t>(i)] += alpha * p[i];
      r[i] -= alpha * ap[static_cast<std::size_t>(i)];
    }
    found.history.push_back(std::sqrt(sums.dot(r, r)));
  }
  found.seconds = seconds_since(begin);
  std::vector<double> errors(static_cast<std::size_t>(ranks.size()));
  for (int i = 0; i < rows; ++i) {
    double& worst = errors[static_cast<std::size_t>(ranks.rank())];
    worst = std::max(worst, std::abs(x[static_cast<std::size_t>(i)] - exact_solution(first + i)));
  }
  ranks.sum(errors);
  found.error = *std::max_element(errors.begin(), errors.end());
  return found;
}

}  // namespace windows
