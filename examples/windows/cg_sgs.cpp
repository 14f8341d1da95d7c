// Experiment 2: how many iterations conjugate gradients take when each rank preconditions its own subdomain, and when
// all ranks precondition one that they share (MPI + MPI, section 5.1, figure 4); and what the shared sweeps cost.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "cg_solver.hpp"
#include "options.hpp"

namespace windows {
namespace {

// FNV-1a of all bits: equal histories have equal ones.
std::uint64_t hash_of(const std::vector<double>& history) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const double each : history) {
    const auto bits = std::bit_cast<std::uint64_t>(each);
    for (unsigned shift = 0; shift < 64; shift += 8) hash = (hash ^ ((bits >> shift) & 255U)) * 0x100000001b3ULL;
  }
  return hash;
}

void check(const team& ranks, const cg_options& o) {
  constexpr double most_rows = 1 << 26;
  if (static_cast<double>(o.nx) * o.ny * o.nz > most_rows) {
    throw failure(text("%d x %d x %d points are more than %.0f", o.nx, o.ny, o.nz, most_rows));
  }
  if (o.subdomains.empty() && ranks.size() > o.nz) {
    throw failure(
        text("%d planes along z are too few for subdomains of %d ranks: --nz must be at least %d, or "
             "--subdomains say how many",
             o.nz, ranks.size(), ranks.size()));
  }
  for (const int each : o.subdomains) {
    if (each > o.nz) throw failure(text("--subdomains %d: there are only %d planes along z", each, o.nz));
  }
}

// By all ranks. False if something is wrong, which rank 0 has said.
bool run(team& ranks, const cg_options& o, const matrix& a, const std::string& method, int subdomains) {
  const limits to{o.tolerance, o.most_iterations};
  solution found;
  {
    shared_vectors vectors(ranks, a.points());
    const auto m = make_preconditioner(method, ranks, a, subdomains);
    found = solve(ranks, a, vectors, *m, to);
  }
  if (ranks.rank() != 0) return true;
  const double iterations = found.iterations() == 0 ? 1 : found.iterations();
  std::printf("%-9s %10d %10d %10.3f %10.3f %10.3f %10.1e  %016llx\n", method.c_str(), subdomains, found.iterations(),
              found.seconds, 1e3 * found.seconds / iterations, 1e3 * found.seconds_in_sweeps / iterations, found.error,
              static_cast<unsigned long long>(hash_of(found.history)));
  std::fflush(stdout);
  if (!found.has_converged(to)) {
    std::fprintf(stderr, "windows_cg_sgs: %s: the residual is not below %g of the first one after %d iterations\n",
                 method.c_str(), to.tolerance, found.iterations());
    return false;
  }
  if (!o.verify) return true;
  if (serial_history(a.points(), o.diagonal, subdomains, to) != found.history) {
    std::fprintf(stderr, "windows_cg_sgs: %s, %d subdomains: the residuals are not those of a serial program\n",
                 method.c_str(), subdomains);
    return false;
  }
  std::printf("  verified: every residual equals a serial program's, bit for bit\n");
  return true;
}

int cg_sgs(team& ranks, int argc, char** argv) {
  cg_options o;
  if (const auto status = parse(argc, argv, ranks.rank() == 0, o)) return *status;
  check(ranks, o);
  if (ranks.rank() == 0) {
    std::printf("windows_cg_sgs on %s: %d ranks, %d x %d x %d points, diagonal %g, tolerance %g\n", team::name(),
                ranks.size(), o.nx, o.ny, o.nz, o.diagonal, o.tolerance);
    std::printf("method    subdomains iterations    seconds  ms/iter.  ms sweeps      error  hash of all residuals\n");
  }
  const matrix a(ranks, {o.nx, o.ny, o.nz}, o.diagonal);
  std::uint64_t wrong = 0;
  for (const std::string& method : o.methods) {
    std::vector<int> subdomains(1, 1);
    if (method == "own") {
      subdomains = o.subdomains.empty() ? std::vector<int>(1, ranks.size()) : o.subdomains;
    }
    for (const int each : subdomains) wrong += run(ranks, o, a, method, each) ? 0 : 1;
  }
  ranks.sum({&wrong, 1});
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace windows

int main(int argc, char** argv) { return windows::launch(argc, argv, "windows_cg_sgs", windows::cg_sgs); }
