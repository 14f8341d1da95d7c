// Strided messages: half a round trip of 64 KB in blocks of 8 B, from a vector type to a vector type, beside the same
// bytes in a row.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; ranks-may-be=even
// bench: cases=in a row 64 KB, every 2nd word 64 KB, every 8th word 64 KB
//
// Every word of a message is written before it is sent, and added up after it was received.
#include "ping_pong.hpp"

namespace {

constexpr long words = 8192;

void measure(bench::session& s, const char* name, long stride) {
  bench::buffer out(static_cast<std::size_t>(words * stride) * sizeof(long));
  bench::buffer in(static_cast<std::size_t>(words * stride) * sizeof(long));
  out.fill(0);
  in.fill(0);
  bench::vector_type type = bench::make_vector(words, stride);
  const int peer = bench::partner();
  const bool first = bench::starts();
  auto body = [&](long trips) {
    for (long i = 0; i < trips; ++i) {
      for (long w = 0; w < words; ++w) out[static_cast<std::size_t>(w * stride)] = i + w;
      if (first) {
        bench::send_vector(out.data(), type, peer, 0);
        bench::recv_vector(in.data(), type, peer, 0);
      } else {
        bench::recv_vector(in.data(), type, peer, 0);
        bench::send_vector(out.data(), type, peer, 0);
      }
      long sum = 0;
      for (long w = 0; w < words; ++w) sum += in[static_cast<std::size_t>(w * stride)];
      const long expected = words * i + words * (words - 1) / 2;
      bench::check(sum == expected, "sum of a strided message", words * sizeof(long), expected, sum);
    }
  };
  s.measure(name, words * sizeof(long), body, bench::us_per(2));
  bench::free_type(type);
}

}  // namespace

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  measure(session, "in a row 64 KB", 1);
  measure(session, "every 2nd word 64 KB", 2);
  measure(session, "every 8th word 64 KB", 8);
}
