// pure::window over several processes: ranks give it up one after the other, while others still use its memory; and
// what a call brings back is there when it returns.
#include <pure/pure.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>

namespace {

/// False if something was wrong.
bool use_and_leave(const pure::comm& world, int last_to_leave) {
  const int me = world.rank(), size = world.size();
  auto its = pure::window<std::int64_t>::allocate(world, 100);
  for (int i = 0; i < 100; ++i) its.put(me * 1000 + i, {last_to_leave, static_cast<std::size_t>(me)});
  if (me != last_to_leave) {
    its.notify(last_to_leave);
    return true;
  }
  its.wait_notified(static_cast<std::uint64_t>(size) - 1);
  for (int rank = 0; rank < size; ++rank) {
    if (its.get({me, static_cast<std::size_t>(rank)}) != rank * 1000 + 99) return false;
  }
  for (int rank = 0; rank < size; ++rank) {  // all others have left, or will soon
    its.put(7, {rank, 50});
    if (its.fetch_op(1, {rank, 50}, std::plus<>()) != 7) return false;
    if (its.compare_swap(8, 9, {rank, 50}) != 8 || its.load({rank, 50}) != 9) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return pure::run(argc, argv, [](pure::comm world) {
    for (int round = 0; round < 20; ++round) {
      if (!use_and_leave(world, round % world.size())) return 1;
    }
    std::printf("rank %d: right\n", world.rank());
    return 0;
  });
}
