// For tests/errors/aggregations.sh: programs that use aggregations wrongly, wait for ever, or are looked at.
//
// usage: aggregation_ends WHAT
#include <pure/pure.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <malloc.h>
#include <time.h>

namespace {

/// Bytes that the heap has grown by, of aggregations whose ranks sleep in finish, each with a name of its own. Of a
/// sanitizer's heap there is nothing to say.
std::size_t growth_by_many(pure::comm world) {
  std::size_t early = 0;
  for (int i = 0; i < 1000; ++i) {
    pure::aggregation items(world);
    if (world.rank() == 1) {
      const timespec late{.tv_sec = 0, .tv_nsec = 100'000};
      nanosleep(&late, nullptr);
    }
    items.finish();
    if (i == 400) early = mallinfo2().uordblks;
  }
  world.barrier();
  const std::size_t late = mallinfo2().uordblks;
  return late > early ? late - early : 0;
}

void run(pure::comm world, const std::string& what) {
  const int me = world.rank();
  pure::aggregation items(world, {.name = "edges"});
  std::uint64_t sum = 0;
  const auto add = items.on<std::uint64_t>([&](std::uint64_t item) {
    if (item == 13 && what == "throws") throw std::runtime_error("item 13 is no edge");
    sum += item;
  });
  if (what == "for_long") {  // every item leads to another one, for 2 s
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    pure::channel<int>* to_itself = nullptr;
    auto again = items.on<int>([&](int item) {
      if (std::chrono::steady_clock::now() < end) to_itself->send(item, me);
    });
    to_itself = &again;
    again.send(1, me);
    items.finish();
  } else if (what == "many") {
    const std::size_t growth = growth_by_many(world);
    if (growth > 20'000) throw std::runtime_error(std::to_string(growth) + " bytes more");  // of texts it was 100,000
  } else if (what == "no_finish") {
    add.send(7, 1);
    items.flush();
    if (me == 1) {
      world.recv_into(sum, 0);  // no such message
    } else {
      items.finish();
    }
  } else if (what == "returned") {
    if (me == 1) return;
    items.finish();  // rank 1 has gone, or goes
  } else if (what == "throws") {
    add.send(me == 0 ? 13 : 1, 1);
    items.finish();
  } else if (what == "unfinished") {
    add.send(1, 1);
    world.barrier();
  } else if (what == "in_task") {
    pure::parallel_for(
        4, [&](std::size_t) { add.send(1, 0); }, pure::chunking().size(1));
    items.finish();
  } else if (what == "sums") {
    for (std::uint64_t i = 0; i < 5000; ++i) add.send(i, static_cast<int>(i % static_cast<unsigned>(world.size())));
    items.finish();
    world.barrier();
  } else {
    std::fprintf(stderr, "unknown: %s\n", what.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  return pure::run(argc, argv, [&](pure::comm world) { run(world, argc == 2 ? argv[1] : ""); });
}
