// random_stencil: runs the paper's 1-D stencil with random work (Listing 2 on Pure, Listing 1 on MPI) and checks it
// against a serial run, bit for bit. Every rank runs main. The message calls around the listing are those of ../md.
#include <cstdio>
#include <cstring>
#include <vector>

#include "../md/messages.hpp"
#include "options.hpp"
#include "random_work.hpp"

namespace {

constexpr int gather_tag = 1;

// Any start will do; this one differs everywhere.
double start_value(std::size_t index) { return static_cast<double>(index % 1013) / 1013.0; }

// The whole domain at once. The listing's ranks never touch the two ends of the domain, and elsewhere add the same
// three numbers in the same order, so the results are the same to the bit.
std::vector<double> serial_stencil(std::size_t size, std::size_t iterations) {
  std::vector<double> a(size);
  std::vector<double> temp(size);
  for (std::size_t i = 0; i < size; ++i) a[i] = start_value(i);
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
  const std::vector<double> serial = serial_stencil(parallel.size(), o.iterations);
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

int run(md::messages& job, const options& o) {
  set_work_unit(o.work);
  std::vector<double> a(o.size);
  const std::size_t first = o.size * static_cast<std::size_t>(job.rank());
  for (std::size_t i = 0; i < o.size; ++i) a[i] = start_value(first + i);

  if (job.rank() == 0) {
    std::printf("random_stencil on %s: %d ranks, %zu elements each, %zu iterations, work unit %ld\n",
                md::messages::system(), job.size(), o.size, o.iterations, o.work);
    std::fflush(stdout);
  }
  job.barrier();
  const double start_s = md::messages::wtime_s();
  RAND_STENCIL(a.data(), o.size, o.iterations, job.rank(), job.size());
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

int main(int argc, char** argv) {
  md::messages job(argc, argv);
  options o;
  const std::optional<int> ends_now = parse(argc, argv, job.rank() == 0, o);
  const int status = ends_now ? *ends_now : run(job, o);
  job.barrier();  // a rank that returns non-zero may end the job: not before rank 0 has said why
  return status;
}
