// Conjugate gradients, as HPCG has them, without its preconditioner: a box of cells a rank, one above the other, the
// 27-point operator of HPCG (26 on the diagonal, -1 for each neighbour) in compressed rows, its borders exchanged
// before each product, and three sums over all ranks in each iteration. A value is the time of an iteration; "16" has
// 16^3 cells a rank.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; ranks-may-be=any
// bench: cases=8, 16, 32, 64
//
// Heroux, Dongarra, Luszczek: HPCG Technical Specification (2013). The right side is the operator's product with ones,
// as there; after each batch of iterations the solution must be ones, up to the residual's bound, or the program ends.
#include <array>
#include <cmath>
#include <vector>

#include "bench.hpp"

namespace {

using field = std::vector<double>;  // of a rank: a layer of the rank below, its own cells, a layer of the one above

class problem {
 public:
  explicit problem(int edge)
      : edge_(edge), layer_(static_cast<std::size_t>(edge) * static_cast<std::size_t>(edge)), cells_(layer_ * edge_) {
    starts_.push_back(0);
    for (int z = 0; z < edge; ++z) {
      for (int y = 0; y < edge; ++y) {
        for (int x = 0; x < edge; ++x) add_row(x, y, z);
      }
    }
    right_.assign(cells_, 0.0);
    field ones = make();
    std::fill(ones.begin(), ones.end(), 1.0);
    multiply(ones, right_);
  }

  /// From x = 0, until `iterations` are done; the solution starts anew when it has come as near as doubles allow.
  void solve(long iterations) {
    field p = make(), product(cells_);
    std::vector<double> x(cells_), r(cells_);
    for (long done = 0; done < iterations;) {
      std::fill(x.begin(), x.end(), 0.0);
      r = right_;
      std::copy(r.begin(), r.end(), own(p));
      double before = sum_of(r, r);
      const double start = before;
      while (done < iterations && before > 1e-20 * start) {
        multiply(p, product);
        const double alpha = before / sum_of(p.data() + layer_, product.data());
        for (std::size_t i = 0; i < cells_; ++i) {
          x[i] += alpha * p[layer_ + i];
          r[i] -= alpha * product[i];
        }
        const double after = sum_of(r, r);
        const double beta = after / before;
        for (std::size_t i = 0; i < cells_; ++i) p[layer_ + i] = r[i] + beta * p[layer_ + i];
        before = after;
        norm_ = std::sqrt(sum_of(r, r));  // which HPCG compares with its bound; without a preconditioner the same sum
        ++done;
      }
      if (before > 1e-20 * start) continue;
      for (const double each : x)
        bench::check(std::abs(each - 1.0) < 1e-6, "solution", cells_ * sizeof(double), 1, std::lround(each));
    }
  }

 private:
  [[nodiscard]] field make() const { return field(cells_ + 2 * layer_); }
  [[nodiscard]] double* own(field& of) const { return of.data() + layer_; }

  void add_row(int x, int y, int z) {
    const bool is_first = bench::rank() == 0, is_last = bench::rank() + 1 == bench::size();
    for (int dz = -1; dz <= 1; ++dz) {
      if ((is_first && z + dz < 0) || (is_last && z + dz >= edge_)) continue;
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          const int nx = x + dx, ny = y + dy;
          if (nx < 0 || nx >= edge_ || ny < 0 || ny >= edge_) continue;
          columns_.push_back(((z + dz + 1) * edge_ + ny) * edge_ + nx);
          values_.push_back(dx == 0 && dy == 0 && dz == 0 ? 26.0 : -1.0);
        }
      }
    }
    starts_.push_back(static_cast<int>(columns_.size()));
  }

  void exchange(field& of) const {
    const std::size_t bytes = layer_ * sizeof(double);
    const int me = bench::rank();
    std::array<bench::request, 4> all;
    int count = 0;
    if (me > 0) all[count++] = bench::irecv(of.data(), bytes, me - 1, 1);
    if (me + 1 < bench::size()) all[count++] = bench::irecv(of.data() + layer_ + cells_, bytes, me + 1, 2);
    if (me > 0) all[count++] = bench::isend(own(of), bytes, me - 1, 2);
    if (me + 1 < bench::size()) all[count++] = bench::isend(of.data() + cells_, bytes, me + 1, 1);
    bench::waitall(count, all.data());
  }

  void multiply(field& by, std::vector<double>& into) const {
    exchange(by);
    for (std::size_t row = 0; row < cells_; ++row) {
      double sum = 0;
      for (int k = starts_[row]; k < starts_[row + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        sum += values_[at] * by[static_cast<std::size_t>(columns_[at])];
      }
      into[row] = sum;
    }
  }

  [[nodiscard]] double sum_of(const double* a, const double* b) const {
    double mine = 0, all = 0;
    for (std::size_t i = 0; i < cells_; ++i) mine += a[i] * b[i];
    bench::allreduce(&mine, &all, 1);
    return all;
  }
  [[nodiscard]] double sum_of(const std::vector<double>& a, const std::vector<double>& b) const {
    return sum_of(a.data(), b.data());
  }

  const int edge_;
  const std::size_t layer_, cells_;
  std::vector<int> starts_, columns_;
  std::vector<double> values_, right_;
  double norm_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  for (const int edge : {8, 16, 32, 64}) {
    const std::string name = std::to_string(edge);
    if (!session.wants(name)) continue;
    problem its(edge);
    session.measure(
        name, 0, [&](long iterations) { its.solve(iterations); }, bench::us_per());
  }
}
