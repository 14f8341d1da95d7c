// Latency between two processes, of Pure and of the MPI that it uses, in turn in the same two processes: two programs
// that do the same over TCP differ by more than Pure adds. "written": as net_pingpong_dirty. "phases": after every four
// round trips comes a sum over both ranks, as in many a program; its time is in the value. "exchange", "six of": as
// net_exchange, one message or six each way; the time of a whole one.
//
// bench: systems=pure, mpi; together=yes; unit=us; better=lower; ranks=2; processes=2; networks=shm, tcp
// bench: cases=8 B, 64 B, 1 KB, 4 KB, 8 KB, 16 KB, 32 KB, 64 KB, 256 KB, 1 MB, 16 MB
// bench: cases=written 4 KB, written 8 KB, written 16 KB, written 32 KB, written 64 KB, written 256 KB, written 1 MB
// bench: cases=phases 8 B, phases 4 KB, phases 16 KB, phases 32 KB, phases 64 KB, phases 256 KB
// bench: cases=exchange 8 B, exchange 1 KB, exchange 4 KB, exchange 16 KB, exchange 64 KB, exchange 256 KB
// bench: cases=six of 8 B, six of 1 KB, six of 4 KB, six of 16 KB, six of 32 KB, six of 64 KB, six of 256 KB
#include <algorithm>

#include "exchange.hpp"
#include "own_mpi.hpp"
#include "ping_pong.hpp"

namespace {

/// What own_mpi has.
struct pure_itself {
  static void send(const void* data, std::size_t bytes, int to, int tag) { bench::send(data, bytes, to, tag); }
  static void recv(void* data, std::size_t bytes, int from, int tag) { bench::recv(data, bytes, from, tag); }
  static bench::request isend(const void* data, std::size_t bytes, int to, int tag) {
    return bench::isend(data, bytes, to, tag);
  }
  static bench::request irecv(void* data, std::size_t bytes, int from, int tag) {
    return bench::irecv(data, bytes, from, tag);
  }
  static void waitall(int count, bench::request* requests) { bench::waitall(count, requests); }
  static void allreduce(const double* in, double* out, std::size_t count) { bench::allreduce(in, out, count); }
};

template <class Buffers, class System>
void go(Buffers& between, long trips, const System& by) {
  between.go(
      trips, [&](auto... all) { by.send(all...); }, [&](auto... all) { by.recv(all...); });
}

struct buffers_of_phases : bench::ping_pong_buffers {
  using ping_pong_buffers::ping_pong_buffers;
};

template <class System>
void go(buffers_of_phases& between, long trips, const System& by) {
  constexpr long trips_of_each = 4;
  for (long done = 0; done < trips; done += trips_of_each) {
    go(static_cast<bench::ping_pong_buffers&>(between), std::min(trips_of_each, trips - done), by);
    const double mine = bench::rank();
    double sum = 0;
    by.allreduce(&mine, &sum, 1);
    bench::check(sum == 1, "sum", sizeof sum, 1, static_cast<long>(sum));
  }
}

template <class System>
void go(bench::exchange_buffers& between, long exchanges, const System& by) {
  between.go(
      exchanges, [&](auto... all) { return by.irecv(all...); }, [&](auto... all) { return by.isend(all...); },
      [&](auto... all) { by.waitall(all...); });
}

/// `parts`: of a repetition are measured. `more`: what the buffers have to know.
template <class Buffers, class... More>
void measure_in_turn(bench::session& session, const bench::own_mpi& mpi, const std::string& name, std::size_t bytes,
                     int parts = 2, More... more) {
  Buffers between(bytes, more...);
  const bench::with_own_mpi by_mpi{[&](long trips) { go(between, trips, mpi); }};
  const auto by_pure = [&](long trips) { go(between, trips, pure_itself()); };
  session.in_turn([&] {
    session.measure("mpi: " + name, bytes, by_mpi, bench::us_per(parts));
    session.measure(name, bytes, by_pure, bench::us_per(parts));
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
  for (std::size_t bytes : bench::sizes{8, 4 * KB, 16 * KB, 32 * KB, 64 * KB, 256 * KB}) {
    measure_in_turn<buffers_of_phases>(session, mpi, "phases " + bench::size_name(bytes), bytes);
  }
  for (std::size_t bytes : bench::sizes{8, KB, 4 * KB, 16 * KB, 64 * KB, 256 * KB}) {
    measure_in_turn<bench::exchange_buffers>(session, mpi, "exchange " + bench::size_name(bytes), bytes, 1);
  }
  for (std::size_t bytes : bench::sizes{8, KB, 4 * KB, 16 * KB, 32 * KB, 64 * KB, 256 * KB}) {
    measure_in_turn<bench::exchange_buffers>(session, mpi, "six of " + bench::size_name(bytes), bytes, 1, 6);
  }
}
