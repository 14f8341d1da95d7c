// For tests/errors/hangs.sh and tests/net/hangs.sh: programs that hang, some of them while a rank still runs, and
// programs that look like them but do not.
//
// usage: hang WHAT. A program that is not ended says "it went well" on each rank. A late rank is late by
// PURETEST_LATE_MS.
#include <pure.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

namespace {

// In the stack traces.
#ifdef __clang__
#define SHOWN __attribute__((noinline))
#else
#define SHOWN __attribute__((noinline, noclone))
#endif

constexpr pure_comm world = PURE_COMM_WORLD;

int late_ms() {
  const char* const text = std::getenv("PURETEST_LATE_MS");
  return text != nullptr ? std::atoi(text) : 1700;
}
void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }
void sleep_late() { sleep_ms(late_ms()); }
SHOWN void compute_ms(int ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  while (std::chrono::steady_clock::now() < end) asm volatile("");
}
/// Of a rank that has nothing to do with the hang, and is still at it when the others are found.
void compute_long() { compute_ms(30'000); }

void give(int to, int tag = 3) {
  int x = 1;
  pure_send_msg(&x, 1, PURE_INT, to, tag, world);
}
SHOWN void take(int from, int tag = 3) {
  int x = 0;
  pure_recv_msg(&x, 1, PURE_INT, from, tag, world);
}
SHOWN void give_large(int to) {
  const std::vector<char> large(300'000);
  pure_send_msg(large.data(), 300'000, PURE_CHAR, to, 3, world);
}
void take_large(int from) {
  std::vector<char> large(300'000);
  pure_recv_msg(large.data(), 300'000, PURE_CHAR, from, 3, world);
}
int me() { return pure_rank(); }
int next() { return (pure_rank() + 1) % pure_size(); }
int previous() { return (pure_rank() + pure_size() - 1) % pure_size(); }
void barrier() { pure_barrier(world); }

/// Each rank's part: f0 by rank 0, and so on; the last one also by all others.
template <class... F>
void by_rank(F... f) {
  void (*const all[])() = {f...};
  constexpr int count = sizeof...(F);
  all[me() < count ? me() : count - 1]();
}

// ---- what hangs -----------------------------------------------------------------------------------------------------

void nobody_sends() { take(next()); }
void nobody_answers() { take(PURE_ANY_SOURCE); }
void crossed_sends() { me() < 2 ? give_large(1 - me()) : compute_long(); }
void wrong_tag() {
  by_rank([] { give(1, 1), take(1, 9); }, [] { take(0, 2), give(0, 9); }, compute_long);
}
void three_in_a_circle() { me() < 3 ? take((me() + 1) % 3) : compute_long(); }
void behind_a_circle() {
  by_rank([] { take(1); }, [] { take(0); }, [] { take(1); }, compute_long);
}
void for_itself() {
  by_rank([] { take(0); }, compute_long);
}
void sender_has_returned() {
  by_rank([] { take(1); }, [] {}, compute_long);
}
void receiver_has_returned() {
  by_rank([] { give_large(1); }, [] {}, compute_long);
}
void sender_has_exited() {
  by_rank([] { take(1); }, [] { std::exit(0); }, compute_long);
}
void member_has_returned() {
  by_rank([] { barrier(); }, [] {}, [] { compute_long(), barrier(); });
}
void member_comes_to_none_of_many() {  // of more than are under way at a time
  pure_request each;
  for (int i = 0; i < 100 && me() != 1; ++i) pure_ibarrier(world, &each);
  me() == 1 ? take(0) : barrier();
}
void member_waits_for_a_message() {
  by_rank([] { barrier(), give(1); }, [] { take(0), barrier(); }, [] { compute_long(), barrier(); });
}
void member_of_a_split_has_returned() {
  by_rank(
      [] {
        pure_comm part;
        pure_comm_split(world, 0, 0, &part);
      },
      [] {}, compute_long);
}

/// The buffered sends of two ranks to each other, too large for a ring, are never received.
void buffers_that_stay_full() {
  if (me() > 1) return compute_long();
  const std::vector<char> large(300'000);
  pure_buffer_attach(PURE_BUFFER_AUTOMATIC, 0);
  pure_bsend_msg(large.data(), 300'000, PURE_CHAR, 1 - me(), 3, world);
  pure_buffer_flush();
}
void synchronous_to_each_other() {
  int x = 1;
  me() < 2 ? (void)pure_ssend_msg(&x, 1, PURE_INT, 1 - me(), 3, world) : compute_long();
}
void probes_of_each_other() {
  pure_status found;
  pure_message message;
  if (me() == 0) pure_probe(1, 3, world, &found);
  if (me() == 1) pure_mprobe(0, 3, world, &message, &found);
  if (me() == 2) compute_long();
}
/// Each sends to the other first, and then would receive: but the tags are wrong.
void persistent_with_wrong_tags() {
  if (me() > 1) return compute_long();
  int x = 1, y = 0;
  pure_request both[2];
  pure_send_init(&x, 1, PURE_INT, 1 - me(), 3, world, &both[0]);
  pure_recv_init(&y, 1, PURE_INT, 1 - me(), 4, world, &both[1]);
  pure_startall(2, both);
  pure_waitall(2, both);
}
void second_half_of_a_pair() {
  if (me() == 0) {
    const std::vector<char> large(300'000);
    int x = 0;
    pure_request both;
    pure_isendrecv_msg(large.data(), 300'000, PURE_CHAR, 1, 5, &x, 1, PURE_INT, 2, 3, world, &both);
    pure_wait(&both);
  }
  if (me() == 1) take(0);
  if (me() == 2) sleep_ms(100), give(0), compute_long();
}

/// A thread that Pure has not started has ended before.
void foreign_thread_has_ended() {
  std::thread([] { sleep_ms(10); }).join();
  take(1 - me());
}
/// One that ends the program while its ranks wait for ever: the first two, or all.
void foreign_thread_ends_it() {
  if (me() == 0) {
    std::thread([] {
      sleep_late();
      std::puts("it went well");
      std::fflush(stdout);
      std::_Exit(0);
    }).detach();
  }
  me() < 2 ? take(1 - me()) : compute_ms(20'000);
}

// ---- what does not --------------------------------------------------------------------------------------------------

void late_sender() {
  by_rank([] { take(1); }, [] { sleep_late(), give(0); }, [] { compute_ms(late_ms()); });
}
void late_receiver() {
  by_rank([] { give_large(1); }, [] { sleep_late(), take_large(0); }, [] {});
}
void nearly_a_circle() {  // whoever is last in it sends late
  if (me() != 0) take(previous());
  if (me() == 0) sleep_late();
  give(next());
  if (me() == 0) take(previous());
}
void any_source_in_a_circle() {
  by_rank([] { take(1); }, [] { take(PURE_ANY_SOURCE), give(0), take(2); }, [] { sleep_late(), give(1), give(1); },
          [] {});
}
void wait_any_in_a_circle() {
  by_rank([] { take(1), give(1, 4); },
          [] {
            int x[2];
            pure_request both[2];
            pure_irecv_msg(&x[0], 1, PURE_INT, 0, 4, world, &both[0]);
            pure_irecv_msg(&x[1], 1, PURE_INT, 2, 3, world, &both[1]);
            int which = 0;
            pure_waitany(2, both, &which);
            give(0);
            pure_waitall(2, both);
          },
          [] { sleep_late(), give(1); }, [] {});
}
void test_in_a_loop() {
  by_rank(
      [] {
        int x = 0, flag = 0;
        pure_request request;
        pure_irecv_msg(&x, 1, PURE_INT, 1, 3, world, &request);
        while (flag == 0) pure_test(&request, &flag);
        give(1);
      },
      [] { sleep_late(), give(0), take(0); }, [] {});
}
void probe_in_a_circle() {
  by_rank([] { take(1), give(1); },
          [] {
            pure_status found;
            pure_probe(PURE_ANY_SOURCE, 3, world, &found);
            give(0), take(2), take(0);
          },
          [] { sleep_late(), give(1); }, [] {});
}
void late_synchronous() {
  by_rank(
      [] {
        int x = 1;
        pure_ssend_msg(&x, 1, PURE_INT, 1, 3, world), take(1);
      },
      [] { sleep_late(), take(0), give(0); }, [] {});
}
/// The wait of rank 0 is for rank 1 first, which waits for it in turn, and then for rank 2, which is late.
void pair_of_messages() {
  if (me() == 0) {
    const std::vector<char> large(300'000);
    int x = 0;
    pure_request both;
    pure_isendrecv_msg(large.data(), 300'000, PURE_CHAR, 2, 3, &x, 1, PURE_INT, 1, 3, world, &both);
    pure_wait(&both);
    give(1);
  }
  if (me() == 1) sleep_ms(100), give(0), take(0);
  if (me() == 2) sleep_late(), take_large(0);
}
/// Likewise: rank 0 waits until rank 1, then until rank 2 has taken what it has buffered.
void buffered_messages() {
  if (me() == 0) {
    const std::vector<char> large(300'000);
    pure_buffer_attach(PURE_BUFFER_AUTOMATIC, 0);
    for (const int to : {1, 2}) pure_bsend_msg(large.data(), 300'000, PURE_CHAR, to, 3, world);
    pure_buffer_flush();
    give(1);
  }
  if (me() == 1) sleep_ms(100), take_large(0), take(0);
  if (me() == 2) sleep_late(), take_large(0);
}
void persistent_from_a_late_sender() {
  if (me() > 1) return;
  int x = 1, y = 0;
  pure_request both[2];
  pure_send_init(&x, 1, PURE_INT, 1 - me(), 3, world, &both[0]);
  pure_recv_init(&y, 1, PURE_INT, 1 - me(), 3, world, &both[1]);
  for (int i = 0; i < 3; ++i) {
    if (me() == 1) sleep_ms(late_ms() / 3);
    pure_startall(2, both);
    pure_waitall(2, both);
  }
  for (pure_request& each : both) pure_request_free(&each);
}
void returned_after_isend() {  // what is under way arrives, though nobody waits for it any more
  static std::vector<int> values(4000);
  by_rank(
      [] {
        sleep_late();
        for (int i = 0; i < 4000; ++i) take(1);
        take_large(1);
      },
      [] {
        static std::vector<pure_request> all(4001);
        static const std::vector<char> large(300'000);
        for (std::size_t i = 0; i < 4000; ++i) pure_isend_msg(&values[i], 1, PURE_INT, 0, 3, world, &all[i]);
        pure_isend_msg(large.data(), 300'000, PURE_CHAR, 0, 3, world, &all[4000]);
      },
      [] {});
}
void returned_while_others_exchange() {
  if (me() > 1) return;
  for (int i = 0; i < 4; ++i) {
    if (me() == i % 2)
      sleep_ms(late_ms() / 4), give(1 - me());
    else
      take(1 - me());
  }
}
void late_member() {
  if (me() == pure_size() - 1) sleep_late();
  barrier();
  if (me() == 0) sleep_late();
  std::vector<double> in(100'000, 1.0), out(100'000);
  pure_allreduce(in.data(), out.data(), 100'000, PURE_DOUBLE, PURE_SUM, world);
  pure_bcast(out.data(), 100'000, PURE_DOUBLE, 0, world);
}
void root_that_runs_ahead() {  // by more broadcasts than there are slots
  for (int i = 0; i < 100; ++i) {
    if (me() == pure_size() - 1 && i == 50) sleep_late();
    int x = i;
    pure_bcast(&x, 1, PURE_INT, 0, world);
  }
}
void message_behind_a_collective() {  // rank 1 passes on what others contribute, in a wait for rank 0
  pure_request all;
  int in = 1, out = 0;
  if (me() == pure_size() - 1) sleep_late();
  pure_iallreduce(&in, &out, 1, PURE_INT, PURE_SUM, world, &all);
  if (me() == 1) take(0);
  pure_wait(&all);
  if (me() == 0) give(1);
}
void blocking_behind_a_collective() {
  pure_request all;
  if (me() == pure_size() - 1) sleep_late();
  pure_ibarrier(world, &all);
  if (me() == 1) take(0);
  if (me() == 0) pure_wait(&all), give(1);
  if (me() != 0) pure_wait(&all);
  barrier();
}
void long_chunks() {
  if (me() == 0) {
    PureTask task = [](chunk_id_t first, chunk_id_t last, std::optional<void*>) {
      for (chunk_id_t i = first; i <= last; ++i) compute_ms(40);
    };
    task.execute();
    task.execute();
    for (int i = 1; i < pure_size(); ++i) give(i);
  } else {
    take(0);
  }
}
void busy_ring() {  // all sleep but one, all the time
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(late_ms());
  for (int go = 1; go != 0;) {
    if (me() != 0) pure_recv_msg(&go, 1, PURE_INT, previous(), 3, world);
    if (me() == 0) go = std::chrono::steady_clock::now() < end ? 1 : 0;
    pure_send_msg(&go, 1, PURE_INT, next(), 3, world);
    if (me() == 0) pure_recv_msg(&go, 1, PURE_INT, previous(), 3, world);
  }
}

/// Ranks 0 and 1 wait for rank 2, which talks to rank 3 meanwhile: both sleep in nearly all of their waits.
void traffic_beside_waits() {
  if (me() == 0) take(1);
  if (me() == 1) take(2), give(0);
  if (me() == 2 || me() == 3) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(late_ms());
    int go = 1;
    for (int i = 0; go != 0; ++i) {
      if (me() == 2) {
        go = std::chrono::steady_clock::now() < end ? 1 : 0;
        sleep_ms(i % 5 * 10);
        pure_send_msg(&go, 1, PURE_INT, 3, 4, world), take_large(3);
      } else {
        pure_recv_msg(&go, 1, PURE_INT, 2, 4, world);
        sleep_ms(i % 7 * 10), give_large(2);
      }
    }
    if (me() == 2) give(1);
  }
}

// clang-format off
#define PROGRAMS(p) \
  p(nobody_sends) p(nobody_answers) p(crossed_sends) p(wrong_tag) p(three_in_a_circle) p(behind_a_circle) \
  p(for_itself) p(sender_has_returned) p(receiver_has_returned) p(sender_has_exited) p(member_has_returned) \
  p(member_waits_for_a_message) p(member_of_a_split_has_returned) p(buffers_that_stay_full) \
  p(synchronous_to_each_other) p(probes_of_each_other) p(persistent_with_wrong_tags) p(second_half_of_a_pair) \
  p(foreign_thread_has_ended) p(foreign_thread_ends_it) p(late_sender) p(late_receiver) p(nearly_a_circle) \
  p(any_source_in_a_circle) p(wait_any_in_a_circle) p(test_in_a_loop) p(probe_in_a_circle) p(late_synchronous) \
  p(pair_of_messages) p(buffered_messages) p(persistent_from_a_late_sender) p(returned_after_isend) \
  p(returned_while_others_exchange) p(late_member) p(root_that_runs_ahead) p(message_behind_a_collective) \
  p(blocking_behind_a_collective) p(member_comes_to_none_of_many) p(long_chunks) p(busy_ring) p(traffic_beside_waits)
// clang-format on
using named = std::pair<const char*, void (*)()>;
#define NAMED(name) named{#name, name},
constexpr named programs[] = {PROGRAMS(NAMED)};

}  // namespace

int main(int argc, char** argv) {
  for (const named& each : programs) {
    if (argc < 2 || std::strcmp(argv[1], each.first) != 0) continue;
    each.second();
    return std::puts("it went well") < 0;
  }
  std::puts("hang WHAT");
  return 77;
}
