// Exchange between two processes, as at the borders of a grid: receives are posted, sends are started, all are waited
// for. One message each way, or six of different tags, all pairs at the same time.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; ranks-may-be=even; processes=2; networks=shm, tcp
// bench: cases=8 B, 1 KB, 4 KB, 16 KB, 64 KB, 1 MB, six of 8 B, six of 1 KB, six of 4 KB, six of 16 KB
#include <array>
#include <memory>

#include "ping_pong.hpp"

namespace {

constexpr int most_messages = 6;

/// One case: an exchange of so many messages each way. The first word of each counts the exchanges; the rest is
/// compared at the end.
void measure_exchange(bench::session& s, const std::string& name, int messages, std::size_t bytes) {
  std::array<std::unique_ptr<bench::buffer>, most_messages> out;
  std::array<std::unique_ptr<bench::buffer>, most_messages> in;
  const int peer = bench::partner();
  const auto key = [](int rank, int message) { return rank * 1000L + message * 100; };
  for (int k = 0; k < messages; ++k) {
    in[k] = std::make_unique<bench::buffer>(bytes);
    out[k] = std::make_unique<bench::buffer>(bytes);
    out[k]->fill(key(bench::rank(), k));
  }
  auto body = [&](long exchanges) {
    std::array<bench::request, 2 * most_messages> requests;
    for (long i = 0; i < exchanges; ++i) {
      for (int k = 0; k < messages; ++k) requests[k] = bench::irecv(in[k]->data(), bytes, peer, k);
      for (int k = 0; k < messages; ++k) {
        (*out[k])[0] = i;
        requests[messages + k] = bench::isend(out[k]->data(), bytes, peer, k);
      }
      bench::waitall(2 * messages, requests.data());
      for (int k = 0; k < messages; ++k) {
        bench::check((*in[k])[0] == i, "number of the exchange", bytes, i, (*in[k])[0]);
      }
    }
  };
  s.measure(name, bytes, body, bench::us_per());
  for (int k = 0; k < messages; ++k) in[k]->verify(key(peer, k), 1);
}

}  // namespace

int main(int argc, char** argv) {
  using bench::KB, bench::MB;
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::sizes{8, KB, 4 * KB, 16 * KB, 64 * KB, MB}) {
    measure_exchange(session, bench::size_name(bytes), 1, bytes);
  }
  for (std::size_t bytes : bench::sizes{8, KB, 4 * KB, 16 * KB}) {
    measure_exchange(session, "six of " + bench::size_name(bytes), most_messages, bytes);
  }
}
