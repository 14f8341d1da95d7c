// Latency between two processes, of Pure and of the MPI that it uses, in turn in the same two processes: two programs
// that do the same over TCP differ by more than Pure adds. "written": as net_pingpong_dirty.
//
// bench: systems=pure, mpi; together=yes; unit=us; better=lower; ranks=2; processes=2; networks=shm, tcp
// bench: cases=8 B, 64 B, 1 KB, 4 KB, 8 KB, 16 KB, 32 KB, 64 KB, 256 KB, 1 MB, 16 MB
// bench: cases=written 4 KB, written 8 KB, written 16 KB, written 32 KB, written 64 KB, written 256 KB, written 1 MB
#include "own_mpi.hpp"
#include "ping_pong.hpp"

namespace {

template <class Buffers>
void measure_in_turn(bench::session& session, const bench::own_mpi& mpi, const std::string& name, std::size_t bytes) {
  Buffers between(bytes);
  const bench::with_own_mpi by_mpi{[&](long trips) {
    between.go(
        trips, [&](auto... all) { mpi.send(all...); }, [&](auto... all) { mpi.recv(all...); });
  }};
  const auto by_pure = [&](long trips) {
    between.go(
        trips, [](auto... all) { bench::send(all...); }, [](auto... all) { bench::recv(all...); });
  };
  session.in_turn([&] {
    session.measure("mpi: " + name, bytes, by_mpi, bench::us_per(2));
    session.measure(name, bytes, by_pure, bench::us_per(2));
  });
  between.verify();
}

}  // namespace

int main(int argc, char** argv) {
  using bench::KB, bench::MB;
  bench::session session(argc, argv);
  const bench::own_mpi mpi;
  for (std::size_t bytes : bench::sizes{8, 64, KB, 4 * KB, 8 * KB, 16 * KB, 32 * KB, 64 * KB, 256 * KB, MB, 16 * MB}) {
    measure_in_turn<bench::ping_pong_buffers>(session, mpi, bench::size_name(bytes), bytes);
  }
  for (std::size_t bytes : bench::sizes{4 * KB, 8 * KB, 16 * KB, 32 * KB, 64 * KB, 256 * KB, MB}) {
    measure_in_turn<bench::dirty_ping_pong_buffer>(session, mpi, "written " + bench::size_name(bytes), bytes);
  }
}
