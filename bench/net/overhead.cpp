// What the network costs above the MPI that it stands on: half round trips between the same two processes, raw
// (MPI_Send and MPI_Recv) and through network/network.hpp, in turn.
//
//   cmake --build --preset release --target net_overhead_mpich
//   PURE_PLUGIN_DIR=build/release/lib mpiexec.mpich -n 2 build/release/tests/net_overhead_mpich [ROUNDS]
//
// packed   the payload is copied into a message behind its envelope, and out of it again
// apart    a message with the envelope, and the payload by itself, which the receiver posts when it has the envelope
//
// Prints medians over the rounds, in microseconds, and their ratio to raw MPI. The payloads are checked.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/aligned_bytes.hpp"
#include "gateway/message_entry.hpp"
#include "gateway/wire.hpp"
#include "network/open_network.hpp"

namespace {

using namespace pure::core;

network* net = nullptr;
int me = 0;

void check(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "process %d: wrong: %s\n", me, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// One side of a ping-pong over the network.
class side final : public network_events {
 public:
  explicit side(std::vector<std::byte>& buffer) : buffer_(buffer), packed_(make_aligned(net->peers().message_bytes)) {}

  void send(std::size_t bytes, bool is_packed) {
    wire_writer writer(packed_.get(), net->peers().message_bytes);
    message_entry entry;
    entry.bytes = bytes;
    entry.is_large = !is_packed;
    std::byte* const room = entry.write(writer);
    if (is_packed) std::memcpy(room, buffer_.data(), bytes);
    open_ = is_packed ? 1 : 2;
    if (net->send_message(message_, 1 - me, 0, packed_.get(), writer.finish())) --open_;
    if (!is_packed && net->send(payload_, 1 - me, 0, buffer_.data(), bytes)) --open_;
    while (open_ > 0) net->poll(*this);
  }
  void receive() {
    while (!has_arrived_) net->poll(*this);
    has_arrived_ = false;
  }

  void message_arrived(int from, int, const std::byte* data, std::size_t bytes) override {
    wire_reader reader(data, bytes);
    const auto take = [&]<class Entry>(const Entry& what, const std::byte* payload) {
      if constexpr (std::is_same_v<Entry, wire_eager>) {
        std::memcpy(buffer_.data(), payload, what.bytes);
        has_arrived_ = true;
      } else if constexpr (std::is_same_v<Entry, wire_large>) {
        has_arrived_ = net->receive(coming_, from, 0, buffer_.data(), what.bytes);
      }
    };
    check(reader.next(take), "a message");
  }
  void operation_done(network_operation& done) override {
    if (&done == &coming_)
      has_arrived_ = true;
    else
      --open_;
  }

 private:
  std::vector<std::byte>& buffer_;
  aligned_bytes packed_;
  network_operation message_, payload_, coming_;
  int open_ = 0;
  bool has_arrived_ = false;
};

double half_round_trip_us(int iterations, const auto& send, const auto& receive) {
  MPI_Barrier(MPI_COMM_WORLD);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < iterations; ++i) {
    if (me == 0) send();
    receive();
    if (me == 1) send();
  }
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  return took.count() / iterations / 2;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

void measure(std::size_t bytes, int rounds) {
  std::vector<std::byte> buffer(bytes);
  for (std::size_t i = 0; me == 0 && i < bytes; ++i) buffer[i] = static_cast<std::byte>(i * 3 + bytes);
  const int count = static_cast<int>(bytes), other = 1 - me;
  const int iterations = std::clamp(static_cast<int>(4'000'000 / (bytes + 4000)), 3, 1000);
  const bool fits = bytes <= wire::largest_payload(net->peers().message_bytes);
  side network_side(buffer);
  const auto raw_send = [&] { MPI_Send(buffer.data(), count, MPI_BYTE, other, 1, MPI_COMM_WORLD); };
  const auto raw_receive = [&] {
    MPI_Recv(buffer.data(), count, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  };
  std::vector<double> raw, packed, apart;
  for (int round = -1; round < rounds; ++round) {  // the first one warms up
    const double a = half_round_trip_us(iterations, raw_send, raw_receive);
    const double c = half_round_trip_us(
        iterations, [&] { network_side.send(bytes, false); }, [&] { network_side.receive(); });
    double b = 0;
    if (fits)
      b = half_round_trip_us(
          iterations, [&] { network_side.send(bytes, true); }, [&] { network_side.receive(); });
    if (round < 0) continue;
    raw.push_back(a);
    packed.push_back(b);
    apart.push_back(c);
  }
  for (std::size_t i = 0; i < bytes; ++i) check(buffer[i] == static_cast<std::byte>(i * 3 + bytes), "the payload");
  if (me != 0) return;
  const double base = median(raw), p = median(packed), s = median(apart);
  if (fits)
    std::printf("%10zu  %10.3f  %10.3f (%5.3f)  %10.3f (%5.3f)\n", bytes, base, p, p / base, s, s / base);
  else
    std::printf("%10zu  %10.3f  %10s  %5s   %10.3f (%5.3f)\n", bytes, base, "", "", s, s / base);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0, processes = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  check(processes == 2 && level >= MPI_THREAD_SERIALIZED, "two processes are needed");
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 11;
  try {
    network_opening opening;
    opening.failed = [](void*, const char* text) { check(false, text); };
    const auto opened = open_network(read_settings(), recognise_launch(environ), opening);
    net = opened.get();
    if (me == 0)
      std::printf("%s\n     bytes     raw, us      packed, us           apart, us\n", net->peers().library.c_str());
    for (const std::size_t bytes : {8UL, 64UL, 1024UL, 4096UL, 8192UL, 16'000UL, 65'536UL, 1UL << 20, 16UL << 20}) {
      measure(bytes, rounds);
    }
    net->finalize(0);
  } catch (const std::exception& error) {
    check(false, error.what());
  }
  MPI_Finalize();
}
