// What a benchmark is written against: a few message calls, a session, and the timing loop. One source serves every
// system; bench/run compiles it once for each, with -DBENCH_PURE, -DBENCH_MPI or -DBENCH_NO_MESSAGES (raw threads,
// OpenMP, TBB). The message calls are inline and add nothing.
//
// A benchmark makes one bench::session in each rank and calls measure() for each case, in the same order everywhere:
//   session.measure("8 B", 8, [&](long trips) { ...do it `trips` times... }, bench::us_per(2));
// Rank 0 prints what the driver reads: fields separated by tabs, "cpus" once, "sample" for each sample (with the
// distance of two ranks' cores before and after it, where the driver asks for that), "traffic" for each case if it has
// network devices to watch, and "end" when nothing is left to do but to end.
//
// Nothing here is global: the ranks of Pure are threads of one process.
#pragma once

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "device_traffic.hpp"

#if defined(BENCH_PURE)
#include "backend_pure.hpp"
#elif defined(BENCH_MPI)
#include "backend_mpi.hpp"
#elif defined(BENCH_NO_MESSAGES)
#include "backend_none.hpp"
#else
#error "bench/run compiles this file; by hand, add -DBENCH_MPI (or BENCH_PURE, BENCH_NO_MESSAGES)"
#endif
#include "pair_distance.hpp"

namespace bench {

/// Seconds on a clock that all processes of the machine share, so that times of different ranks can be compared.
inline double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// A wrong answer: a figure for it would be worthless, so the program ends here.
[[noreturn]] inline void fail(const char* what, std::size_t bytes, long expected, long found) {
  std::fprintf(stderr, "rank %d: wrong answer: %s (%zu bytes): expected %ld, found %ld\n", rank(), what, bytes,
               expected, found);
  std::fflush(stderr);
  abort_job();
}

inline void check(bool right, const char* what, std::size_t bytes, long expected, long found) {
  if (!right) [[unlikely]]
    fail(what, bytes, expected, found);
}

using sizes = std::initializer_list<std::size_t>;
inline constexpr std::size_t KB = 1024;
inline constexpr std::size_t MB = 1024 * KB;

/// "8 B", "4 KB", "16 MB": the name of the case for a size.
inline std::string size_name(std::size_t bytes) {
  if (bytes >= MB) return std::to_string(bytes / MB) + " MB";
  if (bytes >= KB) return std::to_string(bytes / KB) + " KB";
  return std::to_string(bytes) + " B";
}

/// Page-aligned words, first touched by the rank that makes them.
class buffer {
 public:
  explicit buffer(std::size_t bytes)
      : bytes_(bytes), words_(static_cast<long*>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096))) {
    if (words_ == nullptr) {
      std::fprintf(stderr, "no memory for a buffer of %zu bytes\n", bytes);
      abort_job();
    }
    fill(0);
  }
  ~buffer() { std::free(words_); }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;

  /// Word i becomes key + i: different buffers and different places hold different values.
  void fill(long key) {
    for (std::size_t i = 0; i < size(); ++i) words_[i] = key + static_cast<long>(i);
  }
  /// Aborts unless every word from `first` on is as fill(key) left it.
  void verify(long key, std::size_t first = 0) const {
    for (std::size_t i = first; i < size(); ++i) {
      check(words_[i] == key + static_cast<long>(i), "contents", bytes_, key + static_cast<long>(i), words_[i]);
    }
  }

  long* data() { return words_; }
  long& operator[](std::size_t i) { return words_[i]; }
  std::size_t bytes() const { return bytes_; }
  std::size_t size() const { return bytes_ / sizeof(long); }

 private:
  std::size_t bytes_;
  long* words_;
};

/// Returns when all ranks are here: log2(size) rounds of one-byte messages.
inline void message_barrier(int tag) {
  for (int distance = 1; distance < size(); distance *= 2) {
    char token = 0;
    char arrived = 0;
    request r = irecv(&arrived, 1, (rank() - distance + size()) % size(), tag);
    send(&token, 1, (rank() + distance) % size(), tag);
    wait(r);
  }
}

// ---- from (seconds, repetitions) to the value of a sample -----------------------------------------------------------

/// Microseconds for one repetition, or for a part of it: us_per(2) of a round trip is the half round trip.
inline auto us_per(double parts = 1) {
  return [=](double seconds, long repetitions) { return 1e6 * seconds / static_cast<double>(repetitions) / parts; };
}

/// Nanoseconds for one repetition.
inline auto ns_per() {
  return [](double seconds, long repetitions) { return 1e9 * seconds / static_cast<double>(repetitions); };
}

/// Millions a second, when one repetition does `count` of them.
inline auto millions_per_second(double count) {
  return [=](double seconds, long repetitions) { return 1e-6 * count * static_cast<double>(repetitions) / seconds; };
}

// ---- the session ----------------------------------------------------------------------------------------------------

class session {
 public:
  session(int argc, char** argv) : cpus_(cpus_in(argc, argv)), distance_(cpus_) {
    for (int i = 1; i + 1 < argc; i += 2) {
      const std::string name = argv[i];
      if (name == "--samples") samples_ = std::atoi(argv[i + 1]);
      if (name == "--batch-ms") batch_seconds_ = 1e-3 * std::atof(argv[i + 1]);
      if (name == "--devices") parse_devices(argv[i + 1]);
      if (name == "--case") only_case_ = argv[i + 1];
      if (name == "--distance-file") distance_file_ = argv[i + 1];
    }
    start(cpus_);
    has_distance_ = distance_.has_this_rank() && !distance_file_.empty() && !crowded();
    if (has_distance_ && !distance_.open(distance_file_.c_str())) abort_job();
    report_cpus();
  }
  ~session() {
    if (rank() == 0) {
      std::printf("end\n");
      std::fflush(stdout);
    }
    finish();
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  /// The CPU that the driver chose for a rank (or for a thread of a system without ranks); -1: not bound.
  int cpu_of(int who) const { return cpus_.empty() ? -1 : cpus_[static_cast<std::size_t>(who) % cpus_.size()]; }
  /// False if another case alone is wanted.
  bool wants(const std::string& name) const { return only_case_.empty() || name == only_case_; }
  /// How many threads a system without ranks should use.
  int threads() const { return std::max(1, static_cast<int>(cpus_.size())); }
  /// How many CPUs the ranks have together.
  int cores() const {
    const std::set<int> different(cpus_.begin(), cpus_.end());
    return different.empty() ? size() : static_cast<int>(different.size());
  }
  /// True if ranks share a CPU: whoever waits without giving it away keeps the others from running.
  bool crowded() const {
    std::vector<int> different = cpus_;
    std::sort(different.begin(), different.end());
    return std::adjacent_find(different.begin(), different.end()) != different.end();
  }

  /// Times body(repetitions) and prints the samples of one case. Collective. First it finds how many repetitions fill
  /// a batch, which warms up. The time of a batch is from when the last rank began until the last rank ended, unless
  /// body returns its own (seconds; the largest of all ranks counts). If body has them, each rank calls its begin()
  /// before that time, and its end() after it.
  template <class Body, class Value>
  void measure(const std::string& name, std::size_t bytes, Body&& body, Value&& value) {
    print(name, bytes, measured(body, value, &repetitions_of_[name]));
  }

  /// The same for several ways to do one thing, of which the one with the least median is printed. Collective.
  template <class Value, class... Ways>
  void measure_best(const std::string& name, std::size_t bytes, Value&& value, Ways&&... ways) {
    outcome best;
    auto consider = [&](auto&& way) {
      outcome found = measured(way, value);
      if (rank() == 0 && (best.samples.empty() || median(found.samples) < median(best.samples)))
        best = std::move(found);
    };
    (consider(ways), ...);
    print(name, bytes, best);
  }

  /// Calls cases(), which measures cases that are compared with each other, once for each sample: A B A B, so that a
  /// machine that changes meanwhile changes them alike. Collective.
  template <class Cases>
  void in_turn(Cases&& cases) {
    const int samples = std::exchange(samples_, 1);
    for (int i = 0; i < samples; ++i) cases();
    samples_ = samples;
  }

  /// measure() without printing: the samples, on rank 0; nothing elsewhere. `known`: how many repetitions fill a batch,
  /// or 0, and then it is found; null: it is found.
  template <class Body, class Value>
  std::vector<double> collect(Body&& body, Value&& value, long* known = nullptr) {
    std::vector<double> found;
    if (rank() != 0) {
      while (const long n = next_batch(0)) batch(body, n);
      return found;
    }
    const long repetitions = known != nullptr && *known > 0 ? *known : fill_a_batch(body);
    if (known != nullptr) *known = repetitions;
    for (device& each : devices_) each.bytes = -bytes_through(each.name);
    distances_.clear();
    for (int i = 0; i < samples_; ++i) {
      found.push_back(value(batch(body, next_batch(repetitions)), repetitions));
      distances_.push_back(distances_of_batch_);
    }
    for (device& each : devices_) each.bytes += bytes_through(each.name);
    repetitions_ = samples_ * repetitions;
    next_batch(0);
    return found;
  }

  /// Prints one sample; for benchmarks that do not use measure(). Only rank 0 prints.
  void report(const std::string& name, std::size_t bytes, double value) const {
    if (rank() == 0) std::printf("sample\t%s\t%zu\t%.9g\n", name.c_str(), bytes, value);
  }

 private:
  static constexpr int control_tag = 32'000;

  struct device {
    std::string name;
    long bytes;  // during the samples of the last case
  };
  struct distances {
    double before, after;  // ns
  };
  /// What was measured of one way to do something; rank 0's.
  struct outcome {
    std::vector<double> samples;
    std::vector<distances> from;  // of each sample
    std::vector<device> traffic;
    long repetitions = 0;  // in all samples
  };

  template <class Body, class Value>
  outcome measured(Body& body, Value& value, long* known = nullptr) {
    outcome found;
    found.samples = collect(body, value, known);
    found.from = distances_;
    found.traffic = devices_;
    found.repetitions = repetitions_;
    return found;
  }

  void print(const std::string& name, std::size_t bytes, const outcome& found) const {
    for (std::size_t i = 0; i < found.samples.size(); ++i) {
      std::printf("sample\t%s\t%zu\t%.9g", name.c_str(), bytes, found.samples[i]);
      if (has_distance_) std::printf("\t%.1f\t%.1f", found.from[i].before, found.from[i].after);
      std::printf("\n");
    }
    if (rank() != 0 || devices_.empty()) return;
    std::printf("traffic\t%s\t%ld", name.c_str(), found.repetitions);
    for (const device& each : found.traffic) std::printf("\t%ld", each.bytes);
    std::printf("\n");
  }

  static double median(std::vector<double> of) {
    const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
    std::nth_element(of.begin(), middle, of.end());
    return *middle;
  }

  static std::vector<int> cpus_in(int argc, char** argv) {
    std::vector<int> cpus;
    const char* text = "";
    for (int i = 1; i + 1 < argc; i += 2) text = std::strcmp(argv[i], "--cpus") == 0 ? argv[i + 1] : text;
    for (char* end = nullptr; *text != '\0'; text = *end == ',' ? end + 1 : end) {
      cpus.push_back(static_cast<int>(std::strtol(text, &end, 10)));
      if (end == text) break;
    }
    return cpus;
  }

  void parse_devices(std::string names) {
    for (names += ','; !names.empty(); names.erase(0, names.find(',') + 1)) {
      devices_.push_back({names.substr(0, names.find(',')), 0});
    }
  }

  /// Rank 0 prints where the ranks really run; the driver compares it with what it asked for.
  void report_cpus() const {
    int mine = sched_getcpu();
    if (rank() != 0) return send(&mine, sizeof mine, 0, control_tag);
    std::printf("cpus\t%d", mine);
    for (int r = 1; r < size(); ++r) {
      recv(&mine, sizeof mine, r, control_tag);
      std::printf("\t%d", mine);
    }
    std::printf("\n");
  }

  /// Rank 0 says how many repetitions the next batch has (0: the case is over); the others learn it.
  static long next_batch(long repetitions) {
    if (rank() == 0) {
      for (int r = 1; r < size(); ++r) send(&repetitions, sizeof repetitions, r, control_tag);
    } else {
      recv(&repetitions, sizeof repetitions, 0, control_tag);
    }
    return repetitions;
  }

  /// On rank 0: the number of repetitions that take about as long as a batch should. Two batches in a row must agree,
  /// so that one interruption while there are few repetitions does not pass for a slow system.
  template <class Body>
  long fill_a_batch(Body& body) {
    long repetitions = 1;
    for (int full = 0; full < 2;) {
      const double seconds = batch(body, next_batch(repetitions));
      if (seconds >= 0.7 * batch_seconds_) {
        ++full;
        continue;
      }
      full = 0;
      const double growth = std::min(10.0, batch_seconds_ / std::max(seconds, 1e-9));
      repetitions = std::max(repetitions + 1, static_cast<long>(static_cast<double>(repetitions) * growth));
    }
    return repetitions;
  }

  /// One batch on every rank. Returns its seconds on rank 0.
  template <class Body>
  double batch(Body& body, long repetitions) {
    struct span {
      double start, end, own;
    };
    message_barrier(control_tag + 1);
    if constexpr (requires { body.begin(); }) body.begin();
    if (has_distance_) distances_of_batch_.before = distance_.measure();
    span mine{now(), 0, -1};
    if constexpr (std::is_void_v<decltype(body(repetitions))>) {
      body(repetitions);
    } else {
      mine.own = body(repetitions);
    }
    mine.end = now();
    // First, for there a rank that does nothing in a batch waits for the others, in Pure or MPI.
    if constexpr (requires { body.end(); }) body.end();
    if (has_distance_) distances_of_batch_.after = distance_.measure();
    if (rank() != 0) {
      send(&mine, sizeof mine, 0, control_tag);
      return 0;
    }
    for (int r = 1; r < size(); ++r) {
      span other{};
      recv(&other, sizeof other, r, control_tag);
      mine = {std::max(mine.start, other.start), std::max(mine.end, other.end), std::max(mine.own, other.own)};
    }
    return mine.own >= 0 ? mine.own : mine.end - mine.start;
  }

  int samples_ = 3;
  double batch_seconds_ = 0.025;
  const std::vector<int> cpus_;
  std::vector<device> devices_;
  std::string only_case_;      // empty: all
  std::string distance_file_;  // empty: nobody measures it
  pair_distance distance_;
  bool has_distance_ = false;
  distances distances_of_batch_{};              // the last one
  std::vector<distances> distances_;            // of the last case's samples; rank 0's
  long repetitions_ = 0;                        // in all samples of the last case
  std::map<std::string, long> repetitions_of_;  // in a batch of each case; rank 0's
};

}  // namespace bench
