// Latency of a vector that is moved rather than copied: half a round trip of one std::vector<double>, through the C++
// interface. Its size should not matter.
//
// bench: systems=pure; unit=us; better=lower; ranks=2
// bench: cases=64 B, 1 KB, 1 MB, 16 MB
//
// The first element counts the trips; the rest is compared at the end.
#define PURE_MAIN_RUNS_ONCE
#include <pure/pure.hpp>

#include "bench.hpp"

namespace {

void measure(bench::session& s, pure::comm& world, std::size_t bytes) {
  const bool first = world.rank() == 0;
  const int peer = first ? 1 : 0;
  std::vector<double> data;
  if (first) {
    for (std::size_t i = 0; i < bytes / sizeof(double); ++i) data.push_back(static_cast<double>(i));
  }
  auto body = [&](long trips) {
    for (long i = 0; i < trips; ++i) {
      if (first) {
        data[0] = static_cast<double>(i);
        world.send(std::move(data), peer, 0);
        data = world.recv<std::vector<double>>(peer, 0);
        bench::check(data.size() == bytes / sizeof(double) && data[0] == static_cast<double>(i) + 0.5, "moved vector",
                     bytes, i, static_cast<long>(data.empty() ? -1 : data[0]));
      } else {
        auto passing = world.recv<std::vector<double>>(peer, 0);
        passing[0] += 0.5;
        world.send(std::move(passing), peer, 0);
      }
    }
  };
  s.measure(bench::size_name(bytes), bytes, body, bench::us_per(2));
  for (std::size_t i = 1; i < data.size(); ++i) {
    bench::check(data[i] == static_cast<double>(i), "contents", bytes, static_cast<long>(i),
                 static_cast<long>(data[i]));
  }
}

}  // namespace

int main(int argc, char** argv) {
  return pure::run(argc, argv, [&](pure::comm world) {
    bench::session session(argc, argv);
    for (std::size_t bytes : bench::sizes{64, bench::KB, bench::MB, 16 * bench::MB}) {
      measure(session, world, bytes);
    }
  });
}
