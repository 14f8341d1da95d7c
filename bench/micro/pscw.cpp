// Post, start, put of 8 B, complete, wait: one epoch of a window between two ranks.
//
// bench: systems=pure, mpi, limit; unit=us; better=lower; distance=yes; ranks=2; ranks-may-be=even
// bench: cases=create 8 B, allocate 8 B, one way create 8 B, one way allocate 8 B
//
// In turn each of the two puts a word into the other's memory and then waits for that one's: the time of an epoch is
// half of both. `one way`: the first one always puts, as in a pipeline. `create`: the window lies in memory of the
// program (MPI_Win_create); `allocate`: in the system's (MPI_Win_allocate). The target looks at each word behind its
// wait.
//
// The system limit is two threads without any library: a store into the other's word, and one line for each with what
// it has been told: that the other has posted, and that it has completed.
#if defined(BENCH_NO_MESSAGES)

#include "limits.hpp"

namespace {

using bench::limits::await_mark;

/// What the other thread writes: the word, and in a line of its own how often it has posted, and completed.
struct side {
  alignas(128) std::atomic<std::uint32_t> posted{0};  // lines are fetched in pairs
  std::atomic<std::uint32_t> completed{0};
  alignas(128) long word = 0;
};

template <int Pauses>
void put(side& target, side& mine, std::uint32_t number) {
  await_mark<Pauses>(mine.posted, number);
  target.word = number;
  target.completed.store(number, std::memory_order_release);  // publishes the word; pairs with await_mark
}
template <int Pauses>
void get(side& origin, side& mine, std::uint32_t number) {
  origin.posted.store(number, std::memory_order_release);  // the word has been read; pairs with await_mark
  await_mark<Pauses>(mine.completed, number);
  bench::check(mine.word == number, "the word of an epoch", 8, number, mine.word);
}

/// The seconds of so many epochs of the first thread, and as many of the second unless they go one way.
template <int Pauses>
double epochs(const bench::session& s, long count, bool is_one_way) {
  side sides[2];
  const auto n = static_cast<std::uint32_t>(count);
  return bench::limits::run_pair(
      s,
      [&] {
        for (std::uint32_t i = 1; i <= n; ++i) {
          put<Pauses>(sides[1], sides[0], i);
          if (!is_one_way) get<Pauses>(sides[1], sides[0], i);
        }
      },
      [&] {
        for (std::uint32_t i = 1; i <= n; ++i) {
          get<Pauses>(sides[0], sides[1], i);
          if (!is_one_way) put<Pauses>(sides[0], sides[1], i);
        }
      });
}

void measure_epochs(bench::session& s, const std::string& name, bool is_one_way) {
  s.measure_best(
      name, 8, bench::us_per(is_one_way ? 1 : 2), [&](long n) { return epochs<0>(s, n, is_one_way); },
      [&](long n) { return epochs<1>(s, n, is_one_way); }, [&](long n) { return epochs<4>(s, n, is_one_way); });
}

}  // namespace

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  for (const bool is_one_way : {false, true}) {
    for (const char* const kind : {"create 8 B", "allocate 8 B"}) {
      measure_epochs(session, is_one_way ? "one way " + std::string(kind) : kind, is_one_way);
    }
  }
}

#else

#include "ping_pong.hpp"
#include "windows.hpp"

namespace {

/// The two ends of a pair's epochs. The word is the number of the epoch.
class epochs {
 public:
  explicit epochs(bench::window_kind kind)
      : window_(bench::make_window(kind, bytes)), peer_(bench::partner()), group_(bench::make_group(peer_)) {}
  ~epochs() {
    bench::free_group(group_);
    bench::free_window(window_);
  }
  epochs(const epochs&) = delete;
  epochs& operator=(const epochs&) = delete;

  void put(std::int64_t number) {
    bench::start_puts(window_, group_);
    bench::put(window_, &number, 1, peer_, 0);
    bench::complete_puts(window_);
  }
  void get(std::int64_t number) {
    bench::post(window_, group_);
    bench::wait_for_puts(window_);
    const std::int64_t found = *static_cast<const volatile std::int64_t*>(window_.base);
    bench::check(found == number, "the word of an epoch", sizeof found, number, found);
  }

 private:
  static constexpr std::size_t bytes = 8 * bench::KB;

  bench::rma_window window_;
  const int peer_;
  bench::rank_group group_;
};

void measure_epochs(bench::session& s, const std::string& name, bench::window_kind kind, bool is_one_way) {
  epochs of_pair(kind);
  const bool first = bench::starts();
  const auto body = [&](long count) {
    for (long i = 0; i < count; ++i) {
      if (first) {
        of_pair.put(i);
        if (!is_one_way) of_pair.get(i);
      } else {
        of_pair.get(i);
        if (!is_one_way) of_pair.put(i);
      }
    }
  };
  s.measure(name, 8, body, bench::us_per(is_one_way ? 1 : 2));
}

}  // namespace

int main(int argc, char** argv) {
  using bench::window_kind;
  bench::session session(argc, argv);
  measure_epochs(session, "create 8 B", window_kind::created, false);
  measure_epochs(session, "allocate 8 B", window_kind::allocated, false);
  measure_epochs(session, "one way create 8 B", window_kind::created, true);
  measure_epochs(session, "one way allocate 8 B", window_kind::allocated, true);
}

#endif
