// Data races of ranks, one of each kind that users make: `racy KIND`. ThreadSanitizer has to report each at the line
// with the mark //@ KIND (threads.sh); other races there are none.
#include <cstdio>
#include <string>
#include <vector>

#include <pure/pure.hpp>

namespace {

constexpr std::size_t large = 1000;  // elements: above PURE_EAGER_LIMIT the receiver reads what is sent

/// Rows that all ranks share: each reads those of its neighbours, which nobody has said are finished.
void rows(pure::comm world, std::vector<std::vector<double>>& shared) {
  const auto rank = static_cast<std::size_t>(world.rank());
  shared[rank][0] = world.rank();                             //@ rows
  const double next = shared[(rank + 1) % shared.size()][0];  //@ rows
  if (next > 1000) std::puts("never");
}

/// A variable of whoever calls pure::run, which the function has captured by reference.
void capture(int& counter) {
  ++counter;  //@ capture
}

/// The part of a neighbour, before the fence that says when it may be read.
void window(pure::comm world) {
  auto shared = pure::window<int>::allocate(world, 1);
  shared.fence();
  shared.local()[0] = world.rank();                                     //@ window
  const int early = shared.part((world.rank() + 1) % world.size())[0];  //@ window
  shared.fence();
  if (early > 1000) std::puts("never");
  shared.free();
}

/// The same by put: the library writes, for the line that calls it.
void put(pure::comm world) {
  auto shared = pure::window<int>::allocate(world, 1);
  shared.fence();
  if (world.rank() == 0) shared.put(42, {1, 0});                //@ put
  const int early = world.rank() == 1 ? shared.local()[0] : 0;  //@ put
  shared.fence();
  if (early > 1000) std::puts("never");
  shared.free();
}

/// As programs for MPI's shared memory wait for each other: no atomic operation says that the word is there.
void polling(pure::comm world) {
  auto shared = pure::window<int>::allocate(world, 1);
  volatile int* const word = shared.part(0).data();
  if (world.rank() == 0) {
    *word = 1;  //@ polling
    shared.sync();
  } else {
    while (*word == 0) shared.sync();  //@ polling
  }
  world.barrier();
  shared.free();
}

/// What isend sends belongs to the request until it has been waited for.
void isend(pure::comm world) {
  std::vector<double> data(large, 1.0);
  if (world.rank() == 0) {
    pure::request sending = world.isend(data, 1);
    data[0] = 2.0;  //@ isend
    sending.wait();
  } else if (world.rank() == 1) {
    world.recv_into(data, 0);  //@ isend
  }
}

/// Chunks of one loop run on several ranks.
void chunks(pure::comm world) {
  if (world.rank() == 0) {
    double sum = 0;
    pure::parallel_for(1000, [&](std::size_t i) {
      volatile double work = 1;
      for (int k = 0; k < 100000; ++k) work = work + 1.0 / k;
      sum += static_cast<double>(i);  //@ chunks
    });
    std::printf("%g\n", sum);
  }
  world.barrier();
}

int unprotected = 0;  // a global: one for all ranks

void global(pure::comm world) {
  if (world.rank() < 2) unprotected += world.rank();  //@ global
}

/// No race: every rank waits for the next one.
void hang(pure::comm world) {
  (void)world.recv<int>((world.rank() + 1) % world.size());  //@ hang
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argv[1];
  std::vector<std::vector<double>> shared(3, std::vector<double>(8));  // a row for each rank
  int counter = 0;
  return pure::run(argc, argv, [&](pure::comm world) {
    if (kind == "rows") rows(world, shared);
    if (kind == "capture") capture(counter);
    if (kind == "window") window(world);
    if (kind == "put") put(world);
    if (kind == "polling") polling(world);
    if (kind == "isend") isend(world);
    if (kind == "chunks") chunks(world);
    if (kind == "global") global(world);
    if (kind == "hang") hang(world);
  });
}
