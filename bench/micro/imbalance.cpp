// One step of a stencil with random work, where one of two ranks has three times the work of the other.
//
// bench: systems=pure, mpi, limit; unit=us; better=lower; ranks=2
// bench: cases=static 1:3, moving
//
// The paper's example (Listings 1 and 2) in small. In each step a rank works on each of its 512 cells, exchanges the
// cells at the border by messages, and replaces each cell by the mean of three. The work on a cell is a chain of
// dependent floating-point operations (work.hpp) of 0.1 us, or 0.2, ... or 1.6, which a hash of its value decides, and
// three times as much on the rank that has more to do: always rank 1, or (moving) the other one after every 4 steps.
// With Pure the work is a PureTask, which the rank that waits for the border shares. MPIs cannot share it. The system
// limit is perfect balance: half the time of one thread that does the work of both.
//
// After 16 steps the cells are compared with those of a serial run, bit by bit, and start anew.
#include "work.hpp"

namespace {

constexpr std::size_t cells = 512;  // of a rank
constexpr int steps_in_run = 16;
constexpr int steps_between_moves = 4;
constexpr int most_doublings = 4;
constexpr double least_work_us = 0.1;
constexpr double imbalance = 3;

/// The finaliser of SplitMix64: every bit of the input matters to every bit of the result.
std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// Half of all values take `unit_steps` steps, a quarter twice as many, and so on.
double random_work(double value, double unit_steps) {
  const std::uint64_t hash = mix(std::bit_cast<std::uint64_t>(value));
  const int doublings = std::countr_zero(hash | std::uint64_t{1} << most_doublings);
  return bench::chain(value, static_cast<long>(unit_steps * static_cast<double>(1 << doublings)));
}

double start_value(std::size_t cell) { return static_cast<double>(mix(cell + 1) >> 11U) * 0x1p-53; }

/// Who has how much to do.
struct load {
  bool moving;
  double unit_steps;

  /// Of a rank's cells in a step.
  double steps_of(int rank, int step) const {
    const int heavy = moving ? step / steps_between_moves % 2 : 1;
    return rank == heavy ? imbalance * unit_steps : unit_steps;
  }
};

using line = std::vector<double>;

/// Cells 1..size-2 become the means of three.
void take_means(const line& worked, line& into) {
  for (std::size_t i = 1; i + 1 < worked.size(); ++i) into[i] = (worked[i - 1] + worked[i] + worked[i + 1]) / 3.0;
}

/// The cells of both ranks after a run. The two ends of the line do not change.
line serial_run(const load& who) {
  line a(2 * cells);
  line worked(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = start_value(i);
  for (int step = 0; step < steps_in_run; ++step) {
    const double steps[] = {who.steps_of(0, step), who.steps_of(1, step)};
    for (std::size_t i = 0; i < a.size(); ++i) worked[i] = random_work(a[i], steps[i / cells]);
    take_means(worked, a);
  }
  return a;
}

void check_cells(const double* found, const double* expected, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bench::check_result(found[i], expected[i], "cell");
}

#if defined(BENCH_LIMIT)

void measure(bench::session& s, const std::string& name, const load& who) {
  const line expected = serial_run(who);
  auto body = [&](long runs) {
    for (long n = 0; n < runs; ++n) check_cells(serial_run(who).data(), expected.data(), expected.size());
  };
  s.measure(name, 0, body, bench::us_per(2 * steps_in_run));
}

#else

/// What a rank knows of the line: its cells, and one of the other's beside them.
class part {
 public:
  explicit part(const load& who) : who_(who) {}
  part(const part&) = delete;  // the task points here
  part& operator=(const part&) = delete;

  void run() {
    for (std::size_t i = 0; i < a_.size(); ++i) a_[i] = start_value(first_ + i);
    for (int step = 0; step < steps_in_run; ++step) {
      work(who_.steps_of(me_, step));
      exchange_border();
      take_means(worked_, a_);
    }
  }
  void check(const line& expected) const { check_cells(&a_[own_], &expected[first_ + own_], cells); }

 private:
  void work_on(std::size_t i, double unit_steps) { worked_[own_ + i] = random_work(a_[own_ + i], unit_steps); }

#if defined(BENCH_PURE)
  void work(double unit_steps) { task_.execute(&unit_steps); }

  PureTask task_ = [this](chunk_id_t start_chunk, chunk_id_t end_chunk, std::optional<void*> unit_steps) {
    const double steps = *static_cast<const double*>(*unit_steps);
    const auto [first, last] = pure_aligned_idx_range<double>(cells, start_chunk, end_chunk);
    for (auto i = first; i <= last; ++i) work_on(static_cast<std::size_t>(i), steps);
  };
#else
  void work(double unit_steps) {
    for (std::size_t i = 0; i < cells; ++i) work_on(i, unit_steps);
  }
#endif

  void exchange_border() {
    const int other = 1 - me_;
    bench::request received = bench::irecv(&worked_[me_ == 0 ? cells : 0], sizeof(double), other, 0);
    bench::send(&worked_[me_ == 0 ? cells - 1 : 1], sizeof(double), other, 0);
    bench::wait(received);
  }

  const load who_;
  const int me_ = bench::rank();
  const std::size_t first_ = me_ == 0 ? 0 : cells - 1;  // the number of a_[0] in the whole line
  const std::size_t own_ = me_ == 0 ? 0 : 1;            // where the rank's own cells begin
  line a_ = line(cells + 1);
  line worked_ = line(cells + 1);
};

void measure(bench::session& s, const std::string& name, const load& who) {
  const line expected = serial_run(who);
  part mine(who);
  auto body = [&](long runs) {
    for (long n = 0; n < runs; ++n) {
      mine.run();
      mine.check(expected);
    }
  };
  s.measure(name, 0, body, bench::us_per(steps_in_run));
}

#endif

}  // namespace

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  const double unit_steps = least_work_us * bench::steps_per_us();
  measure(session, "static 1:3", {false, unit_steps});
  measure(session, "moving", {true, unit_steps});
}
