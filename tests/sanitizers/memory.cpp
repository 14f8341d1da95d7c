// Errors with memory that AddressSanitizer and UndefinedBehaviorSanitizer find: `memory KIND`, at the line with the
// mark
// //@ KIND (memory.sh). `right` makes none, and leaves none of Pure's memory behind.
#include <climits>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <pure/pure.hpp>

namespace {

/// A bit of everything that allocates, and all threads come and go twice.
void right(pure::comm world) {
  const int right = (world.rank() + 1) % world.size(), left = (world.rank() + world.size() - 1) % world.size();
  for (const std::size_t count : {1, 1000, 100'000}) {
    std::vector<double> data(count, world.rank()), in(count);
    pure::request sending = world.isend(data, right);
    world.recv_into(in, left);
    sending.wait();
    world.all_reduce_in_place(in, std::plus{});
    pure::parallel_for(in.size(), [&](std::size_t i) { in[i] += 1; });
  }
  auto window = pure::window<int>::allocate(world, 10);
  window.put(1, {right, 0});
  window.fence();
  window.free();
  world.send(std::string("text"), right);
  (void)world.recv<std::string>(left);
  world.dup().free();
}

/// Writes behind the end of what it has allocated.
void heap(std::vector<int>& values) {
  int* const data = values.data();
  data[values.size()] = 1;  //@ heap
}

/// Sends more than there is: the library reads behind the end, for the line of either rank.
void sent(pure::comm world, const int* data, std::size_t count) {
  if (world.rank() == 0) world.send(std::span(data, count + 1), 1);  //@ sent
  if (world.rank() == 1) (void)world.recv<std::vector<int>>(0);      //@ sent
}

/// The address of a variable of a function that has returned.
int* volatile gone;
__attribute__((noinline)) void keep() {
  int local = 5;
  gone = &local;
}

/// Memory that nobody frees, and nobody knows any more.
void leak() {
  volatile char* lost = new char[1234];  //@ leak
  lost[0] = 1;
}

/// A signed sum that does not fit.
int overflow(int rank) {
  const int large = INT_MAX - 1 + rank;
  return large + 1;  //@ overflow
}

}  // namespace

int main(int, char** argv) {
  const std::string kind = argv[1];
  const auto run = [&](pure::comm world) {
    std::vector<int> values(3000);
    if (kind == "right") right(world);
    if (kind == "heap" && world.rank() == 1) heap(values);
    if (kind == "sent") sent(world, values.data(), values.size());
    if (kind == "return" && world.rank() == 1) {
      keep();
      std::printf("%d\n", *gone);  //@ return
    }
    if (kind == "leak" && world.rank() == 1) leak();
    if (kind == "overflow") std::printf("%d\n", overflow(world.rank()));
    world.barrier();
  };
  const int status = pure::run(3, run);
  return status != 0 ? status : pure::run(3, run);
}
