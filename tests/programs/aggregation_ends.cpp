// For tests/errors/aggregations.sh: programs that use aggregations wrongly, wait for ever, or are looked at.
//
// usage: aggregation_ends WHAT
#include <pure/pure.hpp>

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace {

void run(pure::comm world, const std::string& what) {
  const int me = world.rank();
  pure::aggregation items(world, {.name = "edges"});
  std::uint64_t sum = 0;
  const auto add = items.on<std::uint64_t>([&](std::uint64_t item) {
    if (item == 13 && what == "throws") throw std::runtime_error("item 13 is no edge");
    sum += item;
  });
  if (what == "no_finish") {
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
