// Long queues: 5,000 messages of 8 B, each with a tag of its own, whose receives are all posted before, or that have
// all come before; in the order of the receives, and in the opposite one. A value is the time for one message.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2
// bench: cases=posted in order, posted in reverse, posted from any source in reverse
// bench: cases=unexpected in order, unexpected in reverse, unexpected from any source in reverse
//
// Who looks for each from the front of a list looks at 2,500 in reverse order. Posting is part of the time; that
// unexpected messages come is not.
#include <vector>

#include "bench.hpp"

namespace {

constexpr int many = 5'000;
constexpr int go_tag = many, end_tag = many + 1;

int tag_of(int i, bool in_reverse) { return in_reverse ? many - 1 - i : i; }

void send_all(bool in_reverse) {
  for (int i = 0; i < many; ++i) {
    const long tag = tag_of(i, in_reverse);
    bench::send(&tag, sizeof tag, 0, static_cast<int>(tag));
  }
}

void check_all(const std::vector<long>& got) {
  for (int i = 0; i < many; ++i) {
    const long value = got[static_cast<std::size_t>(i)];
    bench::check(value == i, "message by tag", sizeof value, i, value);
  }
}

/// The seconds on rank 0.
double posted(int from, bool in_reverse) {
  char token = 0;
  if (bench::rank() == 1) {
    bench::recv(&token, 1, 0, go_tag);
    send_all(in_reverse);
    return 0;
  }
  std::vector<long> got(many, -1);
  std::vector<bench::request> all(many);
  const double start = bench::now();
  for (int i = 0; i < many; ++i) {
    const auto at = static_cast<std::size_t>(i);
    all[at] = bench::irecv(&got[at], sizeof(long), from, i);
  }
  bench::send(&token, 1, 1, go_tag);
  bench::waitall(many, all.data());
  const double end = bench::now();
  check_all(got);
  return end - start;
}

double unexpected(int from, bool in_reverse) {
  char token = 0;
  if (bench::rank() == 1) {
    send_all(false);
    bench::send(&token, 1, 0, end_tag);
    return 0;
  }
  std::vector<long> got(many, -1);
  bench::recv(&token, 1, 1, end_tag);
  const double start = bench::now();
  for (int i = 0; i < many; ++i) {
    const int tag = tag_of(i, in_reverse);
    bench::recv(&got[static_cast<std::size_t>(tag)], sizeof(long), from, tag);
  }
  const double end = bench::now();
  check_all(got);
  return end - start;
}

template <class Work>
void measure(const bench::session& s, const char* name, Work work, int from, bool in_reverse) {
  if (!s.wants(name)) return;
  bench::message_barrier(end_tag + 1);
  s.report(name, 8, 1e6 * work(from, in_reverse) / many);
}

}  // namespace

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  session.in_turn([&] {
    measure(session, "posted in order", posted, 1, false);
    measure(session, "posted in reverse", posted, 1, true);
    measure(session, "posted from any source in reverse", posted, bench::any_source, true);
    measure(session, "unexpected in order", unexpected, 1, false);
    measure(session, "unexpected in reverse", unexpected, 1, true);
    measure(session, "unexpected from any source in reverse", unexpected, bench::any_source, true);
  });
}
