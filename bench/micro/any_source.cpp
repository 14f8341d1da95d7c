// Any-source receives: rank 0 gets messages of 8 B from 16 senders, round by round: each sender's named in turn, or
// from any source. A value is the time for one message.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=17; ranks-may-be=any
// bench: cases=named source 8 B, any source 8 B
//
// A round ends when every sender has been told so; ranks are more than cores on most machines. The messages carry the
// sender and the round, and each sender must be heard once in each round.
#include <vector>

#include "bench.hpp"

namespace {

constexpr int message_tag = 0, end_tag = 1;
constexpr int messages = 32;  // of each sender, in a round

void measure(bench::session& s, const char* name, bool is_named) {
  const int senders = bench::size() - 1;
  std::vector<long> heard(static_cast<std::size_t>(bench::size()));
  auto body = [&](long rounds) {
    for (long round = 0; round < rounds; ++round) {
      long word = 0;
      if (bench::rank() != 0) {
        for (int i = 0; i < messages; ++i) {
          word = bench::rank() + i * 1000L;
          bench::send(&word, sizeof word, 0, message_tag);
        }
        bench::recv(&word, sizeof word, 0, end_tag);
        continue;
      }
      std::fill(heard.begin(), heard.end(), 0);
      for (int i = 0; i < messages * senders; ++i) {
        const int from = is_named ? 1 + i % senders : bench::any_source;
        bench::recv(&word, sizeof word, from, message_tag);
        long& count = heard[static_cast<std::size_t>(word % 1000)];
        bench::check(word / 1000 == count, "order of a sender", sizeof word, count, word / 1000);
        ++count;
      }
      for (int r = 1; r <= senders; ++r) {
        bench::check(heard[static_cast<std::size_t>(r)] == messages, "messages of a sender", sizeof word, messages,
                     heard[static_cast<std::size_t>(r)]);
        bench::send(&word, sizeof word, r, end_tag);
      }
    }
  };
  s.measure(name, 8, body, bench::us_per(messages * senders));
}

}  // namespace

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  session.in_turn([&] {
    measure(session, "named source 8 B", true);
    measure(session, "any source 8 B", false);
  });
}
