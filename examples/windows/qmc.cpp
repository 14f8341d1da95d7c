// Experiment 3: a quantum Monte Carlo walk over a table of coefficients that each rank has for itself, or that is there
// once (MPI + MPI, section 5.2, algorithm 5): memory, set-up, time of a look-up, and the sum of what was found.
#include <sys/mman.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "options.hpp"
#include "qmc_walk.hpp"
#include "team.hpp"

namespace windows {
namespace {

using clock = std::chrono::steady_clock;
double seconds_since(clock::time_point begin) { return std::chrono::duration<double>(clock::now() - begin).count(); }

// Whoever holds it keeps the table.
class table {
 public:
  virtual ~table() = default;
  [[nodiscard]] virtual const float* coefficients() const = 0;
};

// Of this rank alone. Straight from the kernel, to which it goes back, so that the next table can be measured.
class own_table : public table {
 public:
  own_table(team& ranks, const orbitals& of) : bytes_(of.size() * sizeof(float)) {
    void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::uint64_t refused = memory == MAP_FAILED ? 1 : 0;
    if (refused == 0) memory_ = static_cast<float*>(memory);
    ranks.sum({&refused, 1});
    if (refused > 0) {
      release();
      throw failure(
          text("%llu of %d ranks get no memory for a table of their own, of %.0f MiB: take a smaller --grid, "
               "fewer --orbitals or ranks, or --tables shared",
               static_cast<unsigned long long>(refused), ranks.size(), static_cast<double>(bytes_) / (1 << 20)));
    }
    of.make_planes({0, of.grid()}, memory_);
  }
  ~own_table() override { release(); }
  own_table(const own_table&) = delete;
  own_table& operator=(const own_table&) = delete;

  [[nodiscard]] const float* coefficients() const override { return memory_; }

 private:
  void release() {
    if (memory_ != nullptr) munmap(memory_, bytes_);
  }

  std::size_t bytes_;
  float* memory_ = nullptr;
};

// One for all ranks, of which each makes the planes that are given to it.
class shared_table : public table {
 public:
  shared_table(team& ranks, const orbitals& of, range planes)
      : window_(ranks, static_cast<std::size_t>(planes.size()) * of.plane_size(), placement::contiguous, "table") {
    of.make_planes(planes, window_.part(ranks.rank()).data());
    window_.fence();
  }
  [[nodiscard]] const float* coefficients() const override { return window_.first(); }

 private:
  window<float> window_;
};

std::unique_ptr<table> make_table(const std::string& kind, team& ranks, const orbitals& of) {
  if (kind == "own") return std::make_unique<own_table>(ranks, of);
  if (kind == "shared") return std::make_unique<shared_table>(ranks, of, range{0, ranks.rank() == 0 ? of.grid() : 0});
  return std::make_unique<shared_table>(ranks, of, share(of.grid(), ranks.rank(), ranks.size()));
}

// The memory of this process, of pages shared with others its share (proc(5)), in bytes.
std::optional<double> memory_in_use() {
  std::ifstream file("/proc/self/smaps_rollup");
  std::string word;
  while (file >> word) {
    double kilobytes = 0;
    if (word == "Pss:" && file >> kilobytes) return 1024 * kilobytes;
  }
  return std::nullopt;
}

// Of all processes of the job; nothing, on all ranks, if one of them cannot tell. By all ranks.
std::optional<double> memory_of_job(team& ranks) {
  ranks.barrier();
  double sums[] = {0, 0};
  if (ranks.is_first_of_its_process()) {
    const std::optional<double> here = memory_in_use();
    sums[here ? 0 : 1] = here.value_or(1);
  }
  ranks.sum(sums);  // nobody goes on before all have looked
  return sums[1] == 0 ? std::optional(sums[0]) : std::nullopt;
}

template <class Source>
walk_result walk_all(range walkers, const orbitals& of, const Source& coefficients, const walk_options& o,
                     std::vector<double>& sums) {
  walk_result all;
  for (int walker = walkers.begin; walker < walkers.end; ++walker) {
    const walk_result one = walk(walker, of, coefficients, o);
    sums[static_cast<std::size_t>(walker)] = one.sum;
    all.accepted += one.accepted;
  }
  return all;
}

// In the order of the walkers, whoever has walked them.
double sum_of(const std::vector<double>& sums) {
  double all = 0;
  for (const double each : sums) all += each;
  return all;
}

struct outcome {
  std::optional<double> bytes;
  double set_up_s = 0, walk_s = 0, sum = 0;
  std::uint64_t accepted = 0;
};

outcome run(const std::string& kind, team& ranks, const orbitals& of, const qmc_options& o) {
  outcome found;
  const std::optional<double> before = memory_of_job(ranks);
  auto begin = clock::now();
  std::vector<double> sums(static_cast<std::size_t>(o.walkers));
  const std::unique_ptr<table> coefficients = make_table(kind, ranks, of);
  ranks.barrier();
  found.set_up_s = seconds_since(begin);

  begin = clock::now();
  walk_result mine = walk_all(share(o.walkers, ranks.rank(), ranks.size()), of,
                              from_table{of, coefficients->coefficients()}, {o.particles, o.generations, o.step}, sums);
  double busy_s = seconds_since(begin);
  ranks.sum(sums);
  ranks.sum({&mine.accepted, 1});
  ranks.sum({&busy_s, 1});
  found.sum = sum_of(sums);
  found.accepted = mine.accepted;
  found.walk_s = busy_s;
  if (const std::optional<double> after = memory_of_job(ranks); before && after) found.bytes = *after - *before;
  return found;
}

void print(const std::string& kind, const outcome& found, const orbitals& of, const qmc_options& o, int ranks) {
  const double lookups = static_cast<double>(o.walkers) * o.particles * (o.generations + 1.0);
  const double moves = static_cast<double>(o.walkers) * o.particles * o.generations;
  constexpr double mib = 1 << 20;
  if (found.bytes) {
    std::printf("%-7s %10.1f %8.2f %10.1f", kind.c_str(), *found.bytes / mib,
                *found.bytes / (sizeof(float) * static_cast<double>(of.size())), *found.bytes / mib / ranks);
  } else {
    std::printf("%-7s %10s %8s %10s", kind.c_str(), "unknown", "unknown", "unknown");
  }
  std::printf(" %9.3f %11.3f %9.3f  %.17g\n", found.set_up_s, 1e6 * found.walk_s / lookups,
              static_cast<double>(found.accepted) / moves, found.sum);
  std::fflush(stdout);
}

// On rank 0: whether all sums are the same, and, if asked, that of a walk without a table.
bool agree(const std::vector<outcome>& all, const orbitals& of, const qmc_options& o) {
  bool same = true;
  for (const outcome& each : all) same = same && each.sum == all.front().sum && each.accepted == all.front().accepted;
  if (!same) std::fprintf(stderr, "windows_qmc: not all tables give the same sum\n");
  if (!o.verify) return same;
  std::vector<double> sums(static_cast<std::size_t>(o.walkers));
  const from_nothing computed{of, std::vector<float>(static_cast<std::size_t>(of.count()))};
  walk_all({0, o.walkers}, of, computed, {o.particles, o.generations, o.step}, sums);
  const bool right = sum_of(sums) == all.front().sum;
  if (right) {
    std::printf("  verified: the sum equals that of a serial walk without a table, bit for bit\n");
  } else {
    std::fprintf(stderr, "windows_qmc: the sum is not that of a serial walk without a table, %.17g\n", sum_of(sums));
  }
  return same && right;
}

int qmc(team& ranks, int argc, char** argv) {
  qmc_options o;
  if (const auto status = parse(argc, argv, ranks.rank() == 0, o)) return *status;
  const orbitals of(o.grid, o.orbitals);
  if (ranks.rank() == 0) {
    std::printf(
        "windows_qmc on %s: %d ranks, a table of %d x %d x %d x %d coefficients, %.1f MiB; %d walkers of %d "
        "particles, %d generations\n",
        team::name(), ranks.size(), o.grid, o.grid, o.grid, o.orbitals,
        sizeof(float) * static_cast<double>(of.size()) / (1 << 20), o.walkers, o.particles, o.generations);
    std::printf("table   memory MiB   tables   MiB/rank  set-up s  us/look-up  accepted  sum of densities\n");
  }
  std::vector<outcome> all;
  for (const std::string& kind : o.tables) {
    all.push_back(run(kind, ranks, of, o));
    if (ranks.rank() == 0) print(kind, all.back(), of, o, ranks.size());
  }
  std::uint64_t wrong = ranks.rank() != 0 || agree(all, of, o) ? 0 : 1;
  ranks.sum({&wrong, 1});
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace windows

int main(int argc, char** argv) { return windows::launch(argc, argv, "windows_qmc", windows::qmc); }
