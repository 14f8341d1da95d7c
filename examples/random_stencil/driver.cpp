// Runs the paper's 1-D stencil with random work and checks it against a serial run, bit for bit. The message calls
// around the stencil are those of ../md.
#include "driver.hpp"

#include <cstdio>
#include <cstring>
#include <vector>

#include "../md/messages.hpp"
#include "options.hpp"
#include "random_work.hpp"

namespace {

constexpr int gather_tag = 1;

// The whole domain at once. The listing's ranks never touch the two ends of the domain, and elsewhere add the same
// three numbers in the same order, so the results are the same to the bit.
std::vector<double> serial_stencil(std::size_t size, std::size_t iterations, const work_costs& costs) {
  std::vector<double> a(size);
  std::vector<double> temp(size);
  for (std::size_t i = 0; i < size; ++i) a[i] = start_value(i, size, costs);
  for (std::size_t it = 0; it < iterations; ++it) {
    for (std::size_t i = 0; i < size; ++i) temp[i] = random_work(a[i]);
    for (std::size_t i = 1; i + 1 < size; ++i) a[i] = (temp[i - 1] + temp[i] + temp[i + 1]) / 3.0;
  }
  return a;
}

// Nothing is returned on ranks other than 0.
std::vector<double> gather(md::messages& job, const std::vector<double>& mine) {
  if (job.rank() != 0) {
    job.send(std::as_bytes(std::span(mine)), 0, gather_tag);
    return {};
  }
  std::vector<double> all = mine;
  all.resize(mine.size() * static_cast<std::size_t>(job.size()));
  for (int rank = 1; rank < job.size(); ++rank) {
    const auto part = std::span(all).subspan(mine.size() * static_cast<std::size_t>(rank), mine.size());
    job.recv(std::as_writable_bytes(part), rank, gather_tag);
  }
  return all;
}

int compare(const std::vector<double>& parallel, const options& o, double parallel_s) {
  const double start_s = md::messages::wtime_s();
  const std::vector<double> serial = serial_stencil(parallel.size(), o.iterations, o.costs);
  const double serial_s = md::messages::wtime_s() - start_s;
  for (std::size_t i = 0; i < serial.size(); ++i) {
    if (std::memcmp(&serial[i], &parallel[i], sizeof(double)) != 0) {
      std::fprintf(stderr, "random_stencil: WRONG: element %zu (rank %zu) is %.17g, serially %.17g\n", i, i / o.size,
                   parallel[i], serial[i]);
      return 1;
    }
  }
  std::printf("  check       all %zu elements equal a serial run's, bit for bit\n", serial.size());
  std::printf("  serial      %.4f s: %.2f times as long\n", serial_s, serial_s / parallel_s);
  return 0;
}

void print_heading(md::messages& job, const options& o, const char* version) {
  std::printf("random_stencil on %s (%s): %d ranks, %zu elements each, %zu iterations, work unit %ld\n",
              md::messages::system(), version, job.size(), o.size, o.iterations, o.costs.unit);
  if (o.costs.imbalance != 1) {
    std::printf("  imbalance   part 1 of %ld costs %g times as much as the others", o.costs.parts, o.costs.imbalance);
    if (o.costs.moving > 0) std::printf("; another part after every %ld iterations", o.costs.moving);
    std::printf("\n");
  }
  std::fflush(stdout);
}

int run(md::messages& job, options o, const char* version, const stencil& steps) {
  if (o.costs.parts == 0) o.costs.parts = job.size();
  set_work(o.costs);
  const std::size_t size = o.size * static_cast<std::size_t>(job.size());
  const std::size_t first = o.size * static_cast<std::size_t>(job.rank());
  std::vector<double> a(o.size);
  for (std::size_t i = 0; i < o.size; ++i) a[i] = start_value(first + i, size, o.costs);

  if (job.rank() == 0) print_heading(job, o, version);
  job.barrier();
  const double start_s = md::messages::wtime_s();
  steps(a.data(), o.size, o.iterations, job.rank(), job.size());
  job.barrier();
  const double parallel_s = md::messages::wtime_s() - start_s;
  if (job.rank() == 0) std::printf("  loop time   %.4f s\n", parallel_s);
  if (!o.check) return 0;

  const std::vector<double> all = gather(job, a);
  double wrong = job.rank() == 0 ? compare(all, o, parallel_s) : 0;
  job.sum(std::span(&wrong, 1));  // every rank returns the same status
  return wrong != 0 ? 1 : 0;
}

}  // namespace

int run_stencil(int argc, char** argv, const char* version, const stencil& steps) {
  md::messages job(argc, argv);
  options o;
  const std::optional<int> ends_now = parse(argc, argv, job.rank() == 0, o);
  const int status = ends_now ? *ends_now : run(job, o, version, steps);
  job.barrier();  // a rank that returns non-zero may end the job: not before rank 0 has said why
  return status;
}
