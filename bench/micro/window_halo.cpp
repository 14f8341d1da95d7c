// A five-point stencil whose ranks exchange the borders of their parts by messages, or read those of others in a
// window.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; ranks-may-be=any
// bench: cases=communication 64 messages, communication 64 fence, communication 64 notified, communication 64 direct
// bench: cases=step 64 messages, step 64 fence, step 64 notified, step 64 direct
// bench: cases=communication 256 messages, communication 256 fence, communication 256 notified
// bench: cases=communication 256 direct, step 256 messages, step 256 fence, step 256 notified, step 256 direct
// bench: cases=communication 1024 messages, communication 1024 fence, communication 1024 notified
// bench: cases=communication 1024 direct, step 1024 messages, step 1024 fence, step 1024 notified, step 1024 direct
//
// The experiment of Hoefler et al., MPI + MPI (Computing 95, 2013). A grid of N x N cells, of which each
// rank has some rows, in the memory of a window. In each step every cell becomes the mean of its four neighbours, after
// the rank has the rows beside its own from the ranks above and below:
//   messages   by non-blocking messages into the rows around its own
//   fence      behind a fence it copies them out of the others' memory
//   notified   the same when those two have notified it. MPIs have no notifications: theirs are flags that a program
//              writes for itself, in shared memory, with MPI_Win_sync
//   direct     the same, but it reads them where they are
// A value is the time of a step, or what it takes until the rows are there, by a clock before and after, as the mean of
// all ranks.
//
// The cells are x^2 + y^2 + t, for which such a step adds 1 to t, without rounding; the outermost ones are set to it.
// All are checked after each batch: had any row been of another step, they would differ.
#include "windows.hpp"

namespace {

enum class mode { messages, fence, notified, direct };

constexpr const char* name_of(mode how) {
  constexpr const char* names[] = {"messages", "fence", "notified", "direct"};
  return names[static_cast<int>(how)];
}

/// Of this rank, which has the rows from `first` on.
class grid {
 public:
  grid(const bench::session& s, int cells)
      : cells_(cells),
        width_(static_cast<std::size_t>(cells) + 2),
        first_(first_of(bench::rank())),
        rows_(first_of(bench::rank() + 1) - first_),
        window_(bench::make_window(bench::window_kind::shared, sizeof(double) * 2 * words_of(most_rows()))),
        notifications_(s, window_) {
    if (rows_ == 0) {
      std::fprintf(stderr, "rank %d has none of the %d rows: use fewer ranks\n", bench::rank(), cells);
      bench::abort_job();
    }
    const int me = bench::rank();
    if (me > 0) above_ = {me - 1, part_of(me - 1), first_ - first_of(me - 1)};
    if (me + 1 < bench::size()) below_ = {me + 1, part_of(me + 1), 1};
    for (int j = 0; j <= rows_ + 1; ++j) {
      for (int i = 0; i <= cells_ + 1; ++i) row(0, j)[i] = row(1, j)[i] = cell(i, j);
    }
    bench::barrier();
  }
  ~grid() {
    bench::barrier();
    bench::free_window(window_);
  }
  grid(const grid&) = delete;
  grid& operator=(const grid&) = delete;

  void begin(mode how) {
    if (!uses_notifications(how)) return;
    bench::lock_all(window_);
    bench::barrier();  // a lock may need the other rank inside MPI, and who waits for a flag is not there
  }
  void end(mode how) {
    if (uses_notifications(how)) bench::unlock_all(window_);
    for (int j = 1; j <= rows_; ++j) {
      for (int i = 1; i <= cells_; ++i) {
        const auto found = static_cast<long>(row(step_, j)[i]);
        bench::check(found == static_cast<long>(cell(i, j)), "cells", 0, static_cast<long>(cell(i, j)), found);
      }
    }
  }

  /// Until the rows above and below are there, those of the step.
  void communicate(mode how) {
    if (how == mode::messages) return exchange();
    if (how == mode::fence) {
      bench::fence(window_);
    } else {
      if (above_.rank >= 0) notifications_.notify(above_.rank, from_below);
      if (below_.rank >= 0) notifications_.notify(below_.rank, from_above);
      if (above_.rank >= 0) notifications_.wait_for(from_above);
      if (below_.rank >= 0) notifications_.wait_for(from_below);
    }
    if (how == mode::direct) return;
    if (above_.rank >= 0) std::memcpy(row(step_, 0), row_of(above_), width_ * sizeof(double));
    if (below_.rank >= 0) std::memcpy(row(step_, rows_ + 1), row_of(below_), width_ * sizeof(double));
  }

  void compute(mode how) {
    const double* above = row(step_, 0);
    const double* below_last = row(step_, rows_ + 1);
    if (how == mode::direct && above_.rank >= 0) above = row_of(above_);
    if (how == mode::direct && below_.rank >= 0) below_last = row_of(below_);
    if (above_.rank < 0) set_outermost(0);
    if (below_.rank < 0) set_outermost(rows_ + 1);
    for (int j = 1; j <= rows_; ++j) {
      const double* const here = row(step_, j);
      const double* const below = j == rows_ ? below_last : row(step_, j + 1);
      double* const to = row(step_ + 1, j);
      to[0] = here[0] + 1;
      for (int i = 1; i <= cells_; ++i) to[i] = 0.25 * (here[i - 1] + here[i + 1] + above[i] + below[i]);
      to[cells_ + 1] = here[cells_ + 1] + 1;
      above = here;
    }
    ++step_;
  }

 private:
  struct neighbour {
    int rank = -1;
    double* part = nullptr;
    int row = 0;  // the one beside this rank's
  };
  static constexpr int from_above = 0;
  static constexpr int from_below = 1;

  static bool uses_notifications(mode how) { return how == mode::notified || how == mode::direct; }

  int first_of(int rank) const { return static_cast<int>(static_cast<long>(cells_) * rank / bench::size()); }
  int most_rows() const { return cells_ / bench::size() + 1; }
  /// Of one of the two steps that are kept.
  std::size_t words_of(int rows) const { return width_ * (static_cast<std::size_t>(rows) + 2); }
  double* part_of(int rank) const { return static_cast<double*>(bench::part_of(window_, rank)); }

  static double square(int i) { return static_cast<double>(i) * i; }
  double cell(int i, int j) const { return square(i) + square(first_ + j) + static_cast<double>(step_); }

  double* row_in(double* part, long step, int j) const {
    return part + static_cast<std::size_t>(step % 2) * words_of(most_rows()) + static_cast<std::size_t>(j) * width_;
  }
  double* row(long step, int j) const { return row_in(static_cast<double*>(window_.base), step, j); }
  const double* row_of(const neighbour& which) const { return row_in(which.part, step_, which.row); }

  void set_outermost(int j) {
    const double* const here = row(step_, j);
    double* const to = row(step_ + 1, j);
    for (int i = 0; i <= cells_ + 1; ++i) to[i] = here[i] + 1;
  }

  void exchange() {
    const std::size_t bytes = width_ * sizeof(double);
    bench::request requests[4];
    int n = 0;
    if (above_.rank >= 0) requests[n++] = bench::irecv(row(step_, 0), bytes, above_.rank, from_above);
    if (below_.rank >= 0) requests[n++] = bench::irecv(row(step_, rows_ + 1), bytes, below_.rank, from_below);
    if (above_.rank >= 0) requests[n++] = bench::isend(row(step_, 1), bytes, above_.rank, from_below);
    if (below_.rank >= 0) requests[n++] = bench::isend(row(step_, rows_), bytes, below_.rank, from_above);
    bench::waitall(n, requests);
  }

  const int cells_;
  const std::size_t width_;
  const int first_;
  const int rows_;
  bench::rma_window window_;
  bench::notifications notifications_;
  neighbour above_, below_;
  long step_ = 0;
};

/// The whole step.
struct steps {
  grid& on;
  mode how;

  void begin() { on.begin(how); }
  void operator()(long count) {
    for (long i = 0; i < count; ++i) {
      on.communicate(how);
      on.compute(how);
    }
  }
  void end() { on.end(how); }
};

/// The communication in it.
struct communications {
  grid& on;
  mode how;

  void begin() { on.begin(how); }
  double operator()(long count) {
    double seconds = 0;
    for (long i = 0; i < count; ++i) {
      const double start = bench::now();
      on.communicate(how);
      seconds += bench::now() - start;
      on.compute(how);
    }
    double all = 0;
    bench::allreduce(&seconds, &all, 1);
    return all / bench::size();
  }
  void end() { on.end(how); }
};

}  // namespace

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  for (const int cells : {64, 256, 1024}) {
    grid on(session, cells);
    for (const mode how : {mode::messages, mode::fence, mode::notified, mode::direct}) {
      const std::string name = std::to_string(cells) + " " + name_of(how);
      session.measure("communication " + name, 0, communications{on, how}, bench::us_per());
      session.measure("step " + name, 0, steps{on, how}, bench::us_per());
    }
  }
}
