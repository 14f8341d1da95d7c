// For tests/net/aggregations.sh: how aggregations over several processes end, and what bounds them: aggregation_ends
// WHAT
//
//   missing   the last rank waits for a message that nobody sends, and does not call finish
//   throws    a handler throws
//   differ    the last rank makes its channel of larger items than all others
//   forgets   the last rank makes no channel, and calls finish
//   flood     rank 0 sends to rank 1, which handles nothing for a while: the memory of both is bounded
#include <pure.h>

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>

namespace {

constexpr pure_comm all_ranks = PURE_COMM_WORLD;

void count(void* context, const void* /*items*/, std::size_t items, int /*source*/) {
  *static_cast<std::uint64_t*>(context) += items;
}
void refuse(void* /*context*/, const void* /*items*/, std::size_t /*items*/, int /*source*/) {
  throw std::runtime_error("the item cannot be");
}

pure_agg make_items() {
  pure_agg_options options;
  options.name = "items";
  pure_agg agg = PURE_AGG_NULL;
  pure_agg_create(all_ranks, &options, &agg);
  return agg;
}

int missing(int me, int size) {
  pure_agg agg = make_items();
  std::uint64_t handled = 0;
  pure_agg_channel channel;
  pure_agg_on(agg, 8, count, &handled, &channel);
  const std::uint64_t item = 1;
  pure_agg_send(channel, &item, (me + 1) % size);
  int nothing = 0;
  if (me == size - 1) return pure_recv_msg(&nothing, 1, PURE_INT, 0, 7, all_ranks);
  return pure_agg_finish(agg);
}

int throws(int me, int size) {
  pure_agg agg = make_items();
  pure_agg_channel channel;
  pure_agg_on(agg, 8, refuse, nullptr, &channel);
  const std::uint64_t item = 1;
  if (me == 0) pure_agg_send(channel, &item, size - 1);
  return pure_agg_finish(agg);
}

int differ(int me, int size) {
  pure_agg agg = make_items();
  std::uint64_t handled = 0;
  pure_agg_channel channel;
  pure_agg_on(agg, me == size - 1 ? 16 : 8, count, &handled, &channel);
  const std::array<std::uint64_t, 2> item{};
  pure_agg_send(channel, item.data(), (me + 1) % size);
  return pure_agg_finish(agg);
}

int forgets(int me, int size) {
  pure_agg agg = make_items();
  std::uint64_t handled = 0;
  pure_agg_channel channel;
  const std::uint64_t item = 1;
  if (me < size - 1) {
    pure_agg_on(agg, 8, count, &handled, &channel);
    pure_agg_send(channel, &item, size - 1);
  }
  return pure_agg_finish(agg);
}

long peak_kb() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kb = 0;
    if (word == "VmHWM:" && status >> kb) return kb;
  }
  return 0;
}

/// 200 MB of items: neither process may take the memory for most of them.
int flood(int me) {
  constexpr std::uint64_t items = 25'000'000;
  pure_agg agg = make_items();
  std::uint64_t handled = 0;
  pure_agg_channel channel;
  pure_agg_on(agg, 8, count, &handled, &channel);
  pure_barrier(all_ranks);
  const long before_kb = peak_kb();
  if (me == 0) {
    for (std::uint64_t i = 0; i < items; ++i) pure_agg_send(channel, &i, 1);
  } else {
    usleep(300'000);  // no call of Pure: whoever looks at the network takes in what there is room for
  }
  pure_agg_finish(agg);
  const long taken_kb = peak_kb() - before_kb;
  if (handled != (me == 1 ? items : 0)) return 1;
  if (taken_kb > 60'000) {
    std::printf("rank %d: %ld kB were taken\n", me, taken_kb);
    return 1;
  }
  if (me == 1) std::puts("none was lost");
  return pure_agg_free(&agg);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "missing") return missing(pure_rank(), pure_size());
  if (what == "throws") return throws(pure_rank(), pure_size());
  if (what == "differ") return differ(pure_rank(), pure_size());
  if (what == "forgets") return forgets(pure_rank(), pure_size());
  if (what == "flood") return flood(pure_rank());
  return 78;
}
